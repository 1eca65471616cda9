#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The questions beyond "do they meet": distance, clearance, verdicts, contacts, a mesh with itself.
#
#   questions.sh path/to/dualbvh

. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

at() { echo "1 0 0 $1  0 1 0 ${2:-0}  0 0 1 ${3:-0}"; } # a pose without a turn
gen box --size 2,2,2 -o box.ply
gen box --size 1,1,1 -o inner.ply
gen gear -o gear.ply
gen statue --scale 30 -o statue.ply
open_box -1,-1,-1 1,1,1 >open.off
for x in 0 0.5 1.5 2 2.000000001 3; do at $x; done >shift.txt
at 2 >face.txt
at 2.000000001 >gap.txt
at 1.75 >deep.txt
at 1 1 1 >corner.txt
at 2.5 >half.txt
echo '0.6 -0.8 0 27.1  0.8 0.6 0 3.3  0 0 1 0.7' >turned.txt

# ------------------------------------------------------------------------------------------------
# Verdicts

verdict() { # status, what is said, relation in JSON, arguments
	local status=$1 said=$2 relation=$3
	shift 3
	expect "$status" check "$@" --relation
	says out "$said"
	expect "$status" check "$@" --relation --json
	is "d['schema'] == 'dualbvh.check/3' and r[0]['relation'] == '$relation'"
	is "r[0]['interference'] == ['no', 'yes', None, 'undecidable'][$status]"
	expect "$status" check "$@" --relation --quiet
	that '--quiet is quiet' [ ! -s out ]
}
verdict 0 'pose 0: disjoint' disjoint box.ply box.ply -p half.txt
verdict 1 'box.ply and inner.ply: B is inside A' b_in_a box.ply inner.ply
verdict 1 'A is inside B' a_in_b inner.ply box.ply
verdict 1 'equal' equal box.ply box.ply
verdict 1 'pose 0: overlapping (triangle ' overlapping box.ply box.ply -p corner.txt
verdict 1 'pose 0: touching (triangle ' touching box.ply box.ply -p face.txt
verdict 0 'pose 0: touching' touching box.ply box.ply -p face.txt --allow-touching
verdict 1 'overlapping' overlapping box.ply box.ply -p corner.txt --allow-touching
verdict 3 'undecidable: component 0 of A is open: ' undecidable open.off inner.ply
verdict 3 'undecidable: component 0 of B is open: ' undecidable inner.ply open.off
expect 3 check open.off inner.ply --relation --json
is "r[0]['open'] == 'a' and r[0]['verdict'] == 'disjoint'"
expect 3 check inner.ply open.off --relation --json
is "r[0]['open'] == 'b'"
expect 0 check open.off inner.ply # surfaces only
expect 0 check box.ply inner.ply

# Interference at one pose wins over what is undecidable at another, in any order; a mistake wins over both.
{ at 0; at 1; } >mixed.txt
{ at 1; at 0; } >mixed2.txt
for poses in mixed.txt mixed2.txt; do
	expect 1 check open.off inner.ply --relation -p $poses
	says out '2 poses: 1 overlapping, 1 undecidable; 1 interferes'
	expect 1 check open.off inner.ply --relation -p $poses --quiet
	expect 1 check open.off inner.ply --relation -p $poses --json
	is "sorted(x['interference'] for x in r) == ['undecidable', 'yes']"
done
{ at 0; at 9; } >far.txt
expect 3 check open.off inner.ply --relation -p far.txt
says out '2 poses: 1 disjoint, 1 undecidable; 0 interfere'
{ at 0; at x; } >bad.txt
refuses "'x' is not a number" check open.off inner.ply --relation -p bad.txt
expect 1 check open.off inner.ply --relation --clearance 0.5 # the faces are half a unit apart

