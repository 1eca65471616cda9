# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""USD, by usd-core.

Meshes and the solids Cube, Sphere, Cylinder, Cone, Capsule become parts, named by the paths of their prims, as they are
at the start of time. Instances and what a PointInstancer places share their triangles. Left out are guides, invisible
prims, proxies where there are prims to render, and those with `physics:collisionEnabled` false; the filtered pairs of
physics become rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Tf, Usd, UsdGeom, UsdPhysics, UsdShade

from .._select import exact
from ._model import Model, Part, text_of
from ._solids import ball, box, capsule, cone


def read(path: str, *, sag: float | None = None) -> Model:
    """See dualbvh.models.read(). `sag` in the unit of the file decides how many sides round solids have."""
    try:
        stage = Usd.Stage.Open(path)
    except Tf.ErrorException as error:
        raise ValueError(f"usd-core cannot read '{path}': {str(error).splitlines()[-1].strip()}") from error
    return _Reader(stage, sag).model


class _Reader:
    def __init__(self, stage: Any, sag: float | None) -> None:
        self.model = Model(metres=float(UsdGeom.GetStageMetersPerUnit(stage)))
        self.sag = sag
        self.time = (
            Usd.TimeCode(stage.GetStartTimeCode()) if stage.HasAuthoredTimeCodeRange() else Usd.TimeCode.Default()
        )
        self.places = UsdGeom.XformCache(self.time)
        self.cages = self.others = self.off = 0
        self.prims: dict[Any, str] = {}
        purposes = {UsdGeom.Imageable(prim).ComputePurpose() for prim in stage.Traverse() if prim.IsA(UsdGeom.Gprim)}
        self.unseen = {UsdGeom.Tokens.guide} | ({UsdGeom.Tokens.proxy} if UsdGeom.Tokens.render in purposes else set())
        self._add_below(stage.GetPseudoRoot(), "", np.eye(4))
        self._add_rules(stage)
        self._say(
            self.cages,
            "mesh is a cage of subdivision, and taken as it is",
            "meshes are cages of subdivision, and taken as they are",
        )
        self._say(self.others, "curve, patch or cloud is left out", "curves, patches and clouds are left out")
        self._say(
            self.off,
            "body that does not collide (physics:collisionEnabled) is left out",
            "bodies that do not collide (physics:collisionEnabled) are left out",
        )

    def _say(self, count: int, one: str, many: str) -> None:
        if count > 0:
            self.model.notes.append(f"{count} {one if count == 1 else many}")

    def _place(self, prim: Any) -> NDArray[np.float64]:
        return np.array(self.places.GetLocalToWorldTransform(prim), np.float64).T

    def _is_hidden(self, prim: Any) -> bool:
        image = UsdGeom.Imageable(prim)
        if not image:
            return False
        return (
            image.GetVisibilityAttr().Get(self.time) == UsdGeom.Tokens.invisible
            or image.ComputePurpose() in self.unseen
        )

    def _add(self, prim: Any, name: str, place: NDArray[np.float64]) -> None:
        """Adds a part for a prim that has a surface."""
        if not prim.IsA(UsdGeom.Gprim):
            return
        if (
            UsdPhysics.CollisionAPI(prim)
            and UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get(self.time) is False
        ):
            self.off += 1
            return
        source = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        key = str(source.GetPath())
        sag = 0.0
        if prim.IsA(UsdGeom.Mesh):
            if key not in self.model.shapes:
                self.model.shapes[key] = self._mesh(UsdGeom.Mesh(prim))
                self.cages += UsdGeom.Mesh(prim).GetSubdivisionSchemeAttr().Get(self.time) != UsdGeom.Tokens.none
        else:
            made = self._solid(prim)
            if made is None:
                self.others += 1
                return
            self.model.shapes[key], sag = made
        if len(self.model.shapes[key][1]) > 0:
            self.model.parts.append(Part(name, key, place, self._properties(prim), sag))
            self.prims.setdefault(prim.GetPath(), name)

    def _mesh(self, mesh: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        points = np.array(mesh.GetPointsAttr().Get(self.time) or (), np.float64).reshape(-1, 3)
        counts = np.array(mesh.GetFaceVertexCountsAttr().Get(self.time) or (), np.int64)
        corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(self.time) or (), np.int32)
        if counts.sum() != len(corners) or (len(corners) > 0 and not 0 <= corners.min() <= corners.max() < len(points)):
            raise ValueError(f"{mesh.GetPath()}: its faces do not fit its points")
        holes = mesh.GetHoleIndicesAttr().Get(self.time) or ()
        faces = _triangles(points, counts, corners, set(holes))
        if mesh.GetOrientationAttr().Get(self.time) == UsdGeom.Tokens.leftHanded:
            faces = faces[:, ::-1].copy()
        return points, faces

    def _solid(self, prim: Any) -> tuple[tuple[NDArray[np.float64], NDArray[np.int32]], float] | None:
        def number(name: str) -> float:
            return float(prim.GetAttribute(name).Get(self.time))

        if prim.IsA(UsdGeom.Cube):
            return box(number("size"))
        if prim.IsA(UsdGeom.Sphere):
            return ball(number("radius"), self.sag)
        if prim.IsA(UsdGeom.Capsule):
            return capsule(number("radius"), number("height"), prim.GetAttribute("axis").Get(), self.sag)
        if prim.IsA(UsdGeom.Cylinder) or prim.IsA(UsdGeom.Cone):
            top = number("radius") if prim.IsA(UsdGeom.Cylinder) else 0.0
            return cone((number("radius"), top), number("height"), prim.GetAttribute("axis").Get(), self.sag)
        return None

    def _properties(self, prim: Any) -> dict[str, str]:
        """Custom data and userProperties of the prim and those above it, the nearest first; then what USD knows."""
        made: dict[str, Any] = {}
        above = prim
        while above and not above.IsPseudoRoot():
            said = {key: value for key, value in above.GetCustomData().items() if above.HasAuthoredCustomDataKey(key)}
            for attribute in above.GetAuthoredPropertiesInNamespace("userProperties"):
                if isinstance(attribute, Usd.Attribute):
                    said[attribute.GetBaseName()] = attribute.Get(self.time)
            made = {key: value for key, value in said.items() if isinstance(value, (str, int, float))} | made
            above = above.GetParent()
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        kind = Usd.ModelAPI(prim).GetKind()
        known = {"class": prim.GetTypeName(), "name": prim.GetName(), "kind": kind}
        known |= {"material": material.GetPrim().GetName()} if material else {}
        return {key: text_of(value) for key, value in (known | made).items() if value is not None and value != ""}

    def _add_below(self, root: Any, name: str, place: NDArray[np.float64]) -> None:
        """Adds a prim and what is below it, as if the prim were called `name` and stood at `place`."""
        inverse = None if root.IsPseudoRoot() else np.linalg.inv(self._place(root))
        length = 1 if root.IsPseudoRoot() else len(str(root.GetPath()))
        below = iter(Usd.PrimRange(root, Usd.TraverseInstanceProxies()))
        for prim in below:
            if self._is_hidden(prim):
                below.PruneChildren()
                continue
            path = name + str(prim.GetPath())[length:]
            own = (
                self._place(prim)
                if inverse is None
                else place
                if prim == root
                else place @ (inverse @ self._place(prim))
            )
            if prim.IsA(UsdGeom.PointInstancer):
                below.PruneChildren()
                self._add_instances(UsdGeom.PointInstancer(prim), path, own)
            else:
                self._add(prim, path, own)

    def _add_instances(self, instancer: Any, name: str, outer: NDArray[np.float64]) -> None:
        targets = instancer.GetPrototypesRel().GetForwardedTargets()
        chosen = instancer.GetProtoIndicesAttr().Get(self.time) or ()
        places = instancer.ComputeInstanceTransformsAtTime(
            self.time, self.time, UsdGeom.PointInstancer.IncludeProtoXform, UsdGeom.PointInstancer.IgnoreMask
        )
        mask = instancer.ComputeMaskAtTime(self.time) or [True] * len(chosen)
        for i, (which, place, is_shown) in enumerate(zip(chosen, places or (), mask)):
            if is_shown:
                root = instancer.GetPrim().GetStage().GetPrimAtPath(targets[which])
                self._add_below(root, f"{name}/{i}", outer @ np.array(place, np.float64).T)

    def _add_rules(self, stage: Any) -> None:
        for prim in stage.Traverse():
            if not prim.HasAPI(UsdPhysics.FilteredPairsAPI):
                continue
            for other in UsdPhysics.FilteredPairsAPI(prim).GetFilteredPairsRel().GetForwardedTargets():
                pair = {"a": exact(str(prim.GetPath())[1:]), "b": exact(str(other)[1:])}
                self.model.rules.append(pair | {"allow": True, "reason": "physics:filteredPairs"})


