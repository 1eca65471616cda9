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

expect 2;                                says err 'no command given'
expect 0 --help;                         says out 'check'
expect 0 help;                           says out "Usage: dualbvh COMMAND"
expect 0 help scene;                     says out "Usage: dualbvh scene"
refuses "there is no command 'sceen'" help sceen
expect 0 --version;                      says out 'dualbvh '
for library in jansson expat libzip; do says out "with"; says out " $library "; done
expect 2 --helf;                         says err "no option '--helf'"
expect 2 collide;                        says err "no command 'collide'"
expect 2 chekc;                          says err "did you mean 'check'?"
expect 2 distence;                       says err "did you mean 'distance'?"
expect 2 --vers;                         says err "did you mean '--version'?"
expect 2 xyzzy
that 'nothing is suggested for what is like nothing' [ "$(grep -c 'did you mean' err)" -eq 0 ]
for command in info check distance toi self gen; do
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
expect 2 check a b --policy quick;       says err "'quick' is no value for --policy"
expect 2 check a b --all=yes;            says err 'takes no value'
expect 2 check a b --json --quiet;       says err 'exclude'
expect 2 check --al a b;                 says err "no option '--al'"
expect 2 check a b --cleerance 3;        says err "did you mean '--clearance'?"
expect 2 check a b -relation;            says err "did you mean '--relation'?"
expect 2 check a b --policy sphre;       says err "did you mean 'sphere'?"
expect 2 check a b --pose-format xyzw;   says err "'xyzw' is no value for --pose-format"
expect 2 check a b --pose-format row12;  says err "did you mean 'rows12'?"

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
expect 2 gen shpere -o x.ply;                         says err "did you mean 'sphere'?"
expect 2 gen box -o x.pyl;                            says err "did you mean '.ply'?"
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

expect 1 check box.ply next.off;           says out 'box.ply and next.off: intersecting' # a common face, nothing more
expect 1 check box.ply box.ply --all;      says out 'intersecting, 108 pairs' # those with a corner in common
expect 0 gen box --size 1,1,1 -o inner.ply
expect 0 check box.ply inner.ply;          says out 'disjoint' # inside, but surfaces do not meet
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
says out 'pose 0: disjoint'
says out 'pose 1: intersecting'
says out 'pose 2: disjoint'
says out 'pose 3: intersecting'
says out '4 poses: 2 intersecting, 2 disjoint'
expect 1 check box.ply box.ply --poses poses.txt --all --json
json
says out '"schema":"dualbvh.check/3","a":{"file":"box.ply","triangles":12,"vertices":'
says out '{"pose":0,"verdict":"disjoint","pair_count":0,"pairs":[],"counters":{"sphere_tests":'
says out '{"pose":1,"verdict":"intersecting","pair_count":'
says out '"exact_tests":'
expect 1 check box.ply box.ply --poses poses.txt --json
json
grep -q '"pair_count"\|"pairs"' out && bad "pairs without --all"

# Every policy gives the same pairs, and with ellipsoids, too.
pairs() { sed 's/"counters":{[^}]*}//' out; }
reference='' figure=statue.ply
if is_short_run; then
	gen sphere --radius 11.5 --slices 48 -o little.ply
	figure=little.ply
fi
for policy in default packed dual rapid sat-lite sphere ellipsoid mixed packed-mixed "default --ellipsoids all" \
	"ellipsoid --ellipsoids all" "mixed --ellipsoids all" "packed-mixed --ellipsoids all" "mixed --ellipsoids chosen"; do
	# shellcheck disable=SC2086 # a name and an option
	expect 1 check gear.ply $figure --all --json --policy $policy
	json
	grep -q '"pairs":\[\[' out || bad "no pairs with $policy"
	[ -z "$reference" ] && reference=$(pairs)
	if [ "$(pairs)" = "$reference" ]; then good; else bad "$policy gives other pairs"; fi
done

