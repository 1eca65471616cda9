#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# A static function of src/ has its name once a folder: two that do different things under one name are mistaken for each
# other, and two that do the same are one.
#
#   tools/lint/names.sh [ROOT]
#
# Prints a line for each name that two files of a folder give a function, and exits with 1 where there is any that
# tools/lint/names.txt does not have, or one there that is not needed any more.

set -euo pipefail
export LC_ALL=C

root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$root"
allowed=tools/lint/names.txt

twice() {
	# Of the files of base/os.h a build has one.
	find src -type f \( -name '*.c' -o -name '*.h' -o -name '*.inl' \) ! -path 'src/base/os_[!p]*' | sort | xargs awk '
		/^(static|LANES_INLINE|LANES_SHARED|VECTOR_INLINE|DBVHI_INLINE)[ \t]/ && /\(/ && !/;$/ {
			line = $0
			gsub(/__attribute__\( \( [a-z_]+ \) \)/, "", line)
			sub(/\(.*/, "", line)
			if (line ~ /[={]/) next
			n = split(line, word, /[ \t*]+/)
			name = word[n] != "" ? word[n] : word[n - 1]
			folder = FILENAME
			sub(/\/[^\/]*$/, "", folder)
			key = folder " " name
			if (name !~ /^(F|N|NAME)$/ && !((key, FILENAME) in seen)) {
				seen[key, FILENAME] = 1
				file = FILENAME
				sub(/.*\//, "", file)
				files[key] = files[key] " " file
				++count[key]
			}
		}
		END { for (key in count) if (count[key] > 1) print key ":" files[key] }
	' | sort
}

found=$(twice)
status=0
while IFS= read -r line; do
	[ -n "$line" ] || continue
	grep -qxF "${line%%:*}" "$allowed" 2>/dev/null || { echo "$line"; status=1; }
done <<<"$found"
while IFS= read -r line; do
	case $line in '' | \#*) continue ;; esac
	grep -qF "$line:" <<<"$found" || { echo "$allowed: \"$line\" is not needed any more"; status=1; }
done <"$allowed"
[ $status = 0 ] && echo "names: in order"
exit $status
