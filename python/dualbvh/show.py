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
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import _core, _files, _select
from .models import _model, read

__all__ = ["Scene"]


class Scene(_core.Scene):
    """A scene that can be filled from models and looked at, see dualbvh._core.Scene.

    Bodies have properties, texts by name, that patterns of rules select them by; a copy and a pickle have them, too.
    """

    def __init__(self) -> None:
        super().__init__()
        self._properties: dict[int, dict[str, str]] = {}
        self._metres: float | None = None

    @classmethod
    def from_model(
        cls,
        model: str | os.PathLike[str] | _model.Model,
        *,
        sag: float | None = None,
        select: str = "",
        exclude: str = "",
        threads: int = 0,
    ) -> Scene:
        """A scene of an IFC, USD or STEP file, in its unit, with names, properties and sags (dualbvh.models.read())."""
        scene = cls()
        scene.add_model(model, sag=sag, select=select, exclude=exclude, threads=threads)
        return scene

    def add_model(
        self,
        model: str | os.PathLike[str] | _model.Model,
        *,
        sag: float | None = None,
        select: str = "",
        exclude: str = "",
        threads: int = 0,
    ) -> list[int]:
        """
        Adds the parts of a model, and returns their numbers. Lengths are converted to the unit of the first model.

        Pairs of it that belong together, as a door and the wall around it, get a rule by which they may meet. Arguments
        and exceptions as of dualbvh.models.read(), which makes a Model of a file.
        """
        if not isinstance(model, _model.Model):
            model = read(model, sag=sag, select=select, exclude=exclude, threads=threads)
        self._metres = self._metres or model.metres
        placed = model.placed((model.metres or 1.0) / (self._metres or 1.0))
        added = []
        for body, tree in zip(placed, _model.trees_of(model, placed)):
            added.append(self.add(tree, body.pose, name=body.name, sag=body.sag))
            self.set_properties(added[-1], body.part.properties)
        for rule in model.rules:
            self._let_meet(rule, added)
        return added

    @property
    def metres(self) -> float | None:
        """The length of the unit, as the first model says it."""
        return self._metres

    def properties(self, body: int) -> dict[str, str]:
        """The properties of a body. KeyError if there is none."""
        self.name(body)
        return dict(self._properties.get(body, ()))

    def set_properties(self, body: int, properties: Mapping[str, str]) -> None:
        """Gives a body these properties in place of those that it has. KeyError if there is none."""
        self.name(body)
        self._properties[body] = {str(key): str(value) for key, value in properties.items()}

    def select(self, pattern: str) -> list[int]:
        """
        The bodies that a pattern names, ascending: by name with * and ?, by properties as "[class=IfcPipe*][x!=y]", or
        both. Patterns are those of the command's rules, see docs/scene-format.md.
        """
        names = _select.matcher(pattern)
        return [b for b in self.bodies if names(self.name(b), self._properties.get(b, {}))]

    def remove(self, body: int) -> None:
        super().remove(body)
        self._properties.pop(body, None)

    def __getstate__(self) -> tuple[Any, ...]:
        return (*super().__getstate__(), dict(self._properties), self._metres)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        *inner, properties, self._metres = state
        super().__setstate__(tuple(inner))
        self._properties = {body: dict(said) for body, said in properties.items()}

    def _let_meet(self, rule: Mapping[str, Any], bodies: list[int]) -> None:
        """The rule of a model, which lets pairs meet, for bodies of it."""
        may, same = _core.PairRule(may_collide=True), rule.get("same")
        sides: list[dict[str | None, list[int]]] = []
        for key in ("a", "b"):
            names = _select.matcher(rule[key])
            side: dict[str | None, list[int]] = {}
            for body in bodies:
                said = self._properties.get(body, {})
                value = said.get(same) if same else None
                if names(self.name(body), said) and (value or not same):
                    side.setdefault(value, []).append(body)
            sides.append(side)
        for value, firsts in sides[0].items():
            for a in firsts:
                for b in sides[1].get(value, ()):
                    if a != b:
                        self.set_pair_rule(a, b, may)

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
            words = [_files.program(), "view", f"{folder}/scene.json", "-o", os.fspath(path), "--quiet", *options]
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
                vertices, numbers = np.unique(tree.triangles().reshape(-1, 3), axis=0, return_inverse=True)
                _files.write_ply(folder / files[key], vertices, numbers.reshape(-1, 3))
            name = self.name(body) or f"body-{body}"
            names[body] = name if name not in names.values() else f"{name}-{body}"
            pose = [float(x) for x in np.asarray(self.pose(body)).reshape(-1)[:12]]
            entry: dict[str, Any] = {"name": names[body], "file": files[key], "pose": pose}
            sag = self.options(body)[2]
            entry |= {"sag": sag} if sag > 0.0 else {}
            bodies.append(entry | ({"properties": said} if (said := self._properties.get(body)) else {}))
        document: dict[str, Any] = {"schema": "dualbvh.scene/1", "bodies": bodies, "rules": self._rules(names)}
        document |= {"unit": _model.UNIT_WORDS[self._metres]} if self._metres in _model.UNIT_WORDS else {}
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
                    rules.append({"a": _select.exact(names[a]), "b": _select.exact(names[b]), **entry})
        return rules
