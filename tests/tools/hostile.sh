#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Everything that can be wrong with what the command is given: status 2 and a sentence, each time.
#
#   hostile.sh path/to/dualbvh [memory]
#
# With `memory`, also with little of it, from too little to start on to enough; sanitizers need all there is.

. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

expect 0 gen box --size 2,2,2 -o box.ply
expect 0 gen box --size 2,2,2 --at 9,0,0 -o far.ply
pose='1 0 0 0 0 1 0 0 0 0 1 0'

# ------------------------------------------------------------------------------------------------
# Meshes: a name, what the sentence says, the bytes

vertices='v 0 0 0\nv 1 0 0\nv 0 1 0\n'
meshes=0
mesh_case() {
	local name=$1 text=$2
	printf '%b' "$3" >"$name"
	refuses "$name" info "$name"
	says err "$text"
	refuses "$name" check box.ply "$name" --json
	case $((meshes++ % 3)) in
	0) refuses "$name" distance box.ply "$name" ;;
	1) refuses "$name" self "$name" --quiet ;;
	2) refuses "$name" toi "$name" box.ply --to "$pose" ;;
	esac
}
ply='ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n'
huge='ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty float x\nproperty float y\nproperty float z\nelement face 4294967295\nproperty list uchar int vertex_indices\nend_header\n'
mesh_case empty.obj      'empty'                       ''
mesh_case blank.obj      'no triangles'                '# nothing\n'
mesh_case points.obj     'no triangles'                "$vertices"
mesh_case nan.obj        'NaN or infinite'             'v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'
mesh_case large.obj      'NaN or infinite'             'v 0 0 1e999\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'
mesh_case word.obj       'is no coordinate'            'v 0 0 zero\n'
mesh_case short.obj      'instead of three'            'v 0 0\n'
mesh_case two.obj        'fewer than three'            "${vertices}f 1 2\n"
mesh_case range.obj      'names vertex 4'              "${vertices}f 1 2 4\n"
mesh_case giant.obj      'names vertex 9999999999'     "${vertices}f 1 2 9999999999\n"
mesh_case hole.obj       'crosses or touches itself'    'v 0 0 0\nv 9 0 0\nv 9 9 0\nv 5 1 0\nv 6 2 0\nv 6 1 0\nf 1 2 3 1 4 6 5 4\n'
mesh_case crossed.obj    'face 0 crosses'              'v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n'
mesh_case cut.ply        'the file ends in vertex 1'   "${ply}0 0 0\n"
mesh_case more.ply       'more follows'                "${ply}0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n7\n"
mesh_case huge.ply       'the file ends in vertex'     "${huge}abc"
mesh_case nothing.off    'the file ends'               'OFF\n'
mesh_case huge.off       'the file ends'               'OFF\n99999999999999999999 99999999999999999999 0\n0 0 0\n'
mesh_case less.off       'the number of vertices is -1' 'OFF\n-1 1 0\n'
mesh_case cut.stl        'ends'                        'solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n'
mesh_case noise.xyz      'neither STL, OBJ, PLY nor OFF' 'one two three\n'
mesh_case wide.obj       'UTF-16'                      '\0377\0376v\0000 \0000'
{ head -c 80 /dev/zero; printf '\377\377\377\377'; head -c 50 /dev/zero; } >giant.stl
refuses 'giant.stl' info giant.stl
mkdir folder folder.obj
refuses 'folder' check folder box.ply
refuses 'folder.obj: the file cannot be' check folder.obj box.ply
refuses 'no-such.ply: the file cannot be opened: there is no such file' check no-such.ply box.ply
refuses 'box.ply/x.ply: the file cannot be opened' check box.ply/x.ply box.ply
long=$(printf 'x%.0s' $(seq 1 5000))
refuses 'cannot be opened' check "$long" box.ply
if [ "$(id -u)" -ne 0 ]; then
	cp box.ply locked.ply
	cp /dev/null locked.txt
	chmod 0 locked.ply locked.txt
	refuses 'permission denied' check locked.ply box.ply
	refuses 'locked.txt' check box.ply box.ply --poses locked.txt
fi

# ------------------------------------------------------------------------------------------------
# Poses

