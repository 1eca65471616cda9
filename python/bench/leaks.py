# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Does memory grow over a million calls of every kind, those that raise among them?

    python leaks.py [CALLS]

Prints the resident memory ten times on the way; fails if it grew by more than a megabyte after the first tenth.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import dualbvh
import numpy as np
from shapes import box


def resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> int:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    mesh, scene = box(), dualbvh.Scene()
    cube = dualbvh.Tree(mesh)
    near, far = np.eye(4), np.eye(4)
    near[0, 3], far[0, 3] = 0.5, 3.0
    both, skewed, motion = np.stack([near, far]), near * 2, dualbvh.Motion.translation(far, [-4, 0, 0])
    scene.add(cube)
    scene.add(cube, near)
    soft, cache, ball = dualbvh.Tree(mesh, topology=False), dualbvh.Cache(), dualbvh.Sphere([0, 0, 0], 1)

    def refused(pose: object) -> None:
        try:
            dualbvh.collide(cube, cube, pose)  # type: ignore[arg-type]
        except (ValueError, TypeError):
            pass

    kinds = [
        lambda: dualbvh.Tree(dualbvh.Mesh(*mesh)),
        lambda: dualbvh.collide(cube, cube, near).counters.box_tests,
        lambda: dualbvh.collide_pairs(cube, cube, near),
        lambda: dualbvh.collide_batch(cube, cube, both, threads=1)["first"],
        lambda: dualbvh.check_clearance(cube, cube, 0.1, far),
        lambda: dualbvh.relate(cube, cube, far).separation,
        lambda: dualbvh.contacts(cube, cube, near).points["position"],
        lambda: dualbvh.raycast_all(cube, [-1, 0.5, 0.5], [1, 0, 0]),
        lambda: dualbvh.closest_point(cube, [2, 2, 2]).point,
        lambda: dualbvh.locate_point(cube, [0.5, 0.5, 0.5]),
        lambda: dualbvh.time_of_impact(cube, cube, motion).normal,
        lambda: dualbvh.intersect(dualbvh.Sphere([0, 0, 0], 1), dualbvh.Aabb([0, 0, 0], [1, 1, 1])),
        lambda: scene.remove(scene.add(cube, near, name="body")),
        lambda: scene.collide(),
        lambda: soft.refit(mesh),
        lambda: dualbvh.collide(cube, cube, near, cache=cache),
        lambda: scene.relate(0, 1).doubt_a,
        lambda: scene.pair_distance(0, 1).point_a,
        lambda: scene.contacts(0, 1).clusters,
        lambda: dualbvh.shape_cast_batch(ball, [[1, 0, 0]], ball),
        lambda: refused(skewed),
        lambda: refused("pose"),
    ]
    after_first = 0
    for tenth in range(10):
        for _ in range(calls // 10 // len(kinds)):
            for kind in kinds:
                kind()  # type: ignore[no-untyped-call]
        now = resident()
        after_first = after_first or now
        print(f"{(tenth + 1) * calls // 10:9d} calls: {now / 1e6:.2f} MB", flush=True)
    grown = resident() - after_first
    print(f"grew by {grown / 1e6:.2f} MB after the first tenth")
    return grown > 1_000_000


if __name__ == "__main__":
    sys.exit(main())
