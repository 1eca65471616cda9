# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The penetration depth of two convex solids.

The translations of B that leave it in contact with A are the set A - B of differences of points, which is convex; the
depth is how far the origin is from its boundary. A polytope of points of that set is enlarged where its boundary is
closest to the origin, until it cannot be enlarged there (the expanding polytope algorithm, van den Bergen 2001). Its
closest face bounds the depth from below, and the support of the set along that face's normal from above.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

# Points are moved by this part of the size, so that no four of them are in a plane: what is coplanar has no order.
_JOGGLE = 1e-10
# The bounds are as close as this part of the size, or so many points have been added.
_CLOSE = 1e-9
_MOST_POINTS = 400


class _Polytope:
    """Triangles round the points that were added, with outer normals and their distances from the origin."""

    def __init__(self, corners: Vector) -> None:
        self.points = list(corners)
        self.faces: list[tuple[int, int, int]] = []
        self.normals = np.zeros((64, 3))
        self.offsets = np.full(64, np.inf)  # also has those of removed faces
        self.closest: list[tuple[float, int]] = []
        self._append([(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)])

    def _append(self, faces: list[tuple[int, int, int]]) -> None:
        corners = np.array([[self.points[i] for i in face] for face in faces])
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        normals /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
        begin, end = len(self.faces), len(self.faces) + len(faces)
        while end > len(self.offsets):
            self.normals = np.concatenate([self.normals, np.zeros_like(self.normals)])
            self.offsets = np.concatenate([self.offsets, np.full_like(self.offsets, np.inf)])
        self.faces += faces
        self.normals[begin:end] = normals
        self.offsets[begin:end] = np.einsum("ij,ij->i", normals, corners[:, 0])
        for i in range(begin, end):
            heapq.heappush(self.closest, (float(self.offsets[i]), i))

    def closest_face(self) -> int:
        while np.isinf(self.offsets[self.closest[0][1]]):
            heapq.heappop(self.closest)
        return self.closest[0][1]

    def add(self, point: Vector) -> None:
        """Replaces the faces that a point outside sees by those that it has with their border."""
        count = len(self.faces)
        seen = np.flatnonzero(self.normals[:count] @ point > self.offsets[:count])
        edges = {edge for i in seen for edge in self._edges(self.faces[i])}
        self.offsets[seen] = np.inf
        self.points.append(point)
        new = len(self.points) - 1
        self._append([(i, j, new) for i, j in edges if (j, i) not in edges])

    @staticmethod
    def _edges(face: tuple[int, int, int]) -> list[tuple[int, int]]:
        a, b, c = face
        return [(a, b), (b, c), (c, a)]


def _begin(points: Vector) -> list[int]:
    """Four of some points that span a tetrahedron, in the order in which its faces look outwards."""
    first = 0
    second = int(np.argmax(np.linalg.norm(points - points[first], axis=1)))
    way = points[second] - points[first]
    third = int(np.argmax(np.linalg.norm(np.cross(points - points[first], way), axis=1)))
    heights = (points - points[first]) @ np.cross(way, points[third] - points[first])
    fourth = int(np.argmax(abs(heights)))
    return [first, third, second, fourth] if heights[fourth] > 0.0 else [first, second, third, fourth]


class _Difference:
    """A - B: of its points, those that are farthest in some direction."""

    def __init__(self, a: Vector, b: Vector, size: float) -> None:
        random = np.random.default_rng(0)
        self.exact = a, b
        self.near = [x + random.uniform(-_JOGGLE * size, _JOGGLE * size, x.shape) for x in (a, b)]

    def farthest(self, way: Vector) -> tuple[Vector, Vector]:
        """The point that is, moved a little, and as it is."""
        i, j = int(np.argmax(self.near[0] @ way)), int(np.argmin(self.near[1] @ way))
        return self.near[0][i] - self.near[1][j], self.exact[0][i] - self.exact[1][j]

    def extent(self, way: Vector) -> float:
        """The extent along a direction."""
        return float((self.exact[0] @ way).max() - (self.exact[1] @ way).min())


_WAYS = np.array([w for w in np.ndindex(3, 3, 3) if w != (1, 1, 1)], dtype=np.float64) - 1.0


def convex_depth(a: Vector, b: Vector) -> tuple[Vector, float]:
    """The direction, of length 1, in which solid B leaves solid A on the shortest way, and how far; two times 0 where
    they do not overlap by more than 1e-9 of their sizes. `a` and `b` are points, n x 3, of which the solids are the
    convex hulls.

    The depth is not less than the true one, but for rounding, and larger by at most 1e-9 of the sizes where 400 points
    tell. They do not where thousands of faces are as close: of two balls about one centre it may be 1e-3 of it more.
    """
    size = float(np.ptp(a, axis=0).max() + np.ptp(b, axis=0).max())
    difference = _Difference(a, b, size)
    points = [difference.farthest(way) for way in _WAYS]
    chosen = _begin(np.array([near for near, _ in points]))
    polytope = _Polytope(np.array([points[i][0] for i in chosen]))
    exact = [points[i][1] for i in chosen]
    best, depth = np.zeros(3), np.inf
    for _ in range(_MOST_POINTS):
        face = polytope.closest_face()
        way, bound = polytope.normals[face].copy(), polytope.offsets[face]
        near, as_it_is = difference.farthest(way)
        if way @ near < depth:
            best, depth, corners = way, float(way @ near), [exact[i] for i in polytope.faces[face]]
        if depth - bound <= _CLOSE * size:
            break
        polytope.add(near)
        exact.append(as_it_is)
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])  # normal of the points as they are
    length = float(np.linalg.norm(normal))
    ways = [best] + ([normal / length] if length > 0.0 else [])
    depth, best = min(((difference.extent(way), way) for way in ways), key=lambda found: found[0])
    if depth <= _CLOSE * size:
        return np.zeros(3), 0.0
    return best, depth
