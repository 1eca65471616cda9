# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Sourced by soak runs, behind setup.sh: minimal Debian systems that are made from nothing, and steps inside them. As root.
#
# Whoever repairs what fails there names a folder in DUALBVH_FRESH_CCACHE: ccache keeps there what was compiled, from one
# run to the next. A run that is to prove anything does without.

# shellcheck disable=SC2016 # dollars in single quotes are those of apt and of the shell inside

[ "$(id -u)" -eq 0 ] || die "making a system needs root"
command -v debootstrap >/dev/null || install_packages debootstrap

cache=${DUALBVH_FRESH_CCACHE:+$(realpath -m "$DUALBVH_FRESH_CCACHE")}
with_cache=()
if [ -n "$cache" ]; then
	mkdir -p "$cache"
	with_cache=(cache="$cache" CCACHE_DIR=/ccache CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi

# The first archive among this machine's own that is no updates' and no security's.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' | awk '$2 !~ /-/ { print $1; exit }')
[ -n "$mirror" ] || die "apt names no archive to make a system from"

# carry_network ROOT: how this machine reaches the archive and the package index, apart from its address.
carry_network() {
	local root=$1 file
	for file in /etc/resolv.conf /etc/hosts; do [ -f "$file" ] && cp -L "$file" "$root$file"; done
	apt-config dump | grep -E '^Acquire::(https?::|Check-)[^ ]* "' >"$root/etc/apt/apt.conf.d/90network" || true
	if [[ $mirror == https:* || -n ${PIP_CERT:-} ]]; then
		mkdir -p "$root/etc/ssl"
		cp -RL /etc/ssl/certs "$root/etc/ssl/"
		if [ -n "${PIP_CERT:-}" ]; then cp -L "$PIP_CERT" "$root/etc/ssl/package-index.crt"; fi
	fi
}

# inside ROOT MODE COMMAND: in a mount namespace of its own, so that nothing stays mounted. In /dualbvh where there is one,
# which is read-only where MODE is.
inside() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
		${DUALBVH_TEST_QUICK:+DUALBVH_TEST_QUICK="$DUALBVH_TEST_QUICK"} \
		${DUALBVH_TEST_SCALE:+DUALBVH_TEST_SCALE="$DUALBVH_TEST_SCALE"} \
		${DEB_BUILD_OPTIONS:+DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS"} \
		${PIP_CERT:+PIP_CERT=/etc/ssl/package-index.crt} ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "${with_cache[@]}" \
		unshare --mount --pid --fork --kill-child bash -c '
			mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" && mount -t devpts devpts "$1/dev/pts" &&
			if [ "$2" = read-only ]; then mount --bind "$1/dualbvh" "$1/dualbvh" && mount -o remount,bind,ro "$1/dualbvh"; fi &&
			if [ -n "$cache" ]; then mkdir -p "$1/ccache" && mount --bind "$cache" "$1/ccache"; fi &&
			exec chroot "$1" bash -c "cd /dualbvh 2>/dev/null; $3"' - "$@"
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

# make_system SUITE ROOT: the smallest there is; fails where it cannot be made, which is counted.
make_system() {
	remove "$2"
	if ! debootstrap --variant=minbase "$1" "$2" "$mirror" >"$2-debootstrap.log" 2>&1; then
		tail -n 5 "$2-debootstrap.log"
		step_failed "debootstrap of $1"
		return 1
	fi
	carry_network "$2"
}

# add_tree ROOT: the committed tree as /dualbvh; where ccache is asked for, that too.
add_tree() {
	mkdir "$1/dualbvh"
	git archive HEAD | tar -C "$1/dualbvh" -xf -
	[ -z "$cache" ] || try "${1##*/}" "$1" ccache writable \
		'apt-get update -qq && apt-get install -y -qq --no-install-recommends ccache'
}
