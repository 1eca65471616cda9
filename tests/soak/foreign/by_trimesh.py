# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Spheres, cylinders and boxes at random poses, below other nodes but in 3MF, as GLB and 3MF of trimesh."""

from __future__ import annotations

import numpy as np
import trimesh


def make(random):
    return [
        lambda: trimesh.creation.icosphere(subdivisions=0, radius=random.uniform(0.3, 1)),
        lambda: trimesh.creation.box(extents=random.uniform(0.2, 2, 3)),
        lambda: trimesh.creation.cylinder(radius=random.uniform(0.1, 0.6), height=random.uniform(0.3, 2.5), sections=7),
    ][random.integers(3)]()


def pose(random):
    made = trimesh.transformations.random_rotation_matrix(random.random(3))
    made[:3, 3] = random.uniform(-1.6, 1.6, 3)
    return made


def write(path, random):
    scene = trimesh.Scene()
    is_deep = not path.endswith("3mf")  # trimesh gives objects of deep 3MF one id twice
    for i in range(random.integers(2, 9)):
        below = None if not is_deep or i == 0 or random.random() < 0.5 else f"body{random.integers(i)}"
        place = {"node_name": f"body{i}", "geom_name": f"body{i}", "parent_node_name": below, "transform": pose(random)}
        scene.add_geometry(make(random), **place)
    scene.export(path)


def bodies(path):
    """What trimesh reads: names, and triangles in the world."""
    read = trimesh.load(path, force="scene", process=False)
    for node in read.graph.nodes_geometry:
        matrix, geometry = read.graph[node]
        mesh = read.geometry[geometry]
        yield (node if node.startswith("body") else geometry), trimesh.transform_points(mesh.vertices, matrix)[mesh.faces]
