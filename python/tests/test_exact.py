# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Lists of pairs beside rational arithmetic, where doubles cannot decide: triangles on a coarse grid touch, coincide
and are degenerate all the time."""

from __future__ import annotations

import dualbvh
import numpy as np
import oracle
from shapes import shift


def test_triangles_on_a_grid(rng: np.random.Generator, scale: float) -> None:
    met = {True: 0, False: 0}
    for _ in range(max(5, int(20 * scale))):
        a, b = (rng.integers(0, 4, (8, 3, 3)).astype(float) for _ in range(2))
        pose = shift(*rng.integers(-1, 2, 3))
        trees = [dualbvh.Tree(dualbvh.Mesh(corners.reshape(-1, 3))) for corners in (a, b)]
        pairs = dualbvh.collide_pairs(*trees, pose)
        found = {tuple(p) for p in pairs.tolist()}
        first = [oracle.exact_triangle(t) for t in a]
        second = [oracle.exact_triangle(t, pose) for t in b]
        for i in range(8):
            for j in range(8):
                want = oracle.intersect(first[i], second[j])
                assert ((i, j) in found) is want, (a[i], b[j], pose)
                met[want] += 1
    assert min(met.values()) > 30, met


def test_rotated_and_touching(rng: np.random.Generator) -> None:
    """A corner of one triangle put on a point of the other, as near as doubles come, at a random pose."""
    met = {True: 0, False: 0}
    for _ in range(60):
        a, b = rng.normal(size=(2, 3, 3))
        q, t = rng.normal(size=4), rng.normal(size=3)
        pose = dualbvh.poses_from_quaternions([q], [t])[0]
        weights = rng.dirichlet([1, 1, 1])
        pose[:, 3] = weights @ a - pose[:, :3] @ b[0]
        want = oracle.intersect(oracle.exact_triangle(a), oracle.exact_triangle(b, pose))
        assert bool(dualbvh.collide(dualbvh.Tree(dualbvh.Mesh(a)), dualbvh.Tree(dualbvh.Mesh(b)), pose)) is want
        met[want] += 1
    assert met[True] > 10, met
