# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The clashes between the parts of a GLB. Read by trimesh (pip install trimesh).

    python assembly.py [FILE.glb]

Without a file, it makes one: a plate with four pins, of which one is too thick for its washer, one is pressed into the
plate, and one does not reach it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import dualbvh
import numpy as np

try:
    import trimesh
except ImportError:
    sys.exit("left out: pip install trimesh")


def write_assembly(path: Path) -> None:
    """Holes are square tubes here, so that everything is made of boxes."""
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box((10, 10, 1)), node_name="plate")
    pin = trimesh.creation.box((1, 1, 3))
    for name, x, y, z, thick in (("pin 1", 3, 3, 2, 1), ("pin 2", -3, 3, 2, 1.1), ("pin 3", 3, -3, 1.95, 1),
                                 ("pin 4", -3, -3, 2.02, 1)):  # fmt: skip
        at = np.diag([thick, thick, 1.0, 1.0])
        at[:3, 3] = (x, y, z)
        scene.add_geometry(pin, node_name=name, geom_name="pin", transform=at)
    ring = trimesh.creation.annulus(0.75, 1.2, 0.5)
    for name, x, y in (("washer 1", 3, 3), ("washer 2", -3, 3)):
        at = np.eye(4)
        at[:3, 3] = (x, y, 0.75)
        scene.add_geometry(ring, node_name=name, geom_name="washer", transform=at)
    scene.export(path)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder, "assembly.glb")
        if len(sys.argv) <= 1:
            write_assembly(path)
        scene = dualbvh.scene_from_trimesh(trimesh.load_scene(path))
    print(scene)
    # Parts may touch, and must not overlap. Positions in a GLB are floats, so a hundred-thousandth is still touching.
    scene.set_default_rule(dualbvh.PairRule(may_touch=True, touch_gap=1e-5, touch_overlap=1e-5))
    for clash in scene.clashes():
        a, b = scene.name(int(clash["a"])), scene.name(int(clash["b"]))
        print(f"{a} and {b}: {dualbvh.ClashKind(clash['kind']).name.lower()}")
    for body in scene.bodies:
        nearest = scene.distance(body=body)
        if nearest is not None and nearest.distance > 1e-5:
            other = next(number for number in nearest.bodies if number != body)
            print(f"{scene.name(body)}: {nearest.distance:.4f} from {scene.name(other)}, the nearest part")


if __name__ == "__main__":
    main()
