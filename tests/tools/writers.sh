#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Every file that the command writes: a full disk leaves the old one as it was, with a sentence and exit status 2; so
# does a process that is killed as it writes; permissions are those of a file of this user.
#
#   writers.sh DUALBVH

set -uo pipefail
source "$(dirname "$0")/harness.sh" "$1"

gen box -o a.off
gen sphere -o b.off
printf '{"bodies": [{"name": "a", "file": "a.off"}, {"name": "b", "file": "b.off", "pose": {"translation": [0.5, 0, 0]}}]}' >scene.json
scenes=0
"$dualbvh" --version | grep >/dev/null jansson && "$dualbvh" info scene.json >/dev/null 2>&1 && scenes=1

# full TRAP FILE ARGUMENT...: runs the command where no file may grow beyond 512 bytes (RLIMIT_FSIZE). With TRAP
# `ignore` a write fails (EFBIG), as on a full disk; with `die` the signal SIGXFSZ ends the process at once.
full() {
	local how=$1 file=$2 got
	shift 2
	printf 'what was there before' >"$file"
	# Through a pipe: the limit is that of the file of sentences, too.
	{
		( [ "$how" = die ] || trap '' XFSZ; ulimit -c 0; ulimit -f "$blocks"; exec "$dualbvh" "$@" ) 2>&1 >/dev/null </dev/null |
			cat >err
		got=${PIPESTATUS[0]}
	} 2>/dev/null # where the shell tells of signals
	: >out
	case $how in
	ignore) [ "$got" -eq 2 ] && [ -s err ] || bad "status $got instead of 2 with a sentence: $*" ;;
	die) [ "$got" -gt 128 ] || bad "status $got instead of a signal: $*" ;;
	esac
	that "$file is as it was: $*" [ "$(cat "$file")" = 'what was there before' ]
	[ "$how" = die ] || that "nothing is left behind: $*" [ -z "$(find . -name '*.tmp')" ]
	find . -name '*.tmp' -delete
}

# device FILE ARGUMENT...: the same with a device that is always full in the place of FILE.
device() {
	[ -c /dev/full ] || return 0
	local file=$1
	shift
	rm -f "$file"
	ln -s /dev/full "$file"
	expect 2 "$@"
	that "a device stays one: $*" [ -L "$file" ]
	rm -f "$file"
}

writes() { # FILE ARGUMENT...
	full ignore "$@"
	full die "$@"
	device "$@"
}

blocks=0
for format in off obj ply stl; do
	writes mesh.$format gen gear -o mesh.$format --quiet
done
writes tree.dbvh build a.off -o tree.dbvh
writes check.cap check a.off b.off --capture check.cap
writes distance.cap distance a.off b.off --capture distance.cap
writes self.cap self a.off --capture self.cap
for form in glb obj ply; do
	writes pair.$form export a.off b.off -o pair.$form
done
if ! "$dualbvh" view a.off b.off -o page.html 2>&1 | grep -q 'page'; then
	echo 'no page here: the viewer was not built'
elif [ -s page.html ]; then
	writes page.html view a.off b.off -o page.html
	writes check.html check a.off b.off --html check.html
fi
if [ $scenes -eq 1 ]; then
	for kind in junit sarif json csv; do
		writes report.$kind scene scene.json --report $kind=report.$kind
	done
fi
# A file of results goes on as results come; its state is written before the old ones go.
full ignore r.npy check a.off b.off -o r.npy
full ignore r.jsonl distance a.off b.off -o r.jsonl

# The first block fits: a mesh that is cut reads as a sound one, so it must not be there.
blocks=1
writes mesh.obj gen gear -o mesh.obj --quiet
writes mesh.off gen gear -o mesh.off --quiet

# Pictures go into a folder, where each has a name of its own.
blocks=0
mkdir pictures
"$dualbvh" check a.off b.off --png pictures >out 2>err
picture=$(find pictures -name '*.png' | head -n 1)
that 'there is a picture' [ -n "$picture" ]
full ignore "$picture" check a.off b.off --png pictures

# What follows is about permissions, pipes and links of POSIX.
is_posix || { finish writers; exit; }

# Permissions: those of a file of one's own are kept, but for setuid, setgid and sticky bits.
umask 022
: >own.off
for mode in 600 640 4755 2755 1644; do
	chmod $mode own.off
	expect 0 gen box -o own.off --quiet
	that "mode $mode" [ "$(stat -c %a own.off)" = "${mode: -3}" ]
done
if [ "$(id -u)" -eq 0 ]; then
	chown 65534:65534 own.off
	chmod 6777 own.off
	expect 0 gen box -o own.off --quiet
	that 'a file of another user' [ "$(stat -c '%a %u' own.off)" = '644 0' ]
fi

# Pipes and standard output are written through.
mkfifo pipe.off
cat pipe.off >piped &
expect 0 gen box -o pipe.off --quiet
wait $!
that 'a pipe stays one' [ -p pipe.off ]
that 'and has all of it' cmp -s piped own.off

# Trees: a pipe is no tree, and nobody waits for it.
mkfifo tree-pipe.dbvh
timeout 20 "$dualbvh" info tree-pipe.dbvh >out 2>err
that 'a pipe for a tree is refused at once' [ $? -eq 2 ]
says err 'regular file'
# A mesh may come from a pipe.
that 'a mesh from a pipe' "$dualbvh" info <(cat a.off) >out 2>err
that 'a mesh from standard input' "$dualbvh" info /dev/stdin <a.off >out 2>err

# Caches.
mkdir cache
chmod 777 cache
"$dualbvh" check a.off b.off --cache cache >out 2>err
says err 'others can write to it'
that 'nothing is put there' [ -z "$(ls cache)" ]
if [ $scenes -eq 1 ]; then
	"$dualbvh" scene scene.json --cache cache >out 2>err
	says err 'others can write to it'
fi
chmod 755 cache
expect 0 check a.off b.off --cache cache
entry=$(find cache -name '*.dbvh' | head -n 1)
printf precious >victim
rm "$entry"
ln -s ../victim "$entry"
"$dualbvh" check a.off b.off --cache cache >out 2>err
says err 'a tree there was of no use'
that 'a link is not written through' [ "$(cat victim)" = precious ]
expect 0 check a.off b.off --cache cache
rm "$entry"
mkfifo "$entry"
timeout 20 "$dualbvh" check a.off b.off --cache cache >out 2>err
that 'a pipe does not stop it' [ $? -eq 0 ]
says err 'regular file'

finish writers
