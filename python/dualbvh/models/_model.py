# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""What readers of IFC, USD, STEP and CAD programs make: shapes, and parts that place them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._files import write_ply
from .._transform import split_transform

# Units that a scene file has a word for, in metres.
UNIT_WORDS = {1.0: "m", 0.001: "mm", 0.01: "cm", 1e-6: "um", 1000.0: "km", 0.0254: "in", 0.3048: "ft"}

Value = str  # of a property: scene files compare texts


@dataclass
class Part:
    """A placed shape.

    name        its path, as "storey-1/pipe 7"; not unique
    shape       the key of its triangles in Model.shapes
    matrix      4 x 4, which may scale, shear and mirror
    properties  texts by name: class, GlobalId, storey, system, material and what else the file says
    sag         how far the triangles may be from the surface that they stand for, in the model's unit, before `matrix`
    """

    name: str
    shape: str
    matrix: NDArray[np.float64]
    properties: dict[str, Value] = field(default_factory=dict)
    sag: float = 0.0


@dataclass
class Model:
    """A file of many parts. Parts that have one shape share its triangles.

    metres  the length of the unit; None: not known
    rules   as in scene files: pairs that belong together, such as a door and the wall that it is in
    notes   sentences about what was left out
    """

    metres: float | None = None
    shapes: dict[str, tuple[NDArray[np.float64], NDArray[np.int32]]] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.parts)

    def placed(self, scale: float = 1.0) -> list[Placed]:
        """The parts as bodies: unique names, poses without scale, and what is to be done to the shapes before."""
        taken: dict[str, int] = {}
        names: set[str] = set()
        return [_place(part, _unique(part.name, taken, names), scale) for part in self.parts]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a scene file of the command, and its meshes, in doubles, into a folder whose name has ".d" behind."""
        path = Path(path)
        folder = path.with_name(path.name + ".d")
        folder.mkdir()
        metres, scale = (self.metres, 1.0) if self.metres in UNIT_WORDS else (1.0, self.metres or 1.0)
        files: dict[tuple[str, bytes], str] = {}
        bodies = []
        for body in self.placed(scale):
            if body.key not in files:
                files[body.key] = f"{folder.name}/{len(files)}.ply"
                write_ply(path.with_name(folder.name) / f"{len(files) - 1}.ply", *body.mesh(self))
            entry: dict[str, Any] = {"name": body.name, "file": files[body.key]}
            entry["pose"] = [float(x) for x in body.pose[:3].reshape(-1)]
            bodies.append(entry | ({"sag": body.sag} if body.sag > 0.0 else {}) | {"properties": body.part.properties})
        document: dict[str, Any] = {"schema": "dualbvh.scene/1"}
        if self.metres is not None:
            document["unit"] = UNIT_WORDS[metres or 1.0]
        path.write_text(json.dumps(document | {"bodies": bodies, "rules": self.rules}), encoding="utf-8")


@dataclass
class Placed:
    """A part as a body of a scene. `key` is the same for bodies that share a tree."""

    part: Part
    name: str
    pose: NDArray[np.float64]
    baked: NDArray[np.float64] | None
    sag: float

    @property
    def key(self) -> tuple[str, bytes]:
        return self.part.shape, b"" if self.baked is None else self.baked.tobytes()

    def mesh(self, model: Model) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        vertices, faces = model.shapes[self.part.shape]
        if self.baked is None:
            return vertices, faces
        turned = faces if np.linalg.det(self.baked) > 0.0 else faces[:, ::-1]
        return vertices @ self.baked.T, turned


def _place(part: Part, name: str, scale: float) -> Placed:
    matrix = np.array(part.matrix, np.float64)
    matrix[:3] *= scale
    pose, baked = split_transform(matrix)
    stretch = 1.0 if baked is None else float(np.linalg.norm(baked, 2))
    return Placed(part, name, pose, baked, part.sag * stretch)


def _unique(name: str, taken: dict[str, int], names: set[str]) -> str:
    """The name, or name#2 and so on, as the command does it."""
    made = name = name or "unnamed"
    while made in names:
        taken[name] = taken.get(name, 1) + 1
        made = f"{name}#{taken[name]}"
    names.add(made)
    return made


def trees_of(model: Model, bodies: list[Placed]) -> list[_core.Tree]:
    """A tree for each body; bodies of one key share it."""
    trees: dict[tuple[str, bytes], _core.Tree] = {}
    for body in bodies:
        if body.key not in trees:
            trees[body.key] = _core.Tree(body.mesh(model))
    return [trees[body.key] for body in bodies]


def text_of(value: object) -> str:
    """The value of a property as the command writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def part_of_path(name: str | None, otherwise: str) -> str:
    """A name as one level of a path, which "/" would end."""
    return (name or "").strip().replace("/", "_") or otherwise
