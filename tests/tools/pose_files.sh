#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Poses from .npy files and trajectories: the same answers as from text.
#
#   pose_files.sh path/to/dualbvh

. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

"$dualbvh" gen box --size 2,2,2 -o box.ply --quiet

# A .npy file: array DESCR ORDER SHAPE NUMBER...; small whole numbers only, written as DESCR says.
array() {
	local descr=$1 order=$2 shape=$3 header x bytes text i
	shift 3
	header=$(printf "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }%60s" "$descr" "$order" "$shape" '')
	printf '\x93NUMPY\x01\x00'
	printf "\\x$(printf %x $((${#header} + 1)))\\x00%s\n" "$header"
	for x in "$@"; do
		case $descr,$x in
		?f8,0) bytes=0000000000000000 ;;
		?f8,1) bytes=3ff0000000000000 ;;
		?f8,-1) bytes=bff0000000000000 ;;
		?f8,2) bytes=4000000000000000 ;;
		?f8,3) bytes=4008000000000000 ;;
		?f8,nan) bytes=7ff8000000000000 ;;
		?f4,0) bytes=00000000 ;;
		?f4,1) bytes=3f800000 ;;
		?f4,-1) bytes=bf800000 ;;
		?f4,2) bytes=40000000 ;;
		?f4,3) bytes=40400000 ;;
		esac
		text=
		for ((i = 0; i < ${#bytes}; i += 2)); do
			if [ "${descr:0:1}" = '>' ]; then text+=\\x${bytes:i:2}; else text=\\x${bytes:i:2}$text; fi
		done
		printf '%b' "$text"
	done
}

# Two poses: a shift by 3, and a quarter turn about z with a shift by 1, 2, 0.
printf '1 0 0 3 0 1 0 0 0 0 1 0\n0 -1 0 1 1 0 0 2 0 0 1 0\n' >text.txt
rows12=(1 0 0 3 0 1 0 0 0 0 1 0 0 -1 0 1 1 0 0 2 0 0 1 0)
rows16=(1 0 0 3 0 1 0 0 0 0 1 0 0 0 0 1 0 -1 0 1 1 0 0 2 0 0 1 0 0 0 0 1)
columns16=(1 0 0 0 0 1 0 0 0 0 1 0 3 0 0 1 0 1 0 0 -1 0 0 0 0 0 1 0 1 2 0 1)

expect 1 distance box.ply box.ply --poses text.txt --json
grep -v schema out >reference
status=1
same() { # a file, and options
	local file=$1
	shift
	expect $status distance box.ply box.ply --json --poses "$file" "$@"
	grep -v schema out >here
	that "$file says the same" cmp -s reference here
}
for descr in '<f8' '>f8' '<f4' '>f4'; do
	array "$descr" False '(2, 3, 4)' "${rows12[@]}" >a.npy;  same a.npy
	array "$descr" False '(2, 12)' "${rows12[@]}" >a.npy;    same a.npy; same a.npy --pose-format rows12
	array "$descr" False '(2, 4, 4)' "${rows16[@]}" >a.npy;  same a.npy; same a.npy --pose-format rows16
done
array '<f8' False '(2, 16)' "${rows16[@]}" >a.npy;       same a.npy
array '<f8' False '(2, 16)' "${columns16[@]}" >a.npy;    same a.npy --pose-format columns16
array '<f8' False '(2, 4, 4)' "${columns16[@]}" >a.npy;  same a.npy --pose-format columns16
# Fortran's order of a 2 x 3 x 4 array: the index of the pose runs fastest.
fortran=()
for k in 0 1 2 3; do for j in 0 1 2; do for i in 0 1; do fortran+=("${rows12[$((i * 12 + j * 4 + k))]}"); done; done; done
array '<f8' True '(2, 3, 4)' "${fortran[@]}" >a.npy; same a.npy
"$dualbvh" distance box.ply box.ply --json --poses - <a.npy >out 2>err
grep -v schema out >here
that 'a .npy file comes from standard input' cmp -s reference here

# One pose alone, in every shape; quaternions, with times and without; the first pose of the text.
head -n 1 text.txt >one.txt
expect 0 distance box.ply box.ply --poses one.txt --json
grep -v schema out >reference
status=0
array '<f8' False '(4, 4)' "${rows16[@]:0:16}" >a.npy;      same a.npy
array '<f8' False '(4, 4)' "${columns16[@]:0:16}" >a.npy;   same a.npy --pose-format columns16
array '<f8' True '(4, 4)' "${columns16[@]:0:16}" >a.npy;    same a.npy
array '<f8' False '(3, 4)' "${rows12[@]:0:12}" >a.npy;      same a.npy
array '<f8' False '(12,)' "${rows12[@]:0:12}" >a.npy;       same a.npy
array '<f8' False '(1, 12)' "${rows12[@]:0:12}" >a.npy;     same a.npy
array '<f8' False '(1, 7)' 3 0 0 0 0 0 1 >a.npy;            same a.npy
array '<f4' False '(7,)' 3 0 0 1 0 0 0 >a.npy;              same a.npy --pose-format t-wxyz
array '<f8' False '(1, 8)' 2 3 0 0 0 0 0 1 >a.npy;          same a.npy; same a.npy --pose-format tum
expect 0 toi box.ply box.ply --from a.npy --to '1 0 0 5 0 1 0 0 0 0 1 0'

# Trajectories in text.
printf '# timestamp tx ty tz qx qy qz qw\n1305031102.1758 3 0 0 0 0 0 1\n' >tum.txt; same tum.txt; same tum.txt --pose-format tum
printf 'qw qx qy qz time tx ty tz\n1 0 0 0 17.5 3 0 0\n' >named.txt;  same named.txt
printf 'timestamp,qw,qx,qy,qz,x,y,z\n17.5,1,0,0,0,3,0,0\n' >named.csv; same named.csv; same named.csv --pose-format tum
printf 'qw qx qy qz tx ty tz\n1 0 0 0 3 0 0\n' >named7.txt; same named7.txt --pose-format t-wxyz # names win

refuse() { # what is said; options of array
	local text=$1
	shift
	array "$@" >bad.npy
	refuses "$text" check box.ply box.ply --poses bad.npy
}
refuse 'bad.npy: the array is 2 x 5; poses are n x 4 x 4'  '<f8' False '(2, 5)' 0 0 0 0 0 0 0 0 0 0
refuse 'bad.npy: the array is 1 x 4 x 3; poses are'        '<f8' False '(1, 4, 3)' "${rows12[@]:0:12}"
refuse 'the array is a single number'                      '<f8' False '()' 1
refuse 'bad.npy: there is no pose in it'                   '<f8' False '(0, 12)'
refuse 'bad.npy: there is no pose in it'                   '<f4' False '(0, 4, 4)'
refuse 'bad.npy: pose 1: number 12, nan, is not finite'    '<f8' False '(2, 12)' "${rows12[@]:0:23}" nan
refuse 'bad.npy: pose 1: the 3x3 part R is not a rotation' '<f8' False '(2, 12)' "${rows12[@]:0:12}" 2 0 0 0 0 1 0 0 0 0 1 0
refuse 'these seem to be its columns: --pose-format col'   '<f8' False '(2, 4, 4)' "${columns16[@]}"
refuse 'bad.npy: pose 0: the quaternion is zero'           '<f8' False '(1, 7)' 3 0 0 0 0 0 0
refuse "the array is of dtype '<i8'"                       '<i8' False '(1, 7)'
refuse "promises more numbers than the 96 bytes"           '<f8' False '(2, 12)' "${rows12[@]:0:12}"
refuse 'bytes behind the array'                            '<f8' False '(1, 7)' "${rows12[@]:0:12}"
array '<f8' False '(2, 12)' "${rows12[@]}" >good.npy
refuses 'a pose is 7 numbers, tx ty tz qx qy qz qw; there are 12 here' check box.ply box.ply --poses good.npy --pose-format t-xyzw
refuses 'takes one pose' toi box.ply box.ply --to good.npy
head -c 60 good.npy >short.npy
refuses 'short.npy: at byte 10: the file ends in its header' check box.ply box.ply --poses short.npy
printf '1 2 3 0 0 0 0 1\n1 3 0 0 0 0 0\n' >seven.txt
refuses 'seven.txt:2: a pose is 8 numbers, a time and tx ty tz qx qy qz qw; there are 7 here' check box.ply box.ply --poses seven.txt

# What normalising moved is told by the pose's number.
array '<f8' False '(2, 12)' "${rows12[@]:0:12}" 2 0 0 3 0 2 0 0 0 0 2 0 >twice.npy
"$dualbvh" check box.ply box.ply --poses twice.npy --normalise >out 2>err </dev/null
says err 'twice.npy: 1 of 2 poses normalised; no entry moved by more than 1 (pose 1)'

finish pose_files
