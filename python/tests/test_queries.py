# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Each question about two meshes, or a mesh and something else, beside an oracle in numpy."""

from __future__ import annotations

import dualbvh
import numpy as np
import pytest
from shapes import box, corners, distances_to, edges_cross, poses, quaternions, rotations, shift, sphere


def test_collide_like_brute_force(
    ball: dualbvh.Tree, cube: dualbvh.Tree, rng: np.random.Generator, scale: float
) -> None:
    met = {True: 0, False: 0}
    first = corners(sphere())
    for pose in poses(rng, max(20, int(100 * scale)), 1.6):
        want = edges_cross(first, corners(box(), pose))
        result = dualbvh.collide(ball, cube, pose)
        assert bool(result) is result.intersecting is want
        assert (len(dualbvh.collide_pairs(ball, cube, pose)) > 0) is want
        assert (result.first is not None) is want
        met[want] += 1
    assert min(met.values()) > 0, met


def test_every_way_to_give_a_pose(ball: dualbvh.Tree, cube: dualbvh.Tree, rng: np.random.Generator) -> None:
    matrices = poses(rng, 50, 1.6)
    want = [bool(dualbvh.collide(ball, cube, m)) for m in matrices]
    rows = matrices[:, :3]
    for given in (rows, rows.reshape(-1, 12), matrices.tolist(), np.asfortranarray(matrices), matrices[::-1][::-1]):
        assert dualbvh.collide_batch(ball, cube, given)["intersecting"].tolist() == want
    for m, answer in zip(matrices, want):
        for one in (m, m[:3], m[:3].ravel(), m.tolist(), np.asfortranarray(m)):
            assert bool(dualbvh.collide(ball, cube, one)) is answer
    q, t = quaternions(rng, 50), rng.uniform(-1.6, 1.6, (50, 3))
    placed = dualbvh.poses_from_quaternions(q, t)
    by_pairs = dualbvh.collide_batch(ball, cube, (q, t))
    assert placed.shape == (50, 3, 4)
    assert np.array_equal(by_pairs["intersecting"], dualbvh.collide_batch(ball, cube, placed)["intersecting"])
    assert bool(dualbvh.collide(ball, cube, (q[0], t[0]))) == by_pairs["intersecting"][0]


def test_both_poses(ball: dualbvh.Tree, cube: dualbvh.Tree) -> None:
    moved = shift(100)
    assert dualbvh.collide(ball, cube, moved, moved) and not dualbvh.collide(ball, cube, moved)
    assert dualbvh.collide_batch(ball, cube, [moved, np.eye(4)], moved)["intersecting"].tolist() == [True, False]


def test_touching_is_exact(cube: dualbvh.Tree) -> None:
    xs = [1.0, np.nextafter(1.0, 2), np.nextafter(1.0, 0)]
    assert [bool(dualbvh.collide(cube, cube, shift(x))) for x in xs] == [True, False, True]
    R = dualbvh.Relation
    assert [dualbvh.relate(cube, cube, shift(x)).relation for x in xs] == [R.TOUCHING, R.DISJOINT, R.OVERLAPPING]


def test_pairs_batch(ball: dualbvh.Tree, cube: dualbvh.Tree, rng: np.random.Generator) -> None:
    matrices = poses(rng, 40, 1.6)
    records, pairs, offsets = dualbvh.collide_pairs_batch(ball, cube, matrices)
    assert offsets[-1] == len(pairs) > 0 and len(offsets) == 41
    for i, m in enumerate(matrices):
        assert np.array_equal(pairs[offsets[i] : offsets[i + 1]], dualbvh.collide_pairs(ball, cube, m))
        assert records["pair_count"][i] == offsets[i + 1] - offsets[i]


def test_more_pairs_than_expected() -> None:
    """A list that does not fit at first: two balls in the same place have thousands of pairs."""
    tree = dualbvh.Tree(sphere(n=24))
    pairs = dualbvh.collide_pairs(tree, tree)
    assert len(pairs) > 1024 and np.array_equal(pairs, pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])
    assert len(dualbvh.clearance_pairs(tree, tree, 0.0)) == len(pairs)


