# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""A CollisionManager with the methods of trimesh.collision.CollisionManager, and dualbvh behind it.

    from dualbvh.compat.trimesh import CollisionManager

It needs neither python-fcl nor, by itself, trimesh: a mesh is what has `vertices`, `faces` and, if it is to be taken
for a solid, a true `is_convex`. What differs from trimesh's manager:

- Verdicts are exact, where FCL's come from floating point: meshes that touch in a point are in collision.
- Transforms keep their doubles (trimesh rounds those of add_object to float32), and must be rotations with a
  translation to within 1e-3; they are made exact rotations where they are off by more than rounding. Only nodes of
  scene_to_collision() may scale, shear and mirror, which is baked into their meshes; set_transform() of such an object
  takes what scales it in the same way.
- As with FCL, a convex mesh is a solid: what is inside it without touching its surface is in collision with it. Any
  other mesh is its surface.
- Two convex meshes have one contact, whose `depth` is the length of the shortest translation that separates them, to
  within 1e-9 of their sizes (convex_depth() says where not), `normal` its direction for the second one, and `point` in
  the middle of the overlap. Other pairs have one contact for every pair of triangles that intersect, at the middle of
  what those share; `depth` and `normal` are those of the pair of meshes, found when they are first asked for, because a
  pair of triangles has no depth. Of meshes that are not convex the depth is that of the shortest translation found: an
  upper bound.
- Distances of meshes that are in collision are minus that depth for two convex ones, else 0.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._transform import split_transform
from ..errors import Error, NotRigid
from ..interop import mesh_from
from ._depth import convex_depth

Vector = NDArray[np.float64]
Name = Hashable
EXTERNAL = "__external"

# The largest deviation of a matrix from a rotation that is accepted.
_REPAIRED = 1e-3


class ContactData:
    """A place where two objects are in contact."""

    def __init__(
        self,
        names: tuple[Name, Name],
        faces: tuple[int, int],
        point: Vector,
        separate: Callable[[], tuple[Vector, float]],
    ) -> None:
        self.names = set(names)
        self._faces = dict(zip(names, faces))
        self._point = point
        self._separate = separate

    @property
    def normal(self) -> Vector:
        """The direction, (3,), in which the second object leaves the first one on the shortest way found."""
        return self._separate()[0]

    @property
    def point(self) -> Vector:
        """A point, (3,), of the contact, in world coordinates."""
        return self._point

    @property
    def depth(self) -> float:
        """The distance that the second object must move along the normal to end the overlap."""
        return self._separate()[1]

    def index(self, name: Name) -> int:
        """The face of the named object that is in contact."""
        return self._faces[name]


class DistanceData:
    """Two objects and the points of them that are closest to each other."""

    def __init__(
        self, names: tuple[Name, Name], distance: float, faces: tuple[int, int], points: tuple[Vector, Vector]
    ) -> None:
        self.names = set(names)
        self._distance = distance
        self._faces = dict(zip(names, faces))
        self._points = dict(zip(names, points))

    @property
    def distance(self) -> float:
        """The distance of the two objects; below 0 where convex ones overlap."""
        return self._distance

    def index(self, name: Name) -> int:
        """The closest face of the named object."""
        return self._faces[name]

    def point(self, name: Name) -> Vector:
        """The closest point, (3,), of the named object, in world coordinates."""
        return self._points[name]


class _Geometry:
    """The data of a mesh: its tree, whether it is a solid, and the change of its vertices."""

    def __init__(self, mesh: Any, baked: Vector | None = None) -> None:
        self.mesh = mesh_from(mesh)
        self.baked = baked
        if baked is not None:
            self.mesh = _core.Mesh(np.asarray(self.mesh.vertices, dtype=np.float64) @ baked.T, self.mesh.faces)
        self.tree = _core.Tree(self.mesh)
        self.vertices = np.asarray(self.mesh.vertices, dtype=np.float64)[np.unique(self.mesh.faces)]  # in use
        self.convex = bool(getattr(mesh, "is_convex", False))


