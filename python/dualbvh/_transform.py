# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Matrices of other programs as a pose, and what is to be done to a mesh before."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core


def split_transform(matrix: Any) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """A pose, 4 x 4, and what is to be done to the vertices before, 3 x 3 or None: together they are the matrix.

    A matrix that scales alike in all directions leaves the same scale to bake for every rotation, so that instances
    share what is baked; any other one is baked whole, but for its translation.
    """
    pose = np.array(matrix, dtype=np.float64)
    linear = pose[:3, :3].copy()
    if is_rotation(linear):
        return pose, None
    if not np.isfinite(linear).all():  # Mesh() refuses it
        return pose, linear
    # Few digits, which rounding of the matrix does not reach; the pose, which is taken as it is, has the rest.
    scale = float(np.float32(np.cbrt(abs(np.linalg.det(linear))))) or 1.0
    if is_rotation(linear / scale):
        pose[:3, :3] = linear / scale
        return pose, np.eye(3) * scale
    pose[:3, :3] = np.eye(3)
    return pose, linear


def is_rotation(matrix: Any) -> bool:
    """Is a 3 x 3 matrix a rotation, as far as poses must be (POSE_TOLERANCE)?"""
    try:
        _core.check_pose(np.column_stack([matrix, np.zeros(3)]))
    except ValueError:
        return False
    return True