# A gap of 1e-9, which is a little more in doubles, and an overlap of 1/4.
verdict 0 'pose 0: disjoint' disjoint box.ply box.ply -p gap.txt
verdict 0 'pose 0: disjoint' disjoint box.ply box.ply -p gap.txt --touch-gap 1e-9
verdict 1 'pose 0: touching, at the gap allowed' touching box.ply box.ply -p gap.txt --touch-gap 2e-9
verdict 0 'touching, at the gap allowed' touching box.ply box.ply -p gap.txt --touch-gap=2e-9 --allow-touching
expect 1 check box.ply box.ply -p gap.txt --touch-gap 2e-9 --relation --json
is "r[0]['exact_relation'] == 'disjoint' and r[0]['verdict'] == 'disjoint' and d['touch_gap'] == 2e-9"
verdict 1 'overlapping' overlapping box.ply box.ply -p deep.txt --touch-overlap 0.2
verdict 1 'touching, at the overlap allowed' touching box.ply box.ply -p deep.txt --touch-overlap 0.25
verdict 0 'touching' touching box.ply box.ply -p deep.txt --touch-overlap 0.25 --allow-touching
expect 1 check box.ply box.ply -p deep.txt --touch-overlap 0.25 --relation --json
is "r[0]['exact_relation'] == 'overlapping' and r[0]['separation'] == [0.25, 0, 0]"

expect 1 check box.ply box.ply --relation --all -p shift.txt
says out 'pose 0: equal, 108 pairs'
says out 'pose 3: touching, 62 pairs'
says out '6 poses: 2 disjoint, 1 touching, 2 overlapping, 1 equal; 4 interfere'
for i in $(seq 0 299); do at $((i / 100 + 1)); done >many.txt
expect 1 check box.ply box.ply --relation -p many.txt
says out 'poses 0 to 99: overlapping'
says out 'poses 100 to 199: touching'
says out 'poses 200 to 299: disjoint'
that 'there are four lines' [ "$(wc -l <out)" -eq 4 ]

# ------------------------------------------------------------------------------------------------
# Clearance

expect 1 check box.ply box.ply -p half.txt --clearance 0.5 # at the bound
says out 'pose 0: disjoint, at most 0.5 away (triangle '
says out '1 pose: 0 intersecting, 1 disjoint; 1 at most 0.5 away'
expect 0 check box.ply box.ply -p half.txt --clearance 0.49999999999999994 # the double before
says out 'pose 0: disjoint, more than 0.49999999999999994 away'
expect 0 check box.ply box.ply -p half.txt --clearance 0
expect 1 check box.ply box.ply -p face.txt --clearance 0
says out 'pose 0: intersecting'
expect 0 check box.ply box.ply -p gap.txt -c 1e-9
expect 1 check box.ply box.ply -p gap.txt -c 1.1e-9
expect 1 check box.ply box.ply -p gap.txt -c 1.1e-9 --quiet
that '--quiet is quiet' [ ! -s out ]
expect 0 check box.ply inner.ply -c 0.25 # measured between surfaces
expect 1 check box.ply inner.ply -c 0.25 --relation
says out 'B is inside A, more than 0.25 away'
expect 1 check box.ply inner.ply -c 0.5
expect 1 check box.ply box.ply -p shift.txt -c 1 --all
says out 'pose 3: intersecting, 62 pairs, '
says out 'pose 4: disjoint, '
says out ' pairs at a distance of at most 1'

# What schema /1 had means what it meant: pairs that meet. Near ones have fields of their own.
expect 1 check box.ply box.ply -p half.txt -c 0.5 --all --json
is "r[0]['verdict'] == 'disjoint' and r[0]['pair_count'] == 0 and r[0]['pairs'] == []"
is "d['clearance'] == 0.5 and r[0]['within_clearance'] is True and r[0]['interference'] == 'yes'"
is "r[0]['near_pair_count'] == len(r[0]['near_pairs']) > 0 and r[0]['near_pairs'] == sorted(r[0]['near_pairs'])"
expect 1 check box.ply box.ply -p face.txt -c 2 --all --json
is "r[0]['pair_count'] == 62 == len(r[0]['pairs']) and r[0]['near_pair_count'] > 62"
is "all(p in r[0]['near_pairs'] for p in r[0]['pairs'])"
expect 0 check box.ply box.ply -p half.txt --json
is "set(r[0]) == {'pose', 'verdict', 'counters', 'interference'} and set(d) == {'schema', 'a', 'b', 'results'}"

# ------------------------------------------------------------------------------------------------
# Sweeps

