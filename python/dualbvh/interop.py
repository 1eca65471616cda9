# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Meshes and scenes of other libraries. None of them is imported here: what counts is what an object has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .show import Scene


def mesh_from(source: Any) -> _core.Mesh:
    """A Mesh of a trimesh.Trimesh, a TriangleMesh of Open3D (either kind), or a tuple of vertices and faces.

    Arrays are borrowed where they can be. Raises TypeError for anything else.
    """
    if isinstance(source, tuple) and len(source) == 2:
        return _core.Mesh(source[0], source[1])
    if hasattr(source, "vertices") and hasattr(source, "faces"):  # trimesh
        return _core.Mesh(np.asarray(source.vertices), np.asarray(source.faces))
    if hasattr(source, "vertices") and hasattr(source, "triangles"):  # open3d.geometry
        return _core.Mesh(np.asarray(source.vertices), np.asarray(source.triangles))
    if hasattr(source, "vertex") and hasattr(source, "triangle"):  # open3d.t.geometry
        return _core.Mesh(source.vertex.positions.cpu().numpy(), source.triangle.indices.cpu().numpy())
    raise TypeError(
        "a mesh must be a dualbvh.Mesh, the name of a file, a mesh of trimesh or Open3D, or a tuple of vertices and "
        f"faces, not {type(source).__name__}"
    )


def tree_from_bytes(data: bytes) -> _core.Tree:
    """Tree.parse(), by a name that pickle can keep."""
    return _core.Tree.parse(data)


def scene_from_trimesh(source: Any, **options: Any) -> Scene:
    """A Scene with a body for every node of a trimesh.Scene that has triangles, named as the node.

    Nodes that share a geometry share a tree. Where a node's matrix scales, shears or mirrors, that is baked into a
    tree, which nodes of the same scale share, see split_transform(). `options` go to Tree().
    """
    scene = Scene()
    trees: dict[tuple[str, bytes], _core.Tree] = {}
    for node in sorted(source.graph.nodes_geometry):
        matrix, name = source.graph[node]
        mesh = source.geometry[name]
        if not hasattr(mesh, "faces") or len(mesh.faces) == 0:
            continue
        pose, baked = split_transform(matrix)
        key = (name, b"" if baked is None else baked.tobytes())
        if key not in trees:
            vertices = mesh.vertices if baked is None else np.asarray(mesh.vertices) @ baked.T
            trees[key] = _core.Tree((vertices, np.asarray(mesh.faces)), **options)
        scene.add(trees[key], pose, name=str(node))
    return scene


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
