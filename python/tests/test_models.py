# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Models as scenes: what any reader makes, patterns, the command with such files. test_readers.py has the readers."""

from __future__ import annotations

import copy
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import dualbvh
import numpy as np
import pytest
from dualbvh import _select, models
from dualbvh.models import __main__ as command
from shapes import box

needs_command = pytest.mark.skipif(
    not (os.environ.get("DUALBVH") or shutil.which("dualbvh")), reason="there is no command dualbvh"
)


def at(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def house() -> models.Model:
    """A wall with a door in it, a pipe through both, and a mirrored and stretched one that is far away."""
    vertices, faces = box()
    model = models.Model(metres=1.0, shapes={"box": (np.asarray(vertices, float), np.asarray(faces, np.int32))})
    model.notes.append("one thing is left out")
    far = at(9.0) @ np.diag([-2.0, 1.0, 1.0, 1.0])
    model.parts = [
        models.Part("storey/wall", "box", at(0), {"class": "IfcWall", "host": "W", "GlobalId": "W"}),
        models.Part("storey/door", "box", at(0.5), {"class": "IfcDoor", "host": "W", "fills": "W"}),
        models.Part("storey/pipe", "box", at(0.75), {"class": "IfcPipeSegment", "system": "HW"}, 0.001),
        models.Part("storey/pipe", "box", far, {"class": "IfcPipeSegment", "system": "CW"}, 0.001),
    ]
    model.rules = [{"a": "[fills=*]", "b": "[fills!=*]", "same": "host", "allow": True}]
    return model


def test_a_model_is_a_scene() -> None:
    scene = dualbvh.Scene.from_model(house())
    assert [scene.name(b) for b in scene.bodies] == ["storey/wall", "storey/door", "storey/pipe", "storey/pipe#2"]
    assert scene.tree(0) is scene.tree(1) and scene.tree(0) is not scene.tree(3)
    assert [scene.options(b)[2] for b in scene.bodies] == [0.0, 0.0, 0.001, 0.002]
    # The mirrored box is no hollow.
    assert dualbvh.locate_point(scene.tree(3), scene.tree(3).triangles().mean((0, 1))) == dualbvh.Location.INSIDE
    assert {(int(c["a"]), int(c["b"])) for c in scene.clashes()} == {(0, 2), (1, 2)}
    assert scene.metres == 1.0


def test_units_are_converted_to_the_first() -> None:
    scene = dualbvh.Scene.from_model(house())
    other = house()
    other.metres = 0.001
    for part in other.parts:
        part.matrix = np.diag([1000.0, 1000.0, 1000.0, 1.0]) @ part.matrix
    added = scene.add_model(other)
    assert {scene.relate(a, b).relation for a, b in zip(range(4), added)} == {dualbvh.Relation.EQUAL}
    assert [scene.options(b)[2] for b in added] == pytest.approx([scene.options(b)[2] for b in range(4)])


def test_properties_stay_with_their_bodies() -> None:
    scene = dualbvh.Scene.from_model(house())
    scene.remove(1)
    with pytest.raises(KeyError):
        scene.properties(1)
    for other in (scene, copy.copy(scene), pickle.loads(pickle.dumps(scene))):
        assert other.properties(2) == {"class": "IfcPipeSegment", "system": "HW"}
        assert other.select("[class=IfcPipe*]") == [2, 3] and other.metres == 1.0
    assert scene.add(scene.tree(0)) == 1 and scene.properties(1) == {}
    with pytest.raises(KeyError):
        scene.set_properties(7, {})


WORDS = [
    "a",
    "b",
    "ab",
    "A",
    "*",
    "?",
    "/",
    "\\",
    "[",
    "]",
    "=",
    "!=",
    "~",
    "[a=b]",
    "[a~B]",
    "[b!=a*]",
    "[name=*b]",
    "ü",
]


@needs_command
def test_patterns_name_what_they_name_in_the_command(rng: np.random.Generator, scale: float, tmp_path: Path) -> None:
    def text(most: int, words: list[str]) -> str:
        return "".join(rng.choice(words, rng.integers(1, most + 1)))

    tree, vertices_faces = dualbvh.Tree(box()), box()
    dualbvh._files.write_ply(tmp_path / "box.ply", np.asarray(vertices_faces[0]), np.asarray(vertices_faces[1]))
    plain = [w for w in WORDS if w not in ("*", "?", "\\")]
    patterns = ["*", "no such", *(text(4, WORDS) for _ in range(int(40 * scale)))]
    outcomes = set()
    for pattern in patterns:
        scene, entries = dualbvh.Scene(), []
        for number in range(6):
            name = f"{text(3, plain).strip('/') or 'a'}/{number}"
            said = {key: text(2, plain) for key in ("a", "b") if rng.random() < 0.6}
            scene.set_properties(scene.add(tree, at(2.0 * number), name=name), said)
            entries.append({"name": name, "file": "box.ply", "properties": said, "groups": ["x"], "against": ["probe"]})
            entries[-1]["pose"] = at(2.0 * number)[:3].reshape(-1).tolist()
        probe = {"name": "probe", "file": "box.ply", "scale": [12.0, 1.0, 1.0], "groups": ["probe"]}
        rule = {"a": pattern, "b": "probe", "allow": True}
        document = {"schema": "dualbvh.scene/1", "bodies": [*entries, probe], "rules": [rule]}
        (tmp_path / "scene.json").write_text(json.dumps(document))
        words = [dualbvh._files.program(), "scene", str(tmp_path / "scene.json"), "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        clashing = {c["a"] if c["b"] == "probe" else c["b"] for c in json.loads(done.stdout)["clashes"]}
        left = {scene.name(b) for b in scene.bodies} - {scene.name(b) for b in scene.select(pattern)}
        assert clashing == left, pattern
        outcomes.add(len(clashing))
    assert {0, 6} <= outcomes


def test_patterns() -> None:
    names = _select.matcher("storey-1/[class=Ifc*][material~STEEL][system!=HW*]")
    assert names("storey-1/a", {"class": "IfcBeam", "material": "a steel"})
    assert not names("storey-1/a", {"class": "IfcBeam", "material": "a steel", "system": "HW 1"})
    assert not names("storey-2/a", {"class": "IfcBeam", "material": "a steel"})
    assert _select.matcher("[name=door-?]")("x/door-1", {}) and not _select.matcher("door[1]")("door1", {})
    assert _select.matcher(_select.exact("a*b"))("a*b", {}) and not _select.matcher(_select.exact("a*b"))("aab", {})


def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.ifc").write_text("")
    monkeypatch.setitem(sys.modules, "ifcopenshell", None)
    with pytest.raises(ImportError, match=r"pip install 'dualbvh\[ifc\]'"):
        models.read(tmp_path / "a.ifc")
    with pytest.raises(FileNotFoundError):
        models.read(tmp_path / "b.ifc")
    with pytest.raises(ValueError, match="ends in none of"):
        models.read(tmp_path / "a.dwg")
    assert models.kind_of("A.STP") == "step" and models.kind_of("a.stl") is None


# ----------------------------------------------------------------------------------------------------
# The command


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """house.ifc, which a reader in place of ifcopenshell's makes a house of; the sags that it was asked for."""
    asked: list[Any] = []

    def read(path: str, *, sag: float | None = None) -> models.Model:
        asked.append(sag)
        if "broken" in path:
            raise ValueError("it is broken")
        if "missing" in path:
            raise ImportError
        return house()

    monkeypatch.setattr(command, "read", read)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "temporary").mkdir()
    for name in ("house.ifc", "broken.ifc", "missing.ifc"):
        Path(name).write_text("")
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield asked
    for number, handler in handlers.items():
        signal.signal(number, handler)
    assert list((tmp_path / "temporary").iterdir()) == []


def report(*words: str) -> dict[str, Any]:
    assert command.main(["scene", *words, "--quiet", "--report", "json=report.json"]) in (0, 1)
    found: dict[str, Any] = json.loads(Path("report.json").read_text())
    return found


def pairs(found: dict[str, Any]) -> set[tuple[str, str]]:
    return {(c["a"], c["b"]) for c in found["clashes"]}


@needs_command
def test_the_command_reads_a_model(made: list[Any], capfd: pytest.CaptureFixture[str]) -> None:
    found = report("house.ifc")
    assert pairs(found) == {("storey/pipe", "storey/wall"), ("storey/door", "storey/pipe")}
    assert found["files"] == ["house.ifc"] and found["metres"] == 1
    assert "one thing is left out" in capfd.readouterr().err
    assert pairs(report("house.ifc", "--allow", "[class=IfcDoor],[system=HW]")) == {("storey/pipe", "storey/wall")}
    report("house.ifc", "--sag", "0.25")
    assert made == [None, None, 0.25]


@needs_command
def test_scenes_include_models(made: list[Any]) -> None:
    Path("inner.json").write_text('{"include": [{"file": "house.ifc", "name": "in"}]}')
    scene = {
        "unit": "mm",
        "include": [
            {"file": "house.ifc", "name": "one", "sag": 5},
            {"file": "inner.json", "pose": at(0, 5000)[:3].reshape(-1).tolist()},
        ],
        "rules": [{"a": "[class=IfcWall]", "b": "one/storey/pipe", "allow": True}],
    }
    Path("scene.json").write_text(json.dumps(scene))
    found = report("scene.json")
    assert pairs(found) == {
        ("one/storey/door", "one/storey/pipe"),
        ("in/storey/door", "in/storey/pipe"),
        ("in/storey/pipe", "in/storey/wall"),
    }
    assert found["files"] == ["scene.json"] and not any("temporary" in note for note in found.get("notes", ()))
    assert made == [0.005, None]


@needs_command
def test_what_a_scene_may_name(made: list[Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "below").mkdir()
    Path("below/scene.json").write_text('{"include": [{"file": "../house.ifc"}]}')
    assert command.main(["scene", "below/scene.json"]) == 2 and made == []
    assert command.main(["scene", "below/scene.json", "--allow-outside", "--quiet"]) == 1 and made == [None]
    Path("box.ply").write_bytes(b"")
    Path("below/scene.json").write_text('{"include": [{"file": "a.ifc"}], "bodies": [{"file": "../box.ply"}]}')
    shutil.copy("house.ifc", "below/a.ifc")
    capfd.readouterr()
    assert command.main(["scene", "below/scene.json"]) == 2
    assert "outside of the folder" in capfd.readouterr().err


@needs_command
def test_inputs_are_no_outputs(made: list[Any], capfd: pytest.CaptureFixture[str]) -> None:
    Path("scene.json").write_text('{"include": [{"file": "house.ifc"}]}')
    for word in ("house.ifc", "scene.json"):
        assert command.main(["scene", word, "--report", "json=house.ifc"]) == 2
        assert "would be overwritten" in capfd.readouterr().err
    assert Path("house.ifc").read_text() == ""


@needs_command
def test_the_command_says_what_it_cannot_read(made: list[Any], capfd: pytest.CaptureFixture[str]) -> None:
    assert command.main(["scene", "broken.ifc"]) == 2
    assert "broken.ifc: it is broken" in capfd.readouterr().err
    for word in ("missing.ifc", "nowhere.ifc"):
        assert command.main(["scene", word]) == 2
    assert "no such file" in capfd.readouterr().err
    assert command.main(["--command", "/nowhere/dualbvh", "scene", "house.ifc"]) == 2


def test_the_folder_goes_with_a_signal(tmp_path: Path) -> None:
    """SIGTERM while the command runs: it gets it, and the folder is removed."""
    sleeper = tmp_path / "sleeper"
    sleeper.write_text("#!/bin/sh\necho ready\nexec sleep 60\n")
    sleeper.chmod(0o755)
    words = [sys.executable, "-m", "dualbvh.models", "--command", str(sleeper), "scene"]
    (tmp_path / "t").mkdir()
    with subprocess.Popen(words, env=os.environ | {"TMPDIR": str(tmp_path / "t")}, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        child.terminate()
        deadline = time.monotonic() + 50.0
        while child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert child.returncode == -signal.SIGTERM
    assert list((tmp_path / "t").iterdir()) == []