expect 1 toi box.ply box.ply --from "$(at 4)" --to "$(at 0)"
says out 'contact at time 0.4999999999'
says out ' of A at (1, '
expect 0 toi box.ply box.ply --from "$(at 4)" --to "$(at 2.000000001)"
says out 'the path is clear'
expect 1 toi box.ply box.ply --to "$(at 4)"
says out 'contact from the beginning'
expect 1 toi box.ply box.ply --from "$(at 4)" --to face.txt --json
is "d['schema'] == 'dualbvh.toi/1' and d['verdict'] == 'contact' and d['upper'] == 1 and 1 - d['time'] < 1e-11"
is "d['normal'] == [1, 0, 0] and len(d['pose']) == 12 and d['pose'][0] == 1 and d['legs'] == 1 and d['leg'] == 0"
expect 0 toi box.ply box.ply --from "$(at 4)" --to gap.txt --json
is "d['verdict'] == 'clear' and 'time' not in d"
for x in 8 6 4 1; do at $x; done >way.txt
expect 1 toi box.ply box.ply --poses way.txt
says out 'leg 2: contact at time 0.66666666666'
expect 1 toi box.ply box.ply --poses way.txt --quiet
that '--quiet is quiet' [ ! -s out ]
# A quarter turn: the screw's arc leads over the box and touches it, and straight ahead there is less to touch.
expect 1 toi box.ply inner.ply --from '1,0,0,3,0,1,0,0,0,0,1,0' --to '0 -1 0 -3  1 0 0 0  0 0 1 0'
expect 0 toi box.ply inner.ply --from '1,0,0,3,0,1,0,3,0,0,1,0' --to '0 -1 0 -3  1 0 0 3  0 0 1 0'
expect 0 toi box.ply inner.ply --from "$(at 3)" --to '-1 0 0 0  0 -1 0 30  0 0 1 0' --centre 0,0,0
says out 'the path is clear'
# Both on their way: from either side, side by side, and turning as one.
expect 1 toi box.ply box.ply --from "$(at 4)" --to "$(at 0)" --from-a "$(at -4)" --to-a "$(at 0)" --json
is "d['verdict'] == 'contact' and 0 < 0.75 - d['time'] < 1e-11 and d['frame'] == 'common'"
is "abs(d['pose'][3] - 1) < 1e-10 and abs(d['pose_a'][3] + 1) < 1e-10 and abs(d['point_a'][0]) < 1e-10"
expect 0 toi box.ply box.ply --from "$(at 4)" --to "$(at 0)" --to-a "$(at -4)"
says out 'the path is clear'
expect 1 toi box.ply box.ply --from "$(at 4)" --to-a "$(at 4)";         says out 'contact at time 0.49999'
expect 1 toi box.ply box.ply --from "$(at 4)" --to "$(at 1)" --from-a "$(at 1)"; says out 'contact at time 0.3333'
turn='0 -1 0 0  1 0 0 0  0 0 1 0' turned='0 -1 0 0  1 0 0 2.000000001  0 0 1 0'
expect 0 toi box.ply box.ply --from "$(at 2.000000001)" --to "$turned" --to-a "$turn"
says out 'the path is clear'
expect 1 toi box.ply box.ply --from "$(at 2.25)" --to "$turned" --to-a "$(at 0)"
says out 'contact at time 0.'
back='0 1 0 0  -1 0 0 0  0 0 1 0'
expect 0 toi box.ply inner.ply --to "$turn" --to-a "$back"
expect 1 toi box.ply inner.ply --from "$(at 0.4)" --to '0 -1 0 0.4  1 0 0 0  0 0 1 0' --to-a "$back"
expect 0 toi box.ply inner.ply --to-a "$turn"
expect 1 toi box.ply inner.ply --to-a "$turn" --centre-a 3,0,0
for x in 0 0 0 -3; do at $x; done >way_a.txt
expect 0 toi box.ply box.ply --poses way.txt --poses-a way_a.txt
says out 'the path is clear'
expect 1 toi box.ply box.ply --poses way.txt --from-a "$(at 3)"
says out 'leg 1: contact at time 0.4999'
expect 2 toi box.ply box.ply --poses way.txt --to-a "$(at 3)";           says err 'the same number of legs'
expect 2 toi box.ply box.ply --poses-a way.txt --to-a "$(at 3)";         says err 'exclude'
expect 2 toi box.ply box.ply --from-a "$(at 3)";                         says err 'no motion given'
expect 2 toi box.ply box.ply --to "$(at 3)" --centre-a 0,0,0;            says err '--centre-a needs'
expect 2 toi box.ply box.ply --poses - --poses-a -;                      says err 'one path only'
expect 2 toi box.ply box.ply --to "$(at 3)" --to-a '1 2';                says err '--to-a: a pose is 12 numbers'
expect 2 toi box.ply box.ply --poses-a face.txt;                         says err 'at least two poses'
expect 2 toi box.ply box.ply;                                says err 'no motion given'
expect 2 toi box.ply box.ply --to "$(at 1)" --poses way.txt; says err 'exclude'
expect 2 toi box.ply box.ply --to '1 2 3';                   says err '--to: a pose is 12 numbers'
expect 2 toi box.ply box.ply --to way.txt;                   says err 'takes one pose'
expect 2 toi box.ply box.ply --to nowhere.txt;               says err 'cannot be opened'
expect 2 toi box.ply box.ply --poses face.txt;               says err 'at least two poses'
expect 2 toi box.ply box.ply --to "$(at 1)" --tolerance 2;   says err 'tolerance'

