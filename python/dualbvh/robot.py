# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Robots from models of other packages: pinocchio's and yourdfpy's, with the kinematics in this library.

    import pinocchio as pin
    from dualbvh.robot import from_pinocchio

    model, geometry, _ = pin.buildModelsFromUrdf("robot.urdf")
    geometry.addAllCollisionPairs()
    robot = from_pinocchio(model, geometry)
    robot.collides(q)                     # n x nq: an answer each
    robot.check_edges(q)["verdict"]       # certified, each to the next

    import yourdfpy
    from dualbvh.robot import from_yourdfpy

    robot = from_yourdfpy(yourdfpy.URDF.load("robot.urdf"))
    robot.collides(cfg)                   # n x num_dofs, in the order of actuated_joint_names

Nothing here imports pinocchio or yourdfpy: it takes their objects.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .show import Scene

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ._types import Records

__all__ = ["ModelRobot", "PinocchioRobot", "YourdfpyRobot", "from_pinocchio", "from_yourdfpy"]

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


class ModelRobot:
    """A robot of another package: links and joints, a scene with its geometries, and the order of its configurations.

    `pairs` are the pairs of bodies that are checked. Configurations are rows of the other package.
    """

    def __init__(
        self,
        robot: _core.Robot,
        scene: Scene,
        pairs: list[tuple[int, int]],
        layout: _core.RobotLayout,
        order: Sequence[int] | None = None,
    ) -> None:
        self.robot, self.scene, self.pairs = robot, scene, pairs
        self._layout, self._order = layout, order

    def configurations(self, q: ArrayLike) -> NDArray[np.float64]:
        """Rows as Robot takes them, of rows of the other package."""
        rows = np.asarray(q, float)
        return rows if self._order is None else rows[..., list(self._order)]

    def place(self, q: ArrayLike) -> NDArray[np.float64]:
        """Where the geometries on joints are, n x m x 3 x 4, ascending."""
        return self.robot.place(self.configurations(q), self._layout)

    def collides(self, q: ArrayLike, *, threads: int = 0) -> NDArray[np.bool_]:
        """Whether any pair collides in each configuration, as pinocchio.computeCollisions() tells of one."""
        records = self.robot.collide_batch(self.scene, self.configurations(q), self._layout, threads=threads)
        found: NDArray[np.bool_] = records["intersecting"]
        return found

    def distances(self, q: ArrayLike, max_distance: float = math.inf, *, threads: int = 0) -> Records:
        """The least distance of any pair in each configuration: records as of Scene.collide_batch()."""
        return self.robot.collide_batch(
            self.scene, self.configurations(q), self._layout, max_distance=max_distance, threads=threads
        )

    def nearest(self, q: ArrayLike, limit: float = math.inf, *, threads: int = 0) -> Records:
        """The least distance with its nearest points and normal, see Robot.distance_batch()."""
        return self.robot.distance_batch(self.scene, self.configurations(q), self._layout, limit=limit, threads=threads)

    def near_pairs(
        self, q: ArrayLike, margin: float = 0.0, *, threads: int = 0
    ) -> tuple[Records, Records, NDArray[np.uint64]]:
        """Every pair that is nearer than a margin, see Robot.near_pairs_batch()."""
        return self.robot.near_pairs_batch(
            self.scene, self.configurations(q), self._layout, margin=margin, threads=threads
        )

    def check_edges(self, q: ArrayLike, edges: Sequence[tuple[int, int]] | None = None, **options: Any) -> Records:
        """Certified edges in joint space, see Robot.edge_batch()."""
        return self.robot.edge_batch(self.scene, self.configurations(q), edges, self._layout, **options)


class PinocchioRobot(ModelRobot):
    """A model of pinocchio with its geometries: joint i is link i - 1, geometry i is body i of the scene."""


class YourdfpyRobot(ModelRobot):
    """A URDF of yourdfpy: `links` and `bodies` have the numbers of its links, and of the bodies of each."""

    links: dict[str, int]
    bodies: dict[str, list[int]]


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
    return PinocchioRobot(robot, scene, pairs, _Q)


_URDF_KIND = {
    "fixed": _KIND.FIXED,
    "revolute": _KIND.REVOLUTE,
    "continuous": _KIND.CONTINUOUS,
    "prismatic": _KIND.PRISMATIC,
}


def _pose_or_none(origin: Any) -> NDArray[np.float64] | None:
    return None if origin is None else np.asarray(origin, float)[:3]


