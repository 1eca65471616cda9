#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The files of scenes as the command reads them, and the schema of the JSON scene against its reader.
#
#   tests/tools/scene_format.sh DUALBVH ROOT

# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
root=$2

"$dualbvh" --version | grep >/dev/null '^with jansson' || { echo "scene_format: no jansson"; exit 77; }

"$dualbvh" gen box -o box.stl >/dev/null
"$dualbvh" gen box -o box.obj >/dev/null
mkdir -p "my parts"
cp box.obj "my parts/b.obj"

# A scene is a mesh for the other commands: two boxes 10 apart.
cat >two.json <<'EOF'
{ "schema": "dualbvh.scene/1", "unit": "mm", "bodies": [
  { "name": "a", "file": "box.stl" },
  { "name": "b", "file": "my parts/b.obj", "pose": { "translation": [10, 0, 0] } } ] }
EOF
expect 0 info two.json;                           says out 'triangles        24'
                                                  says out 'components       2 (2 closed'
expect 1 check two.json box.stl;                  says out 'intersecting'
expect 0 self two.json

# Two files that say their unit, and not the same one: the second is converted.
sed 's/"mm"/"m"/' two.json >metres.json
expect 1 check two.json two.json;                 says out 'intersecting'
"$dualbvh" check two.json metres.json --relation >out 2>err && bad "a conversion changes nothing" || good
says out 'A is inside B'
says err 'its unit is 1 m, that of the other file 0.001 m'
expect 1 check metres.json box.stl;               says out 'intersecting' # which says none

# From a folder beside it, and from anywhere.
mkdir -p elsewhere
expect 0 info --json "$work/two.json";            json;  is "d['meshes'][0]['triangles'] == 24"
( cd elsewhere && "$dualbvh" info ../two.json >/dev/null ) && good || bad "from another folder"
printf '{"include": [{"name": "x", "file": "../two.json"}, {"file": "%s/two.json"}]}' "$work" >elsewhere/both.json
refuses "outside of the folder" info elsewhere/both.json
expect 0 info elsewhere/both.json --allow-outside;               says out 'triangles        48'

# A glTF by text, with a file beside it.
python_or_skip() { command -v python3 >/dev/null; }
if python_or_skip; then
	python3 - <<'EOF'
import json, struct
open("tri angle.bin", "wb").write(struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0))
json.dump({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 36, "uri": "tri%20angle.bin"}],
	"bufferViews": [{"buffer": 0, "byteLength": 36}],
	"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
	"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
	"nodes": [{"mesh": 0, "skin": 0}, {"mesh": 0, "scale": [2, 2, 2], "translation": [5, 0, 0]}]}, open("t.gltf", "w"))
EOF
	"$dualbvh" info t.gltf >out 2>err && good || bad "info t.gltf"
	says out 'triangles        2'
	says out 'x 0 to 7'
	says err 'node has a skin'
	rm "tri angle.bin"
	refuses "tri angle.bin" info t.gltf
fi

# Packages: where an option says, or the folder of that name that the file is in.
if "$dualbvh" --version | grep >/dev/null '^with expat'; then
	mkdir -p arm/urdf arm/meshes
	cp box.stl arm/meshes/link.stl
	cat >arm/urdf/arm.urdf <<'EOF'
<robot name="arm"><link name="base"><collision><geometry><mesh filename="package://arm/meshes/link.stl"/></geometry>
</collision></link></robot>
EOF
	expect 0 info arm/urdf/arm.urdf;          says out 'triangles        12'
	( cd arm/urdf && "$dualbvh" info arm.urdf >/dev/null ) && good || bad "a package around the folder"
	cp arm/urdf/arm.urdf alone.urdf
	refuses '--package arm=FOLDER' info alone.urdf
	expect 0 scene --package arm="$work/arm" alone.urdf
	# A package without a name is the folder of the file.
	sed 's|package://arm/meshes|package:///meshes|' alone.urdf >arm/nameless.urdf
	expect 0 info arm/nameless.urdf;          says out 'triangles        12'
	printf '{"include": [{"file": "arm/urdf/arm.urdf", "name": "l"}, {"file": "arm/urdf/arm.urdf", "name": "r", "pose": {"translation": [3, 0, 0]}}]}' >arms.json
	expect 0 scene --package arm=arm arms.json;   says out '2 bodies of 2 meshes'
fi

