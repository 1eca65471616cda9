#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# readme.sh COMMAND README: runs what the README shows of the command, and compares what it prints. Which of several
# triangles is named, and the last digits of a time, may depend on the machine: they are not compared, nor is what is shown with something left out.

set -euo pipefail
command=$(realpath "$1")
readme=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/work"
ln -s "$command" "$folder/bin/dualbvh"
PATH=$folder/bin:$PATH
cd "$folder/work"

same_everywhere() {
	sed -E -e 's/(triangle|triangles?) [0-9]+ of (A|B) at .*/\1 N of \2/' -e 's/triangle [0-9]+ of A and [0-9]+ of B/triangle N of A and N of B/' \
		-e 's/at most [0-9.e-]+ later/at most T later/' -e 's/([0-9]\.[0-9]{9})[0-9]+/\1/g'
}

shown=0
wrong=0
line=
# run LINE: the lines that follow it in the README are in $expected.
run() {
	[ -n "$line" ] || return 0
	if [[ $line == 'cat '* ]]; then
		printf '%s\n' "$expected" >"${line#cat }" # what is shown of a file is the file
		return 0
	fi
	[[ $expected != *...* ]] || return 0 # something is left out
	shown=$((shown + 1))
	local got
	got=$(bash -c "$line" 2>&1 || true)
	if [ "$(same_everywhere <<<"$got")" != "$(same_everywhere <<<"$expected")" ]; then
		wrong=$((wrong + 1))
		printf 'the README shows of: %s\n%s\nbut it prints\n%s\n' "$line" "$expected" "$got"
	fi
}

expected=
while IFS= read -r text; do
	case $text in
	'    $ '*)
		run
		line=${text#    \$ }
		expected=
		[[ $line == *dualbvh* || $line == 'cat '* ]] || line=
		;;
	'    '*)
		expected+=${expected:+$'\n'}${text#    }
		;;
	*)
		run
		line=
		;;
	esac
done <"$readme"
run
echo "$shown commands of the README, $wrong of them print something else"
[ "$shown" -ge 5 ] && [ "$wrong" -eq 0 ]
