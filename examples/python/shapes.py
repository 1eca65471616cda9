# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Small meshes for the examples: (vertices, faces), as dualbvh.Tree takes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]


def box(x: float, y: float, z: float) -> Mesh:
    """A box about the origin with these sides."""
    signs = np.array([[i, j, k] for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)])
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    faces = [[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)]
    return signs * np.array([x, y, z]) / 2, np.array(faces)


def torus(large: float, small: float, n: int = 48) -> Mesh:
    """A ring about the z axis: `large` is the radius of its middle line, `small` that of its tube."""
    around, along = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(n) * 2 * np.pi / n, indexing="ij")
    reach = large + small * np.cos(along)
    vertices = np.stack([reach * np.cos(around), reach * np.sin(around), small * np.sin(along)], axis=-1)
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    a, b = i * n + j, (i + 1) % n * n + j
    c, d = (i + 1) % n * n + (j + 1) % n, i * n + (j + 1) % n
    faces = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return vertices.reshape(-1, 3), faces
