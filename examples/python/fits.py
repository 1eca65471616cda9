# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Is it a fit or a clash? Parts in a row, ranked by how deep they are in each other, with one press fit."""

from __future__ import annotations

import dualbvh
import numpy as np
import shapes

plate = dualbvh.Tree(shapes.box(4, 4, 1), topology=True)
pin = dualbvh.Tree(shapes.box(1, 1, 2), topology=True)

scene = dualbvh.Scene()
scene.add(plate, name="plate")
for i, depth in enumerate((0.02, 0.25)):
    pose = np.eye(4)
    pose[:3, 3] = (2 * i - 1, 0, 1.5 - depth)  # the pin stands in the plate by `depth`
    scene.add(pin, pose, name=f"pin {i}")
scene.set_default_rule(dualbvh.PairRule(allowed_depth=0.05))

found = scene.overlaps()
for one in found[np.argsort(-found["depth"][:, 1])]:
    verdict = dualbvh.FitVerdict(one["verdict"]).name
    depth, volume = one["depth"].mean(), one["volume"].mean()
    print(f"{scene.name(one['a'])} and {scene.name(one['b'])}: {depth:.3g} deep, volume {volume:.3g}: {verdict}")

overlap = dualbvh.overlap(plate, pin, scene.pose(2), scene.pose(0))
assert overlap.depth is not None and overlap.mesh is not None
print(f"{overlap.kind.name}, at most {overlap.depth.upper:.3g} deep, {len(overlap.mesh.faces)} triangles")