# The geometry of meshes that are alive, by id, with the hash of the content that it was made from.
_geometries: dict[int, tuple[weakref.ref[Any], int, _Geometry]] = {}


def _geometry(mesh: Any) -> _Geometry:
    known = _geometries.get(id(mesh))
    if known is not None and known[0]() is mesh and known[1] == hash(mesh):
        return known[2]
    made = _Geometry(mesh)
    key = id(mesh)
    try:
        reference = weakref.ref(mesh, lambda _: _geometries.pop(key, None))
        if getattr(type(mesh), "__hash__", None) is not object.__dict__["__hash__"]:  # trimesh hashes the content
            _geometries[key] = (reference, hash(mesh), made)
    except TypeError:
        pass
    return made


def _pose(transform: ArrayLike | None) -> Vector:
    pose = np.eye(4) if transform is None else np.array(transform, dtype=np.float64)
    if pose.shape != (4, 4):
        raise ValueError("transform must be (4,4)!")
    pose[3] = (0, 0, 0, 1)
    try:
        _core.check_pose(pose)
    except NotRigid:
        repaired = _core.orthonormalise(pose)
        if np.abs(repaired[:, :3] - pose[:3, :3]).max() > _REPAIRED:
            raise
        pose[:3] = repaired
    return pose


def _pose_of(geometry: _Geometry, transform: ArrayLike) -> Vector:
    """The pose of a geometry that is to be where `transform` brings the mesh."""
    if geometry.baked is None:
        return _pose(transform)
    matrix = np.array(transform, dtype=np.float64)
    if matrix.shape == (4, 4):
        matrix[:3, :3] = matrix[:3, :3] @ np.linalg.inv(geometry.baked)
    return _pose(matrix)


class _Body:
    def __init__(self, name: Name, geometry: _Geometry, pose: Vector) -> None:
        self.name = name
        self.geometry = geometry
        self.pose = pose


def _placed(body: _Body) -> Vector:
    placed: Vector = body.geometry.vertices @ body.pose[:3, :3].T + body.pose[:3, 3]
    return placed


def convex_separation(first: _Body, second: _Body) -> tuple[Vector, float]:
    """The direction in which the second of two solids leaves the first, and how far."""
    a, b = _placed(first), _placed(second)
    way, depth = convex_depth(a, b)
    # Two opposite directions may have the same depth: choose that of FCL in trimesh's tests, for either order.
    if tuple(way) > (0.0, 0.0, 0.0):
        back = float((b @ way).max() - (a @ way).min())
        if back <= depth * (1.0 + 1e-12):
            return -way, back
    return way, depth


def _middles(found: _core.Contacts, pose: Vector) -> Vector:
    """The middle of the corners of each contact, in world coordinates; `pose` is that of the first body."""
    begins, counts = (found.contacts[name].astype(np.intp) for name in ("first_corner", "corner_count"))
    of = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    corners = found.points["position"][found.corners[begins[of] + within]]
    sums = np.stack([np.bincount(of, corners[:, k], len(counts)) for k in range(3)], axis=1)
    middles: Vector = (sums / counts[:, None]) @ pose[:3, :3].T + pose[:3, 3]
    return middles