# The quality of trees changes no answer. By itself it is fast for up to 100 poses of a large mesh, and best for more, for
# small ones and beside a cache: that shows in what the stages were asked.
printf '1 0 0 1.9 0 1 0 .1 0 0 1 0\n' >meet.txt
for i in $(seq 101); do echo "1 0 0 $((2 - i % 2)).99$i 0 1 0 0 0 0 1 0"; done >many.txt
head -n 100 many.txt >few.txt
gen sphere --slices 150 --stacks 70 -o large.ply
counters() { grep -o '"counters":{[^}]*}' out; }
qualities() { # MESH POSES AUTO OTHER: --quality auto (and further options) does what AUTO does, and not what OTHER does
	local mesh=$1 poses=$2 same=$3 other=$4 quality
	shift 4
	set -- --quality auto "$@"
	for quality in auto "$same" "$other"; do
		"$dualbvh" check "$mesh" "$mesh" -p "$poses" --all --json "$@" >out 2>err
		pairs >"pairs.$quality"
		counters >"counters.$quality"
		set -- --quality "$same"
		[ "$quality" = "$same" ] && set -- --quality "$other"
	done
	that "$mesh, $poses: pairs are found" grep -q '"pairs":\[\[' pairs.auto
	that "$mesh, $poses: pairs of auto are those of $same" cmp -s pairs.auto "pairs.$same"
	that "$mesh, $poses: pairs of auto are those of $other" cmp -s pairs.auto "pairs.$other"
	that "$mesh, $poses: trees of auto are $same" cmp -s counters.auto "counters.$same"
	if cmp -s counters.auto "counters.$other"; then bad "$mesh, $poses: trees of auto are $other"; else good; fi
}
qualities large.ply meet.txt fast best
qualities large.ply few.txt fast best
qualities large.ply many.txt best fast
qualities gear.ply meet.txt best fast
mkdir kept
qualities large.ply meet.txt best fast --cache kept
refuses "'quick' is no value for --quality" check box.ply box.ply --quality quick
expect 1 distance large.ply large.ply -p few.txt --quality best; grep -o 'distance.*' out >best.out
expect 1 distance large.ply large.ply -p few.txt; grep -o 'distance.*' out >auto.out
that 'distances do not depend on the quality of trees' cmp -s best.out auto.out

# Two large files are read side by side; the sentence about a broken one is that of the first.
for name in a b; do
	cp sphere.ply "broken_$name.ply"
	printf 'x' >>"broken_$name.ply"
done
expect 2 check broken_a.ply sphere.ply; says err broken_a.ply
expect 2 check sphere.ply broken_b.ply; says err broken_b.ply
expect 2 check broken_a.ply broken_b.ply; says err broken_a.ply
that 'one sentence is enough' [ "$(grep -c broken_b err)" -eq 0 ]
rm -rf kept broken_?.ply

# --stats: each stage that was reached, with what it was asked; of a tree in a file, too.
gen sphere -o ball.ply
"$dualbvh" build gear.ply -o gear.dbvh --quiet || bad "no tree"
printf '1 0 0 %s 0 1 0 0 0 0 1 0\n' 13 15 40 >near.txt
expect 1 check gear.ply ball.ply -p near.txt --policy mixed --ellipsoids all --stats
says out '3 poses: '
for stage in spheres 'boxes, five axes' 'ellipsoid against ellipsoid' triangles 'of these, exactly'; do
	says out "  $stage "
done
says out ' ms for 3 poses'
for gear in gear.ply gear.dbvh; do
	expect 1 check $gear ball.ply -p near.txt --policy mixed --ellipsoids all --stats --json
	json
	says out '"stats":{"poses":3,"seconds":'
	that "$gear has ellipsoids" [ -z "$(grep -o '"stats":.*"ellipsoid_pair_tests":0,' out)" ]
done
expect 1 check gear.ply ball.ply -p near.txt --policy mixed --json
says out '"ellipsoid_box_tests":'
that 'only --stats tells a time' [ "$(grep -c seconds out)" -eq 0 ]
expect 1 check gear.ply ball.ply -p near.txt --policy rapid --stats
says out '  boxes, fifteen axes '
that 'this policy has no spheres' [ "$(grep -c spheres out)" -eq 0 ]
refuses 'is no value for --ellipsoids, which takes all or chosen' check gear.ply ball.ply --ellipsoids some
refuses '--stats and --quiet exclude each other' check gear.ply ball.ply --stats -q
refuses '--stats and --output exclude each other' check gear.ply ball.ply --stats --output F.jsonl

# Poses from standard input; a DOS file with a byte order mark; the last line without an end.
"$dualbvh" check box.ply box.ply --poses - <poses.txt >out 2>err
that 'poses come from standard input' [ $? -eq 1 ]
says out '4 poses'
printf '\xEF\xBB\xBF1 0 0 9 0 1 0 0 0 0 1 0\r\n1 0 0 8 0 1 0 0 0 0 1 0' >dos.txt
expect 0 check box.ply box.ply --poses dos.txt; says out '2 poses: 0 intersecting, 2 disjoint'

