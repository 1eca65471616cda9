# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Scenes to look at: a page that shows where bodies clash, in a file or in a notebook.

The page is made by the command `dualbvh view`: the one that was installed with this package, as wheels have it, else
the one on the PATH; DUALBVH in the environment names another. The scene is handed over as it is: triangles, poses,
names, sags, and the rules of pairs; what bodies enclose is always read by the nonzero winding rule.
"""

from __future__ import annotations

import copy
import html
import json
import os
import shutil
import subprocess
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from . import _core

__all__ = ["Scene"]


def _own_program() -> str | None:
    """The command that the wheel of this package has put beside python, whether or not that folder is on the PATH."""
    try:
        files = metadata.files("dualbvh") or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name in ("dualbvh", "dualbvh.exe") and os.access(file.locate(), os.X_OK):
            return os.fspath(file.locate())
    return None


def _program() -> str:
    named = os.environ.get("DUALBVH") or _own_program() or shutil.which("dualbvh")
    if not named:
        raise FileNotFoundError(
            "pages are made by the command dualbvh, which is not on the PATH; DUALBVH in the environment may name it"
        )
    return named


def _write_ply(path: Path, triangles: np.ndarray[Any, np.dtype[np.float64]]) -> None:
    vertices, numbers = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    faces = np.empty(len(triangles), np.dtype([("count", "u1"), ("corners", "<u4", 3)]))
    faces["count"] = 3
    faces["corners"] = numbers.reshape(-1, 3)
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nproperty double x\nproperty double y\n"
        f"property double z\nelement face {len(faces)}\nproperty list uchar uint vertex_indices\nend_header\n"
    )
    path.write_bytes(head.encode() + vertices.astype("<f8").tobytes() + faces.tobytes())


class Scene(_core.Scene):
    """A scene that can be looked at, see dualbvh._core.Scene."""

    def to_html(self, path: str | os.PathLike[str], *, title: str = "", trees: bool = False) -> None:
        """
        Writes a page that shows where bodies clash, for any browser, in one file and without a network.

        trees  also the trees of the two bodies that clash worst

        Raises FileNotFoundError where the command dualbvh is not there, RuntimeError with its sentence where it fails.
        """
        self._view(path, ["--title", title or "scene"] + (["--trees"] if trees else []))

    def _view(self, path: str | os.PathLike[str], options: list[str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy.copy(self)._write(Path(folder))  # no other thread changes the copy
            words = [_program(), "view", f"{folder}/scene.json", "-o", os.fspath(path), "--quiet", *options]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())

    def show(self, *, title: str = "", height: int = 600) -> Any:
        """The page of to_html() in a notebook, `height` pixels high. Needs IPython."""
        from IPython.display import HTML  # type: ignore[import-not-found,unused-ignore]

        return HTML(self._framed(["--title", title or "scene"], height))

    def _repr_html_(self) -> str | None:
        """
        What a notebook shows of a scene that ends a cell: as show(), with the clashes found within 20 seconds. None,
        so that it shows the repr(), where no page can be made.
        """
        try:
            return self._framed(["--title", "scene", "--timeout", "20"], 600)
        except (OSError, RuntimeError):
            return None

    def _framed(self, options: list[str], height: int) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "page.html"
            self._view(file, options)
            page = file.read_text(encoding="utf-8")
        # Not as a data: URL, which Chromium opens up to 2 MB only. In a div, as IPython warns of iframes.
        return (
            f'<div><iframe title="dualbvh" style="width: 100%; height: {int(height)}px; border: 0" '
            f'sandbox="allow-scripts" allow="clipboard-write" srcdoc="{html.escape(page)}"></iframe></div>'
        )

    def _write(self, folder: Path) -> None:
        files: dict[int, str] = {}
        bodies = []
        names: dict[int, str] = {}
        for body in self.bodies:
            tree = self.tree(body)
            key = tree.content_hash
            if key not in files:
                files[key] = f"{len(files)}.ply"
                _write_ply(folder / files[key], tree.triangles())
            name = self.name(body) or f"body-{body}"
            names[body] = name if name not in names.values() else f"{name}-{body}"
            pose = [float(x) for x in np.asarray(self.pose(body)).reshape(-1)[:12]]
            entry = {"name": names[body], "file": files[key], "pose": pose}
            sag = self.options(body)[2]
            bodies.append(entry | ({"sag": sag} if sag > 0.0 else {}))
        document = {"schema": "dualbvh.scene/1", "bodies": bodies, "rules": self._rules(names)}
        (folder / "scene.json").write_text(json.dumps(document))

    def _rules(self, names: dict[int, str]) -> list[dict[str, object]]:
        """The rules of pairs, except that of pairs which must not meet."""
        rules: list[dict[str, object]] = []
        numbers = list(names)
        for i, a in enumerate(numbers):
            for b in numbers[i + 1 :]:
                rule = self.rule(a, b)
                entry: dict[str, object] = {}
                if rule is None:
                    entry["allow"] = True
                else:
                    if rule.may_touch:
                        entry["touch"] = True
                    for key in ("clearance", "touch_gap", "touch_overlap"):
                        if getattr(rule, key) > 0.0:
                            entry[key] = getattr(rule, key)
                if entry:
                    rules.append({"a": _exact(names[a]), "b": _exact(names[b]), **entry})
        return rules


def _exact(name: str) -> str:
    """The pattern that matches this name and nothing else."""
    return "".join("\\" + c if c in "*?\\" else c for c in name)
