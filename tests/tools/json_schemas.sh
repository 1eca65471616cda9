#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The JSON of `dualbvh scene` is what docs/*.schema.json say of it. With python3; where that has no jsonschema, the keys
# alone are compared.
#
#   json_schemas.sh path/to/dualbvh path/to/sources

# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
root=$2
command -v python3 >/dev/null || { echo 'json_schemas: no python3'; exit 77; }
with() { "$dualbvh" --version | grep >/dev/null "^with $1"; }

cat >judge.py <<'EOF'
import json, sys
schema = json.load(open(sys.argv[1], encoding="utf-8"))
seen = set()

# Every key that is there is said, and every key that has to be there is; types and the rest are jsonschema's business.
def look(value, rule, where):
    while "$ref" in rule:
        rule = schema["$defs"][rule["$ref"].rsplit("/", 1)[1]]
    if isinstance(value, dict):
        for key, inner in value.items():
            assert key in rule["properties"], f"{where}: {key}"
            seen.add((where, key))
            look(inner, rule["properties"][key], f"{where}.{key}")
        for key in rule.get("required", ()):
            assert key in value, f"{where} lacks {key}"
    if isinstance(value, list):
        for inner in value:
            look(inner, rule["items"], where)
    if "enum" in rule:
        assert value in rule["enum"], f"{where}: {value}"

try:
    import jsonschema
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
except ImportError:
    check = None
for name in sys.argv[2:]:
    report = json.load(open(name, encoding="utf-8"))
    look(report, schema, "report")
    if check is not None:
        check.validate(report)
        for spoil in ("schema", "files", "finished"):
            assert not check.is_valid({k: v for k, v in report.items() if k != spoil}), spoil
        assert not check.is_valid({**report, "else": 1})
EOF
# valid SCHEMA FILE...
valid() {
	if python3 judge.py "$root/docs/$1.schema.json" "${@:2}" 2>err; then good; else bad "no $1: ${*:2}"; fi
}

gen box --size 2,2,2 -o a.ply
gen box --size 2,2,2 --at 1.5,0,0 -o b.ply
gen box --size 1,1,1 -o inner.ply
gen box --size 2,2,2 --at 3.5,0,0 -o touching.ply
gen box --size 2,2,2 --at 0,2.25,0 -o near.ply
open_box -9,-9,-9 9,9,-2 >open.off
gen box --at 0,0,-5 -o held.ply
cp a.ply same.ply
echo 'inner a meant' >ignores.txt
files=(a.ply b.ply inner.ply touching.ply near.ply open.off held.ply same.ply)
scene() { "$dualbvh" scene "$@" >out 2>err </dev/null || true; }
scene a.ply --json; cp out none.json
scene "${files[@]}" --clearance 0.5 --ignore ignores.txt --json; cp out all.json
scene "${files[@]}" --clearance 0.5 --depth --allow 'nobody,*' --json; cp out depth.json
scene "${files[@]}" --timeout 1e-9 --json; cp out late.json
valid clashes none.json all.json depth.json late.json
if with jansson; then
	gen box --size 2,2,2 --at 1.25,0,0 -o b.ply
	gen box --size 1,1,1 --at 0.75,0,0 -o inner.ply
	mv same.ply other.ply
	files=("${files[@]/same.ply/other.ply}")
	scene "${files[@]/held.ply/a.ply}" --clearance 0.5 --baseline all.json --json; cp out known.json
	that 'something has changed' grep -q worsened known.json
	cat >unit.json <<-EOF
		{"unit": "mm", "bodies": [{"file": "a.ply"}, {"file": "b.ply"}], "rules": [{"name": "apart", "a": "a", "b": "b", "clearance": 1}, {"a": "x"}]}
	EOF
	scene unit.json --json; cp out unit.out
	valid clashes known.json unit.out
fi
if with expat; then
	printf '%s\n' 'grip lift elbow' '0.02 0.1 1' '0.02 0.4 3' >rows.txt
	arm=("$root/data/robots/arm.urdf" --srdf "$root/data/robots/arm.srdf")
	scene "${arm[@]}" --json; cp out arm.json
	valid clashes arm.json
	scene "${arm[@]}" --joints rows.txt --json; cp out rows.json
	scene "${arm[@]}" --joints rows.txt --timeout 1e-9 --json; cp out late-rows.json
	valid configurations rows.json late-rows.json
	scene "${arm[@]}" --joints rows.txt --distance --json; cp out least.json
	scene "${arm[@]}" --joints rows.txt --clearance 0.1 --json; cp out near.json
	valid robot-distances least.json near.json
	scene "${arm[@]}" --joints rows.txt --edges --json; cp out edges.json
	scene "${arm[@]}" --joints rows.txt --edges --timeout 1e-9 --json; cp out late-edges.json
	valid robot-edges edges.json late-edges.json
	that 'one collides' grep -q '"verdict":"colliding"' rows.json
fi

finish json_schemas
