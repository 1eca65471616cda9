# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Scenes: bodies, rules, clashes, configurations."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import dualbvh
import numpy as np
import pytest
from shapes import box, poses, shift


def test_bodies(cube: dualbvh.Tree) -> None:
    scene = dualbvh.Scene()
    a, b = scene.add(cube, name="first"), scene.add(cube, shift(5))
    assert (len(scene), scene.bodies, a in scene, 7 in scene) == (2, [0, 1], True, False)
    assert scene.name(a) == "first" and scene.tree(b) is cube and scene.pose(b)[0, 3] == 5
    scene.set_pose(b, shift(0.5))
    assert scene.collide()[["a", "b"]].tolist() == [(0, 1)]
    scene.set_poses([shift(0), shift(9)])
    assert len(scene.collide()) == 0
    scene.set_poses([shift(0.25)], [b])
    assert len(scene.collide(body=a)) == 1
    scene.remove(a)
    assert scene.bodies == [b] and scene.add(cube) == a
    assert repr(scene) == "<dualbvh.Scene: 2 bodies>"
    for wrong in (lambda: scene.pose(9), lambda: scene.remove(9), lambda: scene.collide(body=9), lambda: scene.name(9),
                  lambda: scene.set_pair_rule(0, 9, None), lambda: scene.set_pose(9, None)):  # fmt: skip
        with pytest.raises(KeyError, match="there is no body 9"):
            wrong()
    with pytest.raises(dualbvh.errors.NotRigid):
        scene.add(cube, np.diag([2.0, 2, 2, 1]))
    with pytest.raises(dualbvh.errors.NotFinite):
        scene.set_poses([shift(0), shift(np.nan)])
    assert len(scene) == 2
    with pytest.raises(TypeError):
        scene.add("cube")  # type: ignore[arg-type]


def test_scene_like_pairs(cube: dualbvh.Tree, ball: dualbvh.Tree, rng: np.random.Generator) -> None:
    scene, trees, at = dualbvh.Scene(), [cube, ball] * 15, poses(rng, 30, 4)
    for tree, pose in zip(trees, at):
        scene.add(tree, pose)
    meeting = {(i, j): dualbvh.collide(trees[i], trees[j], at[j], at[i]) for i in range(30) for j in range(i + 1, 30)}
    want = sorted(pair for pair, answer in meeting.items() if answer)
    assert want and [tuple(p) for p in scene.collide()[["a", "b"]].tolist()] == want
    assert set(want) <= {tuple(p) for p in scene.pairs().tolist()}
    assert len(scene.collide(any=True)) == 1
    for pair in want:
        scene.set_pair_rule(*pair, dualbvh.PairRule(may_collide=True))
    assert len(scene.collide()) == 0
    nearest = scene.distance()
    least = min(
        dualbvh.distance(trees[i], trees[j], at[j], at[i]).distance for (i, j), answer in meeting.items() if not answer
    )
    assert nearest is not None and nearest.distance == pytest.approx(least, rel=1e-12)
    assert scene.distance(limit=least / 2) is None


def test_one_pair(cube: dualbvh.Tree, ball: dualbvh.Tree, rng: np.random.Generator) -> None:
    """Questions about two bodies are those about two meshes, whatever groups say of looking at them."""
    R, scene = dualbvh.Relation, dualbvh.Scene()
    a, b = scene.add(ball, group=1, mask=2), scene.add(cube, group=1, mask=2)
    met = 0
    for at_a, at_b in zip(poses(rng, 20, 1.2), poses(rng, 20, 1.2)):
        scene.set_poses([at_a, at_b])
        assert len(scene.collide()) == 0
        assert scene.relate(a, b).exact == dualbvh.relate(ball, cube, at_b, at_a).exact
        assert scene.pair_distance(b, a).distance == dualbvh.distance(cube, ball, at_a, at_b).distance
        found, want = scene.contacts(a, b), dualbvh.contacts(ball, cube, at_b, at_a)
        assert np.array_equal(found.points["position"], want.points["position"]) and len(found) == len(want)
        met += bool(found)
    assert 0 < met < 20
    scene.set_poses([np.eye(4), shift(1.5)])
    assert not scene.pair_distance(a, b, limit=0.25).found
    scene.set_pair_rule(a, b, dualbvh.PairRule(touch_gap=1.0))
    assert (scene.relate(a, b).relation, scene.relate(a, b).exact) == (R.TOUCHING, R.DISJOINT)
    for wrong, exception in ((lambda: scene.relate(a, 9), KeyError), (lambda: scene.contacts(a, a), ValueError),
                             (lambda: scene.pair_distance(a, b, limit=-1), ValueError)):  # fmt: skip
        with pytest.raises(exception):
            wrong()
    loose = scene.add(dualbvh.Tree(box(), topology=False))
    with pytest.raises(dualbvh.errors.NoTopology):
        scene.relate(a, loose)


