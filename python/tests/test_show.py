# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Pages of scenes, by the command, and the triangles that they are made from."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import sys
import types
from pathlib import Path

import dualbvh
import numpy as np
import pytest

needs_command = pytest.mark.skipif(
    not (os.environ.get("DUALBVH") or shutil.which("dualbvh")), reason="there is no command dualbvh"
)


def cube() -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([triangle for a, b, c, d in sides for triangle in ((a, b, c), (a, c, d))], np.uint32)
    return corners, faces


def at(x: float) -> np.ndarray:
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


def test_triangles_are_those_that_were_given() -> None:
    vertices, faces = cube()
    triangles = dualbvh.Tree((vertices, faces)).triangles()
    assert triangles.shape == (12, 3, 3)
    assert np.array_equal(triangles, vertices[faces])


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dualbvh.Scene:
    frame = tmp_path / "frame.html"
    frame.write_text("<!doctype html>\n<!--dualbvh:picture-->\n")
    monkeypatch.setenv("DUALBVH_VIEWER", str(frame))
    tree = dualbvh.Tree(cube())
    made = dualbvh.Scene()
    made.add(tree, name="a*b")
    made.add(tree, at(0.5), name="second")
    made.add(tree, at(1.25))
    return made


def clashes(page: Path) -> list[dict[str, object]]:
    found = re.search(r'<script type="application/json" id="picture">(.*?)</script>', page.read_text(), re.S)
    assert found is not None
    picture = json.loads(found[1])
    paths = [body["path"] for body in picture["bodies"]]
    return [{"a": paths[c["a"]], "b": paths[c["b"]], "kind": c["kind"]} for c in picture["clashes"]]


def clashes_of(scene: dualbvh.Scene, page: Path) -> list[dict[str, object]]:
    scene.to_html(page)
    return clashes(page)


@needs_command
def test_a_page_has_the_clashes_of_the_scene(scene: dualbvh.Scene, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    scene.to_html(page, title="three")
    assert "<title>three</title>" in page.read_text()
    found = {(c["a"], c["b"]) for c in clashes(page)}
    assert found == {("a*b", "second"), ("body-2", "second")}
    assert len(found) == len(scene.clashes())


@needs_command
def test_rules_go_along(scene: dualbvh.Scene, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    scene.set_pair_rule(0, 1, dualbvh.PairRule(may_collide=True))
    scene.set_pair_rule(0, 2, dualbvh.PairRule(clearance=0.5))
    scene.to_html(page)
    found = {(c["a"], c["b"], c["kind"]) for c in clashes(page)}
    assert found == {("a*b", "body-2", "clearance"), ("body-2", "second", "hard")}


@needs_command
def test_sags_go_along(scene: dualbvh.Scene, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    tree, sagging = scene.tree(0), dualbvh.Scene()
    for x in (0.0, 0.9985):
        sagging.add(tree, at(x), sag=0.001)
    assert [clash["kind"] for clash in clashes_of(sagging, page)] == ["touch"]
    assert [int(clash["kind"]) for clash in sagging.clashes()] == [dualbvh.ClashKind.TOUCH]
    sagging.remove(1)
    sagging.add(tree, at(0.9985))
    assert [clash["kind"] for clash in clashes_of(sagging, page)] == ["hard"]
    assert [int(clash["kind"]) for clash in sagging.clashes()] == [dualbvh.ClashKind.HARD]


@needs_command
def test_scenes_of_trimesh_are_shown(scene: dualbvh.Scene, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    source = trimesh.Scene()
    for name, x in (("first", 0.0), ("second", 0.75)):
        source.add_geometry(trimesh.Trimesh(*cube(), process=False), node_name=name, transform=at(x))
    found = clashes_of(dualbvh.scene_from_trimesh(source), tmp_path / "page.html")
    assert [(clash["a"], clash["b"]) for clash in found] == [("first", "second")]


class Shown(str):
    """In place of what IPython shows."""


@needs_command
def test_a_notebook_gets_the_page(scene: dualbvh.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    display = types.ModuleType("IPython.display")
    display.HTML = Shown  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    scene.add(scene.tree(0), at(1.75), name='"><script>')
    scene.to_html(tmp_path / "page.html", title="three")
    shown = scene.show(title="three", height=345)
    assert isinstance(shown, Shown)
    frame = re.fullmatch(r'<div><iframe [^<>]*height: 345px[^<>]* srcdoc="([^"<>]*)"></iframe></div>', shown)
    assert frame is not None
    (tmp_path / "shown.html").write_text(html.unescape(frame[1]), encoding="utf-8")
    assert clashes(tmp_path / "shown.html") == clashes(tmp_path / "page.html")
    assert any('"><script>' in (clash["a"], clash["b"]) for clash in clashes(tmp_path / "shown.html"))


@needs_command
def test_a_scene_at_the_end_of_a_cell_is_shown(
    scene: dualbvh.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.to_html(tmp_path / "page.html")
    shown = scene._repr_html_()
    assert shown is not None
    frame = re.fullmatch(r'<div><iframe [^<>]*height: 600px[^<>]* srcdoc="([^"<>]*)"></iframe></div>', shown)
    assert frame is not None
    (tmp_path / "shown.html").write_text(html.unescape(frame[1]), encoding="utf-8")
    assert clashes(tmp_path / "shown.html") == clashes(tmp_path / "page.html") != []
    monkeypatch.setenv("DUALBVH_VIEWER", str(tmp_path / "none.html"))
    assert scene._repr_html_() is None


@needs_command
def test_what_fails_says_so(scene: dualbvh.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="cannot be written"):
        scene.to_html(tmp_path / "nowhere" / "page.html")
    monkeypatch.setenv("DUALBVH_VIEWER", str(tmp_path / "none.html"))
    with pytest.raises(RuntimeError, match="cannot be opened"):
        scene.to_html(tmp_path / "page.html")


def test_without_the_command(scene: dualbvh.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DUALBVH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("dualbvh._files.own_program", lambda: None)
    with pytest.raises(FileNotFoundError, match="DUALBVH"):
        scene.to_html(tmp_path / "page.html")
    assert scene._repr_html_() is None


def test_the_command_of_the_wheel_comes_before_the_path(
    scene: dualbvh.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "dualbvh"
    own.write_text("#!/bin/sh\necho own >&2\nexit 2\n")
    own.chmod(0o755)

    class Installed:
        name = "dualbvh"

        def locate(self) -> Path:
            return own

    monkeypatch.delenv("DUALBVH", raising=False)
    monkeypatch.setattr("importlib.metadata.files", lambda _name: [Installed()])
    with pytest.raises(RuntimeError, match="own"):
        scene.to_html(tmp_path / "page.html")