class _World:
    """A scene, and what is known of its bodies."""

    def __init__(self) -> None:
        self.scene = _core.Scene()
        self.bodies: dict[int, _Body] = {}

    def add(self, body: _Body, group: int = 0, mask: int = 0) -> int:
        number = self.scene.add(body.geometry.tree, body.pose, group=group, mask=mask)
        self.bodies[number] = body
        return number

    def remove(self, number: int) -> None:
        self.scene.remove(number)
        del self.bodies[number]

    def collisions(self, any: bool, body: int | None = None) -> list[tuple[int, int]]:
        """The pairs that are in collision, sorted; with `any` one of them at most."""
        meeting = [(int(a), int(b)) for a, b, _ in self.scene.collide(any=any, body=body)]
        if any and meeting:
            return meeting
        if not builtin_any(b.geometry.convex for b in self.bodies.values()):
            return meeting
        known = set(meeting)
        for a, b in self.scene.pairs().tolist():
            if (a, b) not in known and (body is None or body in (a, b)) and self.holds(a, b):
                meeting.append((a, b))
                if any:
                    break
        return sorted(meeting)

    def holds(self, a: int, b: int) -> bool:
        """Is one of two bodies whose surfaces do not meet inside the other, which is a solid?"""
        first, second = self.bodies[a].geometry, self.bodies[b].geometry
        if not first.convex and not second.convex:
            return False
        relation = _core.relate(first.tree, second.tree, self.bodies[b].pose, self.bodies[a].pose).relation
        return (first.convex and relation == _core.Relation.B_IN_A) or (
            second.convex and relation == _core.Relation.A_IN_B
        )

    def separation(self, a: int, b: int) -> tuple[Vector, float]:
        """The direction in which b leaves a, and how far."""
        first, second = self.bodies[a], self.bodies[b]
        if first.geometry.convex and second.geometry.convex:
            return convex_separation(first, second)
        try:
            found = _core.separating_translation(first.geometry.tree, second.geometry.tree, second.pose, first.pose)
        except Error:  # open surfaces that may hold anything
            return np.zeros(3), 0.0
        if found.length == 0.0:
            return np.zeros(3), 0.0
        way = first.pose[:3, :3] @ found.translation
        # Two opposite directions may have the same depth: choose that of FCL in trimesh's tests, for either order.
        if tuple(way) > (0.0, 0.0, 0.0):
            back = second.pose.copy()
            back[:3, 3] -= way
            relation = _core.relate(first.geometry.tree, second.geometry.tree, back, first.pose).relation
            if relation == _core.Relation.DISJOINT:
                way = -way
        return way / found.length, found.length

    def deepest(self, a: int, b: int) -> tuple[Vector, float, Vector]:
        """The same, and the first vertex of a that is farthest on that way."""
        normal, depth = self.separation(a, b)
        body = self.bodies[a]
        vertices = body.geometry.vertices
        farthest = vertices[int(np.argmax(vertices @ (body.pose[:3, :3].T @ normal)))]
        return normal, depth, body.pose[:3, :3] @ farthest + body.pose[:3, 3]

    def contacts(self, a: int, b: int, names: tuple[Name, Name]) -> list[ContactData]:
        """A contact of two bodies in collision; `names` are those of a and b."""
        first, second = self.bodies[a], self.bodies[b]
        if first.geometry.convex and second.geometry.convex:
            normal, depth, deepest = self.deepest(a, b)
            hit = _core.collide(first.geometry.tree, second.geometry.tree, second.pose, first.pose).first
            return [ContactData(names, hit or (-1, -1), deepest - 0.5 * depth * normal, lambda: (normal, depth))]
        known: list[tuple[Vector, float]] = []

        def separate() -> tuple[Vector, float]:
            if not known:
                known.append(pair.separation(0, 1))
            return known[0]

        pair = _World()  # a copy, because these may be moved before somebody asks
        pair.add(_Body(first.name, first.geometry, first.pose.copy()))
        pair.add(_Body(second.name, second.geometry, second.pose.copy()))
        found = _core.contacts(first.geometry.tree, second.geometry.tree, second.pose, first.pose)
        pairs = found.contacts["pair"]
        list_of = [
            ContactData(names, faces, point, separate)
            for faces, point in zip(pairs.tolist(), _middles(found, first.pose))
        ]
        if not list_of:  # one is inside the other
            list_of.append(ContactData(names, (-1, -1), second.pose[:3, 3].copy(), separate))
        return list_of

    def penetration(self, a: int, b: int) -> DistanceData:
        """The penetration depth of two bodies in collision, if both are solids; else that they are 0 apart, and a
        point that they share."""
        first, second = self.bodies[a], self.bodies[b]
        if first.geometry.convex and second.geometry.convex:
            hit = _core.collide(first.geometry.tree, second.geometry.tree, second.pose, first.pose).first or (-1, -1)
            normal, depth, deepest = self.deepest(a, b)
            return DistanceData((a, b), -depth, hit, (deepest, deepest - depth * normal))
        shared = _core.distance(first.geometry.tree, second.geometry.tree, second.pose, first.pose)
        if shared.distance > 0.0:  # one is inside the other
            at = second.pose[:3, 3].copy()
            return DistanceData((a, b), 0.0, (-1, -1), (at, at))
        return DistanceData((a, b), 0.0, shared.pair, (shared.point_a, shared.point_b))

    def nearest(self, body: int | None = None) -> tuple[float, tuple[int, int], DistanceData] | None:
        """The least distance, of which pair, and its points, named by the numbers of the bodies."""
        least: tuple[float, tuple[int, int], DistanceData] | None = None
        for a, b in self.collisions(False, body):
            if least is not None and not (self.bodies[a].geometry.convex and self.bodies[b].geometry.convex):
                continue  # a distance of 0 is not closer
            data = self.penetration(a, b)
            if least is None or data.distance < least[0]:
                least = (data.distance, (a, b), data)
        if least is not None:
            return least
        found = self.scene.distance(body=body)
        if found is None:
            return None
        data = DistanceData(found.bodies, found.distance, found.pair, (found.point_a, found.point_b))
        return found.distance, found.bodies, data


