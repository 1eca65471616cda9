#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The check of comments must pass a good tree, list each comment without a subject, and fail where a folder has too many.
#
#   comments_selftest.sh LINT

set -euo pipefail
lint=$1
# shellcheck source-path=SCRIPTDIR source=lint_tree.sh
. "$(dirname "${BASH_SOURCE[0]}")/lint_tree.sh"

# 40 blocks of comments, none of which is bare, whatever its other lines and its code begin with.
fresh() {
	rm -rf "${tree:?}"/*
	local i lines=('// SPDX-License-Identifier: MIT' '' '// The pairs of a node,' '// which are sorted. It is' '//' '// of two.'
		'const char *s = "// It is"; // the address' '                            // that it has' \
		"char c = '\"'; // a quotation mark" 'int of; // of_all is no word of its own' 'x = "https://of.example";')
	for ((i = 0; i < 36; ++i)); do lines+=('' '/// Returns that number.'); done
	put src/a.c "${lines[@]}"
	put python/a.py '#!/usr/bin/env python3' '# The sum.' 's = "# It is" # whole' 'x = 1'
}

# bare STATUS FILE LINE COMMENT: is the comment listed, and the status that of one bare block more?
bare() {
	local status=0 output
	put "src/$2" "$4"
	output=$(bash "$lint" "$tree") || status=$?
	if [ "$status" -ne "$1" ] || { [ "$3" -gt 0 ] && ! grep -q "^src/$2:$3: " <<<"$output"; } ||
		{ [ "$3" -eq 0 ] && grep -q "^src/$2:" <<<"$output"; }; then
		printf 'FAIL: status %s in place of %s for "%s":\n%s\n' "$status" "$1" "$4" "$output"
		failed=1
	fi
	rm "$tree/src/$2"
}

fresh
if ! output=$(bash "$lint" "$tree") || [ "$output" != "comments: python: 0 of 2 blocks begin without a subject, 0.0 %
comments: src: 0 of 40 blocks begin without a subject, 0.0 %" ]; then
	printf 'FAIL: a good tree gives:\n%s\n' "$output"
	failed=1
fi
bare 0 b.c 1 '// What is left of it.'
bare 0 b.h 1 'int x; // of the other'
bare 0 b.inl 1 '	/// It is sorted.'
bare 0 b.hpp 1 '	int x; ///< which is sorted'
bare 0 b.rs 1 "//! Those of a node's leaf."
bare 0 b.c 0 '// Item lists, as before.'
bare 0 b.c 0 '// Ofs and Ases.'
bare 0 b.txt 0 '// It is no source.'
# Two of 42 are more than 3 percent, as one of 3 is.
put src/c.c '// By the way.'
bare 1 b.c 1 '// None of them.'
rm "$tree/src/c.c"
put python/b.py '# What is left.'
bare 1 b.c 0 '// The rest.'

[ "$failed" -eq 0 ] && echo "comments_selftest: every comment without a subject was listed"
exit "$failed"