# ------------------------------------------------------------------------------------------------
# Distance

expect 1 distance box.ply box.ply -p shift.txt
says out 'pose 0: distance 0, intersecting'
says out 'pose 4: distance 1.000000082740371e-09'
says out 'pose 5: distance 1'
says out '6 poses: 4 intersecting, 2 disjoint; closest at pose 0: 0'
expect 0 distance box.ply inner.ply # inside, and the surfaces are apart
says out 'box.ply and inner.ply: distance 0.5'
expect 0 distance box.ply box.ply -p half.txt
says out 'triangle '
says out ' of A at (1, '
says out ' of B at (1.5, '
expect 0 distance --quiet box.ply box.ply -p half.txt
that '--quiet is quiet' [ ! -s out ]
expect 1 distance --quiet box.ply box.ply -p shift.txt
expect 1 distance box.ply box.ply -p shift.txt --json
is "d['schema'] == 'dualbvh.distance/2' and d['frame'] == 'a' and d['b']['triangles'] == 12 and len(r) == 6"
is "[x['verdict'] for x in r] == 4 * ['intersecting'] + 2 * ['disjoint']"
is "[x['distance'] for x in r] == [0, 0, 0, 0, 2.000000001 - 2, 1]"
is "r[5]['point_a'][0] == 1 and r[5]['point_b'][0] == 2 and r[5]['between'] == [1, 0, 0] and len(r[5]['pair']) == 2"

# Every policy says the same, and clearance agrees with distance to the last bit.
reference=
for policy in default packed dual rapid sat-lite sphere ellipsoid mixed packed-mixed; do
	expect 0 distance gear.ply statue.ply -p turned.txt --json --policy $policy
	is "r[0]['distance'] > 0"
	is "abs(math.dist(r[0]['point_a'], r[0]['point_b']) - r[0]['distance']) < 1e-12"
	here=$(grep -o '"distance":[^,]*' out)
	[ -z "$reference" ] && reference=$here
	that "$policy says $here, not $reference" [ "$here" = "$reference" ]
