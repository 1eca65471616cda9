#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Files that libraries of Python read: which words make the command become the program dualbvh-models, and what it shows of
# files that such a program has made. python/tests/test_models.py tests the program.
#
#   tests/tools/foreign.sh DUALBVH

# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

is_posix || { echo "foreign: a process of this system becomes no other one"; exit 77; }
"$dualbvh" --version | grep >/dev/null '^with jansson' || { echo "foreign: no jansson"; exit 77; }

cat >taker <<'EOF'
#!/bin/sh
echo "taken: $*"
exit 42
EOF
chmod +x taker
taken() { DUALBVH_MODELS=$work/taker expect 42 "$@"; says out "taken: --command $(readlink -f "$dualbvh") $*"; }
left() { DUALBVH_MODELS=$work/taker expect 2 "$@"; }

for ending in ifc IFC usd usda usdc usdz; do taken scene "house.$ending" --json; done
"$dualbvh" --version | grep >/dev/null '^with OpenCASCADE' || taken check a.stl "b.step"
taken scene a.stl --compare old.ifc
left scene house.ifc.txt
left ifc
echo '{ "include": [ { "file": "house.ifc" } ] }' >one.json
taken scene one.json
echo '{ "include": [ { "file": "house.ifcx" }, { "file": "ifc" } ], "comment": ".ifc no" }' >none.json
left scene none.json
mkfifo pipe.json
(exec 3<>pipe.json; sleep 20) & # so that nobody would wait to open it
waiting=$!
DUALBVH_MODELS=$work/taker timeout 10 "$dualbvh" scene pipe.json house.ifc >out 2>err
that 'a pipe is not read for its words' [ $? -eq 42 ]
kill "$waiting"

# Without the program, and with one that is not there, the sentence names the way.
expect 2 scene house.ifc;                                      says err 'no such file'
: >house.ifc
refuses "pip install 'dualbvh[ifc]'" scene house.ifc
DUALBVH_MODELS=$work/nowhere refuses "pip install 'dualbvh[ifc]'" scene house.ifc

# The program beside the command goes before those on the PATH.
mkdir beside path
ln "$dualbvh" beside/dualbvh 2>/dev/null || cp "$dualbvh" beside/dualbvh
sed 's/taken/path/' taker >path/dualbvh-models
chmod +x path/dualbvh-models
env -u DUALBVH_MODELS PATH="$work/path:$PATH" beside/dualbvh scene house.ifc >out 2>err
that 'the program on the PATH is found' [ $? -eq 42 ]
says out 'path:'
cp taker beside/dualbvh-models
env -u DUALBVH_MODELS PATH="$work/path:$PATH" beside/dualbvh scene house.ifc >out 2>err
says out 'taken:'

# What has been made of a file is shown by that file's name.
gen box -o box.stl
mkdir -p made/0 made/1 made/x
echo '{ "unit": "mm", "bodies": [ { "name": "a", "file": "a.stl" }, { "name": "b", "file": "a.stl" } ] }' >made/0/house.ifc.json
cp box.stl made/0/a.stl
printf 'a/house.ifc' >made/0/original
export DUALBVH_CONVERTED=$work/made
mkdir a
: >a/house.ifc
expect 1 scene made/0/house.ifc.json --json;                   says out '"files":["made/0/house.ifc.json"]'
expect 1 scene "$work/made/0/house.ifc.json" --json;           says out '"files":["a/house.ifc"]'
says out '"file":"a/house.ifc"'
expect 2 scene "$work/made/0/house.ifc.json" --report json=a/house.ifc; says err 'would be overwritten'
echo "{ \"unit\": \"m\", \"include\": [ { \"file\": \"$work/made/0/house.ifc.json\" } ] }" >made/1/all.json
printf 'all.json' >made/1/original
expect 1 scene "$work/made/1/all.json" --package "x=$work/made" --json; says out '"files":["all.json"]'
says out '"house.ifc.json: its unit is'
expect 2 scene "$work/made/1/all.json" --package "x=$work/made" --report json=a/house.ifc; says err 'would be overwritten'
that 'the file is as it was' [ ! -s a/house.ifc ]
cp made/0/*.json made/0/a.stl made/0/original made/x
expect 1 scene "$work/made/x/house.ifc.json" --json;           says out "made/x/house.ifc.json"
finish foreign
