# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""STEP, by cascadio, which is OpenCASCADE behind one function: it makes a GLB, which is read here.

Parts are named by their assemblies and instances; instances share their triangles. The numbers of a GLB are floats in
metres; they become millimetres, the unit of the command's own reader of STEP. So that parts which touch in the file go
on touching, what floats may be off is in the sag of every part, and the deflection in that of parts with curved faces.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
from typing import Any

import cascadio
import numpy as np
from numpy.typing import NDArray

from ._model import Model, Part, part_of_path

DEFAULT_SAG = 0.1  # millimetres, as the command has it
_MOST_ANGLE = 0.5  # radians from a chord to the next, as the command has it
_ROUNDING = 2.0**-21  # of coordinates to floats: half a unit in the last place is 2^-24; axes, turns and a few levels
_TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_COLUMNS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def read(path: str, *, sag: float | None = None) -> Model:
    """See dualbvh.models.read()."""
    sag = DEFAULT_SAG if sag is None else sag
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "made.glb")
        try:
            status = cascadio.step_to_glb(path, out, sag, _MOST_ANGLE, merge_primitives=True, include_brep=True)
        except Exception as error:
            raise ValueError(f"cascadio cannot read '{path}': {error}") from error
        if status != 0 or not os.path.exists(out):
            raise ValueError(f"cascadio cannot read '{path}'")
        with open(out, "rb") as file:
            glb = file.read()
    return _Glb(glb, sag).model


class _Glb:
    def __init__(self, glb: bytes, sag: float) -> None:
        length = struct.unpack_from("<I", glb, 12)[0]
        self.said: dict[str, Any] = json.loads(glb[20 : 20 + length])
        self.binary = glb[20 + length + 8 :]
        self.sag = sag
        self.model = Model(metres=0.001)
        self.flat: dict[str, bool] = {}
        scene = self.said["scenes"][self.said.get("scene", 0)] if self.said.get("scenes") else {}
        for node in scene.get("nodes", ()):
            self._add(node, "", np.eye(4), 0.0)

    def _add(self, number: int, above: str, outer: NDArray[np.float64], reach: float) -> None:
        node = self.said["nodes"][number]
        place = _matrix(node)
        place[:3, 3] *= 1000.0
        reach += float(np.abs(place[:3, 3]).max())
        place = outer @ place
        path = f"{above}/" if above else ""
        path += part_of_path(node.get("name"), f"node-{number}")
        if "mesh" in node:
            self._add_part(self.said["meshes"][node["mesh"]], path, place, reach)
        for child in node.get("children", ()):
            self._add(child, path, place, reach)

    def _add_part(self, mesh: dict[str, Any], path: str, place: NDArray[np.float64], reach: float) -> None:
        """`reach` bounds the translations up to here: floats are off by a part of that, too."""
        key = " ".join(f"{p['attributes']['POSITION']}:{p.get('indices')}" for p in mesh["primitives"])
        if key not in self.model.shapes:
            self.model.shapes[key] = self._mesh(mesh)
            self.flat[key] = all(self._is_flat(p) for p in mesh["primitives"])
        vertices, faces = self.model.shapes[key]
        if len(faces) > 0:
            rounding = _ROUNDING * (reach + float(np.abs(vertices).max()))
            sag = rounding + (0.0 if self.flat[key] else self.sag)
            self.model.parts.append(Part(path, key, place, self._properties(mesh), sag))

    def _properties(self, mesh: dict[str, Any]) -> dict[str, str]:
        materials = [self.said["materials"][p["material"]].get("name") for p in mesh["primitives"] if "material" in p]
        said = {"product": mesh.get("name"), "material": materials[0] if materials else None}
        return {key: value for key, value in said.items() if value}

    def _is_flat(self, primitive: dict[str, Any]) -> bool:
        """Are all faces behind the triangles planes?"""
        said = primitive.get("extensions", {}).get("TM_brep_faces")
        if said is None:
            return False
        planes = {face["face_index"] for face in said["faces"] if face and face["type"] == "plane"}
        return planes.issuperset(np.unique(self._accessor(said["faceIndices"])).tolist())

    def _mesh(self, mesh: dict[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        points, faces, count = [], [], 0
        for primitive in mesh["primitives"]:
            if primitive.get("mode", 4) != 4:
                continue
            vertices = self._accessor(primitive["attributes"]["POSITION"]).astype(np.float64) * 1000.0
            corners = self._accessor(primitive["indices"]).reshape(-1, 3).astype(np.int64)
            points.append(vertices)
            faces.append(corners + count)
            count += len(vertices)
        if not points:
            return np.zeros((0, 3)), np.zeros((0, 3), np.int32)
        return np.vstack(points), np.vstack(faces).astype(np.int32)

    def _accessor(self, number: int) -> NDArray[Any]:
        accessor = self.said["accessors"][number]
        view = self.said["bufferViews"][accessor["bufferView"]]
        kind, columns = np.dtype(_TYPES[accessor["componentType"]]), _COLUMNS[accessor["type"]]
        offset = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize * columns)
        shape, strides = (accessor["count"], columns), (stride, kind.itemsize)
        return np.ndarray(shape, kind, self.binary, offset, strides)


def _matrix(node: dict[str, Any]) -> NDArray[np.float64]:
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    made = np.eye(4)
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    made[:3, :3] = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    made[:3, :3] *= np.asarray(node.get("scale", (1.0, 1.0, 1.0)))
    made[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return made
