# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Primitives: the classes, tests of pairs, batches, and shapes against meshes."""

from __future__ import annotations

import itertools

import dualbvh
import numpy as np
import pytest
from dualbvh import Aabb, Capsule, Ellipsoid, Obb, Plane, Ray, Segment, Sphere, Triangle
from shapes import corners, distances_to, poses, rotations, shift, sphere

ONE_OF_EACH = [
    Sphere([0, 0, 0], 1),
    Aabb([0, 0, 0], [1, 1, 1]),
    Obb([0, 0, 0], np.eye(3), [1, 1, 1]),
    Ellipsoid([0, 0, 0], np.eye(3), [1, 2, 3]),
    Capsule([0, 0, 0], [1, 0, 0], 0.5),
    Plane([0, 0, 1], 0.25),
    Segment([-2, 0.1, 0.1], [2, 0.1, 0.1]),
    Ray([-2, 0.1, 0.1], [1, 0, 0]),
    Triangle([[0, 0, 0], [1, 0, 0], [0, 1, 0]]),
]


def test_values() -> None:
    for shape in ONE_OF_EACH:
        assert eval(repr(shape), {"dualbvh": dualbvh}) == shape and hash(shape) == hash(
            eval(repr(shape), {"dualbvh": dualbvh})
        )
    assert Sphere([0, 0, 0], 1) != Sphere([0, 0, 0], 2) and Sphere([0, 0, 0], 1) != 3
    assert np.array_equal(ONE_OF_EACH[1].max, [1, 1, 1]) and ONE_OF_EACH[3].half.tolist() == [1, 2, 3]
    for bad in ([0, 0], [0, 0, 0, 0], "abc", None, [[0, 0, 0]]):
        with pytest.raises((ValueError, TypeError)):
            Sphere(bad, 1)  # type: ignore[arg-type]
    with pytest.raises((ValueError, TypeError)):
        Sphere([0, 0, 0], [1, 2])  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        Triangle(np.zeros((3, 2)))


def test_every_pair_answers_or_is_refused() -> None:
    """All these shapes have points near the origin in common; the order of a pair does not matter."""
    answered = 0
    for a, b in itertools.product(ONE_OF_EACH, repeat=2):
        answers = []
        for x, y in ((a, b), (b, a)):
            try:
                answers.append(dualbvh.intersect(x, y))
            except TypeError as error:
                answers.append(None)
                assert "there is no intersect() of" in str(error)
        assert answers[0] is answers[1]
        answered += answers[0] is True
    assert answered == 46


def test_signed_distance(rng: np.random.Generator) -> None:
    for centre in rng.uniform(-3, 3, (100, 3)):
        a, b = Sphere([0, 0, 0], 1), Aabb(centre, centre + 0.5)
        there, back = dualbvh.signed_distance(a, b), dualbvh.signed_distance(b, a)
        gap = np.linalg.norm(np.clip(0, centre, centre + 0.5)) - 1
        assert float(there) == float(back)
        assert np.array_equal(there.normal, -back.normal) and np.array_equal(there.point_a, back.point_b)
        if gap > 0:
            assert there.distance == pytest.approx(gap) == dualbvh.shape_distance(b, a)
            assert np.allclose(there.point_b - there.point_a, there.distance * there.normal)
        assert dualbvh.intersect(a, b) is (there.distance == 0)


