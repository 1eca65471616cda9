# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Extruded rectangles, circles and angles, facetted bodies, walls with an opening and what fills it, instances of types.

Written by ifcopenshell, in metres, millimetres or feet, and read by it with world coordinates, which dualbvh never asks for.
"""

from __future__ import annotations

import ifcopenshell
import ifcopenshell.geom
import numpy as np
from ifcopenshell.api import run
from placing import pose

UNITS = {"METERS": 1.0, "MILLIMETERS": 0.001}
KINDS = ("IfcBeam", "IfcColumn", "IfcMember", "IfcPlate", "IfcBuildingElementProxy", "IfcDuctSegment")


class Writer:
    def __init__(self, random):
        self.random, self.file = random, run("project.create_file", version="IFC4")
        f = self.file
        above = run("root.create_entity", f, ifc_class="IfcProject", name="project")
        unit = list(UNITS)[random.integers(len(UNITS))]
        self.metre = 1.0 / UNITS[unit]
        run("unit.assign_unit", f, length={"is_metric": True, "raw": unit})
        model = run("context.add_context", f, context_type="Model")
        kind = {"context_type": "Model", "context_identifier": "Body", "target_view": "MODEL_VIEW"}
        self.context = run("context.add_context", f, **kind, parent=model)
        for level in ("IfcSite", "IfcBuilding", "IfcBuildingStorey"):
            below = run("root.create_entity", f, ifc_class=level, name=level)
            run("aggregate.assign_object", f, relating_object=above, products=[below])
            above = below
        self.storey = above

    def place(self, product, matrix):
        run("geometry.edit_object_placement", self.file, product=product, matrix=matrix, is_si=True)

    def contain(self, product):
        run("spatial.assign_container", self.file, relating_structure=self.storey, products=[product])

    def profile(self):
        f, random = self.file, self.random
        middle = f.create_entity("IfcAxis2Placement2D", f.create_entity("IfcCartesianPoint", (0.0, 0.0)))
        sizes = [float(x) * self.metre for x in random.uniform(0.15, 0.8, 2)]
        which = random.integers(3)
        if which == 0:
            return f.create_entity("IfcRectangleProfileDef", "AREA", None, middle, *sizes)
        if which == 1:
            return f.create_entity("IfcCircleProfileDef", "AREA", None, middle, sizes[0] / 2)
        x, y, t = sizes[0], sizes[1], min(sizes) / 3
        corners = [(0.0, 0.0), (x, 0.0), (x, t), (t, t), (t, y), (0.0, y), (0.0, 0.0)]
        line = f.create_entity("IfcPolyline", [f.create_entity("IfcCartesianPoint", c) for c in corners])
        return f.create_entity("IfcArbitraryClosedProfileDef", "AREA", None, line)

    def shape(self):
        if self.random.random() < 0.75:
            depth = float(self.random.uniform(0.4, 2.5))
            return run(
                "geometry.add_profile_representation", self.file, context=self.context, profile=self.profile(), depth=depth
            )
        size = self.random.uniform(0.3, 1.0)
        corners = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]) * size
        faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
        vertices, faces = corners.tolist(), [list(map(int, face)) for face in faces]
        return run(
            "geometry.add_mesh_representation", self.file, context=self.context, vertices=[vertices], edges=[[]], faces=[faces]
        )

    def wall(self, name):
        """A wall with an opening in it, and perhaps a door, as two bodies that may meet."""
        f, random = self.file, self.random
        matrix = pose(random)

        def add(kind, name, size, at):
            made = run("root.create_entity", f, ifc_class=kind, name=name)
            sizes = dict(zip(("length", "thickness", "height"), map(float, size)))
            shape = run("geometry.add_wall_representation", f, context=self.context, **sizes)
            run("geometry.assign_representation", f, product=made, representation=shape)
            offset = np.eye(4)
            offset[:3, 3] = at
            self.place(made, matrix @ offset)
            return made

        wall = add("IfcWall", name, (2.0, 0.2, 1.6), (0, 0, 0))
        self.contain(wall)
        opening = add("IfcOpeningElement", name + "-hole", (0.9, 0.6, 1.0), (0.5, -0.2, 0.3))
        run("feature.add_feature", f, feature=opening, element=wall)
        if random.random() < 0.5:
            return set()
        door = add("IfcDoor", name + "-door", (0.95, 0.1, 1.0), (0.48, 0.05, 0.31))
        self.contain(door)
        run("feature.add_filling", f, opening=opening, element=door)
        return {(name, name + "-door")}

    def assembly(self):
        allowed, types = set(), []
        for i in range(self.random.integers(2, 8)):
            name = f"body{i}"
            if self.random.random() < 0.2:
                allowed |= self.wall(name)
                continue
            made = run("root.create_entity", self.file, ifc_class=KINDS[self.random.integers(len(KINDS))], name=name)
            if made.is_a("IfcDuctSegment"):
                if not types or self.random.random() < 0.4:
                    types.append(run("root.create_entity", self.file, ifc_class="IfcDuctSegmentType", name="type"))
                    run("geometry.assign_representation", self.file, product=types[-1], representation=self.shape())
                run("type.assign_type", self.file, related_objects=[made], relating_type=types[self.random.integers(len(types))])
            else:
                run("geometry.assign_representation", self.file, product=made, representation=self.shape())
            self.place(made, pose(self.random))
            self.contain(made)
        return allowed


def write(path, random):
    writer = Writer(random)
    allowed = writer.assembly()
    writer.file.write(path)
    return allowed


def bodies(path):
    file, settings = ifcopenshell.open(path), ifcopenshell.geom.settings()
    settings.set("use-world-coords", True)
    for element in file.by_type("IfcElement"):
        if not element.is_a("IfcOpeningElement"):
            shape = ifcopenshell.geom.create_shape(settings, element)
            vertices = np.array(shape.geometry.verts).reshape(-1, 3)
            yield element.Name, vertices[np.array(shape.geometry.faces).reshape(-1, 3)]