done
length=${reference#*:}
expect 1 check gear.ply statue.ply -p turned.txt --clearance "$length"
if command -v python3 >/dev/null; then
	below=$(python3 -c "import struct; b = struct.pack('<d', $length); print(repr(struct.unpack('<d', struct.pack('<q', struct.unpack('<q', b)[0] - 1))[0]))")
	expect 0 check gear.ply statue.ply -p turned.txt --clearance "$below"
	expect 0 distance gear.ply statue.ply -p turned.txt --max-distance "$below" --json
	is "r[0]['found'] is False and 'distance' not in r[0] and r[0]['verdict'] == 'disjoint'"
fi
expect 0 distance gear.ply statue.ply -p turned.txt --max-distance "$length"
says out "distance $length"
expect 0 distance gear.ply statue.ply -p turned.txt --max-distance 1e-3
says out 'pose 0: distance more than 0.001'
says out '1 pose: 0 intersecting, 1 disjoint'
expect 0 distance gear.ply statue.ply -p turned.txt --error-relative 0.5 --json
is "d['error_relative'] == 0.5 and $length <= r[0]['distance'] <= 1.5 * $length"
expect 0 distance gear.ply statue.ply -p turned.txt --error-relative 0.5
says out 'pose 0: distance at most '
expect 0 distance gear.ply statue.ply -p turned.txt --error-absolute 1e3 --json
is "d['error_absolute'] == 1000 and $length <= r[0]['distance'] <= $length + 1000"
expect 1 distance gear.ply gear.ply --error-absolute 1e3 --error-relative 1 # intersecting is exact all the same
says out 'distance 0, intersecting'
expect 1 distance box.ply box.ply -p corner.txt --max-distance 1 --json
is "r[0]['distance'] == 0 and d['max_distance'] == 1"

# ------------------------------------------------------------------------------------------------
# Contacts

expect 1 check box.ply box.ply -p corner.txt --contacts
says out '  1 cluster, 1 polyline (1 closed), '
says out '  cluster 0: box (0, 0, 0) to (1, 1, 1), length 6, '
expect 1 check box.ply box.ply -p corner.txt --contacts --json
is "d['frame'] == 'a'"
cat >holds.txt <<'PYTHON'
[all(0 <= i < len(c['points']) for l in c['polylines'] + c['pieces'] for i in l['points']) and
 all(len(l['points']) >= 2 for l in c['polylines']) and
 sum(k['pieces'] for k in c['clusters']) == len(c['pieces']) and
 sum(k['points'] for k in c['clusters']) == len(c['points']) and
 sum(k['polylines'] for k in c['clusters']) == len(c['polylines']) and
 all(c['clusters'][p['cluster']]['lower'][i] <= p['position'][i] <= c['clusters'][p['cluster']]['upper'][i]
     for p in c['points'] for i in range(3)) and
 all(abs(l['length'] - sum(math.dist(c['points'][u]['position'], c['points'][v]['position']) for u, v in
     zip(l['points'], l['points'][1:] + (l['points'][:1] if l['closed'] else [])))) < 1e-9 for l in c['polylines'])
 for c in [x['contacts'] for x in r]] == len(r) * [True]
PYTHON
is "$(cat holds.txt)"
is "r[0]['contacts']['clusters'][0]['length'] == 6 and len(r[0]['contacts']['polylines']) == 1"
is "r[0]['contacts']['polylines'][0]['closed'] and r[0]['contacts']['polylines'][0]['directed']"
is "{p[m]['kind'] for p in r[0]['contacts']['points'] for m in 'ab'} <= {'vertex', 'edge', 'triangle'}"
expect 1 check box.ply box.ply -p face.txt --contacts
says out 'length 8, area 4, '
expect 1 check box.ply box.ply -p face.txt --contacts --json --all
is "$(cat holds.txt)"
is "len(r[0]['contacts']['pieces']) == r[0]['pair_count']"
is "[p['pair'] for p in r[0]['contacts']['pieces']] == r[0]['pairs']"
is "'polygon' in {p['kind'] for p in r[0]['contacts']['pieces']}"
expect 0 check box.ply box.ply -p half.txt --contacts --json
is "r[0]['contacts'] == {'clusters': [], 'polylines': [], 'pieces': [], 'points': []}"
# All at once; with many poses, poses with contacts keep a line each.
expect 1 check box.ply box.ply -p shift.txt --contacts --relation -c 1.5 --all --json
is "$(cat holds.txt)"
is "[x['interference'] for x in r] == 6 * ['yes']"
expect 1 check gear.ply statue.ply --contacts --relation --json
is "$(cat holds.txt)"
expect 1 check box.ply box.ply -p many.txt --contacts
says out 'pose 199: intersecting'
says out 'poses 200 to 299: disjoint'
# More clusters than anybody reads.
for i in $(seq 0 11); do echo "v $i 0 -1"; echo "v $i 1 -1"; echo "v $i 0 1"; done >comb.obj
for i in $(seq 0 11); do echo "f $((3 * i + 1)) $((3 * i + 2)) $((3 * i + 3))"; done >>comb.obj
printf 'v -5 -5 0\nv 50 -5 0\nv -5 50 0\nf 1 2 3\n' >plane.obj
expect 1 check comb.obj plane.obj --contacts
says out '12 clusters, 12 polylines (0 closed), 24 points'
says out 'cluster 9:'
says out 'and 2 more clusters'

# ------------------------------------------------------------------------------------------------
# A mesh with itself

expect 0 self gear.ply
says out 'gear.ply: does not intersect itself'
expect 0 self gear.ply --all --json
is "d['schema'] == 'dualbvh.self/2' and d['verdict'] == 'disjoint' and d['pair_count'] == 0 and d['pairs'] == []"
is "d['mesh'] == {'file': 'gear.ply', 'triangles': 1824, 'vertices': 912}"
# Three triangles through each other along the z axis, two that share a corner only, and one twice.
cat >cross.obj <<'OBJ'
v -1 0 -1
v 1 0 -1
v 0 0 1
v 0 -1 -1
v 0 1 -1
v -1 -1 -1
v 1 1 -1
v 1 0 3
v 2 0 3
v 9 9 9
v 10 9 9
v 9 10 9
f 1 2 3
f 4 5 3
f 6 7 3
f 3 8 9
f 10 11 12
f 12 10 11
OBJ
expect 1 self cross.obj
says out 'cross.obj: intersects itself (triangles '
expect 1 self cross.obj --all
says out 'cross.obj: intersects itself, 4 pairs'
says out '  triangles 0 and 1'
says out '  triangles 4 and 5'
expect 1 self cross.obj --all --limit 1
says out 'and 3 more'
that 'one pair is listed' [ "$(grep -c '^  triangles' out)" -eq 1 ]
expect 1 self cross.obj --all --limit 0
that 'nothing is listed' [ "$(wc -l <out)" -eq 1 ]
expect 1 self cross.obj --all --limit 4294967295
expect 1 self cross.obj --all --json
is "d['pair_count'] == 4 and d['pairs'] == [[0, 1], [0, 2], [1, 2], [4, 5]] and d['verdict'] == 'intersecting'"
expect 1 self cross.obj -a --limit=2 --json
is "d['pair_count'] == 4 and d['pairs'] == [[0, 1], [0, 2]]"
expect 1 self cross.obj --json
is "'pairs' not in d and d['pair'] in [[0, 1], [0, 2], [1, 2], [4, 5]]"
expect 1 self cross.obj --quiet
that '--quiet is quiet' [ ! -s out ]

# ------------------------------------------------------------------------------------------------
# Mistakes

for value in nan NAN -nan inf -inf -1 -1e-300 1e999 0x1 '' ' 1' 1m 1,0; do
	refuses "'$value' is no value for --clearance" check box.ply box.ply --clearance "$value"
	refuses "'$value' is no value for --touch-gap" check box.ply box.ply --relation "--touch-gap=$value"
	refuses "'$value' is no value for --touch-overlap" check box.ply box.ply --relation "--touch-overlap=$value"
	refuses "'$value' is no value for --error-relative" distance box.ply box.ply --error-relative "$value"
	refuses "'$value' is no value for --error-absolute" distance box.ply box.ply --error-absolute "$value"
	refuses "'$value' is no value for --max-distance" distance box.ply box.ply --max-distance "$value"
	refuses "'$value' is no value for --limit" self box.ply --all --limit "$value"
done
refuses "'0' is no value for --max-distance" distance box.ply box.ply --max-distance 0
refuses "'1.5' is no value for --error-relative, which takes a number from 0 to 1" \
	distance box.ply box.ply --error-relative 1.5
refuses 'a whole number from 0 to 4294967295' self box.ply --all --limit 4294967296
for option in --allow-touching --touch-gap=1 --touch-overlap=1; do
	refuses "${option%=*} needs --relation" check box.ply box.ply $option
done
refuses '--allow-touching and --clearance exclude' check box.ply box.ply --relation --allow-touching -c 1
refuses '--contacts and --quiet exclude' check box.ply box.ply --contacts --quiet
refuses '--json and --quiet exclude' distance box.ply box.ply --json --quiet
refuses "'quick' is no value for --policy" distance box.ply box.ply --policy quick
refuses 'two meshes are needed; one is named' distance box.ply
refuses "'c' is a third" distance a b c
refuses "there is no option '--all'" distance box.ply box.ply --all
refuses '--limit needs --all' self cross.obj --limit 3
refuses '--all and --quiet exclude' self cross.obj --all --quiet
refuses '--json and --quiet exclude' self cross.obj --json --quiet
refuses "'b' is a second" self a b
refuses 'no mesh is named' self
for broken in no-such.ply bad.txt; do
	refuses "$broken" self $broken
	refuses "$broken" distance $broken box.ply
	refuses "$broken" distance box.ply $broken
	refuses "$broken" check --relation box.ply $broken
done
refuses 'bad.txt:2:' distance box.ply box.ply -p bad.txt
if [ -w /dev/full ]; then
	for command in 'check --contacts --json box.ply' 'distance box.ply' 'self'; do
		"$dualbvh" $command box.ply >/dev/full 2>err
		that "a full disk is noticed by $command" [ $? -eq 2 ]
	done
fi

finish questions
