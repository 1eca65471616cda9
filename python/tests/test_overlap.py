# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Overlaps, depths and fits against what is known of boxes."""

from __future__ import annotations

import copy
import pickle

import dualbvh
import numpy as np
import pytest
from shapes import Floats, Mesh
from shapes import box as cube


def sized(x: float, y: float, z: float) -> Mesh:
    """A box about the origin."""
    vertices, faces = cube()
    return (vertices - 0.5) * (x, y, z), faces


@pytest.fixture(scope="module")
def box() -> dualbvh.Tree:
    return dualbvh.Tree(sized(2, 2, 2), topology=True)


def along(x: float) -> Floats:
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


def test_interval() -> None:
    x = dualbvh.Interval(1, 3)
    assert (x.lower, x.upper, x.width, float(x)) == (1, 3, 2, 2)
    assert 1 in x and 3 in x and 4 not in x
    assert x <= 3 and not x <= 2 and x >= 1 and not x > 1
    assert x == dualbvh.Interval(1, 3) != dualbvh.Interval(1, 2) and x != 2
    assert pickle.loads(pickle.dumps(x)) == x and hash(copy.copy(x)) == hash(x)


@pytest.mark.parametrize("deep", [0.5, 0.125, 1.0])
def test_overlap_of_boxes(box: dualbvh.Tree, deep: float) -> None:
    found = dualbvh.overlap(box, box, along(2 - deep))
    assert found and 4 * deep in found.volume and found.volume.width <= 1e-9 * found.volume.upper
    assert 2 * 4 + 8 * deep in found.area
    assert found.kind == dualbvh.OverlapKind.PROTRUSION and found.reason == dualbvh.OverlapReason.DECIDED
    assert len(found.components) == 1
    assert found.depth is not None and deep in found.depth
    assert found.local_depth is not None and deep in found.local_depth.a_in_b.depth
    assert len(found.depths) == 1 and found.depths.dtype == dualbvh.COMPONENT_DEPTH_DTYPE
    part = found.depths[0]
    assert part["least"][0] <= deep <= part["least"][1] and part["reached"]
    assert part["a_in_b"]["depth"][0] <= deep <= part["a_in_b"]["depth"][1]
    if deep < 1:
        assert np.allclose(part["normal"], [1, 0, 0])
    assert found.bounds is not None and np.allclose(found.bounds, ([1 - deep, -1, -1], [1, 1, 1]))
    assert 1 - deep / 2 in found.centroid[0]
    mesh = found.mesh
    assert mesh is not None and mesh.audit().is_closed and len(found.sources) == len(mesh.faces)
    assert "PROTRUSION" in repr(found)
    again = pickle.loads(pickle.dumps(found))
    assert again.volume == found.volume and again.depth == found.depth
    assert np.array_equal(again.depths, found.depths)
    assert np.array_equal(again.components, found.components) and np.array_equal(again.sources, found.sources)


def test_nothing_in_common(box: dualbvh.Tree) -> None:
    for x, kind in ((3.0, dualbvh.OverlapKind.NONE), (2.0, dualbvh.OverlapKind.TOUCHING)):
        found = dualbvh.overlap(box, box, along(x))
        assert not found and found.kind == kind and found.volume.upper == 0
        assert found.mesh is None and found.bounds is None and len(found.components) == 0
        assert dualbvh.local_depth(box, box, along(x), allowed_depth=1).verdict == dualbvh.FitVerdict.NONE
        assert float(dualbvh.penetration_depth(box, box, along(x))) == 0
    plain = dualbvh.overlap(box, box, along(1.5), mesh=False, depth=False)
    assert plain.mesh is None and plain.depth is None and plain.local_depth is None and len(plain.depths) == 0


