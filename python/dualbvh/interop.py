# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Meshes and scenes of other libraries. None of them is imported here: what counts is what an object has."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._transform import split_transform
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
