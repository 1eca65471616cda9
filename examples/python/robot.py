# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""An arm of six joints over a table, in 100,000 configurations: which are free, and which ways between them?

python robot.py [NUMBER]
"""

from __future__ import annotations

import sys
import time

import dualbvh
import numpy as np
from numpy.typing import NDArray
from shapes import box

Floats = NDArray[np.float64]

# Each joint turns its link, and what follows, about an axis at the end of the link before.
AXES = np.array([[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]], dtype=float)
OFFSETS = np.array([[0, 0, 0.1], [0, 0, 0.3], [0, 0, 0.9], [0.2, 0, 0.1], [0.5, 0, 0], [0.15, 0, 0]])
LINKS = [
    (box(0.3, 0.3, 0.3), (0, 0, 0.1)),
    (box(0.18, 0.18, 1.0), (0, 0, 0.45)),
    (box(0.25, 0.2, 0.2), (0.05, 0, 0.05)),
    (box(0.55, 0.12, 0.12), (0.2, 0, 0)),
    (box(0.12, 0.1, 0.1), (0.07, 0, 0)),
    (box(0.1, 0.2, 0.05), (0.05, 0, 0)),
]


def turns(axis: Floats, angles: Floats) -> Floats:
    """Rotations about an axis, n x 3 x 3 (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    s, v = np.sin(angles)[:, None, None], 1 - np.cos(angles)[:, None, None]
    turned: Floats = np.eye(3) + s * cross + v * (cross @ cross)
    return turned


def forward(joints: Floats) -> Floats:
    """The poses of the links, n x 6 x 4 x 4, for n x 6 angles."""
    poses = np.zeros((len(joints), 6, 4, 4))
    at = np.tile(np.eye(4), (len(joints), 1, 1))
    for i in range(6):
        step = np.tile(np.eye(4), (len(joints), 1, 1))
        step[:, :3, :3] = turns(AXES[i], joints[:, i])
        step[:, :3, 3] = OFFSETS[i]
        at = at @ step
        poses[:, i] = at
    return poses


def arm() -> tuple[dualbvh.Scene, list[int]]:
    """The scene, and the numbers of the links."""
    scene = dualbvh.Scene()
    links = []
    for i, ((vertices, faces), centre) in enumerate(LINKS):
        links.append(scene.add(dualbvh.Tree((vertices + centre, faces)), name=f"link {i}"))
    table = np.eye(4)
    table[2, 3] = -0.1
    scene.add(dualbvh.Tree(box(3, 3, 0.1)), table, name="table")
    post = np.eye(4)
    post[:3, 3] = (0.8, 0.5, 0.5)
    scene.add(dualbvh.Tree(box(0.1, 0.1, 1.0)), post, name="post")
    for a, b in zip(links, links[1:]):  # neighbours share a joint
        scene.set_pair_rule(a, b, dualbvh.PairRule(may_collide=True))
    return scene, links


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    scene, links = arm()
    joints = np.random.default_rng(7).uniform(-2.0, 2.0, (number, 6))
    poses = forward(joints)

    begin = time.perf_counter()
    results = scene.collide_batch(poses, links)
    seconds = time.perf_counter() - begin
    free = np.flatnonzero(~results["intersecting"])
    print(f"{number} configurations: {len(free)} are free ({number / seconds / 1e6:.2f} million a second)")
    hit = results["first"][results["intersecting"]]
    pairs, counts = np.unique(hit, return_counts=True)
    for k in np.argsort(-counts)[:3]:
        a, b = (scene.name(int(body)) for body in pairs[k])
        print(f"  {a} and {b} end {counts[k]} of the others")

    few = poses[free[:2000]]
    near = scene.collide_batch(few, links, max_distance=0.05)
    print(f"of {len(few)} free ones {int(near['has_distance'].sum())} come closer than 0.05 to something")

    # The ways from each free configuration to the next one, each link going by a screw of its own: every time is looked
    # at, not samples. In joint space the robot goes elsewhere between the two.
    ways = scene.motion_batch(few[:200], links)
    clear = int((ways["verdict"] == dualbvh.TimeOfImpactVerdict.CLEAR).sum())
    print(f"of the {len(ways)} ways between the first {len(ways) + 1} of them {clear} are clear")


if __name__ == "__main__":
    main()
