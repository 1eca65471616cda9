# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Do two triangles have a point in common? In rational arithmetic: the judge where answers differ."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Point = tuple[Fraction, Fraction, Fraction]
Triangle = Sequence[Point]


def exact_triangle(corners: Sequence[Sequence[float]], pose: Sequence[Sequence[float]] | None = None) -> list[Point]:
    """The corners of a triangle, moved by the twelve numbers of a pose (3 x 4 or 4 x 4) as they stand."""
    points = []
    for corner in corners:
        x = [Fraction(float(c)) for c in corner]
        if pose is not None:
            x = [sum((Fraction(float(row[k])) * x[k] for k in range(3)), Fraction(float(row[3]))) for row in pose[:3]]
        points.append((x[0], x[1], x[2]))
    return points


def intersect(a: Triangle, b: Triangle) -> bool:
    """Closed triangles, degenerate ones included, intersect if an edge of one meets the other one."""
    return any(edge_meets(a[i], a[(i + 1) % 3], b) for i in range(3)) or any(
        edge_meets(b[i], b[(i + 1) % 3], a) for i in range(3)
    )


def edge_meets(p: Point, q: Point, t: Triangle) -> bool:
    """Do a closed segment and a closed triangle have a point in common?"""
    normal = _cross(_minus(t[1], t[0]), _minus(t[2], t[0]))
    if not any(normal):  # the triangle is a segment or a point
        return any(_segments_meet(p, q, t[i], t[(i + 1) % 3]) for i in range(3))
    above_p, above_q = _dot(normal, _minus(p, t[0])), _dot(normal, _minus(q, t[0]))
    if above_p == 0 and above_q == 0:
        return (
            any(_segments_meet(p, q, t[i], t[(i + 1) % 3]) for i in range(3))
            or _inside(p, t, normal)
            or _inside(q, t, normal)
        )
    if above_p * above_q > 0:
        return False
    s = above_p / (above_p - above_q)
    x, y, z = (p[k] + s * (q[k] - p[k]) for k in range(3))
    return _inside((x, y, z), t, normal)


def _inside(x: Point, t: Triangle, normal: Point) -> bool:
    """Is a point of its plane in a triangle?"""
    return all(_dot(normal, _cross(_minus(t[(i + 1) % 3], t[i]), _minus(x, t[i]))) >= 0 for i in range(3))


def _segments_meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Do two closed segments of space have a point in common?"""
    u, v, w = _minus(b, a), _minus(d, c), _minus(c, a)
    across = _cross(u, v)
    if not any(across):  # parallel, or one is a point
        along = u if any(u) else v
        if not any(along):
            return a == c
        if any(_cross(along, w)):
            return False
        first, second = sorted((_dot(along, a), _dot(along, b))), sorted((_dot(along, c), _dot(along, d)))
        return first[0] <= second[1] and second[0] <= first[1]
    if _dot(across, w) != 0:
        return False
    square = _dot(across, across)
    s, t = _dot(_cross(w, v), across) / square, _dot(_cross(w, u), across) / square
    return 0 <= s <= 1 and 0 <= t <= 1


def _minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: Point, b: Point) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
