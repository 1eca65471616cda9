#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The command build: a tree from a tree file is the one that its options make of the mesh.
#
#   builds.sh path/to/dualbvh

. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

gen gear -o gear.ply
expect 0 build gear.ply -o plain.dbvh --quiet
for option in --fast --fragments --topology; do
	expect 0 build gear.ply "$option" -o mesh.dbvh --quiet
	expect 0 build mesh.dbvh -o again.dbvh --quiet
	that "a tree without options is what is in the file" cmp -s again.dbvh mesh.dbvh
	expect 0 build plain.dbvh "$option" -o tree.dbvh --quiet
	if cmp -s tree.dbvh plain.dbvh; then bad "build ignores $option for a tree file"; else good; fi
done

# An empty name with a slash behind it would be the root of the file system.
refuses "the folder's name is empty" check gear.ply gear.ply --cache ""

finish builds
