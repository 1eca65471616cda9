# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Types of arguments and results, for type checkers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, Protocol, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ._core import Aabb, Capsule, Ellipsoid, Mesh, Obb, Plane, Ray, Segment, Sphere, Triangle


class Triangles(Protocol):
    """A mesh of trimesh: `vertices`, n x 3, and `faces`, m x 3."""

    @property
    def vertices(self) -> Any: ...
    @property
    def faces(self) -> Any: ...


class Open3DMesh(Protocol):
    """A mesh of Open3D: `vertices` and `triangles`."""

    @property
    def vertices(self) -> Any: ...
    @property
    def triangles(self) -> Any: ...


# 4 x 4, 3 x 4, 12 numbers, or a quaternion (x, y, z, w) with a translation.
PoseLike = Union[ArrayLike, tuple[ArrayLike, ArrayLike]]
# n x 4 x 4, n x 3 x 4, n x 12, or quaternions n x 4 with translations n x 3.
PosesLike = Union[ArrayLike, tuple[ArrayLike, ArrayLike]]
MeshLike = Union["Mesh", str, "os.PathLike[str]", Triangles, Open3DMesh, tuple[ArrayLike, ArrayLike]]
Solid = Union["Sphere", "Aabb", "Obb", "Ellipsoid", "Capsule", "Plane"]
Shape = Union["Sphere", "Aabb", "Obb", "Ellipsoid", "Capsule", "Plane", "Segment", "Ray", "Triangle"]
# A structured array; its dtype is the constant that the function's text names.
Records = NDArray[np.void]
OnError = Literal["raise", "keep"]

# The name of a file.
FileName = Union[str, bytes, "os.PathLike[str]"]

# For Tree, which has a property of this name.
Bytes = bytes
