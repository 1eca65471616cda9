# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Models of other programs as scenes: IFC, USD and STEP files, and what CAD programs in Python hold.

    pip install 'dualbvh[ifc]'      IFC, by ifcopenshell
    pip install 'dualbvh[usd]'      USD, USDA, USDC, USDZ, by usd-core
    pip install 'dualbvh[step]'     STEP, by cascadio

    scene = dualbvh.Scene.from_model("house.ifc")
    pipes, beams = scene.select("[class=IfcPipeSegment]"), scene.select("[class=IfcBeam]")

`python -m dualbvh.models scene house.ifc` is the command `dualbvh`, which reads such files thereby; so does
`dualbvh scene house.ifc` itself where a wheel has put both beside each other.
"""

from __future__ import annotations

import os
from importlib import import_module

from ._model import Model, Part

__all__ = ["ENDINGS", "Model", "Part", "kind_of", "read"]

# The module that reads the files of an ending, which is the name of the extra, too.
ENDINGS = {
    ".ifc": "ifc",
    ".usd": "usd",
    ".usda": "usd",
    ".usdc": "usd",
    ".usdz": "usd",
    ".step": "step",
    ".stp": "step",
    ".p21": "step",
}
_NEEDS = {"ifc": "ifcopenshell", "usd": "pxr", "step": "cascadio"}


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """ "ifc", "usd" or "step", by the ending of the name; None: another file."""
    return ENDINGS.get(os.path.splitext(os.fspath(path))[1].lower())


def read(
    path: str | os.PathLike[str], *, sag: float | None = None, select: str = "", exclude: str = "", threads: int = 0
) -> Model:
    """
    Reads an IFC, USD or STEP file.

    sag      how far triangles may be from curved surfaces, in the unit of the model (IFC: metres, STEP: millimetres);
             None: 1 mm in IFC, 0.1 mm in STEP. Bodies with curved faces say so to the rules
    select   of IFC: the elements, in the language of ifcopenshell.util.selector, as "IfcPipeSegment, IfcDuctSegment"
    exclude  of IFC: elements to leave out of these
    threads  of IFC: 0 is as many as there are cores

    Raises ImportError, which names the extra, where the library is not installed; ValueError for other files and for
    files that the library cannot read; OSError where there is none.
    """
    kind = kind_of(path)
    if kind is None:
        raise ValueError(f"'{os.fspath(path)}' ends in none of {', '.join(ENDINGS)}")
    if not os.path.exists(path):
        raise FileNotFoundError(2, "there is no such file", os.fspath(path))
    try:
        import_module(_NEEDS[kind])
    except ImportError as error:
        raise ImportError(
            f"{kind.upper()} is read by a library that is not here: pip install 'dualbvh[{kind}]'"
        ) from error
    if kind != "ifc" and (select or exclude):
        raise ValueError("select and exclude are of IFC")
    reader = import_module(f".{kind}", __name__)
    options = {"select": select, "exclude": exclude, "threads": threads} if kind == "ifc" else {}
    model: Model = reader.read(os.fspath(path), sag=sag, **options)
    return model
