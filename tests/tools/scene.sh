#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# `dualbvh scene`: clashes against `dualbvh check` of every pair, ids, rules, ignores, baselines.
#
#   scene.sh path/to/dualbvh path/to/robots

robots=$(cd "$2" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

gen box --size 2,2,2 -o a.ply
gen box --size 2,2,2 --at 1.5,0,0 -o b.ply
gen box --size 1,1,1 --at 0,0.25,0 -o inner.ply
gen box --size 2,2,2 --at 3.5,0,0 -o touching.ply
gen box --size 2,2,2 --at 0,3,0 -o near.ply
gen torus --slices 12 --stacks 8 --at 0,0,3 -o ring.ply
cp a.ply twin.ply
open_box -2,-2,-9 2,2,-5 >open.off
gen box --size 1,1,1 --at 0,0,-7 -o held.ply
bodies=(a.ply b.ply held.ply inner.ply near.ply open.off touching.ply twin.ply)

# "path path relation" of each clash of the JSON in the file out, sorted.
clashes() { sed -nE 's/.*"kind":"[a-z]*","a":"([^"]*)","b":"([^"]*)","relation":"([a-z_]*)".*/\1 \2 \3/p' out | sort; }
ids() { sed -nE 's/.*"id":"([0-9a-f]{16})","kind".*/\1/p' out; }
# The id of the clash of two paths in the file out.
id_of() { sed -nE "s/.*\"id\":\"([0-9a-f]{16})\",\"kind\":\"[a-z]*\",\"a\":\"$1\",\"b\":\"$2\".*/\1/p" out; }

# ---- every pair by itself
for ((i = 0; i < ${#bodies[@]}; ++i)); do
	for ((k = i + 1; k < ${#bodies[@]}; ++k)); do
		"$dualbvh" check "${bodies[i]}" "${bodies[k]}" --relation --json >one </dev/null
		relation=$(sed -nE 's/.*"relation":"([a-z_]*)".*/\1/p' one)
		[ "$relation" = disjoint ] || echo "${bodies[i]%.*} ${bodies[k]%.*} $relation"
	done
done | sort >expected
expect 1 scene "${bodies[@]}" --json
json
clashes >found
that "the clashes are those of all pairs" cmp -s expected found
that "there are some of each" [ "$(cut -d' ' -f3 found | sort -u | wc -l)" -eq 6 ]
cp out whole

# ---- ids and all else do not depend on the order of files, nor on threads
reversed=()
for file in "${bodies[@]}"; do reversed=("$file" "${reversed[@]}"); done
sed 's/"files":.*"split"/"split"/' whole >wanted
expect 1 scene "${reversed[@]}" --json --threads 4
sed -i 's/"files":.*"split"/"split"/' out
that "the order of files changes nothing" cmp -s wanted out
expect 1 scene "${bodies[@]}"
says out '8 bodies of 8 meshes'
says out 'a and twin are the same body twice'
says out 'inner is inside a'
says out 'touch'
says out 'a and b overlap: 0.5 deep, volume 2, protrusion'
says out 'cannot be told'
expect 1 scene "${bodies[@]}" --quiet
that "quiet is quiet" [ ! -s out ]

# ---- depths: of gears that jam, local depth is less than the move that frees them; both are intervals
gen gear -o gear.ply
gen gear --rotate 0,0,1,7.5 --at 23.75,0,0 -o jammed.ply
expect 1 scene gear.ply jammed.ply --json
is "d['clashes'][0]['depth'][0] <= d['clashes'][0]['depth'][1] < 1"
is "d['clashes'][0]['penetration_depth'][0] >= 0 and d['clashes'][0]['penetration_depth'][1] >= d['clashes'][0]['depth'][0]"
is "d['clashes'][0]['volume'][0] > 0"
expect 1 scene gear.ply jammed.ply --json --depth
is "len(d['clashes'][0]['separation']) == 3"

# ---- sorted by what is printed: the deepest first, or the largest
gen box --size 0.25,9,0.25 --at 0,0,9 -o thin.ply
gen box --size 4,4,4 --at 0,0,9 -o thick.ply
gen box --size 8,8,1 --at 0,0,11.25 -o lid.ply
expect 1 scene thin.ply thick.ply lid.ply --allow thin,lid
that "the deepest first" [ "$(grep -nm1 'lid and thick' out | cut -d: -f1)" -lt "$(grep -nm1 'thick and thin' out | cut -d: -f1)" ]
says out 'thick and thin overlap: 0.125 deep, volume 0.25, piercing'
says out 'lid and thick overlap: 0.25 deep, volume 4, protrusion'
expect 1 scene thin.ply thick.ply lid.ply --allow thin,lid --sort volume --json
is "d['sorted_by'] == 'volume'"
refuses "'size' is no value for --sort" scene a.ply --sort size

# ---- exit status
expect 0 scene a.ply near.ply
says out 'no clashes'
expect 0 scene a.ply
expect 3 scene open.off held.ply
says out 'undecidable'

# ---- rules
expect 0 scene a.ply b.ply --allow a,b
expect 0 scene a.ply b.ply --allow 'b,?'
expect 0 scene b.ply touching.ply --allow-touching
expect 1 scene b.ply touching.ply
says out '1 touch'
expect 1 scene a.ply near.ply --clearance 1.5
says out 'a and near are 1 apart, less than 1.5'
expect 0 scene a.ply near.ply --clearance 1 # not less
expect 0 scene a.ply b.ply --touch-overlap 0.5 --allow-touching
expect 1 scene a.ply b.ply --touch-overlap 0.25 --allow-touching
expect 0 scene a.ply b.ply --sag 0.25 --allow-touching
expect 0 scene a.ply b.ply --allowed-depth 0.51
says out 'no clashes; 1 fit'
says out 'a and b fit, with 0.51 deep allowed: 0.5 deep, volume 2, protrusion'
expect 1 scene a.ply b.ply --allowed-depth 0.49
expect 0 scene a.ply b.ply --allowed-volume 2.01
expect 1 scene a.ply b.ply --allowed-volume 1.99
expect 1 scene a.ply b.ply --allowed-volume 1.99 --allowed-depth 9
expect 0 scene a.ply b.ply --allowed-depth 0.51 --json
is "(d['clashes'][0]['kind'], d['clashes'][0]['allowed_depth'], d['counts']['fit'], d['counts']['hard']) == ('fit', 0.51, 1, 0)"
expect 1 scene a.ply b.ply --allow 'nobody,a'
says out "note: the rule for 'nobody' and 'a' matches nothing"
expect 1 scene a.ply b.ply --allow 'nobody,a' --json
is 'd["unused_rules"] == [{"a": "nobody", "b": "a"}]'

# ---- paths
mkdir -p left right
cp a.ply left/part.ply
cp near.ply right/part.ply
expect 1 scene left/part.ply right/part.ply inner.ply --json
is '[(c["a"], c["b"]) for c in d["clashes"]] == [("inner", "left/part")]'
expect 1 scene a.ply a.ply
says out 'a and a#2 are the same body twice'
says out 'note: 1 body has the path of another one'
if is_posix; then
	cp a.ply $'up\nand"<\x01\xff.ply'
	expect 1 scene a.ply $'up\nand"<\x01\xff.ply'
	says out 'up?and"<?'
	expect 1 scene a.ply $'up\nand"<\x01\xff.ply' --json
	json
fi

# ---- ignores
expect 1 scene a.ply b.ply inner.ply --json
json
id=$(id_of a b)
{
	echo '# what is known'
	echo
	echo "$id pressed in, on purpose"
	echo "'inn*'   'b'  the gauge goes through"
	echo '"?" nothing   not there any more'
} >ignores.txt
expect 1 scene a.ply b.ply inner.ply --ignore ignores.txt
says out '1 clash: 1 containment; 2 ignored'
says out "note: ignores.txt:5: '?' and 'nothing' have no clash to ignore (not there any more)"
expect 1 scene a.ply b.ply inner.ply --ignore ignores.txt --json
is '[c.get("ignored") for c in d["clashes"]] == ["pressed in, on purpose", None, "the gauge goes through"]'
is '[i["used"] for i in d["ignores"]] == [1, 1, 0]'
echo 'a inner as well' >>ignores.txt
expect 0 scene a.ply b.ply inner.ply --ignore ignores.txt
says out 'no clashes; 3 ignored'
echo "$id" >unreasonable.txt
refuses 'unreasonable.txt:1: the reason is missing' scene a.ply b.ply --ignore unreasonable.txt
echo 'only' >unreasonable.txt
refuses 'two patterns' scene a.ply b.ply --ignore unreasonable.txt
echo '"a b' >unreasonable.txt
refuses 'a quote is not closed' scene a.ply b.ply --ignore unreasonable.txt
refuses 'none.txt: the file cannot be opened' scene a.ply b.ply --ignore none.txt

# ---- rules of a file: of one body and of another one the larger clearance holds, and is named
if "$dualbvh" --version | grep >/dev/null '^with jansson'; then
	cat >rules.json <<'JSON'
{
	"bodies": [ { "file": "a.ply" }, { "file": "near.ply" } ],
	"rules": [ { "a": "a", "clearance": 1.25, "name": "service" }, { "a": "near", "clearance": 1.5 } ]
}
JSON
	expect 1 scene rules.json
	says out 'service: a and near are 1 apart, less than 1.5'
	expect 1 scene rules.json touching.ply # patterns are about all files
	cat >known.json <<'JSON'
{
	"bodies": [ { "file": "b.ply" } ],
	"ignore": [ { "a": "b", "b": "touching", "reason": "they are one" } ]
}
JSON
	expect 0 scene known.json touching.ply
	says out 'no clashes; 1 ignored'
	# Units are joined: two units in millimetres are inside two in metres. Groups of one name are one.
	echo '{"unit":"mm","bodies":[{"name":"peg","file":"a.ply"}]}' >mm.json
	echo '{"unit":"m","bodies":[{"name":"block","file":"b.ply","pose":[1,0,0,-1.5,0,1,0,0,0,0,1,0]}]}' >m.json
	for order in 'mm.json m.json' 'm.json mm.json'; do
		# shellcheck disable=SC2086 # two words
		expect 1 scene $order
		says out 'peg is inside block'
		says out 'lengths are converted'
	done
	echo '{"bodies":[{"file":"a.ply","groups":["x"],"against":["y"]}]}' >x.json
	echo '{"bodies":[{"file":"b.ply","groups":["y"],"against":["x"]},{"file":"inner.ply","groups":["z"]}]}' >y.json
	expect 1 scene x.json y.json --json
	is '[(c["a"], c["b"]) for c in d["clashes"]] == [("a", "b")]'
fi

# ---- what the documents say of sags: one side, not all round
# prism SIDES RADIUS LOW HIGH: upright, in OFF; bore SIDES RADIUS: a square block with a hole of that.
prism() {
	awk -v n="$1" -v r="$2" -v low="$3" -v high="$4" 'BEGIN {
		print "OFF"; print 2 * n, n + 2, 0; pi = atan2(0, -1)
		for (z = 0; z < 2; ++z) for (i = 0; i < n; ++i) printf "%.17g %.17g %s\n", r * cos(2 * pi * i / n), r * sin(2 * pi * i / n), z ? high : low
		for (i = 0; i < n; ++i) printf "4 %d %d %d %d\n", i, (i + 1) % n, n + (i + 1) % n, n + i
		printf n; for (i = n - 1; i >= 0; --i) printf " %d", i; print ""
		printf n; for (i = 0; i < n; ++i) printf " %d", n + i; print "" }'
}
bore() {
	awk -v n="$1" -v r="$2" 'BEGIN {
		print "OFF"; print 4 * n, 4 * n, 0; pi = atan2(0, -1)
		for (z = -1; z < 2; z += 2) for (k = 1; k < 3; ++k) for (i = 0; i < n; ++i) {
			a = 2 * pi * i / n; printf "%.17g %.17g %d\n", k * r * cos(a), k * r * sin(a), 2 * z }
		for (i = 0; i < n; ++i) { j = (i + 1) % n
			printf "4 %d %d %d %d\n", i, 2 * n + i, 2 * n + j, j
			printf "4 %d %d %d %d\n", n + i, n + j, 3 * n + j, 3 * n + i
			printf "4 %d %d %d %d\n", i, j, n + j, n + i
			printf "4 %d %d %d %d\n", 2 * n + i, 3 * n + i, 3 * n + j, 2 * n + j } }'
}
prism 48 5 -4 4 >pin.off
bore 64 5 >bore.off
gen box --size 20,20,2 --at 0,0,4.99609375 -o lid.ply # 0.0039 deep in the end of the pin
# Facets that overlap all round are a fit within the sags: no move parts the two, and yet they are no hard clash.
expect 0 scene pin.off bore.off --sag 0.02 --touch-overlap 0.02; says out 'no clashes; 1 fit'
expect 1 scene pin.off bore.off --allowed-depth 0.005;           says out '1 hard'
expect 0 check pin.off bore.off --allowed-depth 0.006;           says out 'a fit'
expect 1 check pin.off bore.off --allowed-depth 0.005
if ! is_short_run; then # each takes seconds under the sanitizers
	expect 0 scene pin.off bore.off --allowed-depth 0.006; says out '0.00534 deep'
	expect 0 scene pin.off bore.off --sag 0.003
fi
expect 1 scene pin.off bore.off --sag 0.002
expect 1 scene pin.off lid.ply --sag 0.02;                       says out '1 touch'
expect 1 scene pin.off lid.ply;                                  says out '1 hard'
expect 0 scene pin.off bore.off --allow pin,bore

# ---- a baseline, and one body that moved
has_json=yes
echo '{' >probe.json
"$dualbvh" scene a.ply b.ply --baseline probe.json >/dev/null 2>err </dev/null
grep -q 'without jansson' err && has_json=
if [ -n "$has_json" ]; then
	printf '{"schema":"dualbvh.ignores/1","ignores":[{"id":"%s","reason":"known"}]}' "$id" >ignores.json
	expect 0 scene a.ply b.ply --ignore ignores.json
	printf '{"schema":"dualbvh.ignores/1","ignores":[{"a":"a","reason":"known"}]}' >bad.json
	refuses 'entry 0 of the ignores' scene a.ply b.ply --ignore bad.json
	printf '{"schema":"dualbvh.ignores/1","ignores":[{"id":"%s"}]}' "$id" >bad.json
	refuses 'has no reason' scene a.ply b.ply --ignore bad.json

	expect 1 scene a.ply b.ply inner.ply near.ply --report json=base.json
	expect 0 scene a.ply b.ply inner.ply near.ply --baseline base.json
	says out '0 new, 3 unchanged, 0 absent; what is unchanged does not count for the exit status'
	cp b.ply kept.ply
	gen box --size 2,2,2 --at 1.5,2.5,0 -o b.ply # away from inner, into near
	expect 1 scene a.ply b.ply inner.ply near.ply --baseline base.json --json
	is 'sorted((c["a"], c["b"], c["standing"]) for c in d["clashes"]) == [("a", "inner", "unchanged"), ("b", "near", "new")]'
	is 'sorted((c["a"], c["b"], c["why"]) for c in d["absent"]) == [("a", "b", "resolved"), ("b", "inner", "resolved")]'
	expect 1 scene a.ply b.ply inner.ply near.ply --baseline base.json
	says out '1 new, 1 unchanged, 2 absent'
	says out 'new: b and near overlap'
	says out 'absent: hard of a and b: resolved'
	cp kept.ply b.ply
	expect 0 scene a.ply b.ply --baseline base.json
	says out 'absent: containment of a and inner: a body is not there any more'
	expect 0 scene a.ply b.ply inner.ply near.ply --baseline base.json --allow a,b
	says out 'its rules were others'
	says out 'absent: hard of a and b: the rules have changed'
	# A body that only stands elsewhere has changed, too.
	for x in 1.5 2.5; do
		echo '{"bodies":[{"file":"a.ply"},{"name":"b","file":"a.ply","pose":[1,0,0,'$x',0,1,0,0,0,0,1,0]}]}' >at-$x.json
	done
	expect 1 scene at-1.5.json --report json=at.json
	expect 0 scene at-2.5.json --baseline at.json
	says out 'absent: hard of a and b: resolved'
	# What was a touch and is an overlap now is new.
	expect 1 scene b.ply touching.ply --report json=touch.json
	gen box --size 2,2,2 --at 3.25,0,0 -o touching.ply
	expect 1 scene b.ply touching.ply --baseline touch.json
	says out 'worsened: b and touching overlap'
	refuses 'probe.json:' scene a.ply b.ply --baseline probe.json
	echo '{"schema":"dualbvh.check/3"}' >probe.json
	refuses 'it is no report of dualbvh scene' scene a.ply b.ply --baseline probe.json
fi

# ---- robots: each row of joints as the state that it is
if "$dualbvh" --version | grep >/dev/null '^with expat'; then
	robot=("$robots/arm.urdf" --srdf "$robots/arm.srdf")
	expect 1 scene "${robot[@]}" --state folded --json
	sed -nE 's/.*"kind":"hard","a":"([^"]*)","b":"([^"]*)".*/\1 \2/p' out >folded
	that "a folded arm collides" [ "$(wc -l <folded)" -gt 3 ]
	expect 0 scene "${robot[@]}" --state zero
	refuses "there is no state 'fold' (did you mean 'folded'?)" scene "${robot[@]}" --state fold
	printf '%s\n' 'grip lift elbow' '0.02 0 0' '0.02 0.4 3' '0.02 0.1 0' '0.02 0.4 3' >rows.txt
	expect 1 scene "${robot[@]}" --joints rows.txt
	says out '9 bodies, 4 configurations: 2 collide, 2 are clear'
	says out 'colliding: 1 3'
	expect 1 scene "${robot[@]}" --joints rows.txt --json --threads 2
	json
	is '[r["verdict"] for r in d["results"]] == ["clear", "colliding", "clear", "colliding"]'
	is 'd["results"][1]["pairs"] == [l.split() for l in open("folded")] and d["colliding"] == 2'
	is 'sorted((p["a"], p["b"], p["configurations"]) for p in d["pairs"]) == sorted((*l.split(), 2) for l in open("folded"))'
	echo '0.02 0 0' >one.txt
	printf '%s\n' 'elbow' '0' >elbow.txt
	expect 1 scene "${robot[@]}" --state folded --joints rows.txt
	expect 0 scene "${robot[@]}" --state zero --joints elbow.txt
	printf '%s\n' 'elbow' '3' >elbow.txt
	expect 1 scene "${robot[@]}" --state folded --joints elbow.txt
	refuses "--touch-gap means nothing with --joints" scene "${robot[@]}" --joints rows.txt --touch-gap 1
	refuses "--edges needs --joints" scene "${robot[@]}" --edges
	refuses "--distance is the least one" scene "${robot[@]}" --joints rows.txt --distance --edges
	refuses "exclude each other" scene "${robot[@]}" --joints rows.txt --edges --output edges.npy
	expect 1 scene "${robot[@]}" --joints rows.txt --distance --json
	json
	is '[r["verdict"] for r in d["results"]] == ["clear", "colliding", "clear", "colliding"]'
	is '[r["pairs"][0]["distance"] > 0 for r in d["results"]] == [True, False, True, False] and d["colliding"] == 2'
	is 'd["results"][1]["pairs"][0]["a"] + " " + d["results"][1]["pairs"][0]["b"] == open("folded").readline().strip()'
	least=$(python3 -c 'import json; print(json.load(open("out"))["results"][0]["pairs"][0]["distance"])')
	expect 1 scene "${robot[@]}" --joints rows.txt --clearance "$least" --json
	json
	is '[r["verdict"] for r in d["results"]][0] == "clear" and d["near"] <= 1'
	expect 1 scene "${robot[@]}" --joints rows.txt --clearance "$(python3 -c "print($least * 1.001)")" --json --threads 2
	json
	is 'd["results"][0]["verdict"] == "near" and len(d["results"][0]["pairs"]) == 1 and d["near"] > 0'
	is 'len(d["results"][1]["pairs"]) >= len(open("folded").readlines())'
	expect 1 scene "${robot[@]}" --joints rows.txt --distance
	says out '9 bodies, 4 configurations: 2 colliding, 2 clear'
	says out 'least distance: 0 in 1, '
	expect 1 scene "${robot[@]}" --joints rows.txt --edges --json
	json
	is '[r["verdict"] for r in d["results"]] == ["colliding"] * 3 and d["colliding"] == 3'
	is '0 < d["results"][0]["free_until"] < d["results"][0]["time"] <= 1 and d["results"][1]["time"] == 0'
	printf '%s\n' 'grip lift elbow' '0.02 0 0' '0.02 0.1 0' >free.txt
	expect 0 scene "${robot[@]}" --joints free.txt --edges
	says out '9 bodies, 1 way: 1 clear at every time, 0 colliding, 0 close'
	expect 1 scene "${robot[@]}" --joints free.txt --edges --clearance 1
	expect 3 scene "${robot[@]}" --joints free.txt --edges --timeout 0.0000001 --json
	json
	is 'd["timed_out"] and d["done"] == 0'
	# A row that is refused behind the first block of 512: its number is that of the file, and JSON ends.
	{ echo elbow; for ((i = 0; i < 600; ++i)); do echo 0.1; done; echo 3e6; echo 0.1; } >far.txt
	expect 2 scene "${robot[@]}" --joints far.txt --edges
	says err 'far.txt: edge 599: an angle is above 2^20'
	expect 2 scene "${robot[@]}" --joints far.txt --edges --json
	json
	is 'len(d["results"]) == d["done"] == 599 and not d["finished"] and "edge 599" in d["error"]'
	# More near pairs than one call has room for: two links of 257 boxes, all within the clearance.
	{
		echo '<robot name="r">'
		for link in aa b cc; do
			echo "<link name=\"$link\">"
			for ((i = 0; i < (${#link} == 1 ? 1 : 257); ++i)); do
				echo '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
			done
			echo '</link>'
		done
		echo '<joint name="j" type="prismatic"><parent link="aa"/><child link="b"/><origin xyz="5 0 0"/><axis xyz="1 0 0"/><limit lower="0" upper="9"/></joint>'
		echo '<joint name="k" type="continuous"><parent link="b"/><child link="cc"/><axis xyz="1 0 0"/></joint></robot>'
	} >crowd.urdf
	printf '%s\n' j 0 1 >crowd.txt
	expect 1 scene crowd.urdf --joints crowd.txt --clearance 5.5 --json
	json
	is '[len(r["pairs"]) for r in d["results"]] == [257 * 257, 0] and d["near"] == 1'
	refuses 'one.txt' scene "${robot[@]}" --joints one.txt
	refuses 'the files have no joints' scene a.ply --joints rows.txt
	expect 3 scene "${robot[@]}" --joints elbow.txt --timeout 0.0000001
	if is_posix && command -v python3 >/dev/null; then
		# Ctrl-C, once the first results are out and nobody reads on.
		python3 - "$dualbvh" "${robot[@]}" >status <<'PYTHON'
import signal, subprocess, sys
open("many.txt", "w").write("lift elbow\n" + "0.1 0.2\n" * 100000)
p = subprocess.Popen([sys.argv[1], "scene", *sys.argv[2:], "--joints", "many.txt", "--json"], stdout=subprocess.PIPE,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
head = p.stdout.read(1)
p.send_signal(signal.SIGINT)
open("out", "wb").write(head + p.stdout.read())
print(p.wait(timeout=60))
PYTHON
		that "Ctrl-C ends by SIGINT" [ "$(cat status)" = -2 ]
		json
		is 'd["interrupted"] and d["done"] == len(d["results"]) and 0 < d["done"] < 100000'
	fi
fi

# ---- trees in files are taken as they are: nothing is built that a cache would keep
for body in a b inner ring; do "$dualbvh" build $body.ply --topology -o $body.dbvh --quiet </dev/null; done
expect 1 scene a.ply b.ply inner.ply ring.ply --clearance 3 --json
sed 's/"files":.*"split"/"split"/; /"fingerprint"/d' out >wanted # which is of vertices as they are numbered
mkdir kept
expect 1 scene a.dbvh b.dbvh inner.dbvh ring.dbvh --clearance 3 --json --cache kept
sed -i 's/"files":.*"split"/"split"/; /"fingerprint"/d' out
that "the same clashes" cmp -s wanted out
that "nothing was built" [ -z "$(ls -A kept)" ]
printf '{ "bodies": [ { "file": "a.dbvh" }, { "file": "b.dbvh" }, { "name": "away", "file": "b.dbvh", "pose": { "translation": [ 9, 0, 0 ] } } ] }' >trees.json
expect 1 scene trees.json --cache kept
says out 'a and b overlap: 0.5 deep, volume 2, protrusion'
that "nor for a scene of them" [ -z "$(ls -A kept)" ]
"$dualbvh" build a.ply -o bare.dbvh --quiet </dev/null
expect 1 scene bare.dbvh b.dbvh --cache kept
that "one without a topology is" [ "$(ls kept | wc -l)" -eq 1 ]

# ---- mistakes
refuses 'no file is named' scene
refuses 'none.ply' scene a.ply none.ply
refuses "'a' is no value for --allow" scene a.ply --allow a
refuses "'objects' is no value for --split" scene a.ply --split objects
refuses 'exclude each other' scene a.ply --json --quiet
refuses "'xml=f' is no value for --report" scene a.ply --report xml=f
refuses 'names no file' scene a.ply --report csv=
refuses 'only github goes to standard output' scene a.ply --report csv=-
refuses 'an SRDF adds to a robot' scene a.ply --srdf a.ply

# ---- time
"$dualbvh" gen statue -o statue.ply --quiet
expect 3 scene statue.ply ring.ply --timeout 0.0000001 --json
is 'not d["finished"] and d["timed_out"]'

# ---- no output replaces a file that another one names
mkdir spared
gen box -o spared/part.ply
echo '{"bodies": [{"file": "part.ply"}, {"name": "b", "file": "./part.ply", "pose": {"translation": [9, 0, 0]}}]}' >spared/model.json
ln -s part.ply spared/link.ply
for output in '--report json=spared/part.ply' '--html spared/part.ply' '--report json=spared/link.ply' '--review spared/part.ply'; do
	# shellcheck disable=SC2086 # an option and its value
	expect 2 scene spared/model.json $output
	that "the mesh is as it was: $output" test "$(head -c 3 spared/part.ply)" = ply
done
refuses 'would be overwritten' scene spared/model.json --report json=spared/part.ply
expect 0 scene spared/model.json --report json=spared/other.json

finish scene