def test_rules(cube: dualbvh.Tree) -> None:
    K, scene = dualbvh.ClashKind, dualbvh.Scene()
    small = dualbvh.Tree(box(0.25))
    for tree, pose in ((cube, None), (cube, shift(1)), (cube, shift(2.05)), (small, shift(0.5, 0.5, 0.5)),
                       (cube, shift(0.5, 0.5, 2)), (cube, shift(0.5, 0.5, 2))):  # fmt: skip
        scene.add(tree, pose)
    scene.set_default_rule(dualbvh.PairRule(clearance=0.1))
    found = {(int(c["a"]), int(c["b"])): K(c["kind"]) for c in scene.clashes()}
    assert found == {(0, 1): K.TOUCH, (1, 2): K.CLEARANCE, (0, 3): K.CONTAINMENT, (4, 5): K.DUPLICATE}
    scene.set_body_rule(0, dualbvh.PairRule(may_collide=True))
    assert len(scene.clashes(body=0)) == 0 and scene.rule(0, 1) is None
    rule = scene.rule(1, 2)
    assert rule is not None and rule.clearance == 0.1 and "clearance=0.1" in repr(rule)
    scene.set_default_rule(None)
    scene.set_body_rule(0, None)
    assert {(int(c["a"]), int(c["b"])) for c in scene.clashes()} == {(0, 1), (0, 3), (4, 5)}
    with pytest.raises(ValueError):
        scene.set_default_rule(dualbvh.PairRule(clearance=-1))
    groups = dualbvh.Scene()
    groups.add(cube, group=1, mask=2)
    groups.add(cube, group=1, mask=2)
    groups.add(cube, group=2, mask=1)
    assert groups.collide()[["a", "b"]].tolist() == [(0, 2), (1, 2)]


def test_configurations(cube: dualbvh.Tree, ball: dualbvh.Tree, rng: np.random.Generator) -> None:
    scene = dualbvh.Scene()
    bodies = [scene.add(cube), scene.add(ball), scene.add(cube, shift(0, 0, 2))]
    at = np.stack([poses(rng, 60, 2), poses(rng, 60, 2)], axis=1)
    records, pairs, offsets = scene.collide_pairs_batch(at, bodies[:2], max_distance=0.5)
    quick = scene.collide_batch(at.reshape(60, 2, 16)[:, :, :12], bodies[:2])
    assert 5 < records["intersecting"].sum() < 60 and np.array_equal(records["intersecting"], quick["intersecting"])
    before = scene.pose(0).tolist()
    for i in range(60):
        scene.set_poses(at[i], bodies[:2])
        want = scene.collide()[["a", "b"]].tolist()
        assert [tuple(p) for p in pairs[offsets[i] : offsets[i + 1]].tolist()] == want
        nearest = scene.distance(limit=0.5)
        assert records["has_distance"][i] == (nearest is not None)
        if nearest is not None:
            assert records["distance"][i] == nearest.distance
    assert before == np.eye(4)[:3].tolist()
    for wrong in (at[:, :1], at[0], at.reshape(60, 2, 16), "poses"):
        with pytest.raises((ValueError, TypeError)):
            scene.collide_batch(wrong, bodies[:2])  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        scene.collide_batch(at)  # three bodies, poses of two
    with pytest.raises(KeyError):
        scene.collide_batch(at, [0, 9])
    with pytest.raises(ValueError):
        scene.collide_batch(at, [0, 0])
    at[7, 1] = np.nan
    assert np.flatnonzero(scene.collide_batch(at, bodies[:2], errors="keep")["status"]).tolist() == [7]
    assert np.flatnonzero(scene.motion_batch(at, bodies[:2], errors="keep")["status"]).tolist() == [6, 7]
    at[7, 1] = np.eye(4)
    at[4, 1, 0, 0] = np.nan
    with pytest.raises(dualbvh.errors.NotFinite) as caught:
        scene.collide_batch(at, bodies[:2])
    assert caught.value.element == 4
    assert np.flatnonzero(scene.collide_batch(at, bodies[:2], errors="keep")["status"]).tolist() == [4]


