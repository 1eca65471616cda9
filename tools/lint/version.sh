#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Checks that every place which states the version states that of include/dualbvh/base.h: the changelog's latest release,
# the Debian package, the npm package, the recipes of packaging/, the
# citation, the versions that SECURITY.md says are repaired. CMake, the Python package,
# the reference and the site read it from base.h.
#
#   tools/lint/version.sh [ROOT]
#
# Prints one line a violation, "file: what is wrong", and exits with 1 where there is any.

set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

version=$(sed -n 's/^#define DBVH_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' include/dualbvh/base.h | paste -sd .)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "include/dualbvh/base.h: its version is '$version'"; exit 1; }
status=0

# must_say FILE WHAT IT-SAYS SHOULD-SAY
must_say() {
	if [ "$3" != "$4" ]; then
		echo "$1: its $2 is '$3', and should be '$4'"
		status=1
	fi
}

# The first line that the expression finds something in. sed reads to the end, so that no pipe breaks.
first() { sed -nE "$1" "$2" | sed -n 1p; }

must_say CHANGELOG.md 'latest release' "$(first 's/^## \[([0-9.]+)\].*/\1/p' CHANGELOG.md)" "$version"
must_say debian/changelog version "$(first 's/^dualbvh \(([0-9.]+)(-[0-9]+)?\).*/\1/p' debian/changelog)" "$version"
must_say packaging/conan/conanfile.py version "$(first 's/^    version = "(.*)"/\1/p' packaging/conan/conanfile.py)" "$version"
must_say packaging/conda/recipe.yaml version "$(first 's/^  version: "(.*)"$/\1/p' packaging/conda/recipe.yaml)" "$version"
must_say packaging/vcpkg/dualbvh/vcpkg.json version "$(first 's/^  "version": "(.*)",/\1/p' packaging/vcpkg/dualbvh/vcpkg.json)" "$version"
must_say packaging/homebrew/dualbvh.rb version "$(first 's|^  url ".*/v([0-9.]+)/dualbvh-\1.tar.gz"|\1|p' packaging/homebrew/dualbvh.rb)" "$version"
must_say packaging/nix/package.nix version "$(first 's/^  version = "(.*)";/\1/p' packaging/nix/package.nix)" "$version"
must_say CITATION.cff version "$(first 's/^version: (.*)/\1/p' CITATION.cff)" "$version"
must_say CITATION.cff date "$(first 's/^date-released: (.*)/\1/p' CITATION.cff)" \
	"$(first 's/^## \[[0-9.]+\] - ([0-9-]+)$/\1/p' CHANGELOG.md)"
must_say SECURITY.md 'repaired version' "$(first 's/^\| ([0-9.]+) \| yes \|$/\1/p' SECURITY.md)" "${version%.*}"
must_say js/package.json version "$(first 's/^\t"version": "(.*)",$/\1/p' js/package.json)" "$version"
must_say js/package-lock.json version "$(first 's/^\t"version": "(.*)",$/\1/p' js/package-lock.json)" "$version"
grep -q '^input = "include/dualbvh/base.h"' pyproject.toml || { echo "pyproject.toml: its version is not read from base.h"; status=1; }
grep -q '^file( STRINGS include/dualbvh/base.h version_lines' CMakeLists.txt || { echo "CMakeLists.txt: its version is not read from base.h"; status=1; }
[ $status -ne 0 ] || echo "version: $version everywhere"
exit $status
