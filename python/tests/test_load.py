# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Files of scenes and robots: Scene.load()."""

from __future__ import annotations

import pickle
from pathlib import Path

import dualbvh
import numpy as np
import pytest
from dualbvh import JointKind, LoadSplit, PairRule, Scene, errors

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
ARM = """<robot name='arm'>
<link name='base'><collision><geometry><box size='.4 .4 .4'/></geometry></collision></link>
<link name='boom'><collision><origin xyz='1 0 0'/><geometry><box size='1.4 .1 .1'/></geometry></collision></link>
<link name='post'><collision><origin xyz='0 1.5 0'/><geometry><box size='.1 .1 1'/></geometry></collision></link>
<joint name='swing' type='revolute'><parent link='base'/><child link='boom'/><axis xyz='0 0 1'/>
<limit lower='-2' upper='2'/></joint>
<joint name='stand' type='fixed'><parent link='base'/><child link='post'/></joint>
</robot>
"""
GROUPS = """<robot name='arm'><group_state name='left' group='g'><joint name='swing' value='1.57'/></group_state>
<disable_collisions link1='base' link2='boom'/><disable_collisions link1='base' link2='post'/></robot>
"""
needs_urdf = pytest.mark.skipif(not dualbvh.load_reads("urdf"), reason="this build reads no URDF")


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "arm.srdf").write_text(GROUPS)
    return tmp_path / "arm.urdf"


def test_mesh_files(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(TETRAHEDRON)
    (tmp_path / "b.obj").write_text(
        "o one\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\no two\nv 7 0 0\nv 8 0 0\nv 7 1 0\nf 4 5 6\n"
    )
    one = Scene.load(tmp_path / "a.obj")
    assert one.bodies == ["a"] and one.robot is None and one.metres == 0 and one.states == {} and not one.notes
    both = Scene.load([str(tmp_path / "b.obj"), tmp_path / "a.obj"], split=LoadSplit.OBJECT)
    assert both.bodies == ["a", "b/one", "b/two"] and [both.scene.name(b) for b in range(3)] == both.bodies
    assert repr(both) == "<dualbvh.Loaded: 3 bodies, 0 links>"
    found = both.scene.distance()
    assert found is not None and found.bodies == (1, 2) and found.distance == 1


def test_trees_outlive_what_loaded_them(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(TETRAHEDRON)
    tree = Scene.load([tmp_path / "a.obj", tmp_path / "a.obj"]).scene.tree(1)
    assert dualbvh.collide(tree, tree)
    assert dualbvh.collide(pickle.loads(pickle.dumps(tree)), tree)


@needs_urdf
def test_robot(arm: Path) -> None:
    loaded = Scene.load(arm, srdf=arm.with_suffix(".srdf"), state="left")
    robot, scene = loaded.robot, loaded.scene
    assert robot is not None and loaded.metres == 1 and loaded.links == ["base", "boom", "post"]
    assert loaded.joints == ["", "swing", "stand"] and sorted(loaded.bodies) == loaded.links
    swing = loaded.joints.index("swing")
    assert robot.link(swing)["joint"] == JointKind.REVOLUTE and robot.link(swing)["limits"] == (-2, 2)
    assert loaded.states["left"].tolist() == [1.57]
    assert scene.collide() and scene.rule(0, 1) is None
    assert robot.collide_batch(scene, [[0.0], [1.57]])["intersecting"].tolist() == [False, True]
    copy = pickle.loads(pickle.dumps(scene))
    assert copy.rule(0, 1) is None and len(copy.collide()) == len(scene.collide())
    floating = Scene.load(arm, base=JointKind.FLOATING).robot
    assert floating is not None and floating.width() == 8


@pytest.mark.skipif(not dualbvh.load_reads("json"), reason="this build reads no JSON")
def test_rules_and_properties(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(TETRAHEDRON)
    (tmp_path / "s.json").write_text(
        """{"schema": "dualbvh.scene/1", "unit": "mm", "bodies": [
        {"name": "a", "file": "a.obj", "properties": {"class": "pin"}},
        {"name": "b", "file": "a.obj", "pose": {"translation": [1.5, 0, 0]}}],
        "defaults": {"clearance": 0.25}, "rules": [{"a": "a", "b": "b", "clearance": 1}]}"""
    )
    loaded = Scene.load(tmp_path / "s.json")
    assert loaded.metres == 0.001 and loaded.properties == [{"class": "pin"}, {}]
    rule = loaded.scene.rule(0, 1)
    assert isinstance(rule, PairRule) and rule.clearance == 1
    loaded.scene.set_pair_rule(0, 1, None)
    rule = loaded.scene.rule(0, 1)
    assert rule is not None and rule.clearance == 0.25


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(errors.IoError, match=r"none\.stl: "):
        Scene.load(tmp_path / "none.stl")
    (tmp_path / "bad.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 x\nf 1 2 3\n")
    with pytest.raises(errors.Malformed, match=r"bad\.obj:3: "):
        Scene.load(tmp_path / "bad.obj")
    with pytest.raises(errors.InvalidArgument):
        Scene.load([])
    with pytest.raises(errors.InvalidArgument, match="base"):
        Scene.load(tmp_path / "bad.obj", base=JointKind.PRISMATIC)
    assert not dualbvh.load_reads("docx")


@needs_urdf
def test_states_are_rows(arm: Path) -> None:
    with pytest.raises(errors.InvalidArgument, match="no state 'right'"):
        Scene.load(arm, srdf=arm.with_suffix(".srdf"), state="right")
    states = Scene.load(arm, srdf=arm.with_suffix(".srdf")).states
    assert isinstance(states["left"], np.ndarray)
