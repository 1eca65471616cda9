#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# readme.sh COMMAND CC CXX INCLUDE DOCUMENT...: runs what the documents show of the command, each in a folder of its own,
# and compares what it prints; and compiles their programs in C and C++ (CXX is "none" where there is no compiler),
# without linking. Which of several triangles is named, and the last digits of a time, may depend on the machine: they
# are not compared, nor is what is shown with something left out.

set -euo pipefail
command=$(realpath "$1")
cc=$2
cxx=$3
include=$(realpath "$4")
shift 4
mapfile -t documents < <(realpath "$@")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
ln -s "$command" "$folder/bin/dualbvh"
PATH=$folder/bin:$PATH

same_everywhere() {
	sed -E -e 's/(triangle|triangles?) [0-9]+ of (A|B) at .*/\1 N of \2/' -e 's/triangle [0-9]+ of A and [0-9]+ of B/triangle N of A and N of B/' \
		-e 's/, near [-0-9.e ]+$/, near P/' \
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
		printf '%s shows of: %s\n%s\nbut it prints\n%s\n' "${document##*/}" "$line" "$expected" "$got"
	fi
}

# show DOCUMENT
show() {
	document=$1
	rm -rf "$folder/work"
	mkdir "$folder/work"
	cd "$folder/work"
	expected=
	line=
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
	done <"$document"
	run
}

# compile DOCUMENT: every block of C and C++
programs=0
compile() {
	local part compiler
	rm -f "$folder"/part*
	awk -v FOLDER="$folder" '/^```/ { inside = ""; if ($0 ~ /^```(c|cpp)$/) { inside = substr($0, 4); ++n }; next }
		inside != "" { print >(FOLDER "/part" n "." inside) }' "$1"
	for part in "$folder"/part*; do
		[ -f "$part" ] || continue
		compiler=("$cc" -std=c17)
		[[ $part != *.cpp ]] || compiler=("$cxx" -std=c++17)
		[ "${compiler[0]}" != none ] || continue
		programs=$((programs + 1))
		if ! "${compiler[@]}" -Wall -Wextra -Werror -fsyntax-only -I "$include" "$part"; then
			wrong=$((wrong + 1))
			echo "${1##*/}: a program does not compile"
		fi
	done
}

for document in "${documents[@]}"; do
	show "$document"
	compile "$document"
done
echo "$shown commands and $programs programs of the documents, $wrong of them wrong"
[ "$shown" -ge 5 ] && [ "$programs" -ge 1 ] && [ "$wrong" -eq 0 ]