# What is not read names a way out.
printf '#usda 1.0\n' >a.stage;                                refuses 'Blender imports it and exports glTF' scene a.stage
printf 'x' >a.usdz;                                            refuses 'USD is read by its ending' scene a.usdz
printf "ISO-10303-21;\nFILE_SCHEMA(('IFC4'));\n" >house.txt;  refuses 'IfcConvert IN.ifc OUT.glb' scene house.txt
"$dualbvh" --version | grep >/dev/null '^without meshoptimizer' && {
	printf '{"asset":{"version":"2.0"},"buffers":[{"byteLength":8,"uri":"data:;base64,AAAAAAAAAAA="}],"bufferViews":[{"buffer":0,"byteLength":36,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteLength":8,"byteStride":12,"count":3,"mode":"ATTRIBUTES"}}}],"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}]}' >packed.gltf
	refuses "'gltfpack -noq -kn -i IN.glb -o OUT.glb' makes" scene packed.gltf
}
"$dualbvh" --version | grep >/dev/null '^without Draco' && {
	printf '{"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"type":"VEC3","count":3},{"componentType":5125,"type":"SCALAR","count":3}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"extensions":{"KHR_draco_mesh_compression":{}}}]}],"nodes":[{"mesh":0}]}' >packed.gltf
	refuses "'gltf-transform copy IN.glb OUT.glb' makes a file without that" scene packed.gltf
}
"$dualbvh" --version | grep >/dev/null '^without assimp' && { echo x >a.fbx; refuses 'Blender imports most of them' scene a.fbx; }
"$dualbvh" --version | grep >/dev/null '^without OpenCASCADE' && { echo x >a.step; refuses 'FreeCAD opens it' scene a.step; }

# The samples: a box is sunk into its board, and the hook has too little room.
expect 1 scene "$root/data/scenes/rack.gltf";     says out '4 clashes: 1 hard, 3 touch'
expect 1 scene "$root/data/scenes/rack.json";     says out '2 clashes: 1 hard, 1 clearance'
                                                  says out 'room for the hook: hook and rack/box are 0.0625 apart'
expect 0 info "$root/data/scenes/rack.json";      says out 'triangles        64'

# What is wrong is said, with the file.
printf '{"bodies": [{"file": "gone.stl"}]}' >bad.json;      refuses "bad.json: bodies[0]: 'gone.stl'" info bad.json
printf '{"bodies": [{"file": "/dev/zero"}]}' >bad.json;     refuses 'no regular file' info bad.json --allow-outside
printf '{"bodies": [{"file": "."}]}' >bad.json;             refuses 'no regular file' info bad.json
printf '{"bodies": [{"file": "package://p/x.stl"}]}' >bad.json
refuses '--package p=FOLDER' info bad.json
printf '{"bodies": [{"file": "http://p/x.stl"}]}' >bad.json; refuses 'on no disk' info bad.json
printf '{"bodies": [\n{"file": box.stl}]}' >bad.json;       refuses 'bad.json:2: ' check bad.json box.stl
printf '{"include": [{"file": "bad.json"}]}' >bad.json;     refuses 'circle' self bad.json
printf 'glTF' >bad.glb;                                     refuses 'bad.glb: ' distance box.stl bad.glb
printf '<model/>' >bad.xml;                                 refuses 'XML' info bad.xml

# The schema and the reader know the same keys; what the reader takes is valid by the schema.
if python_or_skip; then
	python3 - "$root" >out 2>err <<'EOF' && good || bad "the schema and the reader differ"
import json, re, sys
root = sys.argv[1]
schema = json.load(open(root + "/docs/scene.schema.json", encoding="utf-8"))
source = "".join(open(f"{root}/io/formats/json/{name}.c", encoding="utf-8").read() for name in ("scene", "bodies", "rules"))
read = [frozenset(re.findall(r'"([^"]+)"', keys)) for keys in re.findall(r'known\[\] = \{(.*?)\}', source, re.S)]
objects = [schema] + [d for d in schema["$defs"].values() if "properties" in d] + \
	[p for p in schema["$defs"]["pose"]["oneOf"] if "properties" in p]
said = [frozenset(set(d["properties"]) - {"comment"}) for d in objects]
assert len(read) == 8, read
for d in objects:
	assert d["additionalProperties"] is False and "comment" in d["properties"]
assert sorted(map(sorted, read)) == sorted(map(sorted, said)), (read, said)
units = re.findall(r'\{ "(\w+)", [0-9.e-]+ \}', source[:source.index("metres_out = 0.0")])
assert sorted(units) == sorted(schema["properties"]["unit"]["enum"]), units
example = re.search(r"```json\n(.*?)```", open(root + "/docs/scene-format.md", encoding="utf-8").read(), re.S).group(1)
json.loads(example)
try:
	import jsonschema
except ImportError:
	sys.exit(0)
check = jsonschema.Draft202012Validator(schema)
jsonschema.Draft202012Validator.check_schema(schema)
check.validate(json.loads(example))
check.validate(json.load(open("two.json", encoding="utf-8")))
for text in ('{"bodies":[{"fil":"a"}]}', '{}', '{"bodies":[{"file":"a","pose":[1]}]}', '{"bodies":[{"file":"a"}],"rules":[{"b":"x"}]}'):
	assert not check.is_valid(json.loads(text)), text
EOF
fi

finish scene_format
