#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The check of the floating-point environment must pass a good tree and name each violation put into it.
#
#   fpenv_selftest.sh LINT

set -euo pipefail
lint=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/src/query "$tree"/include/dualbvh "$tree"/tests/query/common
failed=0

must_fail() { # what is expected in the output
	if output=$(bash "$lint" "$tree" 2>/dev/null); then
		echo "FAIL: not noticed: $1"
		failed=1
	elif [[ $output != *"$1"* ]]; then
		printf 'FAIL: instead of "%s":\n%s\n' "$1" "$output"
		failed=1
	fi
}

good() {
	cat >"$tree"/src/query/a.c <<'END'
const char *dbvh_version( void ) {
	return "";
}

dbvh_status dbvh_thing( const dbvh_tree *tree,
                        bool *out ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_thing( tree, out ) );
}

#define MEET( name )                        \
	dbvh_status dbvh_##name##_intersect( void ) { \
		DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_##name##_meet() ); \
	}
END
	echo 'DBVH_API dbvh_status dbvh_thing( const dbvh_tree *tree, bool *out );' >"$tree"/include/dualbvh/a.h
	echo 'ASK( dbvh_thing( a, &out ) );' >"$tree"/tests/query/common/fpenv_calls.c
}

good
bash "$lint" "$tree" >/dev/null || { echo "FAIL: a good tree is refused"; failed=1; }
sed -i 's/DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_thing/return ( do_thing/' "$tree"/src/query/a.c
must_fail 'a.c:5: dbvh_thing()'
good
sed -i 's/DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_##/return ( do_##/' "$tree"/src/query/a.c
must_fail 'a.c:11: dbvh_##name##_intersect()'
good
echo 'DBVH_API dbvh_status dbvh_other( void );' >>"$tree"/include/dualbvh/a.h
must_fail 'dbvh_other() is not tried'
exit $failed
