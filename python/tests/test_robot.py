# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Robots: kinematics and certified edges against dense samples, and models of pinocchio where it is installed."""

from __future__ import annotations

import dualbvh
import numpy as np
import pytest
from dualbvh import EdgeVerdict, JointKind, RobotLayout


def box(x, y, z):
    corners = np.array([[i, j, k] for i in (-x, x) for j in (-y, y) for k in (-z, z)], float)
    quads = ["0132", "4576", "0451", "2376", "0264", "1375"]
    faces = []
    centre = corners.mean(axis=0)
    for quad in quads:
        a, b, c, d = (int(v) for v in quad)
        for face in ([a, b, c], [a, c, d]):
            p, q, r = corners[face]
            out = np.dot(np.cross(q - p, r - p), p - centre) > 0
            faces.append(face if out else face[::-1])
    return dualbvh.Tree((corners, np.array(faces)))


def arm():
    """Three links that turn, bars of length 1, and a post."""
    scene, robot = dualbvh.Scene(), dualbvh.Robot()
    bar, post = box(0.5, 0.05, 0.05), box(0.02, 0.02, 1.0)
    link = None
    for i in range(3):
        origin = np.eye(4)
        origin[0, 3] = 0.0 if i == 0 else 1.2
        link = robot.add_link(link, origin, JointKind.CONTINUOUS if i == 2 else JointKind.REVOLUTE, [0, 0, 1])
        at = np.eye(4)
        at[0, 3] = 0.6
        robot.attach(link, scene.add(bar), at)
    stand = np.eye(4)
    stand[:2, 3] = 1.9, 1.0
    scene.add(post, stand)
    return scene, robot


def planar_places(q):
    turn, at, out = 0.0, np.zeros(2), []
    for angle in q:
        turn += angle
        ahead = np.array([np.cos(turn), np.sin(turn)])
        out.append(at + 0.6 * ahead)
        at = at + 1.2 * ahead
    return np.array(out)


def test_kinematics():
    _scene, robot = arm()
    q = np.random.default_rng(1).uniform(-3, 3, (50, 3))
    places = robot.place(q)
    assert places.shape == (50, 3, 3, 4)
    for row, of in zip(places, q):
        np.testing.assert_allclose(row[:, :2, 3], planar_places(of), atol=1e-12)
    np.testing.assert_allclose(robot.place(q, links=True)[:, 1, :2, 3], 1.2 * np.c_[np.cos(q[:, 0]), np.sin(q[:, 0])])
    assert len(robot) == 3 and robot.bodies == [(0, 0), (1, 1), (2, 2)]
    assert robot.width() == 3 and robot.width(RobotLayout.PINOCCHIO) == 4
    assert robot.column(2, RobotLayout.PINOCCHIO) == 2
    pairs = np.c_[q[:, :2], np.cos(q[:, 2]), np.sin(q[:, 2])]
    np.testing.assert_allclose(robot.place(pairs, RobotLayout.PINOCCHIO), places, atol=1e-12)
    assert robot.body_pose(1)[0, 3] == 0.6
    link = robot.link(2)
    assert link["parent"] == 1 and link["joint"] == JointKind.CONTINUOUS and link["follows"] is None


def test_configurations_and_edges():
    scene, robot = arm()
    q = np.random.default_rng(2).uniform(-3, 3, (120, 3))
    found = robot.collide_batch(scene, q)
    for row, of in zip(found, q):
        scene.set_poses(robot.place(of)[0], bodies=[0, 1, 2])
        assert bool(row["intersecting"]) == (len(scene.collide()) > 0)
    edges = robot.edge_batch(scene, q)
    seen = set()
    for i, edge in enumerate(edges):
        verdict = EdgeVerdict(int(edge["verdict"]))
        seen.add(verdict)
        states = robot.between(q[i], q[i + 1], np.linspace(0, 1, 200))
        hits = robot.collide_batch(scene, states)["intersecting"]
        if verdict == EdgeVerdict.CLEAR:
            assert not hits.any() and edge["free_until"] == 1
        if verdict == EdgeVerdict.COLLIDES:
            at = robot.between(q[i], q[i + 1], [edge["time"]])
            assert robot.collide_batch(scene, at)["intersecting"][0]
    assert {EdgeVerdict.CLEAR, EdgeVerdict.COLLIDES} <= seen
    first = robot.edge_batch(scene, q, first=True, tolerance=1e-3, threads=2)
    assert (first["free_until"] <= first["time"]).all()
    assert len(robot.edge_batch(scene, q, [(0, 5), (5, 0)], clearance=0.01)) == 2
    assert len(robot.edge_batch(scene, q, [])) == 0