pose_case() {
	printf '%b' "$2" >poses.txt
	refuses "poses.txt:$1" check box.ply far.ply --poses poses.txt
	refuses "poses.txt:$1" distance box.ply far.ply --poses poses.txt --json
	refuses "poses.txt:$1" toi box.ply far.ply --poses poses.txt
	refuses "poses.txt:$1" toi box.ply far.ply --poses-a poses.txt --to "$pose"
}
pose_case '3: a pose is 12 numbers, the rows of [R|t]; there are 11 here' "$pose\n# comment\n1 0 0 0 0 1 0 0 0 0 1\n"
pose_case '2: a pose is 12 numbers, the rows of [R|t]; there are 13 here' "$pose\n$pose 0\n"
pose_case '1: a pose is 12 numbers'          '1 2 3 4 5\n'
pose_case '1: number 1,'                     'nan 0 0 0 0 1 0 0 0 0 1 0\n'
pose_case "2: 'O' is not a number"           "$pose\n1 0 0 O 0 1 0 0 0 0 1 0\n"
pose_case '1: the 3x3 part R is a mirror'    '1 0 0 0 0 1 0 0 0 0 -1 0\n'
pose_case '1: the 3x3 part R is not'         '0 0 0 0 0 0 0 0 0 0 0 0\n'
pose_case '1: the 3x3 part R is not'         '1e300 1e300 0 0 -1e300 1e300 0 0 0 0 1 0\n'
pose_case '1: the quaternion'                '0 0 0 0 0 0 0\n'
pose_case ' there is no pose in it'          '# none\n'
refuses 'folder: ' check box.ply far.ply --poses folder
says err 'cannot be' # read, or on Windows opened
refuses 'no-such.txt: the file cannot be opened' check box.ply far.ply --poses no-such.txt
refuses 'no-such.txt: the file cannot be opened' toi box.ply far.ply --to no-such.txt
refuses '--to: the 3x3 part R is not a rotation' toi box.ply far.ply --to '1 1 0 0 0 1 0 0 0 0 1 0'
refuses '--to: a pose is 12 numbers' toi box.ply far.ply --to '1 0 0 0 0 1 0 0 0 0 1'
refuses 'box.ply:1: ' check box.ply far.ply --poses box.ply

# Numbers that are rotations, at places whose difference no double holds.
printf '%s\n' '1 0 0 1e308 0 1 0 0 0 0 1 0' '1 0 0 -1.7e308 0 1 0 0 0 0 1 0' >far.txt
expect 0 check box.ply far.ply --poses far.txt
refuses 'leg 0' toi box.ply far.ply --poses far.txt

# ------------------------------------------------------------------------------------------------
# Options, and output

for option in --clearance=-1 --clearance=nan --clearance= --clearance=1e999 --touch-gap=x --policy=; do
	refuses '' check box.ply far.ply "$option"
done
refuses '' gen sphere --slices 99999999999999999999 -o x.ply
refuses '' gen gear --teeth 4000000000 -o x.ply
refuses 'cannot be' gen box -o folder.obj
refuses 'no/x.ply: the file cannot be created' gen box -o no/x.ply
if [ -w /dev/full ]; then
	for ending in ply obj off stl; do
		ln -s /dev/full "full.$ending"
		expect 2 gen sphere -o "full.$ending" --quiet
		says err "full.$ending: the file cannot be written: the disk is full"
	done
	for line in 'check box.ply far.ply' 'check box.ply far.ply --json' 'distance box.ply far.ply' 'self box.ply' \
		'info box.ply' '--help' '--version' 'gen box -o y.ply'; do
		# shellcheck disable=SC2086
		"$dualbvh" $line >/dev/full 2>err </dev/null
		that "a full disk: $line" [ $? -eq 2 ]
		says err 'cannot write to standard output'
	done
fi

# ------------------------------------------------------------------------------------------------
# Little memory. What cannot even be started ends by the system's loader or in what assimp does before main(), with 126
# or more; whatever starts has 2 and a sentence, or the right answer.

limited() { # limit in KiB, right status; arguments
	local limit=$1 right=$2 got=0
	shift 2
	(
		ulimit -v "$limit"
		exec "$dualbvh" "$@" >out 2>err </dev/null
	) 2>/dev/null || got=$?
	if [ "$got" -eq "$right" ] || [ "$got" -ge 126 ]; then
		good
	elif [ "$got" -eq 2 ] && grep -q '^dualbvh: ' err; then
		good
		refused=$((refused + 1))
	else
		bad "status $got with $limit KiB: $*"
	fi
	[ "$got" -ne "$right" ] || answered=$((answered + 1))
}
if [ "${2-}" = memory ]; then
	expect 0 gen sphere --slices 60 --stacks 60 -o ball.ply
	refused=0 answered=0
	# From where the program's own libraries fit.
	starts() { (ulimit -v "$1" && exec "$dualbvh" --version) >/dev/null 2>&1; }
	least=1000 most=2000000
	while [ $((most - least)) -gt 100 ]; do
		limit=$(((least + most) / 2))
		if starts "$limit"; then most=$limit; else least=$limit; fi
	done
	for limit in $(seq $((most - 500)) 150 $((most + 4000))) $((most + 11000)) $((most + 45000)); do
		limited "$limit" 0 check box.ply far.ply
		limited "$limit" 1 check box.ply box.ply --json
	done
	for limit in $((most + 15000)) $((most + 95000)) $((most + 395000)); do
		for threads in 2 64; do
			OMP_NUM_THREADS=$threads limited "$limit" 0 distance ball.ply far.ply
			OMP_NUM_THREADS=$threads limited "$limit" 1 check ball.ply ball.ply
		done
	done
	that "with little memory there are refusals ($refused) and answers ($answered)" [ $((refused * answered)) -gt 0 ]
fi

finish hostile
