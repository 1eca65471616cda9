# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The stand-in for trimesh's CollisionManager. Neither trimesh nor python-fcl is needed."""

from __future__ import annotations

import math
from types import SimpleNamespace

import dualbvh
import numpy as np
import pytest
from dualbvh.compat.trimesh import CollisionManager, scene_to_collision
from shapes import box, shift, sphere


def mesh(vertices: np.ndarray, faces: np.ndarray, is_convex: bool = True) -> SimpleNamespace:
    return SimpleNamespace(vertices=vertices, faces=faces, is_convex=is_convex)


CUBE, BALL = mesh(*box()), mesh(*sphere())


def test_single() -> None:
    manager = CollisionManager()
    assert manager.in_collision_single(CUBE) is False
    assert manager.min_distance_single(CUBE) == math.inf
    manager.add_object("a", CUBE)
    manager.add_object("b", CUBE, shift(5))
    assert manager.in_collision_single(CUBE) is True
    hit, names, data = manager.in_collision_single(CUBE, shift(5.75), return_names=True, return_data=True)
    assert (hit, names) == (True, {"b"})
    (contact,) = data
    assert contact.names == {"b", "__external"} and contact.depth == pytest.approx(0.25)
    assert np.allclose(contact.normal, [1, 0, 0]) and contact.point[0] == pytest.approx(5.875)
    assert manager.in_collision_single(CUBE, shift(9), return_names=True) == (False, set())
    distance, name, found = manager.min_distance_single(CUBE, shift(2), return_name=True, return_data=True)
    assert (distance, name) == (1.0, "a") and found.names == {"a", "__external"}
    assert found.point("a")[0] == 1 and found.point("__external")[0] == 2 and 0 <= found.index("a") < 12
    assert manager.min_distance_single(CUBE, shift(5.75)) == pytest.approx(-0.25)


def test_internal() -> None:
    manager = CollisionManager()
    for name, x in (("c", 0.0), ("a", 0.5), ("b", 4.0)):
        manager.add_object(name, CUBE, shift(x))
    assert manager.in_collision_internal(return_names=True) == (True, {("a", "c")})
    manager.set_transform("a", shift(2))
    assert manager.in_collision_internal() is False
    distance, names, data = manager.min_distance_internal(return_names=True, return_data=True)
    assert (distance, names) == (1.0, ("a", "b")) or (distance, names) == (1.0, ("a", "c"))
    assert np.linalg.norm(data.point(names[0]) - data.point(names[1])) == distance
    assert manager.min_distance_internal(name="b", return_names=True) == (1.0, ("a", "b"))
    manager.remove_object("a")
    assert manager.min_distance_internal() == 3
    manager.add_object("b", BALL, shift(0.5))  # in place of the cube
    assert manager.in_collision_internal() is True and "2 objects" in repr(manager)
    for wrong in (lambda: manager.remove_object("z"), lambda: manager.set_transform("z", np.eye(4)),
                  lambda: manager.add_object("z", CUBE, np.eye(3)),
                  lambda: manager.min_distance_internal(name="z")):  # fmt: skip
        with pytest.raises(ValueError):
            wrong()


def test_other() -> None:
    one, two = CollisionManager(), CollisionManager()
    one.add_object("a", CUBE)
    one.add_object("b", CUBE, shift(0.5))  # its own objects do not count
    two.add_object("a", CUBE, shift(3))
    assert one.in_collision_other(two) is False
    assert one.min_distance_other(two, return_names=True) == (1.5, ("b", "a"))
    two.add_object("c", CUBE, shift(1.25))
    hit, names, data = one.in_collision_other(two, return_names=True, return_data=True)
    assert (hit, names, len(data)) == (True, {("b", "c")}, 1)
    assert two.in_collision_other(one, return_names=True)[1] == {("c", "b")}


def test_convex_meshes_are_solids() -> None:
    small, hollow = mesh(*box(0.25)), mesh(*box(), is_convex=False)
    inside = shift(0.3, 0.3, 0.3)
    for container, want in ((CUBE, True), (hollow, False)):
        manager = CollisionManager()
        manager.add_object("container", container)
        assert manager.in_collision_single(small, inside) is want
        assert (manager.min_distance_single(small, inside) < 0) is want
        manager.add_object("small", small, inside)
        assert manager.in_collision_internal(return_names=True)[0] is want


def test_surfaces() -> None:
    """A contact for every pair of triangles, with the depth of the meshes."""
    hollow = mesh(*box(), is_convex=False)
    manager = CollisionManager()
    manager.add_object("cube", hollow)
    pose = shift(0.9, 0.2, 0.1)
    _, data = manager.in_collision_single(hollow, pose, return_data=True)
    tree = dualbvh.Tree(box())
    pairs = dualbvh.collide_pairs(tree, tree, pose)
    assert {(c.index("cube"), c.index("__external")) for c in data} == {tuple(p) for p in pairs.tolist()}
    assert all(c.depth == pytest.approx(0.1) and np.allclose(abs(c.normal), [1, 0, 0]) for c in data)
    assert all(0.9 <= c.point[0] <= 1 for c in data)
    assert manager.min_distance_single(hollow, pose) == 0


def test_matrices_of_four_digits() -> None:
    c, s = round(math.cos(0.5), 4), round(math.sin(0.5), 4)
    turned = np.eye(4)
    turned[:2, :2] = [[c, -s], [s, c]]
    manager = CollisionManager()
    manager.add_object("a", CUBE, turned)
    assert manager.in_collision_single(CUBE)
    with pytest.raises(dualbvh.errors.NotRigid):
        manager.add_object("b", CUBE, np.diag([2.0, 2, 2, 1]))


def test_scene() -> None:
    class Graph:
        nodes_geometry = ("x", "y")

        def __getitem__(self, node: str) -> tuple[np.ndarray, str]:
            return shift(0.5 if node == "y" else 0), "cube"

    manager, objects = scene_to_collision(SimpleNamespace(graph=Graph(), geometry={"cube": CUBE}))
    assert set(objects) == {"x", "y"} and manager.in_collision_internal(return_names=True)[1] == {("x", "y")}


def test_a_mesh_that_changes() -> None:
    """Trees are kept by the hash of a mesh's content, as trimesh's is."""

    class Hashed:
        is_convex = True

        def __init__(self) -> None:
            self.vertices, self.faces = box()

        def __hash__(self) -> int:
            return hash(self.vertices.tobytes())

    changing, manager = Hashed(), CollisionManager()
    manager.add_object("cube", CUBE)
    assert manager.in_collision_single(changing, shift(0.9))
    changing.vertices = changing.vertices * 0.5 + 0.5
    assert not manager.in_collision_single(changing, shift(0.9))
