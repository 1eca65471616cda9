# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Meshes and poses for tests, and slow answers that need no tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mesh = tuple[Floats, NDArray[np.int64]]


def box(size: float = 1.0) -> Mesh:
    """A cube with a corner at the origin."""
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=np.float64) * size
    faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2]]
    return corners, np.array([*faces, [2, 4, 6], [1, 3, 5], [3, 7, 5]])


def sphere(radius: float = 1.0, n: int = 16) -> Mesh:
    """A ball about the origin with 2 n (n - 1) triangles."""
    polar = np.linspace(0, np.pi, n + 1)[1:-1]
    around = np.arange(n) * (2 * np.pi / n)
    rings = [[np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)] for p in polar for a in around]
    vertices = np.array([[0, 0, 1], *rings, [0, 0, -1]]) * radius
    last = len(vertices) - 1
    faces = []
    for i in range(n):
        j = (i + 1) % n
        faces.append([0, 1 + i, 1 + j])
        faces.append([last, last - n + j, last - n + i])
        for ring in range(n - 2):
            a, b = 1 + ring * n + i, 1 + ring * n + j
            faces += [[a, a + n, b], [b, a + n, b + n]]
    return vertices, np.array(faces)


def rotations(rng: np.random.Generator, n: int) -> Floats:
    """n random rotations, n x 3 x 3."""
    x, y, z, w = np.moveaxis(quaternions(rng, n), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def quaternions(rng: np.random.Generator, n: int) -> Floats:
    q = rng.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def poses(rng: np.random.Generator, n: int, reach: float) -> Floats:
    """n random poses, n x 4 x 4, with translations up to `reach`."""
    matrices = np.zeros((n, 4, 4))
    matrices[:, :3, :3] = rotations(rng, n)
    matrices[:, :3, 3] = rng.uniform(-reach, reach, (n, 3))
    matrices[:, 3, 3] = 1
    return matrices


def shift(x: float, y: float = 0.0, z: float = 0.0) -> Floats:
    pose = np.eye(4)
    pose[:3, 3] = (x, y, z)
    return pose


def corners(mesh: Mesh, pose: Floats | None = None) -> Floats:
    """The triangles of a mesh at a pose, m x 3 x 3."""
    vertices, faces = mesh
    placed = vertices if pose is None else vertices @ pose[:3, :3].T + pose[:3, 3]
    return placed[faces]


def distances_to(triangles: Floats, points: Floats) -> Floats:
    """From each of n points to each of m triangles, n x m (Ericson, Real-Time Collision Detection, 5.1.5, told as the
    least of the distances to the plane inside, and to the three edges)."""
    p = points[:, None, :]
    best = np.full((len(points), len(triangles)), np.inf)
    for k in range(3):
        a, b = triangles[None, :, k], triangles[None, :, (k + 1) % 3]
        along = b - a
        t = np.clip(((p - a) * along).sum(-1) / (along * along).sum(-1), 0, 1)
        best = np.minimum(best, np.linalg.norm(a + t[..., None] * along - p, axis=-1))
    a, b, c = (triangles[None, :, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    inside = np.ones(best.shape, dtype=bool)
    for u, v in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(v - u, p - u) * normal).sum(-1) >= 0
    to_plane = np.abs(((p - a) * normal).sum(-1)) / np.linalg.norm(normal, axis=-1)
    return np.where(inside, np.minimum(best, to_plane), best)


def edges_cross(first: Floats, second: Floats) -> bool:
    """Does an edge of a triangle of one set pass through a triangle of the other? For meshes in general position that
    is whether they intersect (Moller and Trumbore 1997, every edge with every triangle)."""
    return _edges_hit(first, second) or _edges_hit(second, first)


def _edges_hit(lines: Floats, triangles: Floats) -> bool:
    start = lines.reshape(-1, 3)[:, None, :]
    along = (np.roll(lines, -1, axis=1) - lines).reshape(-1, 3)[:, None, :]
    a, e1, e2 = (
        triangles[None, :, 0],
        triangles[None, :, 1] - triangles[None, :, 0],
        triangles[None, :, 2] - triangles[None, :, 0],
    )
    h = np.cross(along, e2)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = 1 / (e1 * h).sum(-1)
        s = start - a
        u = f * (s * h).sum(-1)
        q = np.cross(s, e1)
        v = f * (along * q).sum(-1)
        t = f * (e2 * q).sum(-1)
        return bool(((u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0) & (t <= 1)).any())
