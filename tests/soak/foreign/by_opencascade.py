# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Boxes, cylinders, wedges and bored blocks as instances of parts in assemblies of assemblies.

Written as STEP by OpenCASCADE (OCP); cascadio makes GLB of it with the sag that dualbvh has, and trimesh reads that.
"""

from __future__ import annotations

import numpy as np
from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder, BRepPrimAPI_MakeWedge
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf
from OCP.STEPCAFControl import STEPCAFControl_Writer
from OCP.STEPControl import STEPControl_Reader, STEPControl_StepModelType
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDocStd import TDocStd_Document
from OCP.TopLoc import TopLoc_Location
from OCP.XCAFDoc import XCAFDoc_DocumentTool
from placing import pose

SAG = 0.1


def solid(random):
    x, y, z = (float(v) for v in random.uniform(5, 30, 3))
    which = random.integers(4)
    if which == 0:
        return BRepPrimAPI_MakeBox(x, y, z).Shape()
    if which == 1:
        return BRepPrimAPI_MakeCylinder(x / 2, 1.5 * z).Shape()
    if which == 2:
        return BRepPrimAPI_MakeWedge(x, y, z, x / 3).Shape()
    axis = gp_Ax2(gp_Pnt(x / 2, y / 2, -1), gp_Dir(0, 0, 1))
    return BRepAlgoAPI_Cut(BRepPrimAPI_MakeBox(x, y, z).Shape(), BRepPrimAPI_MakeCylinder(axis, min(x, y) / 3, z + 2).Shape()).Shape()


def location(made):
    move = gp_Trsf()
    move.SetValues(*map(float, made[:3].reshape(-1)))
    return TopLoc_Location(move)


def write(path, random):
    document = TDocStd_Document(TCollection_ExtendedString("d"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())

    def named(label, name):
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name))
        return label

    parts = [named(tool.AddShape(solid(random), False), f"part{i}") for i in range(random.integers(1, 4))]
    assemblies = [named(tool.NewShape(), "machine")]
    for i in range(random.integers(3, 8)):  # each part is placed at least once
        outer = assemblies[random.integers(len(assemblies))]
        inner = parts[i] if i < len(parts) else parts[random.integers(len(parts))]
        named(tool.AddComponent(outer, inner, location(pose(random, 20.0))), f"body{i}")
        if random.random() < 0.3:
            unit = named(tool.NewShape(), f"unit{i}")
            below = named(tool.AddComponent(unit, parts[0], location(pose(random, 10.0))), f"deep{i}")
            assert below is not None
            named(tool.AddComponent(outer, unit, location(pose(random, 10.0))), f"place{i}")
            assemblies.append(unit)
    tool.UpdateAssemblies()
    writer = STEPCAFControl_Writer()
    writer.Transfer(document, STEPControl_StepModelType.STEPControl_AsIs)
    writer.Write(path)


def write_assembly(path, parts, random):
    """Writes three instances of each part of STEP files; returns the shapes that were placed, by the names of instances."""
    document = TDocStd_Document(TCollection_ExtendedString("d"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    machine, placed = tool.NewShape(), {}
    for part, name in enumerate(parts):
        reader = STEPControl_Reader()
        reader.ReadFile(name)
        reader.TransferRoots()
        shape = reader.OneShape()
        label = tool.AddShape(shape, False)
        for i in range(3):
            where = location(pose(random, 15.0))
            made = tool.AddComponent(machine, label, where)
            TDataStd_Name.Set_s(made, TCollection_ExtendedString(f"body{part}-{i}"))
            placed[f"body{part}-{i}"] = shape.Moved(where)
    tool.UpdateAssemblies()
    writer = STEPCAFControl_Writer()
    writer.Transfer(document, STEPControl_StepModelType.STEPControl_AsIs)
    writer.Write(path)
    return placed


def bodies(path):
    import cascadio
    import trimesh

    cascadio.step_to_glb(path, path + ".glb", SAG, 0.5)
    read = trimesh.load(path + ".glb", force="scene", process=False)
    for node in read.graph.nodes_geometry:
        matrix, geometry = read.graph[node]
        mesh = read.geometry[geometry]
        assert node.startswith(("body", "deep")), node
        yield node, 1000.0 * trimesh.transform_points(mesh.vertices, matrix)[mesh.faces]