def test_distance(ball: dualbvh.Tree, cube: dualbvh.Tree, rng: np.random.Generator) -> None:
    matrices = np.concatenate([poses(rng, 30, 1.2), poses(rng, 30, 4)])
    batch = dualbvh.distance_batch(ball, cube, matrices)
    apart = 0
    for m, record in zip(matrices, batch):
        result = dualbvh.distance(ball, cube, m)
        assert result.distance == float(result) == record["distance"] and result.pair == tuple(record["pair"])
        first, second = corners(sphere()), corners(box(), m)
        bound = min(distances_to(first, second.reshape(-1, 3)).min(), distances_to(second, first.reshape(-1, 3)).min())
        assert result.distance <= bound * (1 + 1e-12)
        assert np.linalg.norm(result.point_b - result.point_a) == pytest.approx(result.distance, abs=1e-12)
        assert (result.distance == 0) is bool(dualbvh.collide(ball, cube, m))
        if result.distance > 0:
            apart += 1
            a, b = result.pair
            assert distances_to(first[a : a + 1], result.point_a[None])[0, 0] < 1e-12
            assert distances_to(second[b : b + 1], result.point_b[None])[0, 0] < 1e-12
            below = np.nextafter(result.distance, 0)
            assert dualbvh.check_clearance(ball, cube, result.distance, m)
            assert not dualbvh.check_clearance(ball, cube, below, m)
    assert 5 < apart < 60
    d = np.median(batch["distance"][batch["distance"] > 0])
    within = dualbvh.check_clearance_batch(ball, cube, d, matrices)["within"]
    assert np.array_equal(within, batch["distance"] <= d)


