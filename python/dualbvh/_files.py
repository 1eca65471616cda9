# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Files that the command dualbvh is given, and where that command is."""

from __future__ import annotations

import os
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np


def own_program() -> str | None:
    """The command that the wheel of this package has put beside python, whether or not that folder is on the PATH."""
    try:
        files = metadata.files("dualbvh") or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name in ("dualbvh", "dualbvh.exe") and os.access(file.locate(), os.X_OK):
            return os.fspath(file.locate())
    return None


def program() -> str:
    named = os.environ.get("DUALBVH") or own_program() or shutil.which("dualbvh")
    if not named:
        raise FileNotFoundError(
            "the command dualbvh, which does this, is not on the PATH; DUALBVH in the environment may name it"
        )
    return named


def write_ply(path: Path, vertices: np.ndarray[Any, Any], faces: np.ndarray[Any, Any]) -> None:
    """Writes a mesh with its vertices in doubles."""
    rows = np.empty(len(faces), np.dtype([("count", "u1"), ("corners", "<u4", 3)]))
    rows["count"] = 3
    rows["corners"] = faces
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nproperty double x\nproperty double y\n"
        f"property double z\nelement face {len(rows)}\nproperty list uchar uint vertex_indices\nend_header\n"
    )
    path.write_bytes(head.encode() + vertices.astype("<f8").tobytes() + rows.tobytes())