def test_distances_of_configurations():
    scene, robot = arm()
    q = np.random.default_rng(3).uniform(-3, 3, (60, 3))
    least = robot.distance_batch(scene, q)
    near, pairs, begin = robot.near_pairs_batch(scene, q, margin=0.1, threads=2)
    for i, of in enumerate(q):
        scene.set_poses(robot.place(of)[0], bodies=[0, 1, 2])
        want = scene.distance()
        got = least["nearest"][i]
        assert least["found"][i] and got["distance"] == want.distance
        assert (got["bodies"]["a"], got["bodies"]["b"]) == want.bodies
        np.testing.assert_allclose(got["point_b"] - got["point_a"], got["distance"] * got["normal"], atol=1e-12)
        every = [(a, b) for a in range(4) for b in range(a + 1, 4) if scene.pair_distance(a, b).distance < 0.1]
        listed = pairs[begin[i] : begin[i + 1]]["bodies"]
        assert [(int(x["a"]), int(x["b"])) for x in listed] == every
        assert near["pair_count"][i] == len(every)
    assert (robot.margin_batch(scene, q, margin=0.1)["found"] == near["found"]).all()
    assert 0 < near["found"].sum() <= len(q)
    assert not robot.distance_batch(scene, q, limit=1e-9)["found"].all()
    with pytest.raises(dualbvh.Error):
        robot.margin_batch(scene, q, margin=-1.0)


def test_followers_and_grasps():
    scene, robot = arm()
    robot.follow(1, 0, -2.0, 0.5)
    assert robot.width() == 2 and robot.link(1)["follows"] == (0, -2.0, 0.5)
    np.testing.assert_allclose(robot.place([0.3, 0.1])[0, :, :2, 3], planar_places([0.3, -0.1, 0.1]), atol=1e-12)
    grasped = scene.add(box(0.1, 0.1, 0.1))
    robot.attach(2, grasped, dualbvh.pose_from_rpy([0, 0, 0], [1.2, 0, 0]))
    assert robot.place([0.3, 0.1]).shape == (1, 4, 3, 4)
    robot.detach(grasped)
    assert robot.place([0.3, 0.1]).shape == (1, 3, 3, 4)
    assert dualbvh.sine_cosine(0.0) == (0.0, 1.0)


def test_refusals():
    scene, robot = arm()
    with pytest.raises(dualbvh.Error):
        robot.add_link(9)
    with pytest.raises(dualbvh.Error):
        robot.add_link(None, None, JointKind.REVOLUTE, limits=(1.0, 0.0))
    with pytest.raises(dualbvh.Error):
        robot.detach(7)
    with pytest.raises(KeyError):
        robot.link(9)
    with pytest.raises(KeyError):
        robot.body_pose(9)
    bad = np.zeros((3, 3))
    bad[1, 1] = np.nan
    with pytest.raises(dualbvh.Error):
        robot.collide_batch(scene, bad)
    assert robot.collide_batch(scene, bad, errors="keep")["status"].tolist()[0] == 0
    assert (robot.edge_batch(scene, bad, errors="keep")["status"] != 0).all()


