#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Does actionlint find nothing in the workflows? Without it the check is skipped (exit status 77). Go installs it:
# go install github.com/rhysd/actionlint/cmd/actionlint@latest
#
#   tools/lint/workflows.sh [ROOT]

set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"
if ! command -v actionlint >/dev/null; then
	echo "workflows: skipped, there is no actionlint"
	exit 77
fi
files=(.github/workflows/*.yml)
actionlint -no-color "${files[@]}"
echo "workflows: ${#files[@]} in order"
