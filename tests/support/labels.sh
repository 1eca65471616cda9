#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# labels.sh FOLDER: has each test of that build a label that says what kind of test it is (cmake/Tests.cmake)?

set -euo pipefail
without=$(ctest --test-dir "$1" -N -LE '^(unit|random|cli|bench|lint|build)$' | sed -n 's/^ *Test *#[0-9]*: /without a kind: /p')
echo "${without:-every test has its kind}"
[ -z "$without" ]