def test_batches_are_single_answers(rng: np.random.Generator) -> None:
    n = 60
    p, q, r = rng.uniform(-2, 2, (n, 3)), rng.uniform(-2, 2, (n, 3)), rng.uniform(0.1, 1, n)
    turns = rotations(rng, n)
    kinds = {
        "sphere": (Sphere.array(p, r), [Sphere(a, b) for a, b in zip(p, r)]),
        "aabb": (Aabb.array(p, p + r[:, None]), [Aabb(a, a + b) for a, b in zip(p, r)]),
        "obb": (Obb.array(p, turns, abs(q) / 2), [Obb(a, t, abs(h) / 2) for a, t, h in zip(p, turns, q)]),
        "ellipsoid": (Ellipsoid.array(p, turns, abs(q)), [Ellipsoid(a, t, abs(h)) for a, t, h in zip(p, turns, q)]),
        "capsule": (Capsule.array(p, q, r), [Capsule(a, b, c) for a, b, c in zip(p, q, r)]),
        "plane": (Plane.array(q, r), [Plane(a, b) for a, b in zip(q, r)]),
        "segment": (Segment.array(p, q), [Segment(a, b) for a, b in zip(p, q)]),
        "ray": (Ray.array(p, q), [Ray(a, b) for a, b in zip(p, q)]),
        "triangle": (
            Triangle.array(np.stack([p, q, p[::-1]], 1)),
            [Triangle([a, b, c]) for a, b, c in zip(p, q, p[::-1])],
        ),
    }
    asked = 0
    questions = [
        (dualbvh.intersect, dualbvh.intersect_batch, lambda x: x),
        (dualbvh.shape_distance, dualbvh.shape_distance_batch, lambda x: x),
        (dualbvh.signed_distance, dualbvh.signed_distance_batch, lambda x: x["distance"] - x["depth"]),
        (dualbvh.hit, dualbvh.hit_batch, lambda x: np.where(x["intersects"], x["enter"], -1)),
    ]
    for (_, (many_a, list_a)), (_, (many_b, list_b)) in itertools.product(kinds.items(), repeat=2):
        for single, batch, read in questions:
            try:
                got = read(batch(many_a, many_b))  # type: ignore[operator]
            except TypeError:
                with pytest.raises(TypeError):
                    single(list_a[0], list_b[0])  # type: ignore[operator]
                continue
            ones = [single(a, b) for a, b in zip(list_a, list_b)]  # type: ignore[operator]
            if single is dualbvh.hit:
                ones = [-1 if one is None else one.enter for one in ones]
            assert np.array_equal(got, [float(one) for one in ones])
            asked += 1
            broadcast = read(batch(list_a[0], many_b))  # type: ignore[operator]
            assert len(broadcast) == n
    assert asked > 80
    assert len(kinds["sphere"][0]) == n and kinds["sphere"][0].kind == "Sphere"
    with pytest.raises(ValueError, match="as many"):
        dualbvh.intersect_batch(kinds["sphere"][0], Sphere.array(p[:7], r[:7]))
    radii = r.copy()
    radii[9] = -1
    with pytest.raises(dualbvh.errors.InvalidArgument) as caught:
        dualbvh.intersect_batch(Sphere.array(p, radii), kinds["aabb"][0])
    assert caught.value.element == 9


def test_planes_lines_casts_bounds() -> None:
    assert dualbvh.plane_distance(Sphere([0, 0, 3], 1), Plane([0, 0, 1], 0)) == (1, 2.0)
    sides = dualbvh.plane_distance_batch(
        Sphere.array([[0, 0, 3], [0, 0, -3], [0, 0, 0]], [1, 1, 1]), Plane([0, 0, 1], 0)
    )
    assert sides["side"].tolist() == [1, -1, 0]
    hit = dualbvh.hit(Ray([-3, 0, 0], [1, 0, 0]), Sphere([0, 0, 0], 1))
    assert hit is not None and (hit.enter, hit.exit, hit.inside) == (2, 4, False)
    assert dualbvh.hit(Ray([-3, 5, 0], [1, 0, 0]), Sphere([0, 0, 0], 1)) is None
    cast = dualbvh.shape_cast(Sphere([0, 0, 0], 1), [10, 0, 0], Sphere([5, 0, 0], 1))
    assert cast is not None and cast.enter == pytest.approx(0.3) and cast.exit == pytest.approx(0.7)
    assert dualbvh.shape_cast(Plane([0, 0, 1], 5), None, Sphere([0, 0, 0], 1), [0, 0, 3]) is None
    assert dualbvh.bounds(Sphere([0, 0, 0], 1)) == Aabb([-1, -1, -1], [1, 1, 1])
    fitted = dualbvh.fit_ellipsoid(sphere()[0])
    assert np.allclose(fitted.half, 1, atol=0.01)
    ball = dualbvh.fit_sphere(sphere()[0])
    assert np.allclose(ball.centre, 0, atol=1e-3) and ball.radius == pytest.approx(1, abs=1e-3)
    box = dualbvh.fit_obb([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)])
    assert np.allclose(box.half, [0.5, 1, 1.5], atol=1e-3)
    with pytest.raises(ValueError):
        dualbvh.fit_ellipsoid(np.zeros((0, 3)))
    with pytest.raises(ValueError):
        dualbvh.fit_sphere(np.zeros((0, 3)))


