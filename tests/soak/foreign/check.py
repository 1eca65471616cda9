# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Random assemblies that other libraries write and read again: do their clashes agree with rational arithmetic?

    check.py COMMAND FOLDER COUNT SEED [FORMAT...]

Which of the bodies that the other library reads meet, python/tests/oracle.py says triangle by triangle, and which is inside
of which winding numbers do. The command reads each file, too, and of models Scene.from_model(). Where the tessellation has
a sag, bodies that are apart by less are a clash by the rules; what counts here is whether they meet.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import numpy as np

sys.path.insert(0, "python/tests")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import exact_triangle, intersect

FORMATS = {  # by their names: the module that writes and reads, and what that needs
    "glb": ("by_trimesh", "trimesh"),
    "3mf": ("by_trimesh", "trimesh"),
    "ifc": ("by_ifcopenshell", "ifcopenshell"),
    "usda": ("by_usd", "pxr"),
    "usdc": ("by_usd", "pxr"),
    "step": ("by_opencascade", "OCP"),
}
MODELS = ("ifc", "usda", "usdc", "step")


def is_inside(point: np.ndarray, triangles: np.ndarray) -> bool:
    """Is the point, which is on no triangle, inside of them? By the solid angle that they span."""
    a, b, c = (triangles[:, i] - point for i in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    dots = [np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (b, c), (c, a))]
    angle = 2.0 * np.arctan2(volume, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb)
    return abs(angle.sum()) > 2.0 * np.pi


def meet(a: np.ndarray, b: np.ndarray) -> bool:
    if (a.min((0, 1)) > b.max((0, 1))).any() or (b.min((0, 1)) > a.max((0, 1))).any():
        return False
    near = ((a.min(1)[:, None] <= b.max(1)) & (b.min(1) <= a.max(1)[:, None])).all(2)
    if any(intersect(exact_triangle(a[i]), exact_triangle(b[k])) for i, k in np.argwhere(near)):
        return True
    return is_inside(a[0, 0], b) or is_inside(b[0, 0], a)


def clashes_by_command(command: str, path: str, is_model: bool) -> set[tuple[str, str]]:
    """The pairs that meet, as the command says it; models by way of dualbvh.models, in this process."""
    report = path + ".json"
    words = ["scene", path, "--quiet", "--report", "json=" + report]
    if is_model:
        from dualbvh.models import __main__ as program

        status, said = program.main(["--command", command, *words]), ""
    else:
        ran = subprocess.run([command, *words], capture_output=True, text=True, check=False)
        status, said = ran.returncode, ran.stderr
    if status not in (0, 1):
        sys.exit(f"{path}: {said}")
    with open(report, encoding="utf-8") as file:
        found = json.load(file)["clashes"]
    return {pair(c["a"], c["b"]) for c in found if c.get("exact_relation") != "disjoint"}


def clashes_by_scene(path: str) -> set[tuple[str, str]]:
    import dualbvh

    scene = dualbvh.Scene.from_model(path)
    apart = int(dualbvh.Relation.DISJOINT)
    found = [c for c in scene.clashes(fits=True) if int(c["exact"]) != apart]
    return {pair(scene.name(int(c["a"])), scene.name(int(c["b"]))) for c in found}


def pair(a: str, b: str) -> tuple[str, str]:
    """Two names in order, without the levels above the part that is called "body" or the like."""
    first, second = sorted(re.sub(r".*/(?=(body|deep)\d)", "", name.lstrip("/")) for name in (a, b))
    return first, second


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keeps what libraries print, OpenCASCADE above all, from standard output."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def run(name: str, command: str, folder: str, count: int, seed: int) -> int:
    module, needs = FORMATS[name]
    missing = [m for m in (needs, *(["dualbvh"] if name in MODELS else [])) if importlib.util.find_spec(m) is None]
    if missing:
        print(f"{name}: left out, there is no {' and no '.join(missing)}")
        return 0
    library = __import__(module)
    random = np.random.default_rng([seed, list(FORMATS).index(name)])
    pairs = clashes = different = 0
    for number in range(count):
        path = f"{folder}/{number}.{name}"
        with silence():
            allowed = library.write(path, random) or set()  # pairs that the file says belong together
            read = dict(library.bodies(path))
        expected = {pair(*p) for p in itertools.combinations(read, 2) if meet(read[p[0]], read[p[1]])} - allowed
        found = clashes_by_command(command, path, name in MODELS)
        others = clashes_by_scene(path) if name in MODELS else found
        pairs += len(read) * (len(read) - 1) // 2
        clashes += len(expected)
        if found != expected or others != expected:
            different += 1
            print(f"{name} {number}: {sorted(found ^ expected)} {sorted(others ^ expected)}")
    print(f"{name}: {count} assemblies, {pairs} pairs, {clashes} clashes, {different} differences", flush=True)
    return different


def main() -> None:
    command, folder, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    print(f"foreign: seed {seed} (DUALBVH_SEED repeats it)")
    different = sum(run(name, command, folder, count, seed) for name in sys.argv[5:] or FORMATS)
    print(f"{different} differences")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
