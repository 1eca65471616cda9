#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# What the tests of the command share; source it with the path to dualbvh. Runs on in an empty folder.

set -uo pipefail
export LC_ALL=C
export DUALBVH_MODELS= # no program of the machine reads files in place of the command
dualbvh=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

# Has the system of the command signals, and names of any bytes? Windows, as scripts/test windows runs it, has not.
is_posix() { [ "${DUALBVH_TEST_SYSTEM:-posix}" = posix ]; }

good() { passed=$((passed + 1)); }
bad() {
	failed=$((failed + 1))
	echo "FAIL: $*"
	sed 's/^/  out: /' out | head -n 5
	sed 's/^/  err: /' err | head -n 5
}

# is_short_run: fewer inputs where each takes long, as scripts/test asks of the sanitizers (tests/support/rounds.h).
is_short_run() { awk -v scale="${DUALBVH_TEST_SCALE:-1}" 'BEGIN { exit !(scale < 0.1) }'; }

# gen ARGUMENT...: makes a mesh.
gen() { "$dualbvh" gen "$@" --quiet || echo "FAIL: gen $*"; }

# open_box LOW HIGH: a box from x,y,z to x,y,z that is open at the top, in OFF.
open_box() {
	local x y z X Y Z
	IFS=, read -r x y z <<<"$1"
	IFS=, read -r X Y Z <<<"$2"
	printf '%s\n' OFF '8 10 0' "$x $y $z" "$X $y $z" "$X $Y $z" "$x $Y $z" "$x $y $Z" "$X $y $Z" "$X $Y $Z" "$x $Y $Z" \
		'3 0 2 1' '3 0 3 2' '3 0 1 5' '3 0 5 4' '3 1 2 6' '3 1 6 5' '3 2 3 7' '3 2 7 6' '3 3 0 4' '3 3 4 7'
}

# expect STATUS ARGUMENT...: runs the command; its output is in the files out and err.
expect() {
	local wanted=$1 got=0
	shift
	"$dualbvh" "$@" >out 2>err </dev/null || got=$?
	if [ "$got" -ne "$wanted" ]; then
		bad "status $got instead of $wanted: $*"
	elif [ "$wanted" -eq 2 ] && ! [ -s err ]; then
		bad "no word about what is wrong: $*"
	elif [ "$wanted" -ne 2 ] && [ -s err ]; then
		bad "something on stderr: $*"
	else
		good
	fi
}

# that WHAT COMMAND...: the command, mostly a comparison, must succeed.
that() {
	local what=$1
	shift
	if "$@"; then good; else bad "$what"; fi
}

# says FILE TEXT: the file (out or err) of the last run contains the text.
says() {
	if grep -qF -- "$2" "$1"; then good; else bad "'$2' is not in $1"; fi
}

# Is the file out one JSON value? Without python3 only a glance at both ends.
json() {
	if command -v python3 >/dev/null; then
		if python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' out 2>err; then good; else bad "no JSON"; fi
	elif [ "$(head -c 1 out)" = '{' ] && [ "$(tail -c 2 out)" = '}' ]; then
		good
	else
		bad "no JSON object"
	fi
}

# is EXPRESSION: a Python expression about the JSON in the file out, which is `d`. Passes where there is no python3. One
# Python answers all of them: to start one takes longer than most of what is tested.
is() {
	local answer=
	command -v python3 >/dev/null || return 0
	if [ -z "${judge_PID:-}" ]; then
		coproc judge { exec python3 -c '
import json, math, sys, traceback
while expression := sys.stdin.readline():
    try:
        d = json.load(open("out", encoding="utf-8"))
        r = d.get("results", [])
        answer = "yes" if eval(expression) else "no"
    except Exception:
        traceback.print_exc(file=open("err", "w"))
        answer = "no"
    print(answer, flush=True)'; }
	fi
	echo "${1//$'\n'/ }" >&"${judge[1]}"
	read -r answer <&"${judge[0]}" || true
	if [ "$answer" = yes ]; then good; else bad "not so: $1"; fi
}

# refuses TEXT ARGUMENT...: status 2, the text on stderr, and nothing on stdout.
refuses() {
	local text=$1
	shift
	expect 2 "$@"
	says err "$text"
	that "nothing is printed: $*" [ ! -s out ]
}

finish() { # the name of the test
	echo "$1: $passed checks passed, $failed failed"
	[ "$failed" -eq 0 ]
}
