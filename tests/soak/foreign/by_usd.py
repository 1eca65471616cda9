# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Boxes, prisms and octahedra of polygons below transforms that turn, stretch and mirror; instances, PointInstancers.

Written by usd-core, and read by it prim by prim, each point by Gf.Matrix4d.Transform().
"""

from __future__ import annotations

import numpy as np
from placing import pose
from pxr import Gf, Usd, UsdGeom, Vt


def polygons(random):
    """Vertices, and faces as lists of corners, outwards."""
    which = random.integers(3)
    if which == 0:
        size = random.uniform(0.2, 2.0, 3)
        points = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
        return points, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    if which == 1:
        n, radius, height = int(random.integers(3, 9)), random.uniform(0.2, 0.8), random.uniform(0.3, 2.0)
        around = 2 * np.pi * np.arange(n) / n
        ring = np.column_stack([radius * np.cos(around), radius * np.sin(around)])
        points = np.vstack([np.column_stack([ring, np.full(n, z)]) for z in (0.0, height)])
        sides = [(i, (i + 1) % n, n + (i + 1) % n, n + i) for i in range(n)]
        return points, [tuple(range(n - 1, -1, -1)), tuple(range(n, 2 * n)), *sides]
    points = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]) * random.uniform(0.3, 1.0, 3)
    return points, [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]


def define(stage, path, random):
    points, faces = polygons(random)
    mesh = UsdGeom.Mesh.Define(stage, path)
    if random.random() < 0.2:
        mesh.CreateOrientationAttr("leftHanded")
        faces = [face[::-1] for face in faces]
    mesh.CreatePointsAttr(Vt.Vec3fArray([Gf.Vec3f(*map(float, p)) for p in points]))
    mesh.CreateFaceVertexCountsAttr([len(face) for face in faces])
    mesh.CreateFaceVertexIndicesAttr([c for face in faces for c in face])
    mesh.CreateSubdivisionSchemeAttr("none")


def matrix_of(made):
    return Gf.Matrix4d(*np.ascontiguousarray(made.T).reshape(-1).tolist())


def place(prim, random, reach=1.6):
    made = pose(random, reach)
    if random.random() < 0.4:
        made[:3, :3] = made[:3, :3] @ np.diag(random.uniform(0.5, 1.5, 3) * random.choice([-1, 1], 3))
    UsdGeom.Xformable(prim).AddTransformOp().Set(matrix_of(made))


def write(path, random):
    stage = Usd.Stage.CreateNew(path)
    UsdGeom.SetStageMetersPerUnit(stage, float(random.choice([0.01, 1.0, 0.3])))
    above = "/root"
    place(UsdGeom.Xform.Define(stage, above), random, 0.5)
    stage.CreateClassPrim("/part")
    define(stage, "/part/mesh", random)
    for i in range(random.integers(2, 7)):
        which = random.random()
        if which < 0.5 or i == 0:  # a file without a body would be refused
            define(stage, f"{above}/body{i}", random)
            place(stage.GetPrimAtPath(f"{above}/body{i}"), random)
        elif which < 0.7:
            group = UsdGeom.Xform.Define(stage, f"{above}/group{i}")
            place(group, random, 0.5)
            above = str(group.GetPath())
        elif which < 0.9:
            made = UsdGeom.Xform.Define(stage, f"{above}/copy{i}")
            made.GetPrim().GetReferences().AddInternalReference("/part")
            made.GetPrim().SetInstanceable(True)
            place(made, random)
        else:
            many = UsdGeom.PointInstancer.Define(stage, f"{above}/many{i}")
            place(many, random, 0.5)
            define(stage, f"{above}/many{i}/proto", random)
            place(stage.GetPrimAtPath(f"{above}/many{i}/proto"), random, 0.5)
            many.CreatePrototypesRel().AddTarget(f"{above}/many{i}/proto")
            count = int(random.integers(1, 4))
            many.CreateProtoIndicesAttr([0] * count)
            many.CreatePositionsAttr([Gf.Vec3f(*map(float, random.uniform(-2, 2, 3))) for _ in range(count)])
            turns = [Gf.Quath(*map(float, q / np.linalg.norm(q))) for q in random.normal(size=(count, 4))]
            many.CreateOrientationsAttr(turns)
    stage.GetRootLayer().Save()


def triangles(prim, matrix):
    mesh = UsdGeom.Mesh(prim)
    points = [list(matrix.Transform(Gf.Vec3d(p))) for p in mesh.GetPointsAttr().Get()]
    corners, made, at = list(mesh.GetFaceVertexIndicesAttr().Get()), [], 0
    for count in mesh.GetFaceVertexCountsAttr().Get():
        face = corners[at : at + count]
        made += [(face[0], face[i], face[i + 1]) for i in range(1, count - 1)]
        at += count
    return np.array(points)[np.array(made)]


def bodies(path):
    """Bodies by the last part of their paths, which is told apart by the part above where it is "mesh" or a number."""
    stage = Usd.Stage.Open(path)
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()):
        above = str(prim.GetPath().GetParentPath())
        if prim.IsA(UsdGeom.PointInstancer):
            proto = prim.GetChild("proto")
            placed = UsdGeom.PointInstancer(prim).ComputeInstanceTransformsAtTime(0, 0)
            world = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(0)
            for i, matrix in enumerate(placed):
                yield f"{prim.GetPath()}/{i}", triangles(proto, matrix * world)
        elif prim.IsA(UsdGeom.Mesh) and "/many" not in above:
            yield str(prim.GetPath()), triangles(prim, UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(0))
