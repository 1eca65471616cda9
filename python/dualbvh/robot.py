# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Robots from models of other packages: pinocchio's, with the kinematics in this library.

    import pinocchio as pin
    from dualbvh.robot import from_pinocchio

    model, geometry, _ = pin.buildModelsFromUrdf("robot.urdf")
    geometry.addAllCollisionPairs()
    robot = from_pinocchio(model, geometry)
    robot.collides(q)                     # n x nq: an answer each
    robot.check_edges(q)["verdict"]       # certified, each to the next

Nothing here imports pinocchio: it takes its objects.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .show import Scene

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ._types import Records

__all__ = ["PinocchioRobot", "from_pinocchio"]

_KIND = _core.JointKind
_Q = _core.RobotLayout.PINOCCHIO
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def _joint_of(joint: Any, subspace: Any, name: str) -> tuple[_core.JointKind, Sequence[float] | None]:
    """The kind and the axis of a joint of pinocchio, of which `subspace` is what it moves by: 6 x n."""
    kind = joint.shortname().removeprefix("JointModel")
    if kind in ("FreeFlyer", "Planar"):
        return (_KIND.FLOATING if kind == "FreeFlyer" else _KIND.PLANAR), None
    for prefix, of in (("RUB", _KIND.CONTINUOUS), ("R", _KIND.REVOLUTE), ("P", _KIND.PRISMATIC)):
        if kind.startswith(prefix) and kind[len(prefix) :] in _AXES:
            return of, _AXES[kind[len(prefix) :]]
    unaligned = {
        "RevoluteUnaligned": _KIND.REVOLUTE,
        "RevoluteUnboundedUnaligned": _KIND.CONTINUOUS,
        "PrismaticUnaligned": _KIND.PRISMATIC,
    }
    if kind in unaligned:
        moves = np.asarray(subspace, float).reshape(6, -1)[:, 0]
        return unaligned[kind], [float(x) for x in (moves[:3] if kind.startswith("P") else moves[3:])]
    msg = f"joint '{name}' is a {kind}: revolute, unbounded, prismatic, planar and free-flyer joints can be taken"
    raise ValueError(msg)


def _rows(placement: Any) -> NDArray[np.float64]:
    """[R|t] of an SE3."""
    return np.column_stack([placement.rotation, placement.translation])


