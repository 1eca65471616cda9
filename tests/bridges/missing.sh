#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Says that an adapter is not tested since the machine lacks what it adapts to.
#
#   tests/bridges/missing.sh WHAT

echo "skipped: the machine has no $1"
exit 77
