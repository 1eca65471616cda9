# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Verdicts beside those of python-fcl at random poses; where they differ, rational arithmetic decides.

    pip install python-fcl
    DUALBVH_DATA=FOLDER python agreement.py [NUMBER]

Where dualbvh says that meshes intersect, the pair of triangles that it names must; where it says that they do not, no
pair that FCL names may. Fails if dualbvh is wrong once.
"""

from __future__ import annotations

import sys
from pathlib import Path

import dualbvh
import fcl
import numpy as np
from compare import of_fcl
from numpy.typing import NDArray
from shapes import Floats, Pair, pairs

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import oracle


def verdicts_of_fcl(pair: Pair, poses: Floats) -> NDArray[np.bool_]:
    (ask,) = of_fcl(pair).values()
    return np.array([ask(poses[i : i + 1]) > 0 for i in range(len(poses))])


def named_by_fcl(pair: Pair, pose: Floats) -> list[tuple[int, int]]:
    """All pairs of triangles that FCL finds at a pose."""
    models = []
    for vertices, faces in (pair.a, pair.b):
        model = fcl.BVHModel()
        model.beginModel(len(vertices), len(faces))
        model.addSubModel(vertices, faces)
        model.endModel()
        models.append(model)
    a = fcl.CollisionObject(models[0], fcl.Transform())
    b = fcl.CollisionObject(models[1], fcl.Transform(pose[:3, :3], pose[:3, 3]))
    result = fcl.CollisionResult()
    fcl.collide(a, b, fcl.CollisionRequest(num_max_contacts=100_000, enable_contact=True), result)
    return [(contact.b1, contact.b2) for contact in result.contacts]


def meet(pair: Pair, pose: Floats, first: int, second: int) -> bool:
    a = oracle.exact_triangle(pair.a[0][pair.a[1][first]])
    b = oracle.exact_triangle(pair.b[0][pair.b[1][second]], pose)
    return bool(oracle.intersect(a, b))


def main() -> int:
    number, wrong = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, 0
    for pair in pairs():
        poses = pair.poses(number, 2)
        ours = dualbvh.collide_batch(dualbvh.Tree(pair.a), dualbvh.Tree(pair.b), poses)
        theirs = verdicts_of_fcl(pair, poses)
        differ = np.flatnonzero(ours["intersecting"] != theirs)
        missed = invented = 0
        for i in differ:
            if ours["intersecting"][i]:
                first = (int(ours["first"]["a"][i]), int(ours["first"]["b"][i]))
                right = meet(pair, poses[i], *first)
                missed += right
            else:
                right = not any(meet(pair, poses[i], *named) for named in named_by_fcl(pair, poses[i]))
                invented += right
            wrong += not right
        meeting = int(ours["intersecting"].sum())
        print(f"{pair.name}: {number} poses, {meeting} intersect; {len(differ)} verdicts differ: ", end="")
        print(f"FCL misses {missed} and invents {invented}", flush=True)
    print("dualbvh was wrong", wrong, "times")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