builtin_any = any  # `any` names an argument above, as in Scene.collide()


def _renamed(data: DistanceData, pair: tuple[int, int], names: tuple[Name, Name]) -> DistanceData:
    a, b = pair
    return DistanceData(names, data.distance, (data.index(a), data.index(b)), (data.point(a), data.point(b)))


def _answer(first: Any, *others: tuple[bool, Any]) -> Any:
    """`first`, or a tuple of it and of those others that are wanted."""
    wanted = tuple(value for want, value in others if want)
    return (first, *wanted) if wanted else first


class CollisionManager:
    """Many named meshes: which are in collision, and how far apart are they?"""

    def __init__(self) -> None:
        self._world = _World()
        self._numbers: dict[Name, int] = {}

    def __repr__(self) -> str:
        return f"<dualbvh.compat.trimesh.CollisionManager: {len(self._numbers)} objects>"

    @property
    def _objs(self) -> dict[Name, int]:
        return self._numbers

    def add_object(self, name: Name, mesh: Any, transform: ArrayLike | None = None) -> int:
        """Adds a mesh under a name, in place of what had that name; `transform` is (4, 4), None the identity."""
        return self._put(_Body(name, _geometry(mesh), _pose(transform)))

    def _put(self, body: _Body) -> int:
        if body.name in self._numbers:
            self.remove_object(body.name)
        self._numbers[body.name] = self._world.add(body)
        return self._numbers[body.name]

    def remove_object(self, name: Name) -> None:
        """Removes an object; ValueError if there is none of that name."""
        self._world.remove(self._number(name))
        del self._numbers[name]

    def set_transform(self, name: Name, transform: ArrayLike) -> None:
        """Moves an object; ValueError if there is none of that name."""
        number = self._number(name)
        pose = _pose_of(self._world.bodies[number].geometry, transform)
        self._world.scene.set_pose(number, pose)
        self._world.bodies[number].pose = pose

    def in_collision_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Is a mesh in collision with any object?

        Returns a bool, then as asked for the set of names of the objects that are, and a list of ContactData, in which
        the mesh is called "__external".
        """
        world = self._world
        external = world.add(_Body(EXTERNAL, _geometry(mesh), _pose(transform)))
        try:
            pairs = world.collisions(not (return_names or return_data), external)
            names = {world.bodies[a if b == external else b].name for a, b in pairs}
            contacts = self._contacts(world, pairs) if return_data else []
        finally:
            world.remove(external)
        return _answer(bool(pairs), (return_names, names), (return_data, contacts))

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Are any two objects in collision?

        Returns a bool, then as asked for the set of pairs of names, each in alphabetical order, and a list of
        ContactData.
        """
        world = self._world
        pairs = world.collisions(not (return_names or return_data))
        names = {_sorted((world.bodies[a].name, world.bodies[b].name)) for a, b in pairs}
        contacts = self._contacts(world, pairs) if return_data else []
        return _answer(bool(pairs), (return_names, names), (return_data, contacts))

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Is any object in collision with one of another manager?

        Returns a bool, then as asked for the set of pairs of names, this manager's first, and a list of ContactData.
        """
        world = self._joined(other_manager)
        pairs = world.collisions(not (return_names or return_data))
        names = {(world.bodies[a].name, world.bodies[b].name) for a, b in pairs}
        contacts = self._contacts(world, pairs) if return_data else []
        return _answer(bool(pairs), (return_names, names), (return_data, contacts))

    def min_distance_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """The distance of a mesh from the closest object; then as asked for the object's name, and a DistanceData."""
        world = self._world
        external = world.add(_Body(EXTERNAL, _geometry(mesh), _pose(transform)))
        try:
            found = world.nearest(external)
            if found is None:
                return _answer(math.inf, (return_name, None), (return_data, None))
            distance, (a, b), data = found
            names = (world.bodies[a].name, world.bodies[b].name)
            name = names[0] if b == external else names[1]
        finally:
            world.remove(external)
        return _answer(distance, (return_name, name), (return_data, _renamed(data, (a, b), names)))

    def min_distance_internal(
        self, name: Name | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The least distance of any two objects, or, with a name, of that object and any other.

        Then as asked for their names in alphabetical order, and a DistanceData.
        """
        world = self._world
        found = world.nearest(None if name is None else self._number(name))
        if found is None:
            return _answer(math.inf, (return_names, None), (return_data, None))
        distance, (a, b), data = found
        names = (world.bodies[a].name, world.bodies[b].name)
        return _answer(distance, (return_names, _sorted(names)), (return_data, _renamed(data, (a, b), names)))

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The least distance of any object and one of another manager; then as asked for names, this manager's first,
        and a DistanceData."""
        world = self._joined(other_manager)
        found = world.nearest()
        if found is None:
            return _answer(math.inf, (return_names, None), (return_data, None))
        distance, (a, b), data = found
        names = (world.bodies[a].name, world.bodies[b].name)
        return _answer(distance, (return_names, names), (return_data, _renamed(data, (a, b), names)))

    def _number(self, name: Name) -> int:
        if name not in self._numbers:
            raise ValueError(f"{name} not in collision manager!")
        return self._numbers[name]

    def _joined(self, other: CollisionManager) -> _World:
        """Both managers' objects, looked at where they are of different ones; this one's have the lower numbers."""
        world = _World()
        for manager, group, mask in ((self, 1, 2), (other, 2, 1)):
            for body in manager._world.bodies.values():
                world.add(body, group, mask)
        return world

    @staticmethod
    def _contacts(world: _World, pairs: Iterable[tuple[int, int]]) -> list[ContactData]:
        contacts: list[ContactData] = []
        for a, b in pairs:
            contacts += world.contacts(a, b, (world.bodies[a].name, world.bodies[b].name))
        return contacts


def _sorted(names: tuple[Name, Name]) -> tuple[Name, Name]:
    a, b = sorted(names)  # type: ignore[type-var]
    return a, b


def scene_to_collision(scene: Any) -> tuple[CollisionManager, dict[Name, int]]:
    """A manager with an object for every node of a trimesh.Scene that has a geometry, and the objects by node.

    Where a node scales, shears or mirrors, that is baked into its mesh.
    """
    manager = CollisionManager()
    objects: dict[Name, int] = {}
    scaled: dict[tuple[str, bytes], _Geometry] = {}
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        mesh = scene.geometry[name]
        try:
            body = _Body(node, _geometry(mesh), _pose(transform))
        except NotRigid:
            pose, baked = split_transform(transform)
            assert baked is not None
            key = (name, baked.tobytes())
            if key not in scaled:
                scaled[key] = _Geometry(mesh, baked)
            body = _Body(node, scaled[key], pose)
        objects[node] = manager._put(body)
    return manager, objects