URDF = """<robot name="r"><link name="a"/><link name="b">
<collision>
<origin xyz="0.5 0 0"/><geometry><box size="0.8 0.1 0.1"/></geometry></collision></link>
<link name="c"><collision><geometry><box size="0.2 0.3 0.1"/></geometry></collision></link>
<link name="d"><collision><geometry><box size="0.3 0.1 0.2"/></geometry></collision></link>
<joint name="j1" type="revolute"><parent link="a"/><child link="b"/>
<origin rpy="0.1 0.2 0.3" xyz="0 0 1"/>
<axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="j2" type="continuous"><parent link="b"/><child link="c"/>
<origin rpy="0.4 0 1" xyz="1 0 0.2"/>
<axis xyz="0.6 0.8 0"/></joint>
<joint name="j3" type="prismatic"><parent link="c"/><child link="d"/><origin xyz="0 0.3 0.2"/>
<axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize("free", [False, True])
def test_pinocchio(free):
    pin = pytest.importorskip("pinocchio")
    from dualbvh.robot import from_pinocchio

    model = pin.buildModelFromXML(URDF, pin.JointModelFreeFlyer()) if free else pin.buildModelFromXML(URDF)
    geometry = pin.buildGeomFromUrdfString(model, URDF, pin.GeometryType.COLLISION)
    geometry.addAllCollisionPairs()
    robot = from_pinocchio(model, geometry)
    data, geometry_data = model.createData(), geometry.createData()
    pin.seed(3)
    q = np.array([pin.randomConfiguration(model, -2 * np.ones(model.nq), 2 * np.ones(model.nq)) for _ in range(300)])
    places, found = robot.place(q), robot.collides(q)
    for i, of in enumerate(q):
        pin.updateGeometryPlacements(model, data, geometry, geometry_data, of)
        for k in range(3):
            np.testing.assert_allclose(places[i, k, :, :3], geometry_data.oMg[k].rotation, atol=1e-12)
            np.testing.assert_allclose(places[i, k, :, 3], geometry_data.oMg[k].translation, atol=1e-12)
        assert found[i] == pin.computeCollisions(model, data, geometry, geometry_data, of, True)
    assert 0 < found.sum() < len(q)
    assert set(robot.check_edges(q[:40])["verdict"]) <= {0, 1, 2}


GRIPPER_ARM = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="0.5 0 0" rpy="0 0.2 0"/>
<geometry><box size="1 .1 .1"/></geometry></collision></link>
<link name="lower"><collision>
<origin xyz="0.4 0 0"/>
<geometry><mesh filename="bar.ply" scale="2 1 1"/></geometry></collision></link>
<link name="tool"/>
<link name="left"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<link name="right"><collision><geometry><cylinder radius="0.05" length="0.2"/></geometry></collision></link>
<joint name="right_finger" type="prismatic"><parent link="tool"/><child link="right"/><origin xyz="0.1 -0.1 0"/>
<axis xyz="0 -1 0"/><limit lower="0" upper="0.1" effort="1" velocity="1"/>
<mimic joint="left_finger" multiplier="0.5"/></joint>
<joint name="left_finger" type="prismatic"><parent link="tool"/><child link="left"/><origin xyz="0.1 0.1 0"/>
<axis xyz="0 1 0"/><limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>
<joint name="wrist" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0.9 0 0" rpy="0.3 0 0.1"/>
</joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="1.05 0 0"/>
<axis xyz="0 1 1"/></joint>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0.3 0 0.2" rpy="0 0 0.5"/>
<axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>"""


def test_yourdfpy(tmp_path):
    yourdfpy = pytest.importorskip("yourdfpy")
    from dualbvh.robot import from_yourdfpy

    (tmp_path / "arm.urdf").write_text(GRIPPER_ARM)
    corners = box(0.2, 0.05, 0.05).triangles().reshape(-1, 3)
    dualbvh.Mesh(corners, np.arange(len(corners)).reshape(-1, 3)).save(tmp_path / "bar.ply")
    urdf = yourdfpy.URDF.load(str(tmp_path / "arm.urdf"), load_meshes=False)
    robot = from_yourdfpy(urdf, allowed=[("left", "right")])
    assert urdf.actuated_joint_names == ["left_finger", "elbow", "shoulder"]
    cfg = np.random.default_rng(7).uniform((0, -3, -3), (0.1, 3, 3), (200, 3))
    links = robot.robot.place(robot.configurations(cfg), links=True)
    for row, of in zip(links, cfg):
        urdf.update_cfg(of)
        for name, number in robot.links.items():
            np.testing.assert_allclose(row[number], urdf.get_transform(name)[:3], atol=1e-12)
    collides, least = robot.collides(cfg), robot.nearest(cfg)
    places = robot.place(cfg)
    assert 0 < collides.sum() < len(cfg)
    names = {(min(a, b), max(a, b)) for a, b in robot.pairs}
    for i, row in enumerate(places):
        robot.scene.set_poses(row, bodies=[b for b, _ in robot.robot.bodies])
        found = {p for p in names if robot.scene.pair_distance(*p).distance == 0}
        assert bool(collides[i]) == bool(found) and least["found"][i]
    assert robot.check_edges(cfg[:20]).shape == (19,)
    bar = robot.scene.tree(robot.bodies["lower"][0]).triangles()
    np.testing.assert_allclose(np.ptp(bar.reshape(-1, 3), axis=0), [0.8, 0.1, 0.1])
