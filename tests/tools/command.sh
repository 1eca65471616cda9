#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The command as its users meet it: exit statuses, what is printed and where, bad input of every kind.
#
#   command.sh path/to/dualbvh

. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# ------------------------------------------------------------------------------------------------
# The command line

expect 2;                                says err 'what is to be done'
expect 0 --help;                         says out 'check'
expect 0 help
expect 0 --version;                      says out 'dualbvh '
expect 2 --helf;                         says err "no option '--helf'"
expect 2 collide;                        says err "no command 'collide'"
for command in info check distance sweep self gen; do
	expect 0 "$command" --help;          says out "Usage: dualbvh $command"
	says out 'Example:'
	expect 0 "$command" --version;       says out 'dualbvh '
	expect 2 "$command" --frobnicate;    says err "no option '--frobnicate'"
	expect 2 "$command" -Z;              says err "no option '-Z'"
	expect 2 "$command"
done
expect 2 check one.ply;                  says err 'two meshes are needed'
expect 2 check a b c;                    says err "'c' is a third"
expect 2 check a b --policy;             says err 'needs a value'
expect 2 check a b --policy quick;       says err "no policy 'quick'"
expect 2 check a b --all=yes;            says err 'takes no value'
expect 2 check a b --json --quiet;       says err 'exclude'
expect 2 check --al a b;                 says err "no option '--al'"

# ------------------------------------------------------------------------------------------------
# gen

expect 0 gen box --size 2,2,2 -o box.ply;             says out 'box.ply: box, 12 triangles'
expect 0 gen box --size 2,2,2 --at 2,0,0 -o next.off; says out '12 triangles'
expect 0 gen sphere --slices 200 --stacks 200 -o sphere.ply; says out '79600 triangles'
expect 0 gen hand -o hand.stl;                        says out '404 triangles'
expect 0 gen cabin -o cabin.ply;                      says out '169944 triangles'
expect 0 gen statue --scale 30 -o statue.ply;         says out '15536 triangles'
expect 0 gen gear -o gear.ply;                        says out '1824 triangles'
expect 0 gen gear --teeth=20 --module 0.5 --bore 1 --quiet -o small.obj
that '--quiet is quiet' [ ! -s out ]
expect 0 gen torus --radius 2 --tube .5 -o torus.ply
expect 0 gen stairs --steps 3 -o stairs.ply
expect 2 gen box -- -o x.ply;                         says err "'-o' is a second one"
expect 2 gen box;                                     says err '-o FILE is missing'
expect 2 gen -o x.ply;                                says err 'no shape'
expect 2 gen pyramid -o x.ply;                        says err "no shape 'pyramid'"
expect 2 gen box sphere -o x.ply;                     says err 'one shape at a time'
expect 2 gen box --radius 1 -o x.ply;                 says err 'has no --radius'
expect 2 gen sphere --radius -1 -o x.ply;             says err "'-1' is no value for --radius"
expect 2 gen sphere --radius nan -o x.ply
expect 2 gen sphere --radius 1e999 -o x.ply
expect 2 gen sphere --radius 0x10 -o x.ply
expect 2 gen sphere --slices 2 -o x.ply
expect 2 gen sphere --slices 4294967299 -o x.ply
expect 2 gen box --size 1,2 -o x.ply
expect 2 gen box --size 1,2,3,4 -o x.ply
expect 2 gen torus --tube 2 -o x.ply;                 says err 'no torus of these measures'
expect 2 gen gear --bore 50 -o x.ply;                 says err 'no gear of these measures'
expect 2 gen box --rotate 0,0,0,90 -o x.ply
expect 2 gen box -o no/such/folder/x.ply;             says err 'no/such/folder/x.ply'
expect 2 gen box -o x.xyz;                            says err 'x.xyz'
expect 2 gen box -o .
that 'a refused command leaves no file' [ ! -e x.ply ]

# ------------------------------------------------------------------------------------------------
# info

expect 0 info box.ply
says out 'triangles        12'
says out '1 closed'
expect 0 info --json box.ply hand.stl statue.ply
json
says out '"schema":"dualbvh.info/1"'
says out '"triangles":15536'
says out '"boundary_edges":0'
expect 2 info box.ply no-such.ply
says out 'box.ply'
says err 'no-such.ply'

# ------------------------------------------------------------------------------------------------
# check: verdicts

expect 1 check box.ply next.off;           says out 'box.ply and next.off: meeting' # a common face, nothing more
expect 1 check box.ply box.ply --all;      says out 'meeting, 108 pairs' # those with a corner in common
expect 0 gen box --size 1,1,1 -o inner.ply
expect 0 check box.ply inner.ply;          says out 'apart' # inside, but surfaces do not meet
expect 0 check --quiet box.ply inner.ply
that '--quiet is quiet' [ ! -s out ]
expect 1 check -q box.ply next.off
that '--quiet is quiet' [ ! -s out ]
expect 1 check stairs.ply box.ply --all
expect 1 check -- box.ply next.off

cat >poses.txt <<'POSES'
# the twelve numbers of [R|t]
1 0 0 2.5   0 1 0 0   0 0 1 0
1 0 0 2     0 1 0 0   0 0 1 0   # a face in common

	1 0 0 2.0000000000000004 0 1 0 0 0 0 1 0
0 -1 0 1  1 0 0 1  0 0 1 1
POSES
expect 1 check box.ply box.ply --poses poses.txt
says out 'pose 0: apart'
says out 'pose 1: meeting'
says out 'pose 2: apart'
says out 'pose 3: meeting'
says out '4 poses: 2 meeting, 2 apart'
expect 1 check box.ply box.ply --poses poses.txt --all --json
json
says out '"schema":"dualbvh.check/2","a":{"file":"box.ply","triangles":12,"vertices":'
says out '{"pose":0,"verdict":"apart","pair_count":0,"pairs":[],"counters":{"sphere_tests":'
says out '{"pose":1,"verdict":"meeting","pair_count":'
says out '"exact_tests":'
expect 1 check box.ply box.ply --poses poses.txt --json
json
grep -q pair out && bad "pairs without --all"