def _triangles(
    points: NDArray[np.float64], counts: NDArray[np.int64], corners: NDArray[np.int32], holes: set[int]
) -> NDArray[np.int32]:
    """Fans of convex polygons, ears of others; faces without an area have triangles without one."""
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else np.zeros(0, np.int64)
    made: list[NDArray[np.int32]] = []
    keep = np.ones(len(counts), bool)
    keep[[h for h in holes if 0 <= h < len(counts)]] = False
    three = starts[(counts == 3) & keep]
    made.append(corners[three[:, None] + np.arange(3)])
    for start, count in zip(starts[(counts > 3) & keep], counts[(counts > 3) & keep]):
        face = corners[start : start + count]
        made.append(face[_ears(points[face])])
    return np.ascontiguousarray(np.concatenate(made), np.int32).reshape(-1, 3)


def _ears(loop: NDArray[np.float64]) -> NDArray[np.int64]:
    """The triangles of a polygon, by ears seen along its normal; a fan where it is convex, or where no ear is left."""
    count = len(loop)
    fan = np.array([(0, i, i + 1) for i in range(1, count - 1)])
    after = np.roll(loop, -1, axis=0)
    normal = np.cross(loop - loop[0], after - loop[0]).sum(axis=0)
    turns = np.cross(loop - np.roll(loop, 1, axis=0), after - loop) @ normal
    if count == 3 or (turns >= 0.0).all():
        return fan
    left, made = list(range(count)), []
    while len(left) > 3:
        for at in range(len(left)):
            a, b, c = left[at - 1], left[at], left[(at + 1) % len(left)]
            if _is_ear(loop, normal, (a, b, c), left):
                made.append((a, b, c))
                del left[at]
                break
        else:
            return fan
    return np.array([*made, tuple(left)])


def _is_ear(loop: NDArray[np.float64], normal: NDArray[np.float64], ear: tuple[int, int, int], left: list[int]) -> bool:
    a, b, c = (loop[i] for i in ear)
    if np.cross(b - a, c - b) @ normal <= 0.0:
        return False
    others = loop[[i for i in left if i not in ear]]
    sides = [np.cross(q - p, others - p) @ normal for p, q in ((a, b), (b, c), (c, a))]
    return not bool(((sides[0] >= 0.0) & (sides[1] >= 0.0) & (sides[2] >= 0.0)).any())
