# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The stand-in for trimesh's CollisionManager. Neither trimesh nor python-fcl is needed."""

from __future__ import annotations

import math
import time
from types import SimpleNamespace

import dualbvh
import numpy as np
import pytest
from dualbvh.compat._depth import convex_depth
from dualbvh.compat.trimesh import CollisionManager, scene_to_collision
from shapes import box, poses, shift, sphere


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


def _edges(solid: SimpleNamespace) -> np.ndarray:
    faces = solid.faces
    ends = np.unique(np.sort(np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0)
    return solid.vertices[ends[:, 1]] - solid.vertices[ends[:, 0]]


def _normals(solid: SimpleNamespace) -> np.ndarray:
    corners = solid.vertices[solid.faces]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _true_depth(a: SimpleNamespace, b: SimpleNamespace) -> float:
    """The depth of convex solids, by every direction that a face of their difference can have."""
    crossed = np.cross(_edges(a)[:, None], _edges(b)[None]).reshape(-1, 3)
    ways = np.vstack([_normals(a), _normals(b), crossed])
    lengths = np.linalg.norm(ways, axis=1)
    ways = ways[lengths > 1e-6] / lengths[lengths > 1e-6, None]
    ways = np.vstack([ways, -ways])
    return float(((a.vertices @ ways.T).max(axis=0) - (b.vertices @ ways.T).min(axis=0)).min())


def test_depth_of_solids(rng: np.random.Generator, scale: float) -> None:
    """The depth is the true one: moving by it separates the solids, and a little less does not."""
    solids = [mesh(*box()), mesh(*sphere(n=4)), mesh(*sphere(0.5, n=3))]
    met = 0
    for i in range(max(40, int(200 * scale))):
        first, second = solids[i % 3], solids[(i // 3) % 3]
        pose = shift(*rng.integers(-3, 4, 3) * 0.25) if i % 4 == 0 else poses(rng, 1, 1)[0]
        placed = mesh(second.vertices @ pose[:3, :3].T + pose[:3, 3], second.faces)
        way, depth = convex_depth(first.vertices, placed.vertices)
        want = _true_depth(first, placed)
        assert depth == pytest.approx(max(want, 0.0), rel=1e-8, abs=1e-8)
        if depth > 0:
            met += 1
            assert np.linalg.norm(way) == pytest.approx(1)
            moved = [mesh(placed.vertices + part * depth * way, second.faces) for part in (1.0, 0.99)]
            assert _true_depth(first, moved[0]) < 1e-7 < _true_depth(first, moved[1])
    assert met > 10
    manager = CollisionManager()
    manager.add_object("cube", CUBE)
    unused = mesh(np.vstack([CUBE.vertices, [[9, 9, 9]]]), CUBE.faces)
    assert manager.min_distance_single(unused, shift(0.75)) == -0.25


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
    found = dualbvh.contacts(tree, tree, pose)
    for contact, got in zip(found.contacts, data):  # at the middle of what the two triangles share
        begin = int(contact["first_corner"])
        shared = found.points["position"][found.corners[begin : begin + int(contact["corner_count"])]]
        assert np.allclose(got.point, shared.mean(axis=0))
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


def test_scenes_that_scale() -> None:
    """A scene as trimesh reads it from glTF: a root in other units, a node that is squeezed, one that is mirrored."""
    c, s = math.cos(0.5), math.sin(0.5)
    turned = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    nodes = {
        "small": np.diag([0.001, 0.001, 0.001, 1]),
        "small and turned": shift(0.0005) @ turned @ np.diag([0.001, 0.001, 0.001, 1]),
        "long": shift(0, 3) @ np.diag([4.0, 1, 1, 1]),
        "mirrored": shift(5, 3) @ np.diag([-1.0, 1, 1, 1]),
        "plain": shift(0, 0, 7),
    }

    class Graph:
        nodes_geometry = tuple(nodes)

        def __getitem__(self, node: str) -> tuple[np.ndarray, str]:
            return nodes[node], "cube"

    source = SimpleNamespace(graph=Graph(), geometry={"cube": CUBE})
    manager, objects = scene_to_collision(source)
    assert set(objects) == set(nodes)
    touching = {("small", "small and turned"), ("long", "mirrored")}
    assert manager.in_collision_internal(return_names=True) == (True, touching)
    assert manager.min_distance_internal("plain") == pytest.approx(math.hypot(2, 6))
    bodies = manager._world.bodies
    trees = {name: bodies[number].geometry.tree for name, number in objects.items()}
    assert trees["small"] is trees["small and turned"] is not trees["plain"]
    for name, number in objects.items():  # the mesh is where the matrix brings it
        placed = np.asarray(bodies[number].geometry.mesh.vertices) @ bodies[number].pose[:3, :3].T
        want = CUBE.vertices @ nodes[name][:3, :3].T
        assert np.abs(placed + bodies[number].pose[:3, 3] - want - nodes[name][:3, 3]).max() < 1e-14
    manager.set_transform("long", shift(0, 3, 100) @ turned @ np.diag([4.0, 1, 1, 1]))
    assert manager.in_collision_internal(return_names=True)[1] == {("small", "small and turned")}
    with pytest.raises(dualbvh.errors.NotRigid):
        manager.set_transform("long", shift(0, 3))
    scene = dualbvh.scene_from_trimesh(source)
    assert {frozenset((scene.name(a), scene.name(b))) for a, b in scene.collide()[["a", "b"]].tolist()} == {
        frozenset(pair) for pair in touching
    }
    assert len({id(scene.tree(body)) for body in scene.bodies}) == 4
    nodes["plain"] = np.full((4, 4), np.nan)
    for read in (scene_to_collision, dualbvh.scene_from_trimesh):
        with pytest.raises(ValueError):
            read(source)


def test_distance_of_surfaces_that_meet() -> None:
    """The distance of meshes that meet needs one common point, not the contacts of all triangles, many of them here."""
    hollow = mesh(*sphere(n=48), is_convex=False)
    manager = CollisionManager()
    manager.add_object("a", hollow)
    manager.add_object("b", hollow, shift(1e-3, 2e-3, 3e-3))
    contacts = dualbvh.contacts(dualbvh.Tree(sphere(n=48)), dualbvh.Tree(sphere(n=48)), shift(1e-3, 2e-3, 3e-3))
    assert len(contacts) > 300
    found = []
    times = {"distance": 0.0, "contacts": 0.0}
    for _ in range(3):
        for name, ask in (("distance", manager.min_distance_internal), ("contacts", manager.in_collision_internal)):
            begin = time.thread_time()
            found.append(ask(return_data=True))
            times[name] += time.thread_time() - begin
    assert times["distance"] < 0.5 * times["contacts"]
    distance, data = found[0]
    assert distance == 0 and data.distance == 0 and data.names == {"a", "b"}
    a, b = data.point("a"), data.point("b")
    assert np.array_equal(a, b) and abs(np.linalg.norm(a) - 1) < 0.01
    assert any((c["pair"]["a"], c["pair"]["b"]) == (data.index("a"), data.index("b")) for c in contacts.contacts)


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
