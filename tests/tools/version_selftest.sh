#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The check of the version must pass a good tree, and name each file that has another version.
#
#   version_selftest.sh LINT

set -euo pipefail
lint=$1
# shellcheck source-path=SCRIPTDIR source=lint_tree.sh
. "$(dirname "${BASH_SOURCE[0]}")/lint_tree.sh"

fresh() {
	put include/dualbvh/base.h '#define DBVH_VERSION_MAJOR 1' '#define DBVH_VERSION_MINOR 20' '#define DBVH_VERSION_PATCH 3'
	put CHANGELOG.md '# Changelog' '## [Unreleased]' '## [1.20.3] - 2026-01-02' '## [1.19.0] - 2025-01-02'
	put debian/changelog 'dualbvh (1.20.3) unstable; urgency=medium' '' 'dualbvh (1.19.0) unstable; urgency=medium'
	put CITATION.cff 'cff-version: 1.2.0' 'version: 1.20.3' 'date-released: 2026-01-02'
	put SECURITY.md '| 1.20 | yes |' '| before | no |'
	put packaging/conan/conanfile.py '    name = "dualbvh"' '    version = "1.20.3"'
	put packaging/conda/recipe.yaml 'context:' '  version: "1.20.3"' '  version: ${{ version }}'
	put packaging/vcpkg/dualbvh/vcpkg.json '{' '  "version": "1.20.3",' '}'
	put packaging/homebrew/dualbvh.rb '  url "https://dualbvh.example/releases/v1.20.3/dualbvh-1.20.3.tar.gz"'
	put packaging/nix/package.nix '  version = "1.20.3";'
	put js/package.json '{' '	"version": "1.20.3",' '}'
	put js/package-lock.json '{' '	"version": "1.20.3",' '}'
	put pyproject.toml 'input = "include/dualbvh/base.h"'
	put CMakeLists.txt 'file( STRINGS include/dualbvh/base.h version_lines REGEX "x" )'
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
expect 0 'version: 1.20.3 everywhere'
for file in CHANGELOG.md debian/changelog CITATION.cff SECURITY.md js/package.json js/package-lock.json packaging/{conan/conanfile.py,conda/recipe.yaml} \
	packaging/{vcpkg/dualbvh/vcpkg.json,homebrew/dualbvh.rb,nix/package.nix}; do
	fresh
	sed -i 's/1\.20/1.21/' "$tree/$file"
	expect 1 "$file: its"
done
fresh
put CITATION.cff 'version: 1.20.3' 'date-released: 2026-01-03'
expect 1 "CITATION.cff: its date is '2026-01-03'"
for file in pyproject.toml CMakeLists.txt; do
	fresh
	put "$file" 'version = "1.20.3"'
	expect 1 "$file: its version is not read"
done
fresh
put include/dualbvh/base.h '#define DBVH_VERSION_MAJOR 1'
expect 1 "base.h: its version is '1'"
exit "$failed"
