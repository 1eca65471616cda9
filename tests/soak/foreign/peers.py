# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The clashes of one model by dualbvh and by the program that its format belongs to.

    peers.py MODEL.ifc             the clash tree of IfcOpenShell, which IfcClash asks
    peers.py PART.step PART.step...  three instances of each at random places (DUALBVH_SEED), and OpenCASCADE's boolean

Prints a table, and each pair where the two disagree, with what dualbvh says of it.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
import time
from collections import Counter
from typing import Any

import dualbvh
import numpy as np
from dualbvh import models

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def timed(work: Any) -> tuple[Any, float]:
    begin = time.perf_counter()
    return work(), time.perf_counter() - begin


def by_dualbvh(model: models.Model, key: Any) -> tuple[dualbvh.Scene, dict[frozenset[str], str]]:
    scene, build = timed(lambda: dualbvh.Scene.from_model(model))
    found, ask = timed(lambda: scene.clashes(fits=True))
    kinds = {
        frozenset((key(int(c["a"])), key(int(c["b"])))): f"{dualbvh.ClashKind(int(c['kind'])).name.lower()}, "
        f"exactly {dualbvh.Relation(int(c['exact'])).name.lower()}"
        for c in found
    }
    print(f"dualbvh: {len(model)} bodies, trees {build:.2f} s, clashes {ask:.2f} s")
    for kind, count in Counter(kinds.values()).most_common():
        print(f"  {count:5} {kind}")
    return scene, kinds


def of_ifc(path: str) -> None:
    import ifcopenshell
    import ifcopenshell.geom

    model, read = timed(lambda: models.read(path))
    guids = [part.properties["GlobalId"] for part in model.parts]
    print(f"{os.path.basename(path)}: read in {read:.2f} s")
    scene, ours = by_dualbvh(model, guids.__getitem__)
    numbers = {guid: i for i, guid in enumerate(guids)}
    may_meet = {frozenset((guids[a], guids[b])) for a, b in itertools.combinations(range(len(guids)), 2) if scene.rule(a, b) is None}
    file = ifcopenshell.open(path)
    elements = [file.by_guid(guid) for guid in guids]
    tree = ifcopenshell.geom.tree(backend="opencascade.trianglebvh")  # the default one has no clash_*
    shapes = ifcopenshell.geom.iterator(ifcopenshell.geom.settings(), file, os.cpu_count() or 1, include=elements)
    _, build = timed(lambda: tree.add_iterator(shapes))
    print(f"IfcOpenShell {ifcopenshell.version}: read, and its tree, {build:.2f} s; {len(may_meet)} pairs may meet by our rules")
    questions = {
        "collision": lambda: tree.clash_collision_many(elements, elements, allow_touching=False),
        "collision, touching too": lambda: tree.clash_collision_many(elements, elements, allow_touching=True),
        "intersection, 2 mm": lambda: tree.clash_intersection_many(elements, elements, tolerance=0.002, check_all=True),
    }
    hard = {p for p, kind in ours.items() if not kind.startswith("touch")}
    for name, ask in questions.items():
        found, seconds = timed(ask)
        theirs = {frozenset((c.a.get_argument(0), c.b.get_argument(0))) for c in found}
        own = set(ours) if "touching" in name else hard
        print(f"{name}: {len(theirs)} in {seconds:.2f} s, of which {len(theirs & may_meet)} may meet; ours {len(own)}; both {len(theirs & own)}")
        for title, pairs in (("only theirs", theirs - own - may_meet), ("only ours", own - theirs)):
            print(f"  {title}: {len(pairs)}")
            for pair in sorted(pairs, key=sorted)[:30]:
                a, b = sorted(numbers[guid] for guid in pair)
                gap = scene.pair_distance(a, b).distance
                kind = ours.get(pair, "no clash")
                print(f"    {scene.name(a)} | {scene.name(b)}: {kind}; {gap:.3g} m apart, {deepest(scene, a, b)}")


def deepest(scene: dualbvh.Scene, a: int, b: int) -> str:
    if scene.pair_distance(a, b).distance > 0.0:
        return "not in each other"
    try:
        to_a = np.eye(4)
        to_b = np.eye(4)
        to_a[:3], to_b[:3] = scene.pose(a), scene.pose(b)
        depth = dualbvh.local_depth(scene.tree(a), scene.tree(b), to_b, pose_a=to_a)
        return f"at most {depth.least.upper:.3g} m deep"
    except dualbvh.Error as error:
        return f"no depth: {error}"


def of_step(paths: list[str]) -> None:
    import by_opencascade as cascade
    from check import silence
    from OCP.Bnd import Bnd_Box
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
    from OCP.BRepBndLib import BRepBndLib
    from OCP.BRepExtrema import BRepExtrema_DistShapeShape
    from OCP.BRepGProp import BRepGProp
    from OCP.GProp import GProp_GProps

    seed = int(os.environ.get("DUALBVH_SEED", "33"))
    random = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "assembly.step")
        with silence():
            placed = cascade.write_assembly(path, paths, random)
            model, read = timed(lambda: models.read(path, sag=0.01))
    print(f"{len(placed)} instances of {len(paths)} parts, seed {seed}: read in {read:.2f} s")
    names = [part.name.split("/")[-1] for part in model.parts]
    scene, ours = by_dualbvh(model, names.__getitem__)
    overlaps = {frozenset((names[int(o["a"])], names[int(o["b"])])): o["volume"] for o in scene.overlaps()}

    def box(shape: Any) -> Any:
        made = Bnd_Box()
        BRepBndLib.Add_s(shape, made)
        return made

    boxes, begin = {name: box(shape) for name, shape in placed.items()}, time.perf_counter()
    agreed = 0
    for a, b in itertools.combinations(placed, 2):
        if boxes[a].IsOut(boxes[b]):
            assert frozenset((a, b)) not in ours
            continue
        with silence():
            gap = BRepExtrema_DistShapeShape(placed[a], placed[b]).Value()
            common = GProp_GProps()
            BRepGProp.VolumeProperties_s(BRepAlgoAPI_Common(placed[a], placed[b]).Shape(), common)
        lower, upper = overlaps.get(frozenset((a, b)), (0.0, 0.0))
        kind = ours.get(frozenset((a, b)), "no clash")
        print(f"  {a} | {b}: {kind}, volume {lower:.4g} to {upper:.4g} mm3; OpenCASCADE: {gap:.3g} mm apart, common {common.Mass():.4g} mm3", flush=True)
        agreed += (gap == 0.0) == (kind != "no clash")
    print(f"OpenCASCADE: {time.perf_counter() - begin:.1f} s; {agreed} pairs agree whether they meet")


if __name__ == "__main__":
    if sys.argv[1].endswith(".ifc"):
        of_ifc(sys.argv[1])
    else:
        of_step(sys.argv[1:])
