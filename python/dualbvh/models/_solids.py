# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Triangles of round solids: vertices lie on their surfaces, and the sag bounds how far triangles are from these."""

from __future__ import annotations

import math
from typing import Optional

import numpy as np
from numpy.typing import NDArray

Mesh = tuple[NDArray[np.float64], NDArray[np.int32]]
Sag = Optional[float]


def _sides(radius: float, sag: Sag) -> int:
    """How many chords around a circle keep within a sag: 32 where none is asked for, at most 1024."""
    if sag is None or not 0.0 < sag < radius:
        return 32
    return max(12, min(1024, 4 * math.ceil(math.pi / math.acos(1.0 - sag / radius) / 4)))


def _rings(profile: list[tuple[float, float]], sides: int) -> Mesh:
    """A profile of (radius, height), from the lowest, turned about z; it begins and ends on the axis."""
    around = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.column_stack([np.cos(around), np.sin(around)])
    rows = [np.column_stack([r * circle, np.full(sides, z)]) for r, z in profile[1:-1]]
    vertices = np.vstack([[[0.0, 0.0, profile[0][1]]], *rows, [[0.0, 0.0, profile[-1][1]]]])
    here, following = np.arange(sides), (np.arange(sides) + 1) % sides
    last, top = len(vertices) - 1, 1 + sides * (len(rows) - 1)
    faces = [np.column_stack([np.zeros(sides, int), 1 + following, 1 + here])]
    for row in range(len(rows) - 1):
        low, high = 1 + row * sides, 1 + (row + 1) * sides
        faces.append(np.column_stack([low + here, low + following, high + following]))
        faces.append(np.column_stack([low + here, high + following, high + here]))
    faces.append(np.column_stack([top + here, top + following, np.full(sides, last)]))
    return vertices, np.vstack(faces).astype(np.int32)


def _along(mesh: Mesh, axis: str) -> Mesh:
    """The mesh with its z turned to be the axis X, Y or Z."""
    columns = {"X": [2, 0, 1], "Y": [1, 2, 0], "Z": [0, 1, 2]}[axis]
    return np.ascontiguousarray(mesh[0][:, columns]), mesh[1]


def cone(radii: tuple[float, float], height: float, axis: str, sag: Sag) -> tuple[Mesh, float]:
    """A cylinder or cone about the origin, of radii below and above."""
    sides = _sides(max(radii), sag)
    half = height / 2
    profile = [(0.0, -half), (radii[0], -half)] + [(r, half) for r in radii[1:] if r > 0.0] + [(0.0, half)]
    return _along(_rings(profile, sides), axis), max(radii) * (1.0 - math.cos(math.pi / sides))


def box(size: float) -> tuple[Mesh, float]:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d))], np.int32)
    return (corners, faces), 0.0


def capsule(radius: float, height: float, axis: str, sag: Sag) -> tuple[Mesh, float]:
    """A cylinder of that height with half a ball on each end."""
    sides = _sides(radius, None if sag is None else sag / 2)
    low = [(radius * math.sin(t), -radius * math.cos(t) - height / 2) for t in _quarter(sides)]
    high = [(radius * math.sin(t), radius * math.cos(t) + height / 2) for t in reversed(_quarter(sides))]
    if height == 0.0:
        high = high[1:]
    profile = [(0.0, low[0][1]), *low[1:], *high[:-1], (0.0, high[-1][1])]
    return _along(_rings(profile, sides), axis), _ball_sag(radius, sides)


def ball(radius: float, sag: Sag) -> tuple[Mesh, float]:
    return capsule(radius, 0.0, "Z", sag)


def _quarter(sides: int) -> list[float]:
    """Angles from the pole to the equator, as far apart as the sides of a circle."""
    steps = sides // 4
    return [0.5 * math.pi * i / steps for i in range(steps + 1)]


def _ball_sag(radius: float, sides: int) -> float:
    """A point of a chord of a chord: the sagittas of both directions together are a bound."""
    return 2.0 * radius * (1.0 - math.cos(math.pi / sides))
