#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Writes the version and the checksums of a source archive, as ./scripts/release makes it, into all recipes.
#
#   packaging/bump.sh dualbvh-VERSION.tar.gz

set -euo pipefail
archive=${1:?an archive dualbvh-VERSION.tar.gz}
version=$(basename "$archive" | sed -nE 's/^dualbvh-([0-9]+\.[0-9]+\.[0-9]+)\.tar\.gz$/\1/p')
[ -n "$version" ] || { echo "bump: '$archive' is not called dualbvh-VERSION.tar.gz"; exit 2; }
sha256=$(sha256sum "$archive" | cut -d ' ' -f 1)
sha512=$(sha512sum "$archive" | cut -d ' ' -f 1)
cd "$(dirname "${BASH_SOURCE[0]}")"

sed -i -E "s/^(  version: \")[0-9.]+/\1$version/; s/^(  sha256: \")[0-9a-f]{64}/\1$sha256/" conda/recipe.yaml
sed -i -E "s/^(    version = \")[0-9.]+/\1$version/" conan/conanfile.py
sed -i -E "s/^(  \"version\": \")[0-9.]+/\1$version/" vcpkg/dualbvh/vcpkg.json
sed -i -E "s/^(    SHA512 )[0-9a-f]{128}/\1$sha512/" vcpkg/dualbvh/portfile.cmake
sed -i -E "s|(/v)[0-9.]+(/dualbvh-)[0-9.]+(\.tar)|\1$version\2$version\3|; s/^(  sha256 \")[0-9a-f]{64}/\1$sha256/" homebrew/dualbvh.rb
sed -i -E "s/^(  version = \")[0-9.]+/\1$version/; s/^(    sha256 = \")[0-9a-f]{64}/\1$sha256/" nix/package.nix
echo "bump: all recipes are at $version"
