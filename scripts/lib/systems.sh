# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Sourced by .ci/run and by soak runs, behind setup.sh: minimal Debian systems that are made from nothing, and steps inside
# them. Ends the shell with a sentence where this machine can make none.
#
# Whoever repairs what fails there names a folder in DUALBVH_FRESH_CCACHE: ccache keeps there what was compiled, from one
# run to the next. A run that is to prove anything does without.

# shellcheck disable=SC2016 # dollars in single quotes are those of apt and of the shell inside

[ "$(id -u)" -eq 0 ] || die "making a system needs root"
command -v apt-get >/dev/null || die "making a system needs apt"
command -v debootstrap >/dev/null || install_packages debootstrap
unshare --mount --pid --fork true 2>/dev/null || die "making a system needs mount namespaces"

cache=${DUALBVH_FRESH_CCACHE:+$(realpath -m "$DUALBVH_FRESH_CCACHE")}
with_cache=()
if [ -n "$cache" ]; then
	mkdir -p "$cache"
	with_cache=(cache="$cache" CCACHE_DIR=/ccache CCACHE_BASEDIR=/dualbvh CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content
		CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi

# The archive that this machine takes Debian from; without one, debootstrap knows its own.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(ORIGIN)' 'Created-By: Packages' |
	awk '$3 == "Debian" && $2 !~ /-/ { print $1; exit }')

# The certificates by which this machine's pip, npm and others know who answers, where it was told of any. They have a place
# of their own inside: installing ca-certificates there writes the usual one anew.
certificates=${PIP_CERT:-${SSL_CERT_FILE:-${NODE_EXTRA_CA_CERTS:-}}}
inner_certificates=/etc/ssl/outside.crt

# setting NAME COMMAND...: NAME=what the command prints, unless that is nothing. A line a word of `env`.
setting() {
	local value
	value=$("${@:2}" 2>/dev/null) || return 0
	case $value in '' | null | undefined) ;; *) printf '%s=%s\n' "$1" "$value" ;; esac
}

# How this machine reaches package indexes: proxies, and what pip and npm have been told, in files or by the environment.
mapfile -t with_network < <(
	env | grep -iE '^(https?|no|all)_proxy=.' || true
	if command -v pip3 >/dev/null; then
		pip3 config list 2>/dev/null | sed -nE "s/^global\.(index-url|extra-index-url|trusted-host|proxy)='(.*)'\$/\1 \2/p" |
			while read -r name value; do printf 'PIP_%s=%s\n' "$(tr 'a-z-' 'A-Z_' <<<"$name")" "$value"; done
	fi
	env | grep -E '^PIP_(INDEX_URL|EXTRA_INDEX_URL|TRUSTED_HOST|PROXY|DEFAULT_TIMEOUT)=.' || true
	if command -v npm >/dev/null; then
		for name in registry proxy https-proxy; do setting "npm_config_${name//-/_}" npm config get "$name"; done
	fi
	if [ -n "$certificates" ]; then
		printf '%s\n' {PIP_CERT,SSL_CERT_FILE,NODE_EXTRA_CA_CERTS,npm_config_cafile}="$inner_certificates"
	fi
)

# carry_network ROOT: how this machine reaches the archive.
carry_network() {
	local root=$1 file
	for file in /etc/resolv.conf /etc/hosts; do [ -f "$file" ] && cp -L "$file" "$root$file"; done
	apt-config dump | grep -E '^Acquire::(https?::|Check-)[^ ]* "' >"$root/etc/apt/apt.conf.d/90network" || true
	mkdir -p "$root/etc/ssl"
	if [[ $mirror == https:* ]]; then cp -RL /etc/ssl/certs "$root/etc/ssl/"; fi
	if [ -n "$certificates" ]; then cp -L "$certificates" "$root$inner_certificates"; fi
}

# inside ROOT MODE COMMAND: in a mount namespace of its own, so that nothing stays mounted. In /dualbvh where there is one,
# which is read-only where MODE is.
inside() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 ${CI:+CI="$CI"} \
		${DUALBVH_TEST_QUICK:+DUALBVH_TEST_QUICK="$DUALBVH_TEST_QUICK"} \
		${DUALBVH_TEST_SCALE:+DUALBVH_TEST_SCALE="$DUALBVH_TEST_SCALE"} \
		${DEB_BUILD_OPTIONS:+DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS"} "${with_network[@]}" "${with_cache[@]}" \
		unshare --mount --pid --fork --kill-child bash -c '
			mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" && mount -t devpts devpts "$1/dev/pts" &&
			if [ "$2" = read-only ]; then mount --bind "$1/dualbvh" "$1/dualbvh" && mount -o remount,bind,ro "$1/dualbvh"; fi &&
			if [ -n "$cache" ]; then mkdir -p "$1/ccache" && mount --bind "$cache" "$1/ccache"; fi &&
			exec chroot "$1" bash -c "cd /dualbvh 2>/dev/null; $3"' - "$@" </dev/null
}

# try NAME ROOT WHAT MODE COMMAND: one step in a system, as one line; its log is ROOT-WHAT.log.
try() {
	local name=$1 root=$2 what=$3 log start=$SECONDS verdict
	log=$root-${what// /-}.log
	if inside "$root" "$4" "$5" >"$log" 2>&1; then
		passed=$((passed + 1))
		verdict="ok"
	else
		failed=$((failed + 1))
		verdict="FAILED, see $(shown_path "$log")"
		tail -n 25 "$log"
	fi
	printf '%-9s %-22s %s after %d min %02d s' "$name" "$what" "$verdict" $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60))
	sed -nE 's/^([0-9]+ passed, [0-9]+ failed)$/ (\1)/p' "$log" | tail -n 1 | tr -d '\n'
	echo
}

remove() { rm -rf --one-file-system "$@"; }

# make_system SUITE ROOT: the smallest there is; fails where it cannot be made.
make_system() {
	local attempt
	for attempt in 1 2 3; do
		remove "$2"
		mkdir -p "$2"
		if debootstrap --variant=minbase "$1" "$2" ${mirror:+"$mirror"} >"$2-debootstrap.log" 2>&1; then
			carry_network "$2"
			return
		fi
		echo "debootstrap of $1 failed, attempt $attempt:"
		tail -n 5 "$2-debootstrap.log"
	done
	return 1
}

# add_tree ROOT: the committed tree as /dualbvh; where ccache is asked for, that too.
add_tree() {
	mkdir "$1/dualbvh"
	git archive HEAD | tar -C "$1/dualbvh" -xf -
	[ -z "$cache" ] || try "${1##*/}" "$1" ccache writable \
		'apt-get update -qq && apt-get install -y -qq --no-install-recommends ccache'
}