def test_open_meshes(box: dualbvh.Tree) -> None:
    vertices, faces = sized(1, 1, 9)
    sheet = dualbvh.Tree((vertices, faces[:-2]), topology=True)
    found = dualbvh.overlap(box, sheet, depth=False)
    assert found.reason == dualbvh.OverlapReason.OPEN and found.place[0] == 1 and not found
    with pytest.raises(dualbvh.errors.NoTopology):
        dualbvh.overlap(dualbvh.Tree(sized(1, 1, 1), topology=False), box)


def test_fits(box: dualbvh.Tree) -> None:
    pose = along(1.75)
    for allowed, verdict in ((0.2, "CLASH"), (0.3, "FIT")):
        for only in (False, True):
            depth = dualbvh.local_depth(box, box, pose, allowed_depth=allowed, verdict_only=only)
            assert depth.verdict.name == verdict and 0.25 in depth.least
    assert "FIT" in repr(depth) and pickle.loads(pickle.dumps(depth)).least == depth.least


def test_penetration(box: dualbvh.Tree) -> None:
    found = dualbvh.penetration_depth(box, box, along(1.75))
    assert 0.25 in found.depth and found.reached
    assert np.isclose(np.linalg.norm(found.translation), found.depth.upper)
    after = dualbvh.relate(box, box, found.pose_b).relation
    assert after in (dualbvh.Relation.DISJOINT, dualbvh.Relation.TOUCHING)
    way = dualbvh.penetration_along(box, box, (0, 0, 1), along(1.75))
    assert 2 in way.first_free and 2 in way.free_for_good
    assert "PenetrationAlong" in repr(way) and pickle.loads(pickle.dumps(found)).depth == found.depth


def test_batches(box: dualbvh.Tree) -> None:
    poses = np.stack([along(x) for x in (1.5, 1.75, 3.0)])
    volumes = dualbvh.overlap_batch(box, box, poses)
    assert volumes.dtype == dualbvh.OVERLAP_DTYPE
    depths = dualbvh.local_depth_batch(box, box, poses, allowed_depth=0.3)
    ways = dualbvh.penetration_depth_batch(box, box, poses)
    for i, deep in enumerate((0.5, 0.25, 0.0)):
        for field, truth in ((volumes["volume"], 4 * deep), (depths["least"], deep), (ways["depth"], deep)):
            assert field[i, 0] <= truth <= field[i, 1]
    assert [dualbvh.FitVerdict(v).name for v in depths["verdict"]] == ["CLASH", "FIT", "NONE"]
    poses[1, 0, 0] = 2
    for ask in (dualbvh.overlap_batch, dualbvh.local_depth_batch, dualbvh.penetration_depth_batch):
        with pytest.raises(dualbvh.errors.NotRigid):
            ask(box, box, poses)
        status = ask(box, box, poses, errors="keep")["status"]
        assert status[0] == status[2] == 0 != status[1]


def test_scenes(box: dualbvh.Tree) -> None:
    scene = dualbvh.Scene()
    for x in (0.0, 1.5, 3.25):
        scene.add(box, along(x))
    found = scene.overlaps()
    assert found.dtype == dualbvh.SCENE_OVERLAP_DTYPE
    assert [(a, b) for a, b in zip(found["a"], found["b"])] == [(0, 1), (1, 2)]
    for one, deep in zip(found, (0.5, 0.25)):
        assert one["depth"][0] <= deep <= one["depth"][1]
        assert one["volume"][0] <= 4 * deep <= one["volume"][1]
        assert dualbvh.FitVerdict(one["verdict"]) == dualbvh.FitVerdict.CLASH
    rule = dualbvh.PairRule(allowed_depth=0.3, allowed_volume=9)
    assert (rule.allowed_depth, rule.allowed_volume) == (0.3, 9) and "allowed_depth=0.3" in repr(rule)
    scene.set_default_rule(rule)
    assert len(scene.clashes()) == 1
    kinds = [dualbvh.ClashKind(k).name for k in scene.clashes(fits=True)["kind"]]
    assert kinds == ["HARD", "FIT"]
    assert [dualbvh.FitVerdict(v).name for v in scene.overlaps()["verdict"]] == ["CLASH", "FIT"]
