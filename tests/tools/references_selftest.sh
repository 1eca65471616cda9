#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The check of references must pass a good tree and name each missing thing put into it, one at a time.
#
#   references_selftest.sh LINT

set -euo pipefail
lint=$1
# shellcheck source-path=SCRIPTDIR source=lint_tree.sh
. "$(dirname "${BASH_SOURCE[0]}")/lint_tree.sh"

fresh() {
	rm -rf "${tree:?}"/*
	put include/dualbvh/base.h '#define DBVH_STATUS_LIST( X ) \' '	X( OK, "fine" ) \' '	X( LIMIT, "large" )' \
		'/// See dbvh_collide().' 'int dbvh_version( void );'
	put include/dualbvh/collide.h 'int dbvh_collide( void );' 'int dbvh_sphere_sphere_cast( void );' '#define DBVH_LARGE 1'
	put src/query/api.c '// As in include/dualbvh/collide.h and api.c.' 'int dbvhi_thing_run( void );' \
		'#define MAKE( name ) dbvhi_made_##name'
	put tests/CMakeLists.txt 'dualbvh_test( thing test_thing.c )' '# see docs/note.md' 'option( DUALBVH_SOMETHING "" ON )'
	put tests/test_thing.c '// nothing'
	# A folder of sources may be called build; the one at the top is not part of the project.
	put src/query/build/deep.c '// nothing'
	put build/made.c '// see docs/missing.md'
	put tools/main.c '    { "clearance", 0, 0 },'
	put tools/cmd/cmd.h '#define COMMANDS( X ) \' $'\tX( check, "", NULL )'
	put bench/main.c '    { "flat", bench_flat, 0 },'
	put scripts/run '#!/bin/sh' 'case $1 in --quick) ;; esac' '# see scripts/run'
	put docs/note.md '# A note' '' '## The second part' '[here](#the-second-part), [README](../README.md#start)'
	put README.md '# Start' '' '[note](docs/note.md), `src/query/api.c`, `api.c`, `src/*/api.c`, `src/query/build/deep.c`, `dbvh_collide()`, `dbvh_*_cast()`' \
		'`DBVH_OK`, `DBVH_LIMIT`, `DBVH_LARGE`, `dbvhi_thing_run()`, `dbvhi_made_up()`, `DUALBVH_SOMETHING`, `test_thing`' \
		'`dualbvh check --clearance`, `dualbvh-bench flat`, `./scripts/run --quick`, [web](https://example.org/src/x.c)'
	put CHANGELOG.md 'dbvh_gone() is gone, and src/gone.c with it; see [note](docs/note.md)'
}

must_fail() { # what is expected in the output; the tree has been spoiled
	local output
	if output=$(bash "$lint" "$tree" 2>/dev/null); then
		echo "FAIL: not noticed: $1"
		failed=1
	elif [[ $output != *"$1"* ]]; then
		printf 'FAIL: instead of "%s":\n%s\n' "$1" "$output"
		failed=1
	elif [ "$(wc -l <<<"$output")" -ne 1 ]; then
		printf 'FAIL: one thing is missing, several complaints:\n%s\n' "$output"
		failed=1
	fi
}

spoil() { # line for the README, what is expected
	fresh
	echo "$1" >>"$tree/README.md"
	must_fail "README.md:6: $2"
}

fresh
if ! bash "$lint" "$tree"; then
	echo "FAIL: a good tree is refused"
	failed=1
fi

spoil '[gone](docs/gone.md)' 'there is no docs/gone.md'
spoil '[part](docs/note.md#third)' 'there is no heading #third in docs/note.md'
spoil '[part](#third)' 'there is no heading #third in README.md'
spoil 'see `src/query/gone.c`' 'there is no src/query/gone.c'
spoil 'see `src/gone/`' 'there is no src/gone'
spoil 'see `src/*/gone.c`' 'there is no src/*/gone.c'
spoil 'see `gone.c`' 'there is no file gone.c'
spoil 'see `query/gone.c`' 'there is no file query/gone.c'
spoil 'call `dbvh_gone()`' 'no header declares dbvh_gone'
spoil 'call `dbvh_*_gone()`' 'no header declares dbvh_*_gone'
spoil 'or `DBVH_GONE`' 'no header declares DBVH_GONE'
spoil 'and `dbvhi_gone()`' 'there is no dbvhi_gone'
spoil 'with `-DDUALBVH_GONE=ON`' 'there is no DUALBVH_GONE'
spoil 'with `--gone`' 'there is no option --gone'
spoil 'try `test_gone`' 'there is no test program test_gone'
spoil 'try `dualbvh gone`' 'dualbvh has no command gone'
spoil 'try `dualbvh-bench gone`' 'dualbvh-bench has no experiment gone'

fresh; put docs/other.md '[up](gone.md)';                         must_fail 'docs/other.md:1: there is no docs/gone.md'
fresh; put src/query/api.c 'int dbvhi_thing_run( void ); // gone.c'  '#define MAKE( name ) dbvhi_made_##name'
must_fail 'src/query/api.c:1: there is no file gone.c'
fresh; echo '/// As dbvh_gone().' >>"$tree/include/dualbvh/base.h";  must_fail 'base.h:6: no header declares dbvh_gone'
fresh; echo '# docs/gone.md' >>"$tree/scripts/run";               must_fail 'scripts/run:4: there is no docs/gone.md'
fresh; echo '[gone](gone.md)' >>"$tree/CHANGELOG.md";             must_fail 'CHANGELOG.md:2: there is no gone.md'

[ "$failed" -eq 0 ] && echo "references_selftest: everything that is missing was named"
exit "$failed"
