# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""IFC, USD and STEP that their own libraries write, read as models; left out where a library is not installed."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import dualbvh
import numpy as np
import pytest
from dualbvh import models


def optional(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name)


def at(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def by_name(model: models.Model) -> dict[str, models.Part]:
    return {part.name: part for part in model.parts}


def volume(model: models.Model, part: models.Part) -> float:
    vertices, faces = model.shapes[part.shape]
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0 * np.linalg.det(part.matrix[:3, :3]))


# ----------------------------------------------------------------------------------------------------
# IFC


def write_ifc(path: Path, schema: str) -> None:
    """A wall of 4 x 0.2 x 3 m with an opening, a door in it, and three pipes of one type through the wall."""
    optional("ifcopenshell")
    from ifcopenshell.api import run

    f = run("project.create_file", version=schema)
    if schema == "IFC2X3":  # wants to know who made what
        person, firm = run("owner.add_person", f), run("owner.add_organisation", f)
        run("owner.add_person_and_organisation", f, person=person, organisation=firm)
        run("owner.add_application", f)
    project = run("root.create_entity", f, ifc_class="IfcProject", name="P")
    run("unit.assign_unit", f, length={"is_metric": True, "raw": "MILLIMETERS"})
    model = run("context.add_context", f, context_type="Model")
    kind = {"context_type": "Model", "context_identifier": "Body", "target_view": "MODEL_VIEW"}
    body = run("context.add_context", f, **kind, parent=model)
    above = project
    for level, name in (("IfcSite", "Site"), ("IfcBuilding", "House"), ("IfcBuildingStorey", "Level/1")):
        below = run("root.create_entity", f, ifc_class=level, name=name)
        run("aggregate.assign_object", f, relating_object=above, products=[below])
        above = below

    def add(kind: str, name: str, size: tuple[float, float, float], place: np.ndarray) -> Any:
        made = run("root.create_entity", f, ifc_class=kind, name=name)
        sizes = {"length": size[0], "thickness": size[1], "height": size[2]}
        shape = run("geometry.add_wall_representation", f, context=body, **sizes)
        run("geometry.assign_representation", f, product=made, representation=shape)
        run("geometry.edit_object_placement", f, product=made, matrix=place, is_si=True)
        if kind != "IfcOpeningElement":
            run("spatial.assign_container", f, relating_structure=above, products=[made])
        return made

    wall = add("IfcWall", "wall", (4, 0.2, 3), at(0))
    opening = add("IfcOpeningElement", "opening", (0.9, 0.4, 2.1), at(1, -0.1))
    door = add("IfcDoor", "door", (0.92, 0.1, 2.1), at(0.99, 0.05))
    run("feature.add_feature", f, feature=opening, element=wall)
    run("feature.add_filling", f, opening=opening, element=door)
    add("IfcVirtualElement", "nothing", (9, 9, 9), at(0))
    rating = run("pset.add_pset", f, product=wall, name="Pset_WallCommon")
    run("pset.edit_pset", f, pset=rating, properties={"FireRating": "R90", "IsExternal": True})

    old = schema == "IFC2X3"
    type_ = run("root.create_entity", f, ifc_class="IfcPipeSegmentType", name="DN100")
    middle = f.create_entity("IfcAxis2Placement2D", f.create_entity("IfcCartesianPoint", (0.0, 0.0)))
    circle = f.create_entity("IfcCircleProfileDef", "AREA", None, middle, 50.0)
    shape = run("geometry.add_profile_representation", f, context=body, profile=circle, depth=2.0)
    run("geometry.assign_representation", f, product=type_, representation=shape)
    system = run("system.add_system", f, ifc_class="IfcSystem" if old else "IfcDistributionSystem")
    system.Name = "HW"
    lying = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]])
    for i in range(3):
        pipe = run("root.create_entity", f, ifc_class="IfcFlowSegment" if old else "IfcPipeSegment", name=f"pipe {i}")
        run("type.assign_type", f, related_objects=[pipe], relating_type=type_)
        run("geometry.edit_object_placement", f, product=pipe, matrix=at(2.5 + 0.5 * i, -1, 1) @ lying, is_si=True)
        run("spatial.assign_container", f, relating_structure=above, products=[pipe])
        run("system.assign_system", f, products=[pipe], system=system)
    f.write(str(path))


