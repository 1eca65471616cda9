#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Scenes of strangers: they name no files outside of their folder and packages, nothing of what they name stands in a
# message, names out of them do nothing to a terminal, and small ones do not fill the memory.
#
#   strangers.sh DUALBVH [memory]
#
# memory: the address space is limited, which sanitizers do not like.

set -uo pipefail
source "$(dirname "$0")/harness.sh" "$1"
memory=${2:-}
"$dualbvh" --version >versions
grep -q 'with jansson' versions && json=1 || json=0
grep -q 'with expat' versions && xml=1 || xml=0

mkdir -p home/robot/urdf home/robot/meshes home/other
printf 'root:x:0:0:secret\n' >secret
gen box -o home/robot/meshes/box.off
cp home/robot/meshes/box.off home/robot/urdf/box.off
cp home/robot/meshes/box.off home/other/box.off
cp home/robot/meshes/box.off outside.off
cp secret home/robot/urdf/secret
printf 'v 0 0 0\nv root:x:0:0 1 1\n' >home/robot/urdf/quoted.obj
printf '{"root:x": :0:0}' >home/robot/urdf/quoted.json

urdf() { # FILE NAME: a robot of one link whose mesh has this name
	printf '<robot name="r"><link name="l"><collision><geometry><mesh filename="%s"/></geometry></collision></link></robot>' \
		"$2" >"$1"
}
json() { # FILE NAME
	printf '{"bodies": [{"name": "b", "file": "%s"}]}' "$2" >"$1"
}
gltf() { # FILE NAME
	printf '%s' '{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],' \
		'"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,' \
		'"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,1]}],"bufferViews":[{"buffer":0,"byteLength":36}],' \
		"\"buffers\":[{\"uri\":\"$2\",\"byteLength\":36}]}" >"$1"
}
names() { # FILE FUNCTION NAME TEXT: refused, and nothing of the file is told
	"$2" "$1" "$3"
	refuses "$4" scene "$1"
	that "no byte of $3" bash -c '! grep -q "root:x\|:0:0" err'
	refuses "$4" info "$1"
}

outside='outside of the folder'
kinds=()
[ $json -eq 1 ] && kinds+=(json gltf)
[ $xml -eq 1 ] && kinds+=(urdf)
ln -s ../../../secret home/robot/urdf/link.off
ln -s ../../../outside.off home/robot/urdf/away.off
ln -s ../meshes home/robot/urdf/meshes
for kind in "${kinds[@]}"; do
	at=home/robot/urdf/x.$kind
	names $at "$kind" ../../../secret "$outside"
	names $at "$kind" "$work/secret" "$outside"
	names $at "$kind" ../meshes/box.off "$outside"
	names $at "$kind" link.off "$outside"
	names $at "$kind" away.off "$outside"
	# On Windows '..' takes back the name in front of it, whatever that is.
	if is_posix; then names $at "$kind" meshes/../../../secret "$outside"; else names $at "$kind" meshes/../../../../secret "$outside"; fi
	names $at "$kind" ../urdf/../../other/box.off "$outside"
	[ -r /etc/passwd ] && names $at "$kind" ../../../../../../../../../../../../etc/passwd "$outside"
	[ $kind = json ] || names $at "$kind" "file://$work/secret" "$outside"
	[ -e /dev/zero ] && names $at "$kind" /dev/zero "$outside"
done
for kind in json urdf; do
	[[ " ${kinds[*]} " == *" $kind "* ]] || continue
	at=home/robot/urdf/x.$kind
	# What the option allows, and what is in the folder, is read; what is malformed is not quoted.
	"$kind" $at ../meshes/box.off;   expect 0 scene $at --allow-outside
	                                 expect 0 info $at --allow-outside
	"$kind" $at ../../../outside.off; expect 0 scene $at --allow-outside
	"$kind" $at box.off;             expect 0 scene $at
	                                 ( cd home/robot/urdf && "$dualbvh" scene x.$kind >/dev/null ) && good || bad "from its folder"
	"$kind" $at "$work/home/robot/urdf/box.off"; expect 0 scene $at
	names $at "$kind" secret ' STL'
	names $at "$kind" quoted.obj 'the file breaks the rules'
	"$kind" $at ../../../secret
	expect 2 scene $at --allow-outside
	that "no byte of what is outside" bash -c '! grep -q "root:x\|:0:0" err'
	# A folder with a mark is a package, whose files name each other.
	: >home/robot/package.xml
	"$kind" $at ../meshes/box.off;   expect 0 scene $at
	                                 ( cd home/robot/urdf && "$dualbvh" scene x.$kind >/dev/null ) && good || bad "from its folder"
	names $at "$kind" ../../other/box.off "$outside"
	# Links of a workspace lead to it.
	ln -sf "$PWD/$at" linked.$kind
	"$kind" $at box.off
	cp home/robot/urdf/box.off box.off; expect 0 scene linked.$kind; rm box.off
	rm home/robot/package.xml
done
if [ $xml -eq 1 ]; then
	at=home/robot/urdf/x.urdf
	urdf $at package://robot/meshes/box.off;          expect 0 scene $at
	urdf $at "package://robot/../../secret";          refuses "$outside" scene $at
	urdf $at package://home/other/box.off;            refuses 'where is package home' scene $at
	urdf $at package://other/box.off;                 refuses 'where is package other' scene $at
	                                                  expect 0 scene $at --package other=home/other
	urdf $at package://other/../../secret;            refuses "$outside" scene $at --package other=home/other
	urdf $at ../../other/box.off;                     expect 0 scene $at --package other=home/other