def test_shape_cast_batch(rng: np.random.Generator) -> None:
    n = 200
    centres, moves = rng.uniform(-3, 3, (n, 3)), rng.uniform(-4, 4, (2, n, 3))
    low, radius = rng.uniform(-3, 2, (n, 3)), rng.uniform(0.1, 1, n)
    balls = Sphere.array(centres, radius)
    kinds = {
        "sphere": (Sphere.array(low, radius), [Sphere(x, r) for x, r in zip(low, radius)]),
        "box": (Aabb.array(low, low + 1), [Aabb(x, x + 1) for x in low]),
        "triangle": (Triangle.array(np.stack([low, low + 1, centres[::-1]], axis=1)),
                     [Triangle([x, x + 1, y]) for x, y in zip(low, centres[::-1])]),
    }  # fmt: skip
    for name, (many, each) in kinds.items():
        records = dualbvh.shape_cast_batch(balls, moves[0], many, moves[1])
        turned = dualbvh.shape_cast_batch(many, moves[1], balls, moves[0])
        assert records.dtype == dualbvh.SHAPE_CAST_DTYPE
        for i, other in enumerate(each):
            one = dualbvh.shape_cast(Sphere(centres[i], radius[i]), moves[0][i], other, moves[1][i])
            got = records[i]
            assert got["intersects"] == (one is not None) and turned[i] == got, name
            assert one is None or (one.enter, one.exit, one.at_start, one.at_end) == tuple(
                got[["enter", "exit", "at_start", "at_end"]]
            )
        assert 0 < records["intersects"].sum() < n, name
    floor = Plane([0, 0, 1], -5)
    fallen = dualbvh.shape_cast_batch(balls, np.tile([0, 0, -20.0], (n, 1)), floor)
    assert fallen["intersects"].all() and (fallen["enter"] > 0).all()
    assert not dualbvh.shape_cast_batch(balls, None, floor)["intersects"].any()
    with pytest.raises(ValueError):
        dualbvh.shape_cast_batch(balls, moves[0][:5], floor)
    with pytest.raises(ValueError):
        dualbvh.shape_cast_batch(balls, None, floor, [[0, 0, 1]])
    with pytest.raises(TypeError):
        dualbvh.shape_cast_batch(floor, None, floor)


def test_where_shapes_in_motion_touch(rng: np.random.Generator) -> None:
    ball, other = Sphere([0, 0, 0], 1), Sphere([5, 0, 0], 1)
    found = dualbvh.shape_cast_contact(ball, [10, 0, 0], other, None, 0.3)
    assert np.allclose(found.position_a, [3, 0, 0]) and np.allclose(found.contact.point_a, [4, 0, 0])
    turned = dualbvh.shape_cast_contact(other, None, ball, [10, 0, 0], 0.3)
    assert np.allclose(turned.position_b, [3, 0, 0]) and np.allclose(turned.contact.normal, -found.contact.normal)
    box = Aabb([-1, -1, -1], [1, 1, 1])
    for _ in range(20):
        a, b = Sphere(rng.uniform(-9, -5, 3), 1), rng.uniform(-1, 1, 3)
        move = b - a.centre
        cast = dualbvh.shape_cast(a, move, box)
        assert cast is not None
        at = dualbvh.shape_cast_contact(a, move, box, None, cast.enter)
        assert np.allclose(at.position_a, a.centre + cast.enter * move)
        assert np.allclose(at.contact.point_a, at.contact.point_b, atol=1e-9)
    with pytest.raises(ValueError):
        dualbvh.shape_cast_contact(ball, None, other, None, 1.5)
    with pytest.raises(ValueError):
        dualbvh.shape_cast_contact(ball, None, Plane([0, 0, 1], 5), [0, 0, 1], 0.5)
    with pytest.raises(TypeError):
        dualbvh.shape_cast_contact(Plane([0, 0, 1], 5), None, Plane([0, 0, 1], 5), None, 0.5)
    egg, block = Ellipsoid([0, 0, 0], np.eye(3), [1, 2, 3]), Obb([6, 0, 0], np.eye(3), [1, 1, 1])
    meeting = dualbvh.shape_cast(egg, [8, 0, 0], block)
    assert meeting is not None and meeting.enter == pytest.approx(0.5)
    assert dualbvh.shape_cast_batch(egg, [[8, 0, 0]], block)["enter"][0] == meeting.enter
    assert dualbvh.intersect(egg, Aabb([0.5, 0, 0], [2, 1, 1])) and not dualbvh.intersect(
        egg, Aabb([2, 0, 0], [3, 1, 1])
    )