@pytest.mark.parametrize("schema", ["IFC2X3", "IFC4"])
def test_ifc(schema: str, tmp_path: Path) -> None:
    write_ifc(tmp_path / "a.ifc", schema)
    model = models.read(tmp_path / "a.ifc")
    parts = by_name(model)
    names = ["wall", "door", "pipe 0", "pipe 1", "pipe 2"]
    assert list(parts) == [f"House/Level_1/{name}" for name in names] and model.notes == []
    wall, _door, *pipes = model.parts
    assert len({pipe.shape for pipe in pipes}) == 1 and len(model.shapes) == 3
    assert volume(model, wall) == pytest.approx(4 * 0.2 * 3 - 0.9 * 0.2 * 2.1)  # the opening is cut
    half = 0.5 * 1e-5 * 0.001  # of the precision that the file states, in millimetres
    assert "'Model',3,1.E-05," in (tmp_path / "a.ifc").read_text()
    assert [part.sag for part in model.parts] == [half, half, *[0.001 + half] * 3]
    assert np.allclose([pipe.matrix[:3, 3] for pipe in pipes], [(2.5 + 0.5 * i, -1, 1) for i in range(3)])
    said = pipes[1].properties
    assert said["system"] == "HW" and said["type"] == "DN100" and said["type_class"] == "IfcPipeSegmentType"
    assert (
        said["class"] == ("IfcFlowSegment" if schema == "IFC2X3" else "IfcPipeSegment") and len(said["GlobalId"]) == 22
    )
    assert wall.properties["Pset_WallCommon.FireRating"] == "R90" and wall.properties["storey"] == "Level/1"
    assert wall.properties["Pset_WallCommon.IsExternal"] == "true"

    scene = dualbvh.Scene.from_model(model)
    assert scene.rule(0, 1) is None  # a door may meet the wall that it is in
    found = {(int(c["a"]), int(c["b"])) for c in scene.clashes()}
    assert found == {(0, 2), (0, 3), (0, 4)} and scene.select("[system=HW]") == [2, 3, 4]


def test_ifc_by_selectors_and_sags(tmp_path: Path) -> None:
    write_ifc(tmp_path / "a.ifc", "IFC4")
    fine = models.read(tmp_path / "a.ifc", select="IfcPipeSegment", exclude='IfcPipeSegment, Name="pipe 1"', sag=0.0001)
    coarse = models.read(tmp_path / "a.ifc", select="IfcPipeSegment", sag=0.005)
    assert [part.name[-1] for part in fine.parts] == ["0", "2"] and len(coarse) == 3
    for model, sag in ((fine, 0.0001), (coarse, 0.005)):
        vertices, faces = model.shapes[model.parts[0].shape]
        middle = vertices[faces].mean(1)
        side = np.ptp(vertices[faces][:, :, 2], axis=1) > 1.0  # of the cylinder, which is about z
        assert sag < model.parts[0].sag < 1.01 * sag
        assert np.linalg.norm(middle[side][:, :2], axis=1).min() >= 0.05 - model.parts[0].sag
    assert len(fine.shapes[fine.parts[0].shape][1]) > len(coarse.shapes[coarse.parts[0].shape][1])
    assert len(models.read(tmp_path / "a.ifc", select="IfcSlab")) == 0


def test_broken_ifc(tmp_path: Path) -> None:
    optional("ifcopenshell")
    (tmp_path / "a.ifc").write_text("ISO-10303-21;\nnothing\n")
    with pytest.raises(ValueError, match="ifcopenshell cannot read"):
        models.read(tmp_path / "a.ifc")