fi

# Names that a terminal would obey.
if [ $json -eq 1 ]; then
	printf '{"include": [{"name": "q", "file": "quoted.json"}]}' >home/robot/urdf/x.json
	refuses 'not sound JSON' scene home/robot/urdf/x.json
	that 'JSON is not quoted' bash -c '! grep -q "root:x\|:0:0" err'
	printf '{"bodies": [{"name": "a\\u001b[31m\\u009b31m\\u202eb\\u2066\\u0007", "file": "outside.off"},
		{"name": "caf\\u00e9", "file": "outside.off", "pose": {"translation": [0.25, 0, 0]}}]}' >names.json
	"$dualbvh" scene names.json >out 2>err
	for bytes in $'\e' $'\a' $'\xc2\x9b' $'\xe2\x80\xae' $'\xe2\x81\xa6'; do
		that 'no control of a terminal in the report' bash -c '! grep -qF "$1" out' - "$bytes"
	done
	says out café
	"$dualbvh" scene names.json --report github=- >out 2>err
	for bytes in $'\e' $'\a' $'\xc2\x9b' $'\xe2\x80\xae' $'\xe2\x81\xa6'; do
		that 'no control of a terminal in annotations' bash -c '! grep -qF "$1" out' - "$bytes"
	done
	says out '%1B'
	says out '%07'
	printf '{"bodies": [{"name": "b", "file": "no\\u001b[31m\\u009b\\u202esuch"}]}' >names.json
	expect 2 scene names.json
	for bytes in $'\e' $'\xc2\x9b' $'\xe2\x80\xae'; do
		that 'no control of a terminal in a sentence' bash -c '! grep -qF "$1" err' - "$bytes"
	done
fi

# ------------------------------------------------------------------------------------------------
# Small files that would take much

limited() { # TEXT ARGUMENT...: refused for the ceiling, within 800 MB of address space
	local text=$1 got=0
	shift
	( [ -z "$memory" ] || ulimit -v 800000; exec timeout 30 "$dualbvh" "$@" ) >out 2>err </dev/null || got=$?
	[ $got -eq 2 ] && good || bad "status $got instead of 2: $*"
	says err "$text"
}
ceiling='the ceiling for files of this size'
if [ $json -eq 1 ] && command -v python3 >/dev/null; then
	python3 - <<'PYTHON'
import json
# A mesh of 60,000 triangles whose indices are zeros that the file need not hold, and nodes that scale it in 1000 ways.
n = 180000
gltf = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(1000))}],
        "nodes": [{"mesh": 0, "scale": [1 + i / 8, 1, 1]} for i in range(1000)],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "count": n, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]}]}
json.dump(gltf, open("scaled.gltf", "w"), separators=(",", ":"))
# Files that include the next one twice, 16 deep.
for i in range(15):
    json.dump({"include": [{"name": n, "file": "level%d.json" % (i + 1)} for n in "abcdefgh"]}, open("level%d.json" % i, "w"))
json.dump({"bodies": [{"name": "b", "file": "outside.off"}]}, open("level15.json", "w"))
json.dump({"bodies": [{"name": "b%d" % i, "file": "ball.off", "scale": [1 + i / 1000, 1, 1]} for i in range(2000)]},
          open("balls.json", "w"))
PYTHON
	limited "$ceiling" info scaled.gltf
	limited "$ceiling" scene scaled.gltf
	# 25,000 files are opened until then, each of which takes milliseconds under wine.
	if is_posix; then limited "$ceiling" info level0.json; else limited 'more than 8 MiB, the ceiling' info level0.json --most-memory 8; fi
	gen sphere -o ball.off
	# A ceiling of one's own, below and above.
	limited 'more than 1 MiB, the ceiling' info balls.json --most-memory 1
	printf '{"bodies": [{"name": "a", "file": "outside.off"}, {"name": "b", "file": "outside.off", "scale": 2}]}' >two.json
	expect 0 info two.json --most-memory 1
	refuses "'0' is no value" info two.json --most-memory 0
fi
if grep -q 'with libzip' versions && [ $xml -eq 1 ] && command -v python3 >/dev/null; then
	python3 - <<'PYTHON'
import zipfile
# Object n + 1 is object n twice: 2^21 bodies.
model = ['<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>'
         '<object id="1" type="model"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/>'
         '<vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>'
         '<triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/></triangles>'
         '</mesh></object>']
for i in range(2, 23):
    model.append('<object id="%d" type="model"><components><component objectid="%d"/><component objectid="%d"/>'
                 '</components></object>' % (i, i - 1, i - 1))
model.append('</resources><build><item objectid="22"/></build></model>')
rels = ('<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
        'Target="/3D/3dmodel.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>')
types = ('<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="model" '
         'ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>')
with zipfile.ZipFile("double.3mf", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("[Content_Types].xml", types)
    z.writestr("_rels/.rels", rels)
    z.writestr("3D/3dmodel.model", "".join(model))
PYTHON
	limited "$ceiling" scene double.3mf
	limited "$ceiling" info double.3mf
fi

finish strangers
