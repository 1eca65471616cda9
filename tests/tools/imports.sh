#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# What the command reads with assimp and with OpenCASCADE; without one, that it says so.
#
#   tests/tools/imports.sh DUALBVH [STEP-WRITER]

suppressions=$(realpath "$(dirname "${BASH_SOURCE[0]}")/scene/assimp.supp")
export LSAN_OPTIONS="suppressions=$suppressions:print_suppressions=0"
writer=${2:+$(realpath "$2")}
# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

has() { "$dualbvh" --version | grep >/dev/null "^with $1 "; }

# cut_off FILE: what is only the beginning of a file is refused.
cut_off() {
	local file=$1 size at
	size=$(wc -c <"$file")
	for at in 0 1 $((size / 4)) $((size / 2)) $((size * 9 / 10)); do
		head -c "$at" "$file" >"cut.${file##*.}"
		refuses "cut.${file##*.}: " scene "cut.${file##*.}"
	done
}

# A box of 10 three times: as it is, turned about z and moved into the first, and far away.
cat >cell.dae <<'COLLADA'
<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
 <library_geometries><geometry id="box" name="box"><mesh>
  <source id="p"><float_array id="pa" count="24">0 0 0 10 0 0 10 10 0 0 10 0 0 0 10 10 0 10 10 10 10 0 10 10</float_array>
   <technique_common><accessor source="#pa" count="8" stride="3">
    <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
   </accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <polylist count="6"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 4 4 4 4 4</vcount>
   <p>0 3 2 1 4 5 6 7 0 1 5 4 2 3 7 6 1 2 6 5 3 0 4 7</p></polylist>
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="scene"><node id="cell" name="cell">
  <node id="left" name="left"><instance_geometry url="#box"/></node>
  <node id="near" name="near"><matrix>0 -1 0 15 1 0 0 5 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#box"/></node>
  <node id="far" name="far"><matrix>1 0 0 40 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#box"/></node>
 </node></visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
COLLADA

if has assimp; then
	expect 1 scene cell.dae --json;               json; is "len(d['clashes']) == 1 and d['metres'] == 0.001"
	is "[d['clashes'][0][k] for k in ('kind', 'a', 'b')] == ['hard', 'cell/left', 'cell/near']"
	is "d['bodies'] == 3 and d['meshes'] == 1 and abs(d['clashes'][0]['depth'] - 5) < 1e-12"
	expect 0 info cell.dae;                       says out 'components       3 (3 closed'
	cut_off cell.dae
	if command -v assimp >/dev/null; then
		for kind in fbxa:fbx x:x; do
			assimp export cell.dae "cell.${kind#*:}" "-f${kind%:*}" >/dev/null || bad "assimp writes no $kind"
			expect 1 scene "cell.${kind#*:}";     says out '3 bodies'; says out '1 hard'
			says out 'left and '
			cut_off "cell.${kind#*:}"
		done
	fi
else
	refuses 'built without assimp' scene cell.dae
fi

if ! has OpenCASCADE; then
	printf 'ISO-10303-21;\n' >stand.step
	refuses 'built without OpenCASCADE' scene stand.step
elif [ -n "$writer" ]; then
	"$writer" stand.step || bad "no STEP file is written"
	expect 1 scene stand.step --json;             json; is "d['bodies'] == 3 and d['meshes'] == 2 and d['metres'] == 0.001"
	is "sorted((c['kind'], c['a'], c['b']) for c in d['clashes']) == [
		('hard', 'stand/pins/lying', 'stand/plate'), ('touch', 'stand/pins/upright', 'stand/plate')]"
	expect 0 info stand.step;                     says out '(3 closed, 3 consistently oriented)'
	# Finer, there are more triangles.
	expect 1 scene stand.step --json --sag 0.001; is "d['triangles'] > 700"
	expect 1 scene stand.step --json --sag 1;     is "d['triangles'] < 200"
	# Of a scene file, the sag of the parts is its own unit's.
	printf '{ "unit": "m", "include": [ { "file": "stand.step" } ] }' >metres.json
	expect 1 scene metres.json --json --sag 1e-6; is "d['triangles'] > 700 and d['metres'] == 1"
	# The pin that lies in the plate ends 0.15 before another plate: they touch, within their sags of 0.1.
	cat >beside.json <<-'JSON'
		{ "unit": "mm", "rules": [ { "a": "one", "b": "one", "allow": true }, { "a": "two", "b": "two", "allow": true } ],
		  "include": [ { "file": "stand.step", "name": "one" },
		    { "file": "stand.step", "name": "two", "pose": { "translation": [ 40.15, 0, 0 ] } } ] }
	JSON
	expect 1 scene beside.json --json
	is "[(c['kind'], c['a'], c['b']) for c in d['clashes']] == [('touch', 'one/stand/plate', 'two/stand/plate')]"
	expect 0 scene beside.json --sag 0.05
	# The sag of a scene file goes before that of the command line, and single bodies keep that of their triangles.
	sed 's/"name": "t*[ow][on]e*"/"sag": 0.05, &/g' beside.json >finer.json
	expect 0 scene finer.json --sag 0.1
	sed 's/{ "unit": "mm", "rules".*/{ "unit": "mm", "bodies": [/; s/"include": \[//' beside.json >bodies.json
	expect 1 scene bodies.json --json
	is "[(c['kind'], c['a'], c['b']) for c in d['clashes']] == [('touch', 'one', 'two')]"
	sed 's/"file"/"sag": 0.05, &/' bodies.json >finer.json
	expect 0 scene finer.json
	sed 's/"file"/"split": "component", &/' bodies.json >split.json
	refuses 'has bodies of its own' scene split.json
	cut_off stand.step
fi
finish imports
