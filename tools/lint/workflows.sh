#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Does actionlint find nothing in the workflows, and have the issue forms and the action the shape that GitHub reads? What
# cannot be asked is left out: actionlint, which is looked for in PATH, $ACTIONLINT and where Go installs it (go install
# github.com/rhysd/actionlint/cmd/actionlint@latest), and Python with PyYAML. With neither the check is skipped (exit
# status 77).
#
#   tools/lint/workflows.sh [ROOT]

set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"
files=(.github/workflows/*.yml)
asked=

actionlint=${ACTIONLINT:-$(command -v actionlint || true)}
for folder in "${GOBIN:-}" "${GOPATH:-$HOME/go}/bin"; do
	[ -n "$actionlint" ] || [ ! -x "$folder/actionlint" ] || actionlint=$folder/actionlint
done
if [ -n "$actionlint" ]; then
	"$actionlint" -no-color "${files[@]}"
	asked="${#files[@]} workflows"
fi

if python3 -c 'import yaml' 2>/dev/null; then
	python3 - "${files[@]}" <<'EOF'
import glob, sys, yaml

wrong = []

def complain(path, text):
    wrong.append(f"{path}: {text}")

def need(path, thing, kind, *names):
    for name in names:
        if not isinstance(thing.get(name), kind) or not thing[name]:
            complain(path, f"`{name}` is missing, or no {kind.__name__}")

def form(path):
    top = yaml.safe_load(open(path))
    need(path, top, str, "name", "description")
    need(path, top, list, "body")
    ids = []
    for element in top.get("body", []):
        kind, attributes = element.get("type"), element.get("attributes", {})
        if kind == "markdown":
            need(path, attributes, str, "value")
        elif kind in ("textarea", "input", "dropdown", "checkboxes"):
            need(path, attributes, str, "label")
            ids.append(element.get("id"))
            if kind in ("dropdown", "checkboxes"):
                need(path, attributes, list, "options")
        else:
            complain(path, f"no element of a form: {kind}")
    if not ids or None in ids or len(set(ids)) < len(ids):
        complain(path, "each question has an id of its own, and there is one at least")

def action(path):
    top = yaml.safe_load(open(path))
    need(path, top, str, "name", "description")
    for step in top["runs"]["steps"]:
        if ("run" in step) == ("uses" in step):
            complain(path, f"a step runs, or uses: {step}")
        if "run" in step:
            need(path, step, str, "shell")
    for name, value in top.get("inputs", {}).items():
        need(path, value, str, "description")
        if f"inputs.{name}" not in open(path).read():
            complain(path, f"the input `{name}` is not used")

for path in sorted(glob.glob(".github/ISSUE_TEMPLATE/*.yml")):
    if path.endswith("config.yml"):
        yaml.safe_load(open(path))
    else:
        form(path)
action("action.yml")
for path in sys.argv[1:]:
    if not yaml.safe_load(open(path)).get("jobs"):
        complain(path, "no jobs")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
EOF
	asked="${asked:+$asked, }forms and action"
fi

if [ -z "$asked" ]; then
	echo "workflows: skipped, there is no actionlint and no PyYAML"
	exit 77
fi
echo "workflows: $asked in order"
