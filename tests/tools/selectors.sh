#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Properties of bodies, selectors of rules by them, GUIDs, and `dualbvh scene --explain`.
#
#   selectors.sh path/to/dualbvh

# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
"$dualbvh" --version | grep -q '^with jansson' || { echo 'selectors: no jansson'; exit 77; }

gen box --size 20,2,2 -o beam.ply # up to z = 1
gen box --size 0.5,0.5,0.5 -o bolt.ply
gen box --size 0.75,0.5,0.5 -o nut.ply

# model RULES: a duct and a pipe in a beam, and a nut far away.
model() {
	cat >model.json <<-EOF2
		{"bodies": [
		 {"file": "beam.ply", "properties": {"class": "IfcBeam", "system": "S1"}},
		 {"name": "level-1/duct", "file": "bolt.ply", "pose": {"translation": [-5, 0, 1.125]},
		  "properties": {"class": "IfcDuctSegment", "material": "Steel S235", "fire": 90, "exposed": true, "code": "x[1]Y"}},
		 {"name": "level-1/pipe", "file": "bolt.ply", "pose": {"translation": [5, 0, 1.125]},
		  "properties": {"class": "IfcPipeSegment", "guid": "2O2Fr\$t4X7Zf8NOew3FLOH"}},
		 {"name": "nut", "file": "nut.ply", "pose": {"translation": [0, 0, 50]}}],
		 "rules": [$1]}
	EOF2
}
# clashing PATHS RULES: the bodies that clash with the beam.
clashing() {
	local paths=$1
	model "$2"
	expect "$([ -n "$paths" ] && echo 1 || echo 0)" scene model.json --json
	is "' '.join(sorted(c['b'] for c in d['clashes'])) == '$paths' and d['unused_rules'] == []"
}
both='level-1/duct level-1/pipe'
clashing "$both" ''
clashing 'level-1/pipe' '{"a": "[class=IfcDuct*]", "b": "[class=IfcBeam]", "allow": true}'
clashing 'level-1/pipe' '{"a": "[class=IfcDuct*]", "b": "beam", "allow": true}'
clashing 'level-1/pipe' '{"a": "[class=Ifc?uctSegment]", "allow": true}'
clashing 'level-1/duct' '{"a": "[class!=IfcDuct*]", "b": "[system=S?]", "allow": true}'
clashing 'level-1/pipe' '{"a": "[material~STEEL s2]", "allow": true}'
# A backslash takes the next character as it stands.
clashing 'level-1/pipe' '{"a": "[code~[1\\]y]", "allow": true}'
clashing 'level-1/pipe' '{"a": "[code=x\\[1\\]Y]", "allow": true}'
clashing 'level-1/pipe' '{"a": "[fire=90][exposed=true]", "allow": true}'
clashing '' '{"a": "level-1[class=Ifc*]", "allow": true}'
clashing '' '{"a": "level-1/[class=Ifc*]", "allow": true}'
clashing 'level-1/duct' '{"a": "level-1[name=p*]", "allow": true}'
# A body without the property has another value of it, too.
clashing '' '{"a": "[system!=S1]", "b": "beam", "allow": true}'
# Bodies with one value of a property: not the duct, which has no system, nor the pipe, which has another one.
same() { sed -i "s/\"class\": \"IfcPipeSegment\"/\"system\": \"$1\", &/" model.json; }
model '{"a": "*", "same": "system", "allow": true}' && same S1
expect 1 scene model.json --json
is "[c['b'] for c in d['clashes']] == ['level-1/duct'] and d['unused_rules'] == []"
expect 0 scene model.json --explain beam,level-1/pipe
says out "of the same 'system', for '*' and '*'"
model '{"a": "*", "same": "system", "allow": true}' && same S2
expect 1 scene model.json --json
is "len(d['clashes']) == 2"
model '{"a": "*", "b": "*", "same": "sistem", "allow": true}' && same S1
expect 1 scene model.json --json
is "len(d['clashes']) == 2 and d['unused_rules'] == [{'a': '*', 'b': '*', 'same': 'sistem'}]"
expect 1 scene model.json
says out "note: the rule for '*' and '*' of the same 'sistem' matches nothing"
expect 1 scene model.json --allow-same system
says out '1 clash: 1 hard'
model '' && same S1
expect 1 scene model.json --allow-same material --allow-same system --json
is "[c['b'] for c in d['clashes']] == ['level-1/duct']"
# A value that is empty is none.
model '{"a": "*", "same": "system", "allow": true}' && same ''
sed -i 's/"system": "S1"/"system": ""/' model.json
expect 1 scene model.json --json
is "len(d['clashes']) == 2"
# Rules of two patterns go before those of one, whatever selects.
clashing "$both" '{"a": "level-1", "allow": true}, {"a": "[class=Ifc*]", "b": "beam"}'
model '{"a": "[class=IfcWall]", "allow": true}'
expect 1 scene model.json --json
is "d['unused_rules'] == [{'a': '[class=IfcWall]'}]"
model ''
expect 0 scene model.json --allow '[class=IfcDuct*],*' --allow '[class=IfcPipe*],[system=S1]'
printf '%s\n' "'[class=IfcDuct*]' beam  it is cast in" >known.txt
expect 1 scene model.json --ignore known.txt
says out '1 clash: 1 hard; 1 ignored'
{ printf '\xEF\xBB\xBF' && cat known.txt; } >marked.txt # a byte order mark
expect 1 scene model.json --ignore marked.txt
says out '1 clash: 1 hard; 1 ignored'
# Brackets that hold no selector are a part of the name.
cp bolt.ply 'bolt[1].ply'
expect 0 scene beam.ply 'bolt[1].ply' --allow 'bolt[1],beam'

