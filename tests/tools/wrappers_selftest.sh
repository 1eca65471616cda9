#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The check of the wrappers must pass a good tree, and name what is missing and what is left out for nothing.
#
#   wrappers_selftest.sh LINT

set -euo pipefail
lint=$1
# shellcheck source-path=SCRIPTDIR source=lint_tree.sh
. "$(dirname "${BASH_SOURCE[0]}")/lint_tree.sh"

fresh() {
	put include/dualbvh/thing.h 'typedef struct dbvh_thing_query {' '	double limit, edge; ///< how far' \
		'	bool ( *progress )( void *user, int done );' '} dbvh_thing_query;' \
		'DBVH_API int dbvh_thing_ask( const dbvh_thing_query *query,' '                             int *out );' \
		'DBVH_API const char *dbvh_thing_name( int thing ); // not dbvh_thing_other()'
	put include/dualbvh/dualbvh.hpp '#include "dualbvh/cpp/thing.hpp"'
	put include/dualbvh/cpp/thing.hpp 'int ask() { return dbvh_thing_ask( 0, 0 ); }'
	put python/src/x.h '#include <nothing_of_this_name.h>' '#define ASK( kind ) dbvh_##kind##_ask( &query, 0 )'
	put python/src/x.cpp 'int ask() { query.limit = query.edge; query.progress = 0; return ASK( thing ); }'
	put docs/glossary.md '| ask | `dbvh_thing_ask()`; `dbvh_*_name()` |'
	put tools/lint/wrappers.txt '# table' '' 'hpp     dbvh_*_name  a reason' 'python  dbvh_*_name  a reason'
}

expect() { # status, text
	local status=0 output
	output=$("$lint" "$tree" 2>&1) || status=$?
	if [ "$status" -ne "$1" ] || ! grep -qF -- "$2" <<<"$output"; then
		echo "status $status in place of $1, without '$2': $output"
		failed=1
	fi
}

fresh
status=0
"$lint" "$tree" >/dev/null 2>&1 || status=$?
[ "$status" -ne 77 ] || { echo "wrappers_selftest: skipped, there is no compiler"; exit 77; }
expect 0 '2 functions, 3 members'
put include/dualbvh/cpp/thing.hpp '// dbvh_thing_ask'
expect 1 'dualbvh.hpp has no dbvh_thing_ask'
fresh
put python/src/x.cpp 'int ask() { query.limit = 0; query.progress = 0; return 0; }'
expect 1 'the Python package has no dbvh_thing_ask'
expect 1 'the Python package has no dbvh_thing_query.edge'
fresh
put docs/glossary.md '| ask | `dbvh_*_asked()`; `dbvh_*_name()` |'
expect 1 'docs/glossary.md has no dbvh_thing_ask'
fresh
put tools/lint/wrappers.txt 'hpp     dbvh_*_name  a reason' 'python  dbvh_*_name'
expect 1 'there is no reason'
put tools/lint/wrappers.txt 'hpp     dbvh_*_name  a reason' 'python  dbvh_*_name  a reason' 'python  dbvh_gone  a reason'
expect 1 'wrappers.txt:3: leaves nothing out'
exit "$failed"
