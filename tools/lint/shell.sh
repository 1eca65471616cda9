#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# shell.sh FOLDER: does shellcheck find nothing in the scripts? Without it the check is skipped (exit status 77).

set -euo pipefail
cd "$1"
if ! command -v shellcheck >/dev/null; then
	echo "shell: skipped, there is no shellcheck"
	exit 77
fi
mapfile -t files < <(grep -rlE '^#!/usr/bin/env bash|^#!/bin/sh|^# shellcheck shell=bash' scripts .ci tests tools bench packaging --include='*' | sort)
# The tests of the command get theirs from harness.sh.
shellcheck -x -S warning -P SCRIPTDIR -e SC2154 "${files[@]}"
echo "shell: ${#files[@]} scripts"