# ----------------------------------------------------------------------------------------------------
# USD


def usd_box(stage: Any, path: str) -> Any:
    from pxr import UsdGeom

    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    mesh.CreateFaceVertexCountsAttr([4] * 6)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.CreateFaceVertexIndicesAttr([corner for side in sides for corner in side])
    mesh.CreateSubdivisionSchemeAttr("none")
    return mesh


@pytest.fixture
def stage(tmp_path: Path) -> Any:
    optional("pxr")
    from pxr import Usd, UsdGeom

    made = Usd.Stage.CreateNew(str(tmp_path / "a.usda"))
    UsdGeom.SetStageMetersPerUnit(made, 0.01)
    return made


def saved(stage: Any, **options: Any) -> models.Model:
    stage.GetRootLayer().Save()
    return models.read(stage.GetRootLayer().realPath, **options)


def test_usd_instances(stage: Any) -> None:
    from pxr import UsdGeom, UsdPhysics

    world = UsdGeom.Xform.Define(stage, "/world")
    world.AddTranslateOp().Set((10, 0, 0))
    world.GetPrim().SetCustomDataByKey("system", "HW")
    turned = usd_box(stage, "/world/turned")
    turned.AddTranslateOp().Set((0.5, 0, 0))
    turned.AddRotateZOp().Set(90.0)
    turned.GetPrim().SetCustomDataByKey("class", "Pipe")
    stage.CreateClassPrim("/proto")
    usd_box(stage, "/proto/box")
    for i in range(3):
        made = UsdGeom.Xform.Define(stage, f"/world/i{i}")
        made.GetPrim().GetReferences().AddInternalReference("/proto")
        made.GetPrim().SetInstanceable(True)
        made.AddTranslateOp().Set((0, 3 * i, 0))
    many = UsdGeom.PointInstancer.Define(stage, "/world/many")
    many.AddTranslateOp().Set((0, 0, 50))
    usd_box(stage, "/world/many/proto").AddTranslateOp().Set((0, 0, 0.25))
    many.CreatePrototypesRel().AddTarget("/world/many/proto")
    many.CreateProtoIndicesAttr([0, 0, 0])
    many.CreatePositionsAttr([(100, 0, 0), (100.5, 0, 0), (200, 0, 0)])
    many.CreateInvisibleIdsAttr([2])
    usd_box(stage, "/world/guide").CreatePurposeAttr("guide")
    usd_box(stage, "/world/unseen").MakeInvisible()
    UsdPhysics.CollisionAPI.Apply(usd_box(stage, "/world/ghost").GetPrim()).CreateCollisionEnabledAttr(False)
    UsdPhysics.FilteredPairsAPI.Apply(turned.GetPrim()).CreateFilteredPairsRel().AddTarget("/world/i0")
    model = saved(stage)
    parts = by_name(model)
    instances = [f"world/i{i}/box" for i in range(3)]
    assert sorted(parts) == [*instances, "world/many/0", "world/many/1", "world/turned"]
    assert len({parts[name].shape for name in instances}) == 1 and len(model.shapes) == 3
    assert model.metres == 0.01 and "1 body" in model.notes[0]
    assert parts["world/turned"].properties == {"class": "Pipe", "name": "turned", "system": "HW"}
    assert np.allclose(
        parts["world/turned"].matrix, at(10.5) @ [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    )
    assert np.allclose(parts["world/many/1"].matrix, at(110.5, 0, 50.25))
    scene = dualbvh.Scene.from_model(model)
    found = {tuple(sorted((scene.name(int(c["a"])), scene.name(int(c["b"]))))) for c in scene.clashes()}
    assert found == {("world/many/0", "world/many/1")}  # turned and i0 are a filtered pair
    assert scene.metres == 0.01


@pytest.mark.parametrize("sag", [None, 0.001, 0.2])
@pytest.mark.parametrize("axis", ["X", "Y", "Z"])
def test_usd_solids(stage: Any, axis: str, sag: float | None) -> None:
    from pxr import UsdGeom

    for name in ("Cube", "Sphere", "Cylinder", "Cone", "Capsule"):
        solid = getattr(UsdGeom, name).Define(stage, f"/{name}")
        if name in ("Cylinder", "Cone", "Capsule"):
            solid.CreateAxisAttr(axis)
            solid.CreateHeightAttr(3.0)
            solid.CreateRadiusAttr(1.0)
    model = saved(stage, sag=sag)
    whole = {"Cube": 8.0, "Sphere": 4 / 3 * np.pi, "Cylinder": 3 * np.pi, "Cone": np.pi, "Capsule": 13 / 3 * np.pi}
    along, others = "XYZ".index(axis), [i for i in range(3) if "XYZ"[i] != axis]
    for name, part in by_name(model).items():
        vertices, faces = model.shapes[part.shape]
        corners = vertices[faces]
        weights = np.array([(1, 0, 0), (0.5, 0.5, 0), (1 / 3, 1 / 3, 1 / 3), (0.2, 0.7, 0.1)])
        points = np.einsum("pk,fkc->fpc", weights, corners).reshape(-1, 3)
        height, radius = points[:, along], np.linalg.norm(points[:, others], axis=1)
        depth = {
            "Cube": 1.0 - np.abs(points).max(1),
            "Sphere": 1.0 - np.linalg.norm(points, axis=1),
            "Cylinder": np.minimum(1.0 - radius, 1.5 - np.abs(height)),
            "Cone": np.minimum((0.5 - height / 3.0 - radius) * 3.0 / np.sqrt(10.0), 1.5 + height),
            "Capsule": 1.0 - np.hypot(radius, np.maximum(np.abs(height) - 1.5, 0.0)),
        }[name]
        assert -1e-12 <= depth.min() and depth.max() <= part.sag + 1e-12, name
        assert (part.sag == 0.0) == (name == "Cube") and (sag is None or part.sag <= sag)
        lost = whole[name] - volume(model, part)
        assert -1e-9 <= lost <= 30.0 * part.sag + 1e-9


def test_usd_polygons(stage: Any) -> None:
    """A concave face, a mirrored mesh, a cage, a hole and what is no mesh."""
    from pxr import UsdGeom

    star = [(np.cos(a) * r, np.sin(a) * r) for a, r in zip(np.arange(10) * np.pi / 5, [2.0, 0.6] * 5)]
    mesh = UsdGeom.Mesh.Define(stage, "/star")
    mesh.CreatePointsAttr([(x, y, z) for z in (0, 1) for x, y in star])
    mesh.CreateFaceVertexCountsAttr([10, 10, *[4] * 10])
    sides = [(i, (i + 1) % 10, 10 + (i + 1) % 10, 10 + i) for i in range(10)]
    mesh.CreateFaceVertexIndicesAttr([*range(9, -1, -1), *range(10, 20), *(c for side in sides for c in side)])
    mesh.AddScaleOp().Set((-1, 1, 1))
    left = usd_box(stage, "/left")
    left.CreateOrientationAttr("leftHanded")
    left.CreateSubdivisionSchemeAttr("catmullClark")
    usd_box(stage, "/open").CreateHoleIndicesAttr([0])
    UsdGeom.BasisCurves.Define(stage, "/curve")
    model = saved(stage)
    parts = by_name(model)
    points = np.array(star)
    x, y = points.T
    area = abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2
    assert volume(model, parts["star"]) == pytest.approx(-area, rel=1e-6)  # the matrix mirrors, a Placed turns it
    scene = dualbvh.Scene.from_model(model)
    stars = scene.select("star")
    assert dualbvh.locate_point(scene.tree(stars[0]), (0.0, 0.0, 0.5)) == dualbvh.Location.INSIDE
    assert dualbvh.locate_point(scene.tree(stars[0]), (-1.5, 1.0, 0.5)) == dualbvh.Location.OUTSIDE
    assert volume(model, parts["left"]) == pytest.approx(-1.0)
    assert len(model.shapes[parts["open"].shape][1]) == 10
    assert any("cage" in note for note in model.notes) and any("curve" in note for note in model.notes)


def test_broken_usd(tmp_path: Path) -> None:
    optional("pxr")
    (tmp_path / "a.usda").write_text("#usda 1.0\n(((\n")
    with pytest.raises(ValueError, match="usd-core cannot read"):
        models.read(tmp_path / "a.usda")


# ----------------------------------------------------------------------------------------------------
# STEP


def write_step(path: Path) -> None:
    """A machine of two equal assemblies: a box with a pin through it, and a box that touches it."""
    optional("OCP")
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
    from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.STEPControl import STEPControl_StepModelType
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.TopLoc import TopLoc_Location
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    def place(x: float, y: float, z: float, angle: float = 0.0) -> Any:
        made = gp_Trsf()
        made.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), angle)
        made.SetTranslationPart(gp_Vec(x, y, z))
        return TopLoc_Location(made)

    document = TDocStd_Document(TCollection_ExtendedString("d"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())

    def named(label: Any, name: str) -> Any:
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name))
        return label

    box = named(tool.AddShape(BRepPrimAPI_MakeBox(20, 20, 20).Shape(), False), "box")
    pin = named(tool.AddShape(BRepPrimAPI_MakeCylinder(5, 40).Shape(), False), "pin")
    inner, outer = named(tool.NewShape(), "unit"), named(tool.NewShape(), "machine")
    named(tool.AddComponent(inner, box, place(0, 0, 0)), "left")
    named(tool.AddComponent(inner, box, place(20, 0, 0)), "right")
    named(tool.AddComponent(inner, pin, place(10, 10, -10)), "pin-1")
    named(tool.AddComponent(outer, inner, place(0, 0, 0)), "one")
    named(tool.AddComponent(outer, inner, place(100.1, 0, 0, 0.5)), "two")
    tool.UpdateAssemblies()
    writer = STEPCAFControl_Writer()
    writer.Transfer(document, STEPControl_StepModelType.STEPControl_AsIs)
    writer.Write(str(path))