# The same four poses in every way to write them.
expect 1 check box.ply box.ply --poses poses.txt --all --json
same_poses() { # the file's name; options
	local file=$1 wanted
	shift
	wanted=$(cat wanted)
	expect 1 check box.ply box.ply --all --json --poses "$file" "$@"
	if [ "$(cat out)" = "$wanted" ]; then good; else bad "other answers for $file"; fi
}
cp out wanted
sed 's/#.*//; s/^[ \t]*//; s/[ \t]*$//; s/[ \t][ \t]*/,/g' poses.txt >comma.csv;   same_poses comma.csv
tr ',' ';' <comma.csv >semicolon.csv;                                          same_poses semicolon.csv
{ echo 'r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz'; cat comma.csv; } >named.csv; same_poses named.csv
sed '/./s/$/,0,0,0,1/' comma.csv >rows16.csv;                                  same_poses rows16.csv
same_poses rows16.csv --pose-format rows16
awk -F, 'NF == 16 { for (i = 1; i <= 4; ++i) print $i, $(i + 4), $(i + 8), $(i + 12) }' rows16.csv | paste -d ' ' - - - - >columns.txt
same_poses columns.txt --pose-format columns16
awk -F, 'NF == 16 { print "# a pose"; for (i = 0; i < 4; ++i) print $(4*i+1), $(4*i+2), $(4*i+3), $(4*i+4); print "" }' rows16.csv >blocks.txt
same_poses blocks.txt
cat >tum.txt <<'POSES'
2.5 0 0 0 0 0 1
2 0 0 0 0 0 -1
2.0000000000000004 0 0 0 0 0 1
1 1 1 0 0 0.70710678118654752440 0.70710678118654752440
POSES
same_poses tum.txt
same_poses tum.txt --pose-format t-xyzw
awk '{ print $1, $2, $3, $7, $4, $5, $6 }' tum.txt >wxyz.txt
same_poses wxyz.txt --pose-format t-wxyz
{ echo '"qw";"qx";"qy";"qz";"x";"y";"z"'; awk '{ print $7, $4, $5, $6, $1, $2, $3 }' tum.txt | tr ' ' ';'; } >named_quaternions.csv
same_poses named_quaternions.csv

# A matrix typed with four digits is taken where the nearest rotation is asked for, and a word says how far it went.
cat >four.txt <<'POSES'
1 0 0 3  0 1 0 0  0 0 1 0
0.7071 -0.7071 0 3  0.7071 0.7071 0 0  0 0 1 0
POSES
for option in --normalise --normalize; do
	"$dualbvh" check box.ply box.ply --poses four.txt $option >out 2>err </dev/null
	that 'the nearest rotation is taken' [ $? -eq 0 ]
	says out '2 poses: 0 intersecting, 2 disjoint'
	says err 'four.txt: 1 of 2 poses normalised; no entry moved by more than 6.78e-06 (line 2)'
done
expect 0 check box.ply box.ply --poses four.txt --normalise --quiet
"$dualbvh" distance box.ply box.ply --poses four.txt --normalise --json >out 2>err </dev/null
json
says out '"normalised":1,"largest_move":6.78'
expect 2 check box.ply box.ply --poses four.txt
expect 2 toi box.ply box.ply --from "$(tail -n 1 four.txt)" --to '1 0 0 9 0 1 0 0 0 0 1 0'; says err -- '--from: the 3x3'
"$dualbvh" toi box.ply box.ply --from "$(tail -n 1 four.txt)" --to '9 0 0 0 0 0 1' --normalise >out 2>err </dev/null
that 'options take the nearest rotation, too' [ $? -eq 0 ]
echo '1 0 0 0 0 1 0 0 0 0 -1 0' >mirror.txt
expect 2 check box.ply box.ply --poses mirror.txt --normalise;  says err 'mirror.txt:1: the 3x3 part R is a mirror image or flat'
printf '%s\n' '0.7071068 -0.7071068 0 3 0.7071068 0.7071068 0 0 0 0 1 0' '0.707107 -0.707107 0 3 0.707107 0.707107 0 0 0 0 1 0' >digits.txt
expect 0 check box.ply box.ply --poses digits.txt

