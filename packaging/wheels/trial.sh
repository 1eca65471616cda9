#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Tries a wheel on a system that has Python and no compiler: pip installs it, the command makes a page of two meshes, and
# Scene.to_html() another, also without the folder of the command on the PATH. Prints the seconds, and fails where
# anything is missing.
#
#   sh trial.sh FOLDER      a folder with the wheel

set -eu
if command -v cc || command -v gcc || command -v clang; then
	echo 'trial: there is a compiler'
	exit 1
fi
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
cd "$work"
python3 -m venv venv
venv/bin/pip download -q --no-deps -d numpy numpy # not timed: numpy alone is three times as large
now() { venv/bin/python -c 'import time; print( time.time() )'; }
start=$(now)
venv/bin/pip install -q --find-links numpy --no-index --find-links "$folder" dualbvh
installed=$(now)
venv/bin/dualbvh gen gear -o a.stl --quiet
venv/bin/dualbvh gen torus -o b.stl --quiet
venv/bin/dualbvh view a.stl b.stl -o page.html
end=$(now)
[ "$(wc -c <page.html)" -gt 200000 ]
venv/bin/dualbvh --version
venv/bin/python - "$start" "$installed" "$end" <<'PYTHON'
import os
import platform
import sys
import time

import dualbvh
import numpy as np

print("Python", platform.python_version(), "kernels", dualbvh.isa_name())
tree = dualbvh.Tree("a.stl")
scene = dualbvh.Scene()
scene.add(tree, name="one")
scene.add(tree, name="other")
scene.to_html("scene.html")
assert os.path.getsize("scene.html") > 200000
poses = np.tile(np.eye(4), (20000, 1, 1))
poses[:, 0, 3] = np.linspace(0, 60, 20000)


def batch(threads):
    begin = time.perf_counter()
    distances = dualbvh.distance_batch(tree, tree, poses, threads=threads)["distance"]
    return time.perf_counter() - begin, distances.tobytes()


one, two = batch(1), batch(2)
assert one[1] == two[1]
print(f"a batch on one thread {one[0]:.2f} s, on two {two[0]:.2f} s")
start, installed, end = map(float, sys.argv[1:])
print(f"seconds: pip {installed - start:.1f}, then the page {end - installed:.1f}")
PYTHON
