#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Does the step of action.yml that checks run as GitHub runs it, with the command that was built?
#
#   action.sh path/to/dualbvh path/to/sources

sources=$(cd "$2" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# The lines below "run: |" of the step that is called check.
awk '/id: check/ { inside = 1 } inside && /run: \|/ { begun = 1; next }
	begun { if ($0 !~ /^        /) exit; print substr($0, 9) }' "$sources/action.yml" >step.sh
that 'the step is found' [ "$(wc -l <step.sh)" -ge 4 ]
mkdir -p path
ln -sf "$dualbvh" path/dualbvh
gen box -o a.ply
gen box --at 0.5,0,0 -o b.ply
gen box --at 5,0,0 -o c.ply

step() { # FILES ARGUMENTS
	: >outputs
	PATH="$PWD/path:$PATH" FILES=$1 ARGUMENTS=$2 PAGE=page.html GITHUB_OUTPUT=outputs DUALBVH_VIEWER=$PWD/frame.html \
		bash -e step.sh >out 2>err
}
printf '<html><!--dualbvh:picture--></html>' >frame.html

step 'a.ply b.ply c.ply' ''
that 'a clash fails the step' [ $? -eq 1 ]
that 'and the output says so' [ "$(cat outputs)" = status=1 ]
says out '::error'
that 'the page is there' [ -s page.html ]
that 'and the reports' [ -s clashes.sarif -a -s clashes.json ]
rm -f page.html
step 'a.ply c.ply' '--clearance 0.5'
that 'no clash passes' [ $? -eq 0 ]
that 'and the output says that' [ "$(cat outputs)" = status=0 ]
step 'a.ply $(touch harm) ;touch harm' ''
that 'a name is no command' [ ! -e harm ]
that 'and a file that is not there is a mistake' [ "$(cat outputs)" = status=2 ]

finish action
