# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The inputs of the benchmarks: pairs of meshes, and poses at which about half of them intersect."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dualbvh
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass
class Pair:
    """Two meshes, as arrays that every library takes."""

    name: str
    a: tuple[Floats, NDArray[np.int64]]
    b: tuple[Floats, NDArray[np.int64]]

    def poses(self, count: int, seed: int) -> Floats:
        """count x 4 x 4 for B: turned at random, at a distance from A where half of them meet, or nearly."""
        rng = np.random.default_rng(seed)
        tree_a, tree_b = dualbvh.Tree(self.a), dualbvh.Tree(self.b)
        q, way = rng.normal(size=(count, 4)), rng.normal(size=(count, 3))
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        pose = np.tile(np.eye(4), (count, 1, 1))
        pose[:, :3, :3] = dualbvh.poses_from_quaternions(q, np.zeros((count, 3)))[:, :, :3]
        turned = np.einsum("nij,j->ni", pose[:, :3, :3], tree_b.centre)
        low, high = 0.0, tree_a.radius + tree_b.radius
        for _ in range(12):  # the distance of the centres at which half of a sample meets
            middle = (low + high) / 2
            pose[:, :3, 3] = tree_a.centre - turned + way * middle
            meet = dualbvh.collide_batch(tree_a, tree_b, pose[:200])["intersecting"].mean()
            low, high = (middle, high) if meet > 0.5 else (low, middle)
        spread = rng.uniform(0.8, 1.2, (count, 1))
        pose[:, :3, 3] = tree_a.centre - turned + way * spread * (low + high) / 2
        return pose


def box(size: float = 1.0) -> tuple[Floats, NDArray[np.int64]]:
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=np.float64) * size
    faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2]]
    return corners, np.array([*faces, [2, 4, 6], [1, 3, 5], [3, 7, 5]])


def bumpy(n: int) -> tuple[Floats, NDArray[np.int64]]:
    """A ball with bumps, of some 2 n^2 triangles."""
    polar = np.linspace(0, np.pi, n + 1)[1:-1]
    around = np.arange(n) * (2 * np.pi / n)
    p, a = np.meshgrid(polar, around, indexing="ij")
    r = 1 + 0.15 * np.sin(5 * a) * np.sin(7 * p)
    rings = np.stack([r * np.sin(p) * np.cos(a), r * np.sin(p) * np.sin(a), r * np.cos(p)], -1).reshape(-1, 3)
    vertices = np.concatenate([[[0, 0, 1]], rings, [[0, 0, -1]]])
    last, faces = len(vertices) - 1, []
    for i in range(n):
        j = (i + 1) % n
        faces += [[0, 1 + i, 1 + j], [last, last - n + j, last - n + i]]
        for ring in range(n - 2):
            s, t = 1 + ring * n + i, 1 + ring * n + j
            faces += [[s, s + n, t], [t, s + n, t + n]]
    return vertices, np.array(faces)


def load(path: Path) -> tuple[Floats, NDArray[np.int64]]:
    mesh = dualbvh.Mesh.load(path)
    return np.array(mesh.vertices), mesh.faces.astype(np.int64)


def pairs() -> list[Pair]:
    """Boxes and generated shapes, and what there is of the real meshes under DUALBVH_DATA."""
    found = [Pair("boxes", box(), box()), Pair("bumpy, 3,000", bumpy(40), bumpy(40))]
    data = os.environ.get("DUALBVH_DATA")
    if data:
        folder = Path(data)
        for name, first, second in (
            ("robot links", "robot/**/link5.stl", "robot/**/hand.stl"),
            ("Buddha, 15,536", "stanford/happy_vrip_res4.ply", "stanford/happy_vrip_res4.ply"),
            ("bunny, 69,451", "stanford/bun_zipper.ply", "stanford/bun_zipper.ply"),
        ):
            a, b = sorted(folder.glob(first)), sorted(folder.glob(second))
            if a and b:
                found.append(Pair(name, load(a[0]), load(b[0])))
    return found


def any_module(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return __import__(name)
    except ImportError:
        return None