# With many poses, neighbours share a line.
for i in $(seq 0 499); do echo "1 0 0 $((i / 100)).5 0 1 0 0 0 0 1 0"; done >many.txt
expect 1 check box.ply box.ply --poses many.txt
says out 'poses 0 to 199: intersecting'
says out 'poses 200 to 499: disjoint'
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
refuse_pose 'there are 13 here'                 "$row 0,5\n"
refuse_pose "'0,5' is not a number; decimals have a point" '1;0;0;0;0;1;0;0;0;0;1;0,5\n'
refuse_pose "there is no number before a ','"   '1,0,0,0,,0,1,0,0,0,0,1,0\n'
refuse_pose 'bad.txt:2: a pose is 16 numbers, the rows' '1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n1 0 0 0 0 1 0 0 0 0 1 0\n'
refuse_pose 'the last row of a 4 x 4 matrix is 0 0 0 1, and here it is not; these seem to be its columns: --pose-format columns16' \
	'1 0 0 0 0 1 0 0 0 0 1 0 5 0 0 1\n'
refuse_pose 'bad.txt:4: the last row of a 4 x 4 matrix is 0 0 0 1, and here it is not' '1 0 0 3\n0 1 0 0\n0 0 1 0\n1 0 0 4\n'
refuse_pose 'the file ends in row 2'            '1 0 0 3\n0 1 0 0\n'
refuse_pose 'bad.txt:2: row 1 of a 4 x 4 matrix has 4 numbers; there are 3 here' '1 0 0 3\n0 1 0\n'
refuse_pose 'or 8, a time and those 7; there are 9 here' '0.5 1 2 3 0 0 0 1 0\n'
refuse_pose 'the quaternion has length 1.41421 instead of 1' '0 0 0 0 0 1 1\n'
refuse_pose 'the quaternion is zero'            '0 0 0 0 0 0 0\n'
refuse_pose "bad.txt:2: 'a' is not a number"    'x y z\na b\n'
refuse_pose 'there is no pose in it'            'tx,ty,tz,qx,qy,qz,qw\n'
refuse_pose "number 12, 'nan', is not finite"   "$row nan\n"
refuse_pose "number 12, '-inf', is not finite"  "$row -inf\n"
refuse_pose "number 12, '1e999', is not finite" "$row 1e999\n"
refuse_pose 'bad.txt:1: the 3x3 part R is not a rotation: R^T R differs from the identity by 3 (column 0 has length 2); at most 2e-06 is accepted; --normalise takes the nearest rotation' '2 0 0 0 0 1 0 0 0 0 1 0\n'
refuse_pose 'bad.txt:2: the 3x3 part R is not a rotation: R^T R differs from the identity by 1.92e-05' \
	"$row 0\n0.7071 -0.7071 0 0 0.7071 0.7071 0 0 0 0 1 0\n"
refuse_pose 'columns 0 and 1 are not at right angles' '1 0.001 0 0 0 1 0 0 0 0 1 0\n'
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
if is_posix && cp box.ply $'odd "name"\\\xff.ply' 2>/dev/null; then
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
# A reader that leaves early is no mistake: the command ends as others do, by the signal, and without a word.
set +o pipefail
for i in $(seq 1 20000); do echo "1 0 0 $i.5 0 1 0 0 0 0 1 0"; done >long.txt
{
	"$dualbvh" check box.ply box.ply --poses long.txt --json 2>err
	echo $? >status
} | head -n 1 >/dev/null
that 'a closed pipe ends by SIGPIPE' [ "$(cat status)" = "$(if is_posix; then echo 141; else echo 2; fi)" ]
that 'a closed pipe needs no word' [ ! -s err ]
(
	trap '' PIPE
	{
		"$dualbvh" check box.ply box.ply --poses long.txt --json 2>err
		echo $? >status
	} | head -n 1 >/dev/null
)
that 'a closed pipe gives status 2 where the signal is ignored' [ "$(cat status)" = 2 ]
that 'a closed pipe needs no word' [ ! -s err ]