# Every policy gives the same pairs.
pairs() { sed 's/"counters":{[^}]*}//' out; }
reference=
for policy in default dual rapid sat-lite sphere; do
	expect 1 check gear.ply statue.ply --all --json --policy "$policy"
	json
	grep -q '"pairs":\[\[' out || bad "no pairs with $policy"
	[ -z "$reference" ] && reference=$(pairs)
	if [ "$(pairs)" = "$reference" ]; then good; else bad "$policy gives other pairs"; fi
done

# Poses from standard input; a DOS file with a byte order mark; the last line without an end.
"$dualbvh" check box.ply box.ply --poses - <poses.txt >out 2>err
that 'poses come from standard input' [ $? -eq 1 ]
says out '4 poses'
printf '\xEF\xBB\xBF1 0 0 9 0 1 0 0 0 0 1 0\r\n1 0 0 8 0 1 0 0 0 0 1 0' >dos.txt
expect 0 check box.ply box.ply --poses dos.txt; says out '2 poses: 0 meeting, 2 apart'

# With many poses, neighbours share a line.
for i in $(seq 0 499); do echo "1 0 0 $((i / 100)).5 0 1 0 0 0 0 1 0"; done >many.txt
expect 1 check box.ply box.ply --poses many.txt
says out 'poses 0 to 199: meeting'
says out 'poses 200 to 499: apart'
that 'there are three lines' [ "$(wc -l <out)" -eq 3 ]

# ------------------------------------------------------------------------------------------------
# check: bad input

refuse_pose() { # what the complaint contains; the file's text
	printf '%b' "$2" >bad.txt
	expect 2 check box.ply box.ply --poses bad.txt
	says err "$1"
	that 'nothing is printed before a mistake in the poses' [ ! -s out ]
}
row='1 0 0 0 0 1 0 0 0 0 1'
refuse_pose 'bad.txt:2: a pose is 12 numbers'   "$row 0\n$row\n"
refuse_pose 'there are 11 here'                 "$row\n"
refuse_pose 'there are 13 here'                 "$row 0 0\n"
refuse_pose 'there is 1 here'                   '1\n'
refuse_pose "bad.txt:3: 'zero' is not a number" "# one\n\n$row zero\n"
refuse_pose "'0x1p3' is not a number"           "$row 0x1p3\n"
refuse_pose "'0,5' is not a number"             "$row 0,5\n"
refuse_pose "number 12, 'nan', is not finite"   "$row nan\n"
refuse_pose "number 12, '-inf', is not finite"  "$row -inf\n"
refuse_pose "number 12, '1e999', is not finite" "$row 1e999\n"
refuse_pose 'bad.txt:1: the 3x3 part R is not a rotation: R^T R differs from the identity by 3' '2 0 0 0 0 1 0 0 0 0 1 0\n'
refuse_pose 'mirror image'                      '-1 0 0 0 0 1 0 0 0 0 1 0\n'
refuse_pose 'there is no pose in it'            ''
refuse_pose 'there is no pose in it'            '# nothing\n\n   \n'
refuse_pose 'zero byte'                         'a\0b\n'
refuse_pose 'too long'                          "$(head -c 20000 /dev/zero | tr '\0' '1')\n"
expect 2 check box.ply box.ply --poses no-such.txt;  says err 'no-such.txt'
mkdir folder
expect 2 check box.ply box.ply --poses folder;       says err 'folder'

: >empty.stl
printf 'solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n' >nan.stl
head -c 1000 hand.stl >cut.stl
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n' >range.obj
printf '\377\376s\0o\0l\0i\0d\0' >wide.stl
head -c 3000 /dev/urandom >noise.ply
for broken in empty.stl nan.stl cut.stl range.obj wide.stl noise.ply no-such.ply folder; do
	expect 2 check "$broken" box.ply;  says err "$broken"
	expect 2 check box.ply "$broken"
	expect 2 info "$broken"
	expect 2 check --quiet "$broken" box.ply
done
expect 2 check range.obj box.ply;      says err 'range.obj:4:'

# A file name that is no UTF-8 still gives JSON.
if cp box.ply $'odd "name"\\\xff.ply' 2>/dev/null; then
	expect 1 check $'odd "name"\\\xff.ply' next.off --json
	json
	says out 'odd \"name\"\\\ufffd.ply'
fi

# ------------------------------------------------------------------------------------------------
# Output that goes nowhere

"$dualbvh" check box.ply box.ply --all --json >&- 2>err
that 'a closed standard output is noticed' [ $? -eq 2 ]
if [ -w /dev/full ]; then
	"$dualbvh" check box.ply box.ply --all --json >/dev/full 2>err
	that "a full disk is noticed" [ $? -eq 2 ]
	"$dualbvh" info box.ply >/dev/full 2>err
	that "a full disk is not noticed by info" [ $? -eq 2 ]
	"$dualbvh" --help >/dev/full 2>err
	that "a full disk is not noticed by --help" [ $? -eq 2 ]
fi
# A reader that leaves early: status 2, and not by a signal.
set +o pipefail
for i in $(seq 1 20000); do echo "1 0 0 $i.5 0 1 0 0 0 0 1 0"; done >long.txt
{
	"$dualbvh" check box.ply box.ply --poses long.txt --json 2>err
	echo $? >status
} | head -n 1 >/dev/null
that 'a closed pipe gives status 2' [ "$(cat status)" = 2 ]

finish command