def test_budgets(ball: dualbvh.Tree, rng: np.random.Generator) -> None:
    """A query that a budget ended has the pairs found, and those that are open."""
    scene, at = dualbvh.Scene(), poses(rng, 30, 2)
    for pose in at:
        scene.add(ball, pose)
    want = {tuple(pair) for pair in scene.collide()[["a", "b"]].tolist()}
    looked_at = {tuple(pair) for pair in scene.pairs().tolist()}
    for ask in (scene.collide, scene.clashes):
        with pytest.raises(dualbvh.errors.BudgetSpent) as caught:
            ask(max_total=len(looked_at) // 2)
        found = {tuple(pair) for pair in caught.value.found[["a", "b"]].tolist()}
        unknown = {tuple(pair) for pair in caught.value.open.tolist()}
        assert unknown and not found & unknown and want - found <= unknown <= looked_at
        if ask == scene.collide:
            assert found <= want
    assert len(scene.collide(max_total=10**12, max_work=10**12)) == len(want)
    scene.set_poses([shift(2.5 * i, 0.01 * i * i) for i in range(30)])
    nearest = scene.distance()
    with pytest.raises(dualbvh.errors.BudgetSpent) as caught:
        scene.distance(max_total=1000)
    assert nearest is not None and caught.value.at_least <= nearest.distance
    assert caught.value.found is None or caught.value.found.distance >= nearest.distance
    many = np.tile(np.stack([shift(0.01 * i) for i in range(30)]), (20, 1, 1, 1))
    kept = scene.collide_batch(many, max_total=10, errors="keep")
    assert kept["status"].any() and np.array_equal(kept["status"], np.sort(kept["status"]))
    moved = scene.motion_batch(many, max_total=5)
    assert moved["status"].any()


def test_motions(cube: dualbvh.Tree) -> None:
    V, scene = dualbvh.TimeOfImpactVerdict, dualbvh.Scene()
    scene.add(cube)
    moving = scene.add(cube, shift(5))
    at = np.stack([shift(3), shift(3, 5), shift(-3, 5), shift(-3), shift(3)])[:, None]
    found = scene.motion_batch(at, [moving])
    assert [V(v) for v in found["verdict"]] == [V.CLEAR, V.CLEAR, V.CLEAR, V.CONTACT]
    straight = scene.motion_batch(at, [moving], edges=[(0, 3)], first=True, centres=[[0, 0, 0]])
    assert straight["time"][0] == pytest.approx(1 / 3) and straight["impact"]["normal"][0].tolist() == [1, 0, 0]
    assert len(scene.motion_batch(at, [moving], edges=[])) == 0
    with pytest.raises(ValueError):
        scene.motion_batch(at, [moving], edges=[(0, 9)])


def test_points_rays_boxes(cube: dualbvh.Tree) -> None:
    scene = dualbvh.Scene()
    scene.add(cube)
    scene.add(cube, shift(3))
    hit = scene.raycast([10, 0.5, 0.25], [-1, 0, 0])
    assert hit is not None and hit[0] == 1 and hit[1].t == 6
    assert scene.raycast([10, 0.5, 0.25], [1, 0, 0]) is None
    near = scene.closest_point([2.9, 0.5, 0.5])
    assert near is not None and near[0] == 1 and near[1].distance == pytest.approx(0.1)
    assert scene.closest_point([100, 0, 0], limit=1) is None
    assert scene.overlap_aabb(dualbvh.Aabb([-1, -1, -1], [0.5, 0.5, 0.5])).tolist() == [0]


def test_budgets_of_points_rays_boxes(ball: dualbvh.Tree) -> None:
    """Queries without a structure of their own in C have limits, too, and leave the scene without any."""
    scene = dualbvh.Scene()
    for i in range(60):
        scene.add(ball, shift(2.2 * i))
    ray = ([-5, 0.1, 0.2], [1, 0, 0])
    box_of_all = dualbvh.Aabb([-9, -9, -9], [999, 0.1, 9])
    with dualbvh.Spent() as spent:
        assert scene.raycast(*ray) is not None
    assert spent.steps > 0
    with pytest.raises(dualbvh.errors.BudgetSpent) as caught:
        scene.raycast(*ray, max_total=1)
    assert caught.value.found is None or caught.value.found[0] >= 0
    with pytest.raises(dualbvh.errors.BudgetSpent) as caught:
        scene.closest_point([60, 50, 40], max_total=1)
    assert caught.value.found is None or caught.value.found[1].distance > 0
    whole = scene.overlap_aabb(box_of_all)
    assert len(whole) == 60
    with pytest.raises(dualbvh.errors.BudgetSpent) as caught:
        scene.overlap_aabb(box_of_all, max_total=10)
    assert len(caught.value.found) < 60 and set(caught.value.found) <= set(whole)
    assert scene.raycast(*ray) is not None and len(scene.overlap_aabb(box_of_all)) == 60
    assert len(scene.pairs(max_total=1)) == len(scene.pairs())  # no crowd: listing takes no steps
    crowd = dualbvh.Scene()
    for _ in range(600):
        crowd.add(ball)
    with pytest.raises(dualbvh.errors.BudgetSpent) as caught:
        crowd.pairs(max_total=1)
    assert 0 <= len(caught.value.found) < 600 * 599 // 2
    assert len(crowd.pairs()) == 600 * 599 // 2


def test_scenes_of_trimesh() -> None:
    """Nodes become bodies; what scales is baked into a tree of its own."""
    vertices, faces = box()
    graph = {
        "rigid": (shift(5), "cube"),
        "again": (shift(-5), "cube"),
        "twice as large": (np.diag([2.0, 2, 2, 1]) + (shift(0.5) - np.eye(4)), "cube"),
        "points": (np.eye(4), "cloud"),
    }
    source = SimpleNamespace(
        geometry={"cube": SimpleNamespace(vertices=vertices, faces=faces), "cloud": SimpleNamespace(vertices=vertices)},
        graph=SimpleNamespace(nodes_geometry=list(graph), __getitem__=graph.__getitem__),
    )
    source.graph = _Graph(graph)
    scene = dualbvh.scene_from_trimesh(source)
    names = {scene.name(b): b for b in scene.bodies}
    assert sorted(names) == ["again", "rigid", "twice as large"]
    assert scene.tree(names["again"]) is scene.tree(names["rigid"]) is not scene.tree(names["twice as large"])
    nearest = scene.distance()
    assert nearest is not None and nearest.distance == 2.5


class _Graph:
    def __init__(self, nodes: dict[str, tuple[np.ndarray, str]]) -> None:
        self.nodes = nodes
        self.nodes_geometry = list(nodes)

    def __getitem__(self, name: str) -> tuple[np.ndarray, str]:
        return self.nodes[name]


def test_radius(rng: np.random.Generator) -> None:
    """Spheres and capsules are points and segments with a radius. The oracle is rational, on a grid of eighths."""
    kinds, numbers = [], rng.integers(-24, 25, size=(60, 6))
    scene = dualbvh.Scene()
    for i, row in enumerate(numbers):
        a, b = row[:3] / 8, row[:3] / 8 if i % 2 else row[3:] / 8
        radius = float(rng.integers(1, 12)) / 8
        tree = dualbvh.Tree((np.array([a, b]), [[0, 1, 1]]))
        assert scene.add(tree, radius=radius) == i and scene.options(i)[3] == radius
        kinds.append((a, b, radius))
    want = [(i, j) for i in range(60) for j in range(i + 1, 60) if _capsules_meet(kinds[i], kinds[j])]
    assert 0 < len(want) < 1770 and scene.collide()[["a", "b"]].tolist() == want
    other = copy.copy(scene)
    assert other.options(7) == scene.options(7) and other.collide()[["a", "b"]].tolist() == want
    scene.remove(0)
    again = pickle.loads(pickle.dumps(scene))
    assert again.options(7) == scene.options(7)
    for wrong in (-1.0, np.inf, np.nan):
        with pytest.raises(dualbvh.errors.InvalidArgument):
            scene.add(scene.tree(1), radius=wrong)


def _capsules_meet(one: tuple[Any, Any, float], two: tuple[Any, Any, float]) -> bool:
    (a, b), (c, d) = (tuple(tuple(map(Fraction, map(float, x))) for x in k[:2]) for k in (one, two))
    u, v, w = ([q - p for p, q in zip(*ends)] for ends in ((a, b), (c, d), (c, a)))
    dot = lambda x, y: sum((p * q for p, q in zip(x, y)), Fraction(0))  # noqa: E731
    clamp = lambda x: min(max(x, Fraction(0)), Fraction(1))  # noqa: E731
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    # The least of a convex function on a square: on an edge of it, or where both derivatives are 0.
    places = [(s, clamp((vw + s * uv) / vv) if vv else Fraction(0)) for s in (Fraction(0), Fraction(1))]
    places += [(clamp((t * uv - uw) / uu) if uu else Fraction(0), t) for t in (Fraction(0), Fraction(1))]
    determinant = uu * vv - uv * uv
    if determinant:
        s, t = (uv * vw - vv * uw) / determinant, (uu * vw - uv * uw) / determinant
        places += [(s, t)] if 0 <= s <= 1 and 0 <= t <= 1 else []
    least = min(dot(x, x) for x in ([p + s * q - t * r for p, q, r in zip(w, u, v)] for s, t in places))
    return least <= (Fraction(one[2]) + Fraction(two[2])) ** 2