# Ctrl-C: what is finished is said. The output goes to a pipe that is not read until the signal was sent, so that the
# command is in its loop then.
set -o pipefail
for i in $(seq 1 10000); do echo "1 0 0 9 0 1 0 0 0 0 1 0"; echo "1 0 0 0 0 1 0 0 0 0 1 0"; done >slow.txt
interrupt() { # signal; arguments
	python3 - "$@" <<'PYTHON'
import signal, subprocess, sys
p = subprocess.Popen([sys.argv[2]] + sys.argv[3:], stdout=subprocess.PIPE, stderr=open("err", "wb"),
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
head = p.stdout.read(1)
p.send_signal(getattr(signal, sys.argv[1]))
open("out", "wb").write(head + p.stdout.read())
print(p.wait(timeout=60))
PYTHON
}
if is_posix && command -v python3 >/dev/null; then
	that 'SIGINT ends by SIGINT' [ "$(interrupt SIGINT "$dualbvh" check box.ply box.ply --poses slow.txt)" = -2 ]
	that 'it says how far it came' grep -qE '^interrupted: [0-9]+ of 20000 poses are finished$' out
	that 'and sums that up' grep -qE '^[0-9]+ poses: [0-9]+ intersecting, [0-9]+ disjoint$' out
	for command in check distance; do
		that 'SIGTERM ends by SIGTERM' \
			[ "$(interrupt SIGTERM "$dualbvh" $command box.ply box.ply --poses slow.txt --json)" = -15 ]
		json
		is 'd["interrupted"] and d["finished"] == len(r) and 0 < len(r) < 20000'
	done
fi

# --timeout: what is finished is said, and who was not decided.
expect 0 gen sphere -o round.ply
printf '%s\n' '1 0 0 0 0 1 0 0 0 0 1 0' '1 0 0 9 0 1 0 0 0 0 1 0' >pair.txt
for command in check distance; do
	expect 3 $command round.ply box.ply --timeout 1e-9
	says out 'not decided within 1e-09 s'
	expect 3 $command round.ply box.ply --poses pair.txt --timeout 1e-9
	says out 'pose 0: not decided within'
	expect 3 $command round.ply box.ply --poses pair.txt --timeout 1e-9 --json
	json
	is 'd["timed_out"] and d["finished"] == len(r) == 0'
	expect 3 $command round.ply box.ply --timeout 1e-9 --quiet
	expect 1 $command round.ply box.ply --poses pair.txt --timeout 1e6
	refuses 'no value for --timeout' $command round.ply box.ply --timeout 0
	# In the middle: whatever was found by then counts, and 20000 poses take longer than a few.
	"$dualbvh" $command box.ply box.ply --poses slow.txt --timeout 0.002 --json >out 2>err
	json
	is 'len(r) == 20000 or d["timed_out"] and d["finished"] == len(r)'
done
expect 3 self round.ply --timeout 1e-9
says out 'not decided within'
expect 3 self round.ply --timeout 1e-9 --all --json
json
is 'd["timed_out"] and "verdict" not in d'
expect 0 self round.ply --timeout 1e6
expect 3 toi round.ply box.ply --from '1 0 0 9 0 1 0 0 0 0 1 0' --to '1 0 0 8 0 1 0 0 0 0 1 0' --timeout 1e-9
says out 'no contact before time 0, and then not decided within'
expect 3 toi round.ply box.ply --from '1 0 0 9 0 1 0 0 0 0 1 0' --to '1 0 0 8 0 1 0 0 0 0 1 0' --timeout 1e-9 --json
json
is 'd["timed_out"] and d["clear_until"] == 0 and "verdict" not in d'

# ------------------------------------------------------------------------------------------------
# Faces that cross themselves

# A box of quadrilaterals; its top and a second face are bow ties, or its top has a hole and a bridge.
corners='v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 0 0 9\nv 9 0 9\nv 9 9 9\nv 0 9 9\n'
walls='f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n'
# shellcheck disable=SC2059
{
	printf "${corners}o walls\nf 5 7 6 8\n${walls}o loose\nf 1 7 2 8\n" >bow.obj
	printf "$corners$walls" >lidless.obj
	printf "${corners}v 3 3 9\nv 3 6 9\nv 6 6 9\nv 6 3 9\n${walls}f 5 6 7 8 5 9 10 11 12 9\n" >keyhole.obj
}
gen box --size 1,1,1 --at 4,4,4 -o crumb.ply
gen box --size 1,1,1 --at 4.5,4.5,9 -o cork.ply
move='1 0 0 20 0 1 0 0 0 0 1 0'

# skips STATUS ARGUMENT...: as expect, with one sentence about the two faces.
skips() {
	local wanted=$1 got=0
	shift
	"$dualbvh" "$@" --skip-bad-faces >out 2>err </dev/null || got=$?
	that "status $got instead of $wanted: $*" [ "$got" -eq "$wanted" ]
	that "one sentence: $*" [ "$(wc -l <err)" -eq 1 ]
	says err '2 faces that cross or touch themselves are left out'
}

for words in 'check bow.obj crumb.ply' 'distance bow.obj crumb.ply' 'self bow.obj' 'info bow.obj' \
	'scene bow.obj crumb.ply' 'build bow.obj -o bow.dbvh'; do
	# shellcheck disable=SC2086
	refuses '--skip-bad-faces' $words
	says err 'bow.obj:10: face 0 crosses or touches itself'
done
refuses '--skip-bad-faces' toi bow.obj crumb.ply --to "$move"
refuses '--skip-bad-faces' export bow.obj crumb.ply --to "$move" -o bow.svg
expect 0 view --help;                                         says out '--skip-bad-faces'
skips 3 check --relation bow.obj crumb.ply --quiet
says err 'bow.obj: 2 faces that cross or touch themselves are left out (the first: on line 10); the mesh is open there'
expect 3 check --relation lidless.obj crumb.ply
skips 3 check --relation bow.obj crumb.ply --json
is "d['a']['skipped_faces'] == 2 and d['a']['triangles'] == 10 and 'skipped_faces' not in d['b']"
skips 0 info bow.obj --json
is "d['meshes'][0]['skipped_faces'] == 2 and d['meshes'][0]['audit']['boundary_edges'] == 4"
skips 0 info bow.obj;                      says out 'left out         2 faces'
skips 0 distance bow.obj crumb.ply
skips 1 toi bow.obj crumb.ply --to "$move"
skips 0 export bow.obj crumb.ply --to "$move" -o bow.svg
skips 0 self bow.obj --json;               is "d['mesh']['skipped_faces'] == 2"
skips 3 scene bow.obj crumb.ply --json
is "d['skipped_faces'] == 2 and d['bodies'] == 2 and 'on line 10' in d['notes'][0]"
skips 3 scene bow.obj crumb.ply --split object
says out 'bow/walls'
says out 'note: bow.obj: 2 faces that cross' # the name of the file once
# Trees go by what the mesh holds: the same one for the mesh without its bad faces and for the file that never had them.
mkdir faces
skips 0 info bow.obj --cache faces
expect 0 info lidless.obj --cache faces
that 'one tree for one mesh' [ "$(find faces -type f | wc -l)" -eq 1 ]
expect 0 info keyhole.obj --cache faces
that 'another tree for another one' [ "$(find faces -type f | wc -l)" -eq 2 ]
skips 0 build bow.obj -o bow.dbvh --json;  is "d['skipped_faces'] == 2 and d['triangles'] == 10"
expect 3 check --relation bow.dbvh crumb.ply
# The cork stands in the hole and touches nothing.
expect 0 check keyhole.obj cork.ply
expect 3 check --relation keyhole.obj crumb.ply;             says out 'open'

# Numbers that cannot be told are not printed, and the reason is.
open_box 0,0,0 1,1,1 >open-one.off
gen box --at 0.9,0.5,0.5 -o pushed.ply
expect 1 check open-one.off pushed.ply --overlap --depth
says out 'its volume cannot be told: a mesh is open; its depth cannot be told: a mesh is open'
that 'no move is promised' [ "$(grep -c 'free after' out)" -eq 0 ]

# Each component of an overlap has its own depth and contact normal: two posts that dip into a slab.
gen box --at 0,0,0 --size 4,1,1 -o slab.ply
gen box --at -1,0,0.9 --size 0.5,0.5,1 -o post.obj
gen box --at 1,0,0.8 --size 0.5,0.5,1 -o deeper.obj
awk 'FNR == 1 { base = n } /^v / { ++n } /^f / { for ( i = 2; i <= NF; ++i ) $i += base } { print }' post.obj deeper.obj >posts.obj
expect 1 check slab.ply posts.obj --overlap --json
is "sorted(round(c['local_depth']['least'][0], 2) for c in d['results'][0]['overlap']['components']) == [0.1, 0.2]"
is "all(c['local_depth']['normal'][2] > 0.999 for c in d['results'][0]['overlap']['components'])"

finish command