def _box(half: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * np.asarray(half, float)
    faces = "013 032 467 475 045 051 276 263 064 026 157 173"
    quads = [[int(c) for c in f] for f in faces.split()]
    return corners, np.array(quads, np.uint32)


def _round(radius: float, half_length: float, sides: int, capped: bool) -> tuple[Any, Any]:
    """A polyhedron around a cylinder along z, or with `capped` around a capsule or a sphere."""
    grown = radius / math.cos(math.pi / sides)
    if capped:
        rings = sides // 2
        grown /= math.cos(math.pi / (2 * rings))
        angles = [math.pi * k / rings - math.pi / 2 for k in range(1, rings)]
        levels = [(grown * math.cos(a), grown * math.sin(a) + math.copysign(half_length, a)) for a in angles]
        if half_length > 0 and rings % 2 == 0:
            middle = rings // 2 - 1
            levels[middle : middle + 1] = [(grown, -half_length), (grown, half_length)]
        low, high = -grown - half_length, grown + half_length
    else:
        levels, low, high = [(grown, -half_length), (grown, half_length)], -half_length, half_length
    turns = 2 * np.pi * np.arange(sides) / sides
    points = [[r * math.cos(a), r * math.sin(a), z] for r, z in levels for a in turns]
    faces = []
    for k in range(len(levels) - 1):
        for i in range(sides):
            a, b = k * sides + i, k * sides + (i + 1) % sides
            faces += [[a, b, b + sides], [a, b + sides, a + sides]]
    bottom, top, last = len(points), len(points) + 1, (len(levels) - 1) * sides
    points += [[0, 0, low], [0, 0, high]]
    for i in range(sides):
        j = (i + 1) % sides
        faces += [[bottom, j, i], [top, last + i, last + j]]
    return np.array(points, float), np.array(faces, np.uint32)


def _corners(triangle: Any) -> list[int]:
    return [int(triangle[k]) for k in range(3)]


def _mesh_of(geometry: Any, name: str, sides: int) -> tuple[Any, Any]:
    """Vertices and triangles of a shape of coal."""
    kind = type(geometry).__name__
    if hasattr(geometry, "tri_indices") and hasattr(geometry, "vertices"):
        triangles = [_corners(geometry.tri_indices(i)) for i in range(geometry.num_tris)]
        return np.array(geometry.vertices(), float), np.array(triangles, np.uint32)
    if kind == "Box":
        return _box(geometry.halfSide)
    if kind == "Sphere":
        return _round(float(geometry.radius), 0.0, sides, True)
    if kind in ("Cylinder", "Capsule"):
        return _round(float(geometry.radius), float(geometry.halfLength), sides, kind == "Capsule")
    if kind.startswith("Convex"):
        triangles = [_corners(geometry.polygons(i)) for i in range(geometry.num_polygons)]
        return np.array(geometry.points(), float), np.array(triangles, np.uint32)
    msg = f"geometry '{name}' is a {kind}: meshes, convex hulls, boxes, spheres, cylinders and capsules can be taken"
    raise ValueError(msg)


class PinocchioRobot:
    """A model of pinocchio with its geometries: joint i is link i - 1, geometry i is body i of the scene."""

    def __init__(self, robot: _core.Robot, scene: Scene, pairs: list[tuple[int, int]]) -> None:
        self.robot, self.scene, self.pairs = robot, scene, pairs

    def place(self, q: ArrayLike) -> NDArray[np.float64]:
        """Where the geometries on joints are, n x m x 3 x 4, ascending."""
        return self.robot.place(q, _Q)

    def collides(self, q: ArrayLike, *, threads: int = 0) -> NDArray[np.bool_]:
        """Whether any collision pair collides in each configuration, as pinocchio.computeCollisions() tells of one."""
        found: NDArray[np.bool_] = self.robot.collide_batch(self.scene, q, _Q, threads=threads)["intersecting"]
        return found

    def distances(self, q: ArrayLike, max_distance: float = math.inf, *, threads: int = 0) -> Records:
        """The least distance of any collision pair in each configuration: records as of Scene.collide_batch()."""
        return self.robot.collide_batch(self.scene, q, _Q, max_distance=max_distance, threads=threads)

    def nearest(self, q: ArrayLike, limit: float = math.inf, *, threads: int = 0) -> Records:
        """The least distance with its nearest points and normal, see Robot.distance_batch()."""
        return self.robot.distance_batch(self.scene, q, _Q, limit=limit, threads=threads)

    def near_pairs(
        self, q: ArrayLike, margin: float = 0.0, *, threads: int = 0
    ) -> tuple[Records, Records, NDArray[np.uint64]]:
        """Every collision pair that is nearer than a margin, see Robot.near_pairs_batch()."""
        return self.robot.near_pairs_batch(self.scene, q, _Q, margin=margin, threads=threads)

    def check_edges(self, q: ArrayLike, edges: Sequence[tuple[int, int]] | None = None, **options: Any) -> Records:
        """Certified edges in joint space, see Robot.edge_batch()."""
        return self.robot.edge_batch(self.scene, q, edges, _Q, **options)


def from_pinocchio(model: Any, geometry: Any, *, sides: int = 48, **options: Any) -> PinocchioRobot:
    """A robot and its scene from a pinocchio.Model and a pinocchio.GeometryModel.

    Configurations are pinocchio's q. The collision pairs of the geometry model are checked, and no others. Meshes and
    convex hulls are taken triangle by triangle, spheres, cylinders and capsules as polyhedra of so many sides around
    them. `options` go to Tree().
    """
    robot, scene, data = _core.Robot(), Scene(), model.createData()
    for i in range(1, model.njoints):
        kind, axis = _joint_of(model.joints[i], data.joints[i].S, model.names[i])
        parent = model.parents[i]
        link = robot.add_link(parent - 1 if parent > 0 else None, _rows(model.jointPlacements[i]), kind, axis)
        if robot.column(link, _Q) != model.joints[i].idx_q:
            msg = f"joint '{model.names[i]}' has its numbers out of order"
            raise ValueError(msg)
    scene.set_default_rule(_core.PairRule(may_collide=True))
    for i, part in enumerate(geometry.geometryObjects):
        vertices, triangles = _mesh_of(part.geometry, part.name, sides)
        body = scene.add(_core.Tree((vertices, triangles), **options), _rows(part.placement), name=part.name)
        if body != i:
            raise AssertionError(body)
        if part.parentJoint > 0:
            robot.attach(part.parentJoint - 1, body, _rows(part.placement))
    pairs = [(int(p.first), int(p.second)) for p in geometry.collisionPairs]
    for a, b in pairs:
        scene.set_pair_rule(a, b, _core.PairRule())
    return PinocchioRobot(robot, scene, pairs)
