# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Objects as values: they can be pickled and copied, be referred to weakly, say their signature."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import dualbvh
import numpy as np
import pytest
from shapes import box, poses, shift

COPIES: list[Callable[[Any], Any]] = [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy]


def _objects() -> dict[str, Any]:
    """One of each class whose objects are values."""
    cube, at = dualbvh.Tree(box()), shift(0.5, 0.25)
    scene = dualbvh.Scene()
    scene.add(cube)
    scene.add(cube, shift(3))
    sphere, triangle = dualbvh.Sphere([1, 2, 3], 0.5), dualbvh.Triangle([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    found = [
        sphere,
        triangle,
        dualbvh.Capsule([0, 0, 0], [1, 0, 0], 0.5),
        dualbvh.Aabb([0, 0, 0], [1, 1, 1]),
        dualbvh.Obb([0, 0, 0], np.eye(3), [1, 2, 3]),
        dualbvh.Ellipsoid([0, 0, 0], np.eye(3), [1, 2, 3]),
        dualbvh.Plane([0, 0, 1], 2),
        dualbvh.Segment([0, 0, 0], [1, 0, 0]),
        dualbvh.Ray([0, 0, 0], [1, 0, 0]),
        dualbvh.Sphere.array([[0, 0, 0], [1, 2, 3]], [1, 2]),
        dualbvh.collide(cube, cube, at),
        dualbvh.collide(cube, cube, at).counters,
        dualbvh.distance(cube, cube, shift(3)),
        dualbvh.check_clearance(cube, cube, 3, shift(3)),
        dualbvh.relate(cube, cube, at),
        dualbvh.separating_translation(cube, cube, at),
        dualbvh.raycast(cube, [-1, 0.5, 0.25], [1, 0, 0]),
        dualbvh.closest_point(cube, [2, 2, 2]),
        dualbvh.Motion.between(None, poses(np.random.default_rng(2), 1, 2)[0]),
        dualbvh.time_of_impact(cube, cube, dualbvh.Motion.translation(shift(3), [-4, 0, 0])),
        dualbvh.signed_distance(sphere, sphere),
        dualbvh.hit(dualbvh.Ray([0, 0, -5], [0, 0, 1]), dualbvh.Sphere([0, 0, 0], 1)),
        dualbvh.shape_cast(sphere, [3, 0, 0], dualbvh.Sphere([5, 2, 3], 1)),
        dualbvh.shape_cast_contact(sphere, [3, 0, 0], dualbvh.Sphere([5, 2, 3], 1), None, 0.5),
        dualbvh.PairRule(clearance=0.25, may_touch=True),
        scene.distance(),
        dualbvh.contacts(cube, cube, at),
        dualbvh.overlap(cube, cube, at),
        dualbvh.overlap(cube, cube, at).volume,
        dualbvh.local_depth(cube, cube, at),
        dualbvh.local_depth(cube, cube, at).a_in_b,
        dualbvh.penetration_depth(cube, cube, at),
        dualbvh.penetration_along(cube, cube, (1, 0, 0), at),
        dualbvh.Mesh(*box()).audit(),
    ]
    return {type(one).__name__: one for one in found}


def _values(one: Any) -> dict[str, str]:
    """All that can be read of an object."""
    names = [n for n in dir(one) if not n.startswith("_") and not callable(getattr(one, n))]
    return {"repr": repr(one), **{name: repr(getattr(one, name)) for name in names}}


@pytest.mark.parametrize("name", sorted(_objects()))
def test_values_are_pickled_and_copied(name: str) -> None:
    one = _objects()[name]
    for how in COPIES:
        other = how(one)
        assert type(other) is type(one) and other is not one and _values(other) == _values(one)


def test_every_result_is_among_them() -> None:
    """A class of results that is new is a class of results that is pickled."""
    made_otherwise = {"Cache", "Loaded", "Mesh", "Robot", "Scene", "Spent", "Tree", "Error"}
    classes = {
        n
        for n in dualbvh.__all__
        if isinstance(getattr(dualbvh, n), type) and not hasattr(getattr(dualbvh, n), "__members__")
    }
    assert classes - made_otherwise == set(_objects())


def test_states_of_others_are_refused() -> None:
    one = dualbvh.Sphere([1, 2, 3], 0.5)
    mark, data = one.__getstate__()
    for state in ((mark.replace("dualbvh 0", "dualbvh 9"), data), (mark, data[:-1]), (mark, b""), (mark, data * 2)):
        with pytest.raises(dualbvh.errors.InvalidArgument):
            dualbvh.Sphere.__new__(dualbvh.Sphere).__setstate__(state)


def test_contacts_of_a_pickle(cube: dualbvh.Tree) -> None:
    found = dualbvh.contacts(cube, cube, shift(0.5, 0.25, 0.125))
    for how in COPIES:
        other = how(found)
        assert len(other) == len(found) and bool(other)
        for name in ("contacts", "corners", "points", "polylines", "path", "clusters"):
            assert getattr(other, name).tobytes() == getattr(found, name).tobytes(), name
        assert np.array_equal(other.polyline(0), found.polyline(0))


def test_caches_begin_anew(cube: dualbvh.Tree) -> None:
    for how in COPIES:
        assert dualbvh.collide(cube, cube, cache=how(dualbvh.Cache()))


def _scene(cube: dualbvh.Tree) -> dualbvh.Scene:
    scene = dualbvh.Scene()
    for i in range(5):
        scene.add(cube, shift(0.75 * i), name=f"body {i}", group=1 + i % 2, sag=0.125 * i)
    scene.set_default_rule(dualbvh.PairRule(clearance=0.25))
    scene.set_body_rule(4, dualbvh.PairRule(touch_gap=0.5))
    scene.set_pair_rule(0, 3, dualbvh.PairRule(may_touch=True))
    scene.set_pair_rule(0, 1, dualbvh.PairRule(may_collide=True))
    scene.remove(1)
    return scene


def test_scenes_are_pickled_and_copied(cube: dualbvh.Tree) -> None:
    """With numbers, names, groups, sags and rules; what is done to one does nothing to the other."""
    scene = _scene(cube)
    for how in COPIES:
        other = how(scene)
        assert type(other) is dualbvh.Scene and other.bodies == scene.bodies == [0, 2, 3, 4]
        for body in scene.bodies:
            assert other.name(body) == scene.name(body) and other.options(body) == scene.options(body)
            assert np.array_equal(other.pose(body), scene.pose(body))
            assert other.tree(body).content_hash == cube.content_hash
            for b in scene.bodies:
                assert repr(other.rule(body, b)) == repr(scene.rule(body, b))
        assert other.clashes().tobytes() == scene.clashes().tobytes() != b""
        assert other.add(cube) == 1 and repr(other.rule(0, 1)) == repr(dualbvh.PairRule(clearance=0.25))
        assert scene.bodies == [0, 2, 3, 4]
    assert copy.copy(scene).tree(0) is cube and copy.deepcopy(scene).tree(0) is not cube
    assert len(COPIES[0](dualbvh.Scene())) == 0
    broken = list(scene.__getstate__())
    broken[1] = broken[1][::-1]
    with pytest.raises(ValueError):
        dualbvh.Scene.__new__(dualbvh.Scene).__setstate__(tuple(broken))


def test_weak_references(cube: dualbvh.Tree) -> None:
    made: list[Callable[[], Any]] = [
        lambda: dualbvh.Tree(box()),
        lambda: dualbvh.Mesh(*box()),
        lambda: _scene(cube),
        lambda: dualbvh.contacts(cube, cube),
        lambda: dualbvh.Cache(),
        lambda: dualbvh.Sphere.array([[0, 0, 0]], [1]),
    ]
    for make in made:
        one = make()
        reference = weakref.ref(one)
        assert reference() is one
        del one
        gc.collect()
        assert reference() is None


def test_signatures() -> None:
    """Every function and method says what it takes, as the stub does; a call by it works."""
    signature = inspect.signature(dualbvh.collide)
    assert list(signature.parameters)[:4] == ["a", "b", "pose_b", "pose_a"]
    assert signature.parameters["policy"].default is dualbvh.Policy.DEFAULT
    assert signature.parameters["max_work"].kind is inspect.Parameter.KEYWORD_ONLY
    assert signature.return_annotation == "CollideResult"
    assert "reference" in inspect.signature(dualbvh.Tree).parameters
    assert list(inspect.signature(dualbvh.Scene().add).parameters) == [
        "tree",
        "pose",
        "name",
        "group",
        "mask",
        "sag",
        "radius",
    ]
    assert inspect.signature(dualbvh.Tree.load).parameters["mapped"].default is False
    assert inspect.signature(dualbvh.PairRule).parameters["clearance"].default == 0.0
    asked = 0
    for name in dualbvh.__all__:
        one = getattr(dualbvh, name)
        members = [one] if callable(one) and not isinstance(one, type) else []
        if isinstance(one, type) and one.__module__ == "dualbvh._core" and not hasattr(one, "__members__"):
            members = [
                m for key, m in vars(one).items() if type(m).__name__ in ("nb_func", "nb_method") and key[0] != "_"
            ]
        for member in members:
            asked += isinstance(inspect.signature(member), inspect.Signature)
    assert asked > 80


def test_bounds_of_trees(rng: np.random.Generator) -> None:
    vertices = np.vstack([rng.normal(size=(30, 3)), [[99, 99, 99]]])  # the last one is unused
    faces = rng.permutation(30).reshape(10, 3)
    tree = dualbvh.Tree((vertices, faces))
    used = vertices[faces].reshape(-1, 3)
    assert np.array_equal(tree.bounds, [used.min(axis=0), used.max(axis=0)])
    assert np.array_equal(tree.bounds, dualbvh.Mesh(vertices, faces).bounds)
