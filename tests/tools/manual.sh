#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# manual.sh COMMAND FOLDER: the manual pages in FOLDER have every option and no mistake, and bash, zsh and fish, where they
# are there, complete what there is to complete.

set -euo pipefail
export LC_ALL=C
command=$(realpath "$1")
folder=$(realpath "$2")
wrong=0

complain() {
	wrong=$((wrong + 1))
	echo "manual: $*"
}

names=$("$command" --help | awk '/^  [a-z]+ +/ { print $1; seen = 1 } /^$/ && seen { exit }')
[ "$(wc -w <<<"$names")" -ge 8 ] || complain "the commands are only: $names"
[ -s "$folder/man1/dualbvh.1" ] || complain "there is no page of the command itself"

# What the command says its options are, by another reading of its help than that of the generator.
options() { "$command" "$1" --help | grep -oE '^ {2}(-., | {4})--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+'; }

for name in $names; do
	page=$folder/man1/dualbvh-$name.1
	[ -s "$page" ] || { complain "there is no page of $name" && continue; }
	for option in $(options "$name"); do
		grep -qF "\\fB${option//-/\\-}\\fR" "$page" || complain "the page of $name lacks $option"
	done
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES 'EXIT STATUS' 'SEE ALSO'; do
		grep -q "^\.SH $section\$" "$page" || complain "the page of $name has no $section"
	done
done
for page in "$folder"/man1/*; do
	if command -v mandoc >/dev/null; then # a page has no date: it would be that of the build
		mandoc -T lint -W warning "$page" | grep -v 'missing date' && complain "mandoc complains"
	fi
	if command -v groff >/dev/null; then
		[ -z "$(groff -man -T ascii -ww "$page" 2>&1 >/dev/null)" ] || complain "groff complains of ${page##*/}"
	fi
done

# complete WORD...: what bash offers for the last word.
complete_words() {
	bash -c '
		. "$0"
		COMP_WORDS=( "$@" )
		COMP_CWORD=$(( $# - 1 ))
		_dualbvh
		printf "%s\n" "${COMPREPLY[@]}" | sort | paste -sd " "' "$folder/completion/dualbvh" "$@"
}
offers() { # EXPECTED WORD...
	local expected=$1 got
	shift
	got=$(complete_words "$@")
	[ "$got" = "$expected" ] || complain "for '$*' bash offers '$got', not '$expected'"
}
offers 'scene self' dualbvh s
offers 'check' dualbvh help c
offers '--touch-gap --touch-overlap' dualbvh check a.stl --touch
offers '--version' dualbvh toi --v
offers 'sphere stairs statue' dualbvh gen s
offers '' dualbvh check --nothing
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
touch -- a.stl b.stl -odd.stl
offers 'a.stl' dualbvh check a
offers 'b.stl' dualbvh check a.stl --poses b
offers '-odd.stl' dualbvh check a.stl --poses -o
for name in $names; do
	# shellcheck disable=SC2046 # these are words
	[ "$(complete_words dualbvh "$name" -- | tr ' ' '\n')" = "$(options "$name" | sort)" ] ||
		complain "bash does not offer all options of $name"
done
if command -v zsh >/dev/null; then
	zsh -n "$folder/completion/_dualbvh" || complain "zsh does not understand its completion"
fi
if command -v fish >/dev/null; then
	got=$(HOME=$PWD fish --no-config -c "source '$folder/completion/dualbvh.fish'; complete -C 'dualbvh check --touch-'" | cut -f1 | sort | paste -sd ' ')
	[ "$got" = '--touch-gap --touch-overlap' ] || complain "fish offers '$got'"
fi

[ "$wrong" -eq 0 ] && echo "$(find "$folder/man1" -type f | wc -l) pages, and completion for bash, zsh and fish"
