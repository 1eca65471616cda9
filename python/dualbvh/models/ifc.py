# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""IFC, by ifcopenshell.

Elements become parts, with the openings cut out of them as the file says; openings themselves, spaces, grids and
virtual elements are none. Shapes are taken in their own coordinates, so that elements of one type share triangles. The
path of a part is made of the names of building, storey, space and assembly, and its own.
"""

from __future__ import annotations

import os
from typing import Any

import ifcopenshell
import ifcopenshell.geom
import ifcopenshell.util.element as util
import ifcopenshell.util.selector
import ifcopenshell.util.system
import ifcopenshell.util.unit
import numpy as np

from ._model import Model, Part, part_of_path, text_of

DEFAULT_SAG = 0.001
_MOST_PRECISION = 1e-4

# Entities that representations without a curve are made of; whatever else there is may be curved.
_FLAT = frozenset(
    """
    IfcShapeRepresentation IfcShapeModel IfcRepresentation IfcGeometricRepresentationContext IfcMappedItem
    IfcGeometricRepresentationSubContext IfcRepresentationMap IfcCartesianTransformationOperator3D
    IfcCartesianTransformationOperator3DnonUniform IfcCartesianTransformationOperator2D
    IfcExtrudedAreaSolid IfcExtrudedAreaSolidTapered IfcRectangleProfileDef IfcArbitraryClosedProfileDef
    IfcArbitraryProfileDefWithVoids IfcPolyline IfcCartesianPoint IfcDirection IfcAxis2Placement3D IfcAxis2Placement2D
    IfcAxis1Placement IfcFacetedBrep IfcFacetedBrepWithVoids IfcClosedShell IfcOpenShell IfcFace IfcFaceBound
    IfcFaceOuterBound IfcPolyLoop IfcPolygonalFaceSet IfcTriangulatedFaceSet IfcCartesianPointList3D
    IfcCartesianPointList2D IfcIndexedPolygonalFace IfcIndexedPolygonalFaceWithVoids IfcBooleanResult
    IfcBooleanClippingResult IfcHalfSpaceSolid IfcPolygonalBoundedHalfSpace IfcBoxedHalfSpace IfcPlane IfcBlock
    IfcRectangularPyramid IfcCsgSolid IfcFaceBasedSurfaceModel IfcShellBasedSurfaceModel IfcConnectedFaceSet
    IfcBoundingBox
    """.split()
)


def read(path: str, *, sag: float | None = None, select: str = "", exclude: str = "", threads: int = 0) -> Model:
    """See dualbvh.models.read()."""
    try:
        file = ifcopenshell.open(path)
    except Exception as error:
        raise ValueError(f"ifcopenshell cannot read '{path}': {error}") from error
    sag = DEFAULT_SAG if sag is None else sag
    model = Model(metres=1.0)
    elements = _elements(file, select, exclude)
    if elements:
        _add_shapes(model, file, elements, sag, threads or os.cpu_count() or 1)
    _add_rules(model)
    found = {part.properties["GlobalId"] for part in model.parts}
    missing = [e for e in elements if e.Representation is not None and e.GlobalId not in found]
    if missing:
        model.notes.append(
            f"{len(missing)} of {len(elements)} elements have a representation, and no triangles of it; the first is "
            f"{missing[0].is_a()} {missing[0].GlobalId}"
        )
    return model


def _precision(file: Any) -> float:
    """The distance, in metres, within which the file takes two points for one; at most a tenth of a millimetre."""
    said = [c.Precision for c in file.by_type("IfcGeometricRepresentationContext", include_subtypes=False)]
    scale = float(ifcopenshell.util.unit.calculate_unit_scale(file))
    return min([_MOST_PRECISION, *(float(p) * scale for p in said if p is not None and p > 0.0)])


def _elements(file: Any, select: str, exclude: str) -> list[Any]:
    elements = ifcopenshell.util.selector.filter_elements(file, select) if select else file.by_type("IfcElement")
    if exclude:
        elements = set(elements) - ifcopenshell.util.selector.filter_elements(file, exclude)
    kept = [
        e
        for e in elements
        if e.is_a("IfcElement") and not e.is_a("IfcFeatureElement") and not e.is_a("IfcVirtualElement")
    ]
    return sorted(kept, key=lambda e: e.id())


def _add_shapes(model: Model, file: Any, elements: list[Any], sag: float, threads: int) -> None:
    settings = ifcopenshell.geom.settings()
    settings.set("mesher-linear-deflection", sag)
    settings.set("weld-vertices", True)
    settings.set("use-world-coords", False)
    iterator = ifcopenshell.geom.iterator(settings, file, threads, include=elements)
    curved: dict[str, bool] = {}
    half = 0.5 * _precision(file)  # of a gap or an overlap that two parts have a half of each
    if not iterator.initialize():
        return
    while True:
        shape = iterator.get()
        key = shape.geometry.id
        if key not in model.shapes:
            vertices = np.frombuffer(shape.geometry.verts_buffer, np.float64).reshape(-1, 3).copy()
            faces = np.frombuffer(shape.geometry.faces_buffer, np.int32).reshape(-1, 3).copy()
            model.shapes[key] = (vertices, faces)
        element = file.by_guid(shape.guid)
        if len(model.shapes[key][1]) > 0:
            if key not in curved:
                curved[key] = _may_be_curved(file, element)
            matrix = np.array(shape.transformation.matrix, np.float64).reshape(4, 4).T
            own = half + (sag if curved[key] else 0.0)
            model.parts.append(Part(_path(element), key, matrix, _properties(file, element), own))
        if not iterator.next():
            break
    model.parts.sort(key=lambda part: int(part.properties["step_id"]))


def _may_be_curved(file: Any, element: Any) -> bool:
    holes = (
        [relation.RelatedOpeningElement for relation in element.HasOpenings] if hasattr(element, "HasOpenings") else []
    )
    for product in [element, *holes]:
        if product.Representation is None:
            continue
        for representation in product.Representation.Representations:
            if representation.RepresentationIdentifier in ("Body", "Facetation", None) and any(
                not _is_flat(item) for item in file.traverse(representation)
            ):
                return True
    return False


def _is_flat(item: Any) -> bool:
    if item.is_a("IfcIndexedPolyCurve"):
        return all(segment.is_a("IfcLineIndex") for segment in item.Segments or ())
    return item.is_a() in _FLAT


def _path(element: Any) -> str:
    levels = [part_of_path(element.Name, element.is_a())]
    above = util.get_parent(element)
    while above is not None and not above.is_a("IfcProject") and not above.is_a("IfcSite"):
        levels.append(part_of_path(above.Name, above.is_a()))
        above = util.get_parent(above)
    return "/".join(reversed(levels))


def _names(things: Any) -> str:
    return ", ".join(
        dict.fromkeys(thing.Name for thing in things if thing is not None and getattr(thing, "Name", None))
    )


def _properties(file: Any, element: Any) -> dict[str, str]:
    kind, storey = util.get_type(element), util.get_container(element, ifc_class="IfcBuildingStorey")
    whole = util.get_aggregate(element)
    host = _host(element)
    said = {
        "class": element.is_a(),
        "GlobalId": element.GlobalId,
        "name": element.Name,
        "type": kind and kind.Name,
        "type_class": kind and kind.is_a(),
        "predefined_type": util.get_predefined_type(element),
        "storey": storey and storey.Name,
        "system": _names(ifcopenshell.util.system.get_element_systems(element)),
        "material": _names(util.get_materials(element)),
        "layer": _names(util.get_layers(file, element)),
        "tag": getattr(element, "Tag", None),
        "step_id": element.id(),
        "fills": host and host.GlobalId,
        "host": element.GlobalId if host is None and getattr(element, "HasOpenings", None) else host and host.GlobalId,
        "part_of": whole and whole.GlobalId,
        "assembly": element.GlobalId if getattr(element, "IsDecomposedBy", None) else whole and whole.GlobalId,
    }
    made = {key: str(value) for key, value in said.items() if value}
    for group, values in util.get_psets(element).items():
        for key, value in values.items():
            if key != "id" and isinstance(value, (str, int, float)):
                made[f"{group}.{key}"] = text_of(value)
    return made


def _host(element: Any) -> Any:
    """The wall that a door or window is in."""
    for fills in getattr(element, "FillsVoids", ()):
        for voids in fills.RelatingOpeningElement.VoidsElements:
            return voids.RelatingBuildingElement
    return None


def _add_rules(model: Model) -> None:
    if any("fills" in part.properties for part in model.parts):
        model.rules.append(_apart("fills", "host", "it fills an opening of it"))
    if any("part_of" in part.properties for part in model.parts):
        model.rules.append(_apart("part_of", "assembly", "it is a part of it"))


def _apart(inner: str, same: str, reason: str) -> dict[str, Any]:
    return {"a": f"[{inner}=*]", "b": f"[{inner}!=*]", "same": same, "allow": True, "reason": reason}