def _urdf_mesh(geometry: Any, find: Callable[[str], str], sides: int) -> tuple[Any, Any]:
    """Vertices and triangles of a <geometry>."""
    if geometry.box is not None:
        return _box(0.5 * np.asarray(geometry.box.size, float))
    if geometry.sphere is not None:
        return _round(float(geometry.sphere.radius), 0.0, sides, True)
    if geometry.cylinder is not None:
        return _round(float(geometry.cylinder.radius), 0.5 * float(geometry.cylinder.length), sides, False)
    loaded = _core.Mesh.load(find(geometry.mesh.filename))
    scale = 1.0 if geometry.mesh.scale is None else np.asarray(geometry.mesh.scale, float)
    triangles = np.array(loaded.faces)
    return np.array(loaded.vertices, float) * scale, triangles[:, ::-1] if np.prod(scale) < 0 else triangles


def _add_urdf_links(robot: _core.Robot, urdf: Any) -> tuple[dict[str, int], dict[str, int]]:
    """Adds the links, parents first. Returns their numbers by name, and that of each joint's child by its name."""
    below: dict[str, list[Any]] = {}
    for joint in urdf.robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    links = {urdf.base_link: robot.add_link()}
    children: dict[str, int] = {}
    waiting = [urdf.base_link]
    while waiting:
        parent = waiting.pop(0)
        for joint in below.get(parent, []):
            if joint.type not in _URDF_KIND:
                msg = (
                    f"joint '{joint.name}' is {joint.type}: fixed, revolute, continuous and prismatic ones can be taken"
                )
                raise ValueError(msg)
            axis = None if joint.axis is None else [float(x) for x in joint.axis]
            limits = joint.limit if joint.type in ("revolute", "prismatic") else None
            links[joint.child] = children[joint.name] = robot.add_link(
                links[parent],
                _pose_or_none(joint.origin),
                _URDF_KIND[joint.type],
                axis,
                limits=(limits.lower, limits.upper)
                if limits is not None and limits.lower is not None and limits.upper is not None
                else None,
            )
            waiting.append(joint.child)
    for joint in urdf.robot.joints:
        if joint.mimic is not None and joint.type != "fixed":
            factor, offset = joint.mimic.multiplier, joint.mimic.offset
            robot.follow(
                children[joint.name],
                children[joint.mimic.joint],
                1.0 if factor is None else factor,
                0.0 if offset is None else offset,
            )
    return links, children


def from_yourdfpy(
    urdf: Any,
    *,
    allowed: Iterable[tuple[str, str]] = (),
    neighbours: bool = True,
    filename_handler: Callable[[str], str] | None = None,
    sides: int = 48,
    **options: Any,
) -> YourdfpyRobot:
    """A robot and its scene from a yourdfpy.URDF, by the <collision> of its links.

    Configurations are those of URDF.update_cfg(), in the order of actuated_joint_names. Links that a joint joins may
    meet, unless `neighbours` is False, and so may the pairs of names in `allowed` (those that an SRDF disables). Meshes
    are read by Tree's readers from where `filename_handler` says, which is the URDF's own if it is None. Spheres and
    cylinders are polyhedra of so many sides around them. `options` go to Tree().
    """
    robot, scene = _core.Robot(), Scene()
    links, children = _add_urdf_links(robot, urdf)
    find = filename_handler if filename_handler is not None else urdf._filename_handler
    bodies: dict[str, list[int]] = {}
    for link in urdf.robot.links:
        for collision in link.collisions:
            mesh, pose = _urdf_mesh(collision.geometry, find, sides), _pose_or_none(collision.origin)
            body = scene.add(_core.Tree(mesh, **options), name=link.name)
            robot.attach(links[link.name], body, pose)
            bodies.setdefault(link.name, []).append(body)
    meeting = {frozenset(pair) for pair in allowed}
    if neighbours:
        meeting |= {frozenset((joint.parent, joint.child)) for joint in urdf.robot.joints}
    of = {body: name for name, numbers in bodies.items() for body in numbers}
    pairs = []
    for a in of:
        for b in of:
            if a < b and of[a] != of[b] and frozenset((of[a], of[b])) not in meeting:
                pairs.append((a, b))
            elif a < b:
                scene.set_pair_rule(a, b, _core.PairRule(may_collide=True))
    columns = [robot.column(children[name]) for name in urdf.actuated_joint_names]
    order = [columns.index(k) for k in range(len(columns))]
    made = YourdfpyRobot(robot, scene, pairs, _core.RobotLayout.ANGLES, order)
    made.links, made.bodies = links, bodies
    return made
