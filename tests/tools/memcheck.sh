#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Builds and questions decide nothing by memory that nobody has written: whoever runs valgrind over a program that uses
# the library is told of their own mistakes only. Skipped (77) without valgrind.
#
#   memcheck.sh path/to/dualbvh

command -v valgrind >/dev/null || { echo 'memcheck: skipped, there is no valgrind'; exit 77; }
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

gen box --size 2,2,2 -o box.ply
gen gear -o gear.ply
gen torus --slices 24 --stacks 10 -o torus.ply
echo '1 0 0 25  0 1 0 0  0 0 1 0' >pose.txt

# clean ARGUMENT...: nothing is said under valgrind, with the kernels that it knows.
clean() {
	valgrind --quiet --error-exitcode=99 "$dualbvh" "$@" >out 2>err </dev/null
	that "valgrind on: $*" [ $? -ne 99 ]
}
export DBVH_ISA=avx2
clean check gear.ply gear.ply --poses pose.txt --relation
clean check box.ply torus.ply --all --contacts
clean distance gear.ply torus.ply --poses pose.txt
clean self torus.ply
clean scene box.ply torus.ply gear.ply
export DBVH_ISA=baseline
clean check gear.ply torus.ply
clean check box.ply torus.ply

finish memcheck
