#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Robots and 3MF packages at the command line: states, rows of joints, packages, and files that mean harm.
#
#   scene_robots.sh path/to/dualbvh path/to/project

project=$(cd "$2" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
"$dualbvh" --version | grep >/dev/null 'with expat' || exit 77

robot=("$project/data/robots/arm.urdf" --srdf "$project/data/robots/arm.srdf")
expect 0 scene "${robot[@]}" --state zero
expect 1 scene "${robot[@]}" --state folded
says out 'turret'
expect 2 scene "${robot[@]}" --state folde
says err "did you mean 'folded'"

# Without the SRDF, neighbours may meet and no others.
expect 1 scene "$project/data/robots/arm.urdf" --json
says out 'left_finger'

# Rows: in the order of the file, by names, and wrong ones.
printf '0 0 0 0 0.02\n0 0.4 3 0 0.02\n' >rows.csv
expect 1 scene "${robot[@]}" --joints rows.csv --json
json
says out '"verdict":"clear"'
says out '"verdict":"colliding"'
printf 'elbow,grip\n0,0.02\n' >rows.csv
expect 0 scene "${robot[@]}" --joints rows.csv
printf 'elbw,grip\n0,0.02\n' >rows.csv
expect 2 scene "${robot[@]}" --joints rows.csv
says err "rows.csv:1: the robot has no joint 'elbw'; did you mean 'elbow'?"
printf 'grip_right\n0\n' >rows.csv
expect 2 scene "${robot[@]}" --joints rows.csv
says err "joint 'grip_right' follows joint 'grip'"
printf '0 0 0\n' >rows.csv
expect 2 scene "${robot[@]}" --joints rows.csv
says err '5 (pan, lift, elbow, wrist_turn, grip); there are 3 here'

# A package that nobody knows, and one that somebody says.
mkdir -p meshes
"$dualbvh" gen box --size 1,1,1 -o meshes/box.stl --quiet
for x in 0 0.5; do
	printf '<robot><link name="a"><collision><geometry><mesh filename="package://parts/box.stl"/></geometry></collision>'
	printf '</link><link name="b"/><link name="c"><collision><origin xyz="%s 2 0"/><geometry>' "$x"
	printf '<mesh filename="package://parts/box.stl"/></geometry></collision></link>'
	printf '<joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>'
	printf '<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint></robot>\n'
done >two.urdf
head -n 1 two.urdf >one.urdf
expect 2 scene one.urdf
says err '--package parts='
expect 0 scene one.urdf --package parts=meshes
expect 2 scene two.urdf --package parts=meshes
says err 'two.urdf:2: this is not sound XML'
expect 2 scene one.urdf --package parts=elsewhere
says err 'box.stl'

# An SRDF in place of a URDF, and the other way round.
expect 2 scene "$project/data/robots/arm.srdf"
says err 'this is an SRDF'
expect 2 scene "${robot[0]}" --srdf "${robot[0]}"
says err 'this is a URDF'

# What means harm, from the corpus of the fuzzers: a sentence that names the file, and no more.
refuses() { # FILE TEXT
	expect 2 scene "$project/tests/fuzz/corpus/$1"
	says err "${1##*/}"
	says err "$2"
}
refuses urdf/entities.urdf "the entity 'a' is declared here"
refuses urdf/loop.urdf 'the joints make a loop'
refuses urdf/mimic_loop.urdf 'mimics itself'
refuses urdf/deep.urdf 'nested more than 256 deep'
refuses urdf/collada.urdf '.dae'
refuses urdf/missing.urdf 'missing.stl'

if "$dualbvh" --version | grep >/dev/null 'with libzip'; then
	expect 1 scene "$project/data/plate.3mf"
	says out 'cube and cube#2 overlap'
	says out '4 bodies of 2 meshes'
	expect 0 scene "$project/data/plate.3mf" --allow 'cube,cube#2'
	refuses 3mf/bomb.3mf 'far more than an archive of this size'
	refuses 3mf/empty.3mf "there is no '3D/3dmodel.model'"
	refuses 3mf/missing_part.3mf "there is no '3D/plate.model'"
	head -c 700 "$project/tests/fuzz/corpus/3mf/deflated.3mf" >cut.3mf
	expect 2 scene cut.3mf
	says err 'no sound zip archive'
	expect 0 scene "$project/tests/fuzz/corpus/3mf/deflated.3mf"
	expect 0 info "$project/tests/fuzz/corpus/3mf/labels.3mf"
	says out 'triangles        8'
fi

finish scene_robots