def test_distance_limits(cube: dualbvh.Tree) -> None:
    assert dualbvh.distance(cube, cube, shift(3)).distance == 2
    near = dualbvh.distance(cube, cube, shift(3), limit=1.5)
    assert not near.found and near.distance == np.inf and float(near) == np.inf
    rough = dualbvh.distance(cube, cube, shift(3), relative_error=0.5)
    assert 2 <= rough.distance <= 4
    for bad in ({"limit": -1}, {"relative_error": 2}, {"absolute_error": np.inf}, {"limit": np.nan}):
        with pytest.raises(ValueError):
            dualbvh.distance(cube, cube, **bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        dualbvh.check_clearance(cube, cube, -1)


def test_relations(cube: dualbvh.Tree, ball: dualbvh.Tree) -> None:
    small, R = dualbvh.Tree(box(0.25)), dualbvh.Relation
    inside = shift(0.25, 0.25, 0.25)
    assert dualbvh.relate(cube, small, inside).relation == R.B_IN_A
    assert dualbvh.relate(small, cube, None, inside).relation == R.A_IN_B
    assert not dualbvh.collide(cube, small, inside)
    assert dualbvh.relate(cube, cube).relation == R.EQUAL
    batch = dualbvh.relate_batch(cube, small, [inside, shift(5), np.eye(4), shift(0.9, 0.3, 0.3), shift(1, 0.3, 0.3)])
    assert [R(x) for x in batch["relation"]] == [R.B_IN_A, R.DISJOINT, R.B_IN_A, R.OVERLAPPING, R.TOUCHING]
    pressed = dualbvh.relate(cube, cube, shift(0.999), touch_overlap=0.01)
    assert pressed.relation == R.TOUCHING and pressed.exact == R.OVERLAPPING and np.linalg.norm(pressed.separation) > 0
    assert dualbvh.relate(cube, cube, shift(1.001), touch_gap=0.01).relation == R.TOUCHING
    vertices, faces = box()
    opened = dualbvh.Tree((vertices, faces[1:]))
    held = dualbvh.relate(opened, small, inside)
    assert held.relation == R.UNDECIDABLE and held.undecided == dualbvh.Undecided.A_OPEN
    assert dualbvh.relate(opened, small, inside, open_holds_nothing=True).relation == R.DISJOINT
    with pytest.raises(dualbvh.errors.NoTopology):
        dualbvh.relate(cube, dualbvh.Tree(box(), topology=False))


def test_points(ball: dualbvh.Tree, rng: np.random.Generator) -> None:
    points = rng.uniform(-1.5, 1.5, (300, 3))
    found = dualbvh.closest_point_batch(ball, points)
    want = distances_to(corners(sphere()), points).min(axis=1)
    assert found["found"].all() and np.allclose(found["distance"], want, atol=1e-12)
    one = dualbvh.closest_point(ball, points[0])
    assert (one.distance, one.triangle) == (found["distance"][0], found["triangle"][0])
    near = dualbvh.closest_point_batch(ball, points, limit=0.2)
    assert np.array_equal(near["found"], found["distance"] <= 0.2)

    triangles = corners(sphere())
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    inside = (((points[:, None] - triangles[None, :, 0]) * normal).sum(-1) < 0).all(axis=1)  # the ball is convex
    located = dualbvh.locate_point_batch(ball, points)
    assert np.array_equal(located == dualbvh.Location.INSIDE, inside) and 20 < inside.sum() < 280
    assert dualbvh.locate_point(ball, [0, 0, 1]) == dualbvh.Location.ON_SURFACE
    assert dualbvh.locate_point(ball, [5, 0, 0], shift(5)) == dualbvh.Location.INSIDE


def test_rays(ball: dualbvh.Tree, cube: dualbvh.Tree, rng: np.random.Generator) -> None:
    origins, directions = rng.uniform(-2, 2, (300, 3)), rng.normal(size=(300, 3))
    found = dualbvh.raycast_batch(ball, origins, directions)
    hits, both = 0, dualbvh.raycast_all_batch(ball, origins, directions)
    triangles = corners(sphere())
    for i in range(300):
        t = _ray_parameters(triangles, origins[i], directions[i])
        assert found["intersects"][i] == (len(t) > 0)
        one = dualbvh.raycast(ball, origins[i], directions[i])
        mine = both[1][both[2][i] : both[2][i + 1]]
        assert len(mine) == len(t) and np.allclose(mine["t"], t)
        if one is None:
            assert len(t) == 0
        else:
            hits += 1
            assert one.t == found["t"][i] == pytest.approx(t[0])
    assert 20 < hits < 280
    assert np.array_equal(dualbvh.raycast_batch(ball, origins, directions, any=True)["intersects"], found["intersects"])
    ends = origins + directions
    short = dualbvh.segment_cast_batch(ball, origins, ends)
    assert np.array_equal(short["intersects"], found["intersects"] & (found["t"] <= 1))
    assert dualbvh.segment_cast(cube, [-1, 0.5, 0.25], [0, 0.5, 0.25]).t == 1  # type: ignore[union-attr]
    assert dualbvh.segment_cast(cube, [-1, 0.5, 0.25], [-0.1, 0.5, 0.25]) is None
    assert dualbvh.raycast_all(cube, [-1, 0.5, 0.25], [1, 0, 0])["t"].tolist() == [1, 2]


def _ray_parameters(triangles: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> np.ndarray:
    a, e1, e2 = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    system = np.stack([e1, e2, np.broadcast_to(-direction, a.shape)], axis=-1)
    u, v, t = np.linalg.solve(system, (origin - a)[..., None])[..., 0].T
    return np.sort(t[(u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0)])


def test_contacts(cube: dualbvh.Tree) -> None:
    pose = shift(0.5, 0.25, 0.125)
    found = dualbvh.contacts(cube, cube, pose)
    assert len(found) == len(dualbvh.collide_pairs(cube, cube, pose)) and bool(found)
    assert np.array_equal(np.stack([found.contacts["pair"]["a"], found.contacts["pair"]["b"]], 1),
                          dualbvh.collide_pairs(cube, cube, pose))  # fmt: skip
    assert len(found.clusters) == 1 and found.polylines["closed"].all()
    line = found.polyline(0)
    steps = np.linalg.norm(np.roll(line, -1, axis=0) - line, axis=1)
    assert steps.sum() == pytest.approx(found.polylines["length"][0])
    assert np.allclose(found.clusters["max"][0], [1, 1, 1])
    with pytest.raises(IndexError):
        found.polyline(1)
    assert [len(c) for c in dualbvh.contacts_batch(cube, cube, [pose, shift(9)])] == [len(found), 0]
    assert np.array_equal(dualbvh.overlap_extents(cube, cube, np.eye(3), pose), [[0.5, 1], [0.25, 1], [0.125, 1]])
    assert dualbvh.overlap_extents(cube, cube, np.eye(3), shift(9)) is None
    separated = dualbvh.separating_translation(cube, cube, pose)
    assert separated.length == pytest.approx(0.5) and not separated.disjoint
    assert dualbvh.relate(cube, cube, separated.pose_b).relation == dualbvh.Relation.DISJOINT
    assert dualbvh.separating_translation(cube, cube, shift(9)).disjoint


def test_self_intersection(cube: dualbvh.Tree) -> None:
    assert not dualbvh.self_collide(cube) and len(dualbvh.self_pairs(cube)) == 0
    vertices, faces = box()
    twice = dualbvh.Tree((np.concatenate([vertices, vertices + 0.3]), np.concatenate([faces, faces + 8])))
    pairs = dualbvh.self_pairs(twice)
    assert dualbvh.self_collide(twice) and (pairs[:, 0] < pairs[:, 1]).all()
    assert np.array_equal(pairs - [0, 12], dualbvh.collide_pairs(cube, cube, shift(0.3, 0.3, 0.3)))


def test_time_of_impact(cube: dualbvh.Tree, ball: dualbvh.Tree, rng: np.random.Generator) -> None:
    V = dualbvh.TimeOfImpactVerdict
    falling = dualbvh.Motion.translation(shift(5), [-8, 0, 0])
    hit = dualbvh.time_of_impact(cube, cube, falling)
    assert hit and hit.verdict == V.CONTACT and hit.time == pytest.approx(0.5) and np.allclose(hit.normal, [1, 0, 0])
    assert not dualbvh.collide(cube, cube, falling.pose(hit.time * (1 - 1e-9)))
    assert dualbvh.collide(cube, cube, falling.pose(hit.upper))
    passing = dualbvh.time_of_impact(cube, cube, dualbvh.Motion.translation(shift(5, 5), [-8, 0, 0]))
    assert not passing and passing.time == 1
    start, end = poses(rng, 20, 3), poses(rng, 20, 3)
    motions = dualbvh.Motion.between_batch(start, end, centre=[0.5, 0.5, 0.5])
    batch = dualbvh.time_of_impact_batch(ball, cube, motions)
    for motion, record in zip(motions, batch):
        one = dualbvh.time_of_impact(ball, cube, motion)
        assert (one.verdict, one.time) == (record["verdict"], record["time"])
        for t in np.linspace(0, record["time"], 8)[:-1] if record["time"] > 0 else ():
            assert not dualbvh.collide(ball, cube, motion.pose(t))
    assert np.allclose(motions[0].pose(1), end[0][:3], atol=1e-9)
    assert dualbvh.Motion.between(start[0], end[0]).pose(0).tolist() == start[0][:3].tolist()
    cut = dualbvh.time_of_impact(ball, ball, dualbvh.Motion.translation(shift(5, 0.1), [-8, 0, 0]), max_work=10)
    assert cut.verdict == V.UNDECIDED
    with pytest.raises(TypeError):
        dualbvh.time_of_impact(cube, cube, shift(1))  # type: ignore[arg-type]


def test_cache(ball: dualbvh.Tree, cube: dualbvh.Tree, rng: np.random.Generator) -> None:
    """A cache changes no answer, along a way and in jumps, whatever it was used for before."""
    cache, met = dualbvh.Cache(), set()
    way = np.linspace(0.2, 2.5, 300)
    for pose in [*(shift(x, 0.1) for x in way), *poses(rng, 100, 2)]:
        result = dualbvh.collide(ball, cube, pose, cache=cache)
        assert bool(result) is bool(dualbvh.collide(ball, cube, pose))
        assert result.first is None or result.first in map(tuple, dualbvh.collide_pairs(ball, cube, pose).tolist())
        met.add(bool(result))
    assert met == {True, False}
    assert not dualbvh.collide(cube, cube, shift(3), cache=cache)


def test_budget(ball: dualbvh.Tree) -> None:
    with pytest.raises(dualbvh.errors.BudgetSpent) as caught:
        dualbvh.collide_pairs(ball, ball, shift(0.3), max_work=10)
    assert caught.value.status == "BUDGET_SPENT"
    with pytest.raises(dualbvh.errors.BudgetSpent):
        dualbvh.collide_pairs_batch(ball, ball, [shift(30), shift(0.3)], max_work=10)
    kept = dualbvh.collide_pairs_batch(ball, ball, [shift(30), shift(0.3)], max_work=10, errors="keep")[0]
    assert kept["status"][0] == 0 and kept["status"][1] != 0


def test_poses_are_checked(cube: dualbvh.Tree, rng: np.random.Generator) -> None:
    turned = np.eye(4)
    turned[:3, :3] = rotations(rng, 1)[0]
    assert dualbvh.check_pose(turned) < 1e-14
    rounded = np.round(turned, 4)
    with pytest.raises(dualbvh.errors.NotRigid):
        dualbvh.collide(cube, cube, rounded)
    assert np.allclose(dualbvh.orthonormalise(rounded), turned[:3], atol=1e-3)
    assert dualbvh.collide(cube, cube, dualbvh.orthonormalise(rounded))
    relative = dualbvh.relative_pose(shift(1), shift(3))
    assert relative[0, 3] == 2
    for bad in (np.eye(4) * 2, np.diag([1.0, 1, -1, 1]), np.full((4, 4), np.nan), np.eye(3), np.eye(4)[None], "pose",
                np.eye(4, dtype=complex), [[1, 2], [3]], (np.zeros(4), np.zeros(2)), 3.0):  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            dualbvh.collide(cube, cube, bad)  # type: ignore[arg-type]
    shear = np.eye(4)
    shear[3, 0] = 1
    with pytest.raises(ValueError, match="last row"):
        dualbvh.collide(cube, cube, shear)


def test_instruction_sets(ball: dualbvh.Tree, cube: dualbvh.Tree, rng: np.random.Generator) -> None:
    matrices = poses(rng, 100, 1.6)
    want = dualbvh.collide_pairs_batch(ball, cube, matrices)[1]
    try:
        for name in ("baseline", "avx2", "avx512", "neon"):
            try:
                dualbvh.select_isa(name)
            except dualbvh.errors.InvalidArgument:
                continue
            assert dualbvh.isa_name() == name
            assert np.array_equal(dualbvh.collide_pairs_batch(ball, cube, matrices)[1], want)
    finally:
        dualbvh.select_isa()