# ---- includes: what the outer file says holds where the inner one says nothing
echo '{"include": [{"file": "model.json", "name": "in", "properties": {"class": "Other", "storey": "2"}}],
 "rules": [{"a": "[storey=2]", "b": "[class=IfcBeam]", "allow": true}]}' >outer.json
expect 0 scene outer.json

# ---- why
model '{"name": "steel", "a": "[material~steel]", "b": "[class=IfcBeam]", "allowed_depth": 0.25},
 {"a": "level-1/pipe", "allow": true}, {"a": "nut", "b": "*", "clearance": 2}'
expect 0 scene model.json --explain 'beam,*'
cp out why.txt
says why.txt "rule: 'steel', for '[material~steel]' and '[class=IfcBeam]': they must not meet, allowed_depth 0.25"
says why.txt 'fit: beam and level-1/duct fit'
says why.txt "rule: for 'level-1/pipe': they may meet"
says why.txt '  not looked at'
says why.txt "rule: for 'nut' and '*': they must not meet, clearance 2"
says why.txt 'no clash: they are 48.75 apart'
expect 0 scene model.json --explain 'level-1/duct,[name=pipe]'
refuses "'nobody' names no body" scene model.json --explain 'beam,nobody'
refuses 'takes two bodies with a comma' scene model.json --explain beam
refuses 'name one body, and no pair' scene model.json --explain beam,beam
refuses 'prints sentences alone' scene model.json --explain beam,nut --json
sed 's/{"file": "beam.ply",/{"file": "beam.ply", "groups": ["a"], "against": ["a"],/' model.json >grouped.json
expect 0 scene grouped.json --explain 'beam,level-1/duct'
says out 'not looked at: their groups exclude each other'

# ---- a GUID goes before everything else: another path, place and shape
model ''
export SOURCE_DATE_EPOCH=1800000000
expect 1 scene model.json --review review.txt
sed -e 's/"level-1\/pipe", "file": "bolt.ply", "pose": {"translation": \[5/"level-7\/tube", "file": "nut.ply", "pose": {"translation": [6/' model.json >moved.json
expect 1 scene moved.json --review review.txt --json
is "[(c['standing'], c['was']['b']) for c in d['clashes'] if c['b'] == 'level-7/tube'] == [('worsened', 'level-1/pipe')] and d['absent'] == []"

# Two bodies of one GUID, as instances have: it tells nothing, and the place does.
twins() { # NAME X NAME X
	cat >"$5" <<-EOF2
		{"bodies": [{"file": "beam.ply"},
		 {"name": "$1", "file": "bolt.ply", "pose": {"translation": [$2, 0, 1.125]}, "properties": {"guid": "same"}},
		 {"name": "$3", "file": "bolt.ply", "pose": {"translation": [$4, 0, 1.125]}, "properties": {"guid": "same"}}]}
	EOF2
}
twins p -5 q 5 twins.json
expect 1 scene twins.json --report json=twins.out
twins z -5 q 5 twins.json
expect 0 scene twins.json --baseline twins.out --json
is "[(c['standing'], c['was']['b'] if 'was' in c else '') for c in d['clashes']] == [('unchanged', ''), ('renamed', 'p')]"

# ---- extras and materials of glTF
if command -v python3 >/dev/null; then
	python3 - <<-'EOF2'
		import base64, json, struct
		points = [(x, y, z) for z in (-.5, .5) for y in (-.5, .5) for x in (-.5, .5)]
		faces = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5]
		data = b"".join(struct.pack("<3f", *p) for p in points) + struct.pack("<36H", *faces)
		json.dump({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
		    "nodes": [{"name": "storey", "children": [1, 2, 3], "extras": {"level": 2, "class": "none"}},
		              {"name": "a", "mesh": 0, "extras": {"class": "IfcWall"}},
		              {"name": "b", "mesh": 0, "translation": [0.75, 0, 0], "extras": {"class": "IfcDoor", "more": {"x": 1}}},
		              {"name": "c", "mesh": 1, "translation": [1.5, 0, 0]}],
		    "materials": [{"name": "Glass"}, {"name": "Concrete C30"}],
		    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": i}]} for i in (1, 0)],
		    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [-.5] * 3, "max": [.5] * 3},
		                  {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
		    "bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
		    "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]},
		    open("three.gltf", "w"))
	EOF2
	expect 1 scene three.gltf --json
	is "len(d['clashes']) == 2"
	expect 0 scene three.gltf --allow '[class=IfcWall],[class=IfcDoor]' --allow '[class=none][material=Glass],[level=2]'
	expect 1 scene three.gltf --allow '[material~concrete],[material~concrete]' --json
	is "[(c['a'], c['b']) for c in d['clashes']] == [('storey/b', 'storey/c')]"
fi

finish selectors