@pytest.mark.parametrize("sag", [None, 0.01])
def test_step(sag: float | None, tmp_path: Path) -> None:
    optional("cascadio")
    write_step(tmp_path / "a.step")
    model = models.read(tmp_path / "a.step", sag=sag)
    names = [f"machine/{unit}/{part}" for unit in ("one", "two") for part in ("left", "right", "pin-1")]
    assert [part.name for part in model.parts] == names and len(model.shapes) == 2 and model.metres == 0.001
    pin, box = model.parts[2], model.parts[0]
    vertices, faces = model.shapes[pin.shape]
    side = np.ptp(vertices[faces][:, :, 2], axis=1) > 30.0
    lowest = np.linalg.norm(vertices[faces][side][:, :, :2].mean(1), axis=1).min()
    assert 5.0 - pin.sag <= lowest and (sag or 0.1) < pin.sag < 1.01 * (sag or 0.1)
    assert 0.0 < box.sag < 1e-3 and volume(model, box) == pytest.approx(8000.0)
    scene = dualbvh.Scene.from_model(model)
    kinds = {(int(c["a"]), int(c["b"])): dualbvh.ClashKind(int(c["kind"])) for c in scene.clashes()}
    hard, touch = dualbvh.ClashKind.HARD, dualbvh.ClashKind.TOUCH
    assert kinds == {(0, 1): touch, (0, 2): hard, (3, 4): touch, (3, 5): hard}


def test_broken_step(tmp_path: Path) -> None:
    optional("cascadio")
    (tmp_path / "a.step").write_text("ISO-10303-21;\nnothing\n")
    with pytest.raises(ValueError, match="cascadio cannot read"):
        models.read(tmp_path / "a.step")
