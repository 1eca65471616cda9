# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Two meshes: do they intersect, where, how far are they apart, and when do they touch?"""

from __future__ import annotations

import dualbvh
import numpy as np
from shapes import box, torus

ring = dualbvh.Tree(torus(2.0, 0.5))
rod = dualbvh.Tree(box(0.5, 0.5, 6.0))
print(ring)

# A pose is a 4 x 4 matrix: here the rod stands in the middle of the ring, and then in its tube.
middle = np.eye(4)
tube = np.eye(4)
tube[0, 3] = 2.0

print("in the middle:", dualbvh.collide(ring, rod, middle))
print("               ", dualbvh.distance(ring, rod, middle))
print("in the tube:  ", dualbvh.collide(ring, rod, tube))
print("               ", len(dualbvh.collide_pairs(ring, rod, tube)), "pairs of triangles intersect")

# The curves of contact, with their points in the frame of the ring.
contacts = dualbvh.contacts(ring, rod, tube)
for i, line in enumerate(contacts.polylines):
    shape = "closed" if line["closed"] else "open"
    print(f"                curve {i}: {shape}, length {line['length']:.4f}, from {contacts.polyline(i)[0].round(4)}")

# The relation of the bodies rather than of their surfaces, and a move that frees the rod.
print("               ", dualbvh.relate(ring, rod, tube).relation.name)
print("               ", dualbvh.separating_translation(ring, rod, tube))

# When: the rod comes from outside and goes through the ring. The answer holds for every time, not for samples.
coming = np.eye(4)
coming[0, 3] = 5.0
motion = dualbvh.Motion.translation(coming, [-5.0, 0.0, 0.0])
print("on its way:   ", dualbvh.time_of_impact(ring, rod, motion))

# Many poses at once, on all cores: a structured array with a record for each.
poses = np.tile(np.eye(4), (1000, 1, 1))
poses[:, 0, 3] = np.linspace(-4.0, 4.0, 1000)
results = dualbvh.collide_batch(ring, rod, poses)
print("in 1000 places:", int(results["intersecting"].sum()), "intersect")