def test_planes() -> None:
    assert Plane.from_point([1, 2, 3], [0, 0, 2]) == Plane([0, 0, 2], 6)
    assert Plane.from_points([0, 0, 1], [1, 0, 1], [0, 1, 1]) == Plane([0, 0, 1], 1)
    with pytest.raises(ValueError):
        Plane.from_points([0, 0, 0], [1, 1, 1], [2, 2, 2])
    hit = dualbvh.hit(Ray([0, 0, 3], [0, 0, -1]), Plane([0, 0, 1], 1))
    assert hit is not None and hit.enter <= 2 <= hit.exit
    assert dualbvh.hit(Segment([0, 0, 3], [0, 0, 2]), Plane([0, 0, 1], 1)) is None


def test_triangles_of_one_mesh() -> None:
    a = Triangle([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    neighbour, folded = Triangle([[0, 0, 0], [1, 0, 0], [0, 0, 1]]), Triangle([[0, 0, 0], [1, 0, 0], [1, 1, 0]])
    assert dualbvh.intersect(a, neighbour) and not dualbvh.self_intersect(a, neighbour)
    assert dualbvh.self_intersect(a, folded) and dualbvh.self_intersect(a, a)


def test_meshes_and_shapes(ball: dualbvh.Tree, rng: np.random.Generator) -> None:
    points = rng.uniform(-1.5, 1.5, (150, 3))
    near = distances_to(corners(sphere()), points)
    got = dualbvh.collide_shape_batch(ball, Sphere.array(points, np.full(150, 0.3)))
    assert np.array_equal(got, near.min(axis=1) <= 0.3) and 10 < got.sum() < 140
    for i in range(20):
        assert dualbvh.collide_shape(ball, Sphere(points[i], 0.3)) is bool(got[i])
        triangles = dualbvh.collide_shape_triangles(ball, Sphere(points[i], 0.3))
        assert np.array_equal(triangles, np.flatnonzero(near[i] <= 0.3))
    placed = poses(rng, 30, 1.5)
    at = dualbvh.collide_shape_batch(ball, Aabb([0, 0, 0], [0.3, 0.3, 0.3]), placed)
    assert [dualbvh.collide_shape(ball, Aabb([0, 0, 0], [0.3, 0.3, 0.3]), m) for m in placed] == at.tolist()
    assert dualbvh.collide_shape(ball, Plane([0, 0, 1], 1)) and not dualbvh.collide_shape(ball, Plane([0, 0, 1], 1.01))
    assert not dualbvh.collide_shape(ball, Ellipsoid([0, 0, 0], np.eye(3), [0.5, 0.5, 0.5]), shift(0.1))
    for bad in (Ray([0, 0, 0], [1, 0, 0]), 3, None):
        with pytest.raises(TypeError):
            dualbvh.collide_shape(ball, bad)  # type: ignore[arg-type]
    with pytest.raises(dualbvh.errors.InvalidArgument):
        dualbvh.collide_shape(ball, Sphere([0, 0, 0], -1))


def test_half_space(cube: dualbvh.Tree) -> None:
    plane = dualbvh.Plane([0, 0, 1], 9)
    assert not dualbvh.collide_shape(cube, plane) and dualbvh.collide_shape(cube, plane, below=True)
    assert len(dualbvh.collide_shape_triangles(cube, plane, below=True)) == cube.triangle_count
    assert dualbvh.collide_shape_batch(cube, plane, [shift(0), shift(20)], below=True).all()
    assert not dualbvh.collide_shape(cube, dualbvh.Plane([0, 0, 1], -9), below=True)
