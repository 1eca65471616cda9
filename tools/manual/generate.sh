#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# generate.sh COMMAND FOLDER: manual pages of the command and its subcommands, and completion for bash, zsh and fish, all
# from what --help prints, which comes from the tables of options.

set -eu
LC_ALL=C
export LC_ALL
here=$(dirname "$0")
command=$1
folder=$2

mkdir -p "$folder/man1" "$folder/completion"
rm -f "$folder"/man1/* "$folder"/completion/*
version=$("$command" --version | sed -n '1s/^dualbvh \([0-9.]*\).*/\1/p')
"$command" --help >"$folder/help.txt"
# The list of commands ends at the first empty line behind it.
names=$(awk '/^  [a-z]+ +/ { print $1; seen = 1 } /^$/ && seen { exit }' "$folder/help.txt")
names=$(echo "$names" | tr '\n' ' ')

awk -v name= -v brief='exact interference of triangle meshes' -v version="$version" -v commands="$names" -f "$here/man.awk" \
	"$folder/help.txt" >"$folder/man1/dualbvh.1"
for name in $names; do
	brief=$(sed -n "s/^  $name  *//p" "$folder/help.txt")
	"$command" "$name" --help |
		awk -v name="$name" -v brief="$brief" -v version="$version" -v commands="$names" -f "$here/man.awk" >"$folder/man1/dualbvh-$name.1"
	echo "@ $name" >>"$folder/help.txt"
	"$command" "$name" --help >>"$folder/help.txt"
done
awk -v shell=bash -f "$here/completion.awk" "$folder/help.txt" >"$folder/completion/dualbvh"
awk -v shell=zsh -f "$here/completion.awk" "$folder/help.txt" >"$folder/completion/_dualbvh"
awk -v shell=fish -f "$here/completion.awk" "$folder/help.txt" >"$folder/completion/dualbvh.fish"
