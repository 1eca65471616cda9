# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""A scene through any sequence of calls, against one made afresh for each answer."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import dualbvh
import numpy as np
import pytest
from shapes import Floats, box, poses, shift, sphere

pytest.importorskip("hypothesis", reason="python/requirements-dev.txt names it")

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule, run_state_machine_as_test

TREES = [dualbvh.Tree(box()), dualbvh.Tree(box(0.25)), dualbvh.Tree(sphere(n=6))]
# Among them poses that touch, contain and coincide.
POSES = [
    np.eye(4),
    shift(1),
    shift(0.5),
    shift(0.25, 0.25, 0.25),
    shift(3),
    shift(40),
    *poses(np.random.default_rng(1), 6, 2),
]
RULES = [
    None,
    dualbvh.PairRule(),
    dualbvh.PairRule(may_collide=True),
    dualbvh.PairRule(may_touch=True),
    dualbvh.PairRule(clearance=0.75),
    dualbvh.PairRule(touch_gap=0.125),
]
a_tree, a_pose, a_rule = st.sampled_from(range(len(TREES))), st.sampled_from(POSES), st.sampled_from(RULES)
a_group = st.sampled_from([0, 1, 2, 3])


class _Model:
    """The bodies that a scene must hold, by their numbers."""

    def __init__(self) -> None:
        self.bodies: dict[int, dict[str, Any]] = {}
        self.default: dualbvh.PairRule | None = None
        self.pairs: dict[tuple[int, int], dualbvh.PairRule | None] = {}

    def afresh(self) -> tuple[dualbvh.Scene, dict[int, int]]:
        """A new scene, and the number there of each body."""
        scene = dualbvh.Scene()
        scene.set_default_rule(self.default)
        numbers = {}
        for body, what in sorted(self.bodies.items()):
            at = scene.add(TREES[what["tree"]], what["pose"], group=what["group"], mask=what["mask"], sag=what["sag"])
            numbers[body] = at
            scene.set_body_rule(at, what["rule"])
        for (a, b), pair_rule in self.pairs.items():
            scene.set_pair_rule(numbers[a], numbers[b], pair_rule)
        return scene, numbers


def _renumbered(records: Any, numbers: dict[int, int]) -> Any:
    """Records of a scene whose bodies have the numbers of another one, without what depends on the order of work."""
    back = {new: old for old, new in numbers.items()}
    names = [name for name in records.dtype.names if name not in ("a", "b", "first")]
    return [(back[int(r["a"])], back[int(r["b"])], *(r[name].tolist() for name in names)) for r in records]


class SceneStates(RuleBasedStateMachine):
    bodies = Bundle("bodies")

    def __init__(self) -> None:
        super().__init__()
        self.scene = dualbvh.Scene()
        self.model = _Model()

    @rule(target=bodies, tree=a_tree, pose=a_pose, group=a_group, mask=a_group, sag=st.sampled_from([0.0, 0.01]))
    def add(self, tree: int, pose: Floats, group: int, mask: int, sag: float) -> int:
        body = self.scene.add(TREES[tree], pose, name=f"body {len(self.model.bodies)}", group=group, mask=mask, sag=sag)
        free = next(i for i in range(len(self.model.bodies) + 1) if i not in self.model.bodies)
        assert body == free
        self.model.bodies[body] = {"tree": tree, "pose": pose, "group": group, "mask": mask, "sag": sag, "rule": None}
        return body

    @rule(body=consumes(bodies))
    def remove(self, body: int) -> None:
        if body not in self.model.bodies:  # the number of one that has gone
            with pytest.raises(KeyError):
                self.scene.remove(body)
            return
        self.scene.remove(body)
        del self.model.bodies[body]
        self.model.pairs = {pair: r for pair, r in self.model.pairs.items() if body not in pair}

    @rule(body=bodies, pose=a_pose)
    def set_pose(self, body: int, pose: Floats) -> None:
        if body in self.model.bodies:
            self.scene.set_pose(body, pose)
            self.model.bodies[body]["pose"] = pose

    @rule(chosen=st.lists(a_pose, min_size=12, max_size=12))
    def set_poses(self, chosen: list[Floats]) -> None:
        numbers = sorted(self.model.bodies)[: len(chosen)]
        if numbers:
            self.scene.set_poses(chosen[: len(numbers)], numbers)
            for body, pose in zip(numbers, chosen):
                self.model.bodies[body]["pose"] = pose

    @rule(body=bodies)
    def refused(self, body: int) -> None:
        """A refused call changes nothing."""
        if body in self.model.bodies:
            with pytest.raises(dualbvh.errors.NotRigid):
                self.scene.set_pose(body, np.diag([2.0, 2, 2, 1]))
            with pytest.raises(dualbvh.errors.NotFinite):
                self.scene.set_poses([shift(np.nan)], [body])

    @rule(value=a_rule)
    def set_default_rule(self, value: dualbvh.PairRule | None) -> None:
        self.scene.set_default_rule(value)
        self.model.default = value

    @rule(body=bodies, value=a_rule)
    def set_body_rule(self, body: int, value: dualbvh.PairRule | None) -> None:
        if body in self.model.bodies:
            self.scene.set_body_rule(body, value)
            self.model.bodies[body]["rule"] = value

    @rule(a=bodies, b=bodies, value=a_rule)
    def set_pair_rule(self, a: int, b: int, value: dualbvh.PairRule | None) -> None:
        if a != b and a in self.model.bodies and b in self.model.bodies:
            self.scene.set_pair_rule(a, b, value)
            self.model.pairs[min(a, b), max(a, b)] = value

    @rule(how=st.sampled_from([copy.copy, copy.deepcopy, lambda scene: pickle.loads(pickle.dumps(scene))]))
    def go_on_with_a_copy(self, how: Any) -> None:
        self.scene = how(self.scene)

    @rule(body=st.none() | bodies)
    def collide(self, body: int | None) -> None:
        body = body if body in self.model.bodies else None
        fresh, numbers = self.model.afresh()
        want = _renumbered(fresh.collide(body=None if body is None else numbers[body]), numbers)
        assert [(int(r["a"]), int(r["b"])) for r in self.scene.collide(body=body)] == want
        one = self.scene.collide(any=True, body=body)
        assert len(one) == min(1, len(want))

    @rule()
    def clashes(self) -> None:
        fresh, numbers = self.model.afresh()
        same = {body: body for body in self.model.bodies}
        assert _renumbered(self.scene.clashes(), same) == _renumbered(fresh.clashes(), numbers)

    @rule(total=st.sampled_from([1, 30, 300, 3000]))
    def budget(self, total: int) -> None:
        """A call that is ended says what is open; what is neither open nor found is clear."""
        fresh, numbers = self.model.afresh()
        want = set(_renumbered(fresh.collide(), numbers))
        try:
            found, unknown = self.scene.collide(max_total=total), []
        except dualbvh.errors.BudgetSpent as spent:
            found, unknown = spent.found, [tuple(pair) for pair in spent.open.tolist()]
            assert unknown
        got = {(int(r["a"]), int(r["b"])) for r in found}
        assert got <= want and want - got <= set(unknown) and not got & set(unknown)

    @rule(limit=st.sampled_from([0.5, np.inf]))
    def distance(self, limit: float) -> None:
        fresh, numbers = self.model.afresh()
        want, got = fresh.distance(limit=limit), self.scene.distance(limit=limit)
        assert (want is None) == (got is None)
        if want is not None and got is not None:
            assert got.distance == want.distance
            assert tuple(numbers[body] for body in got.bodies) == want.bodies

    @rule(at=a_pose)
    def points_rays_boxes(self, at: Floats) -> None:
        fresh, numbers = self.model.afresh()
        point = at[:3, 3] + 0.1
        want, got = fresh.closest_point(point), self.scene.closest_point(point)
        assert (want and (want[0], want[1].distance)) == (got and (numbers[got[0]], got[1].distance))
        want_hit, got_hit = (
            fresh.raycast(point - [9, 0, 0], [1, 0, 0]),
            self.scene.raycast(point - [9, 0, 0], [1, 0, 0]),
        )
        assert (want_hit and (want_hit[0], want_hit[1].t)) == (got_hit and (numbers[got_hit[0]], got_hit[1].t))
        around = dualbvh.Aabb(point - 0.5, point + 0.5)
        assert [numbers[b] for b in self.scene.overlap_aabb(around).tolist()] == fresh.overlap_aabb(around).tolist()

    @rule(data=st.data(), reach=st.sampled_from([0.0, 0.5]))
    def configurations(self, data: st.DataObject, reach: float) -> None:
        if not self.model.bodies:
            return
        named = data.draw(st.lists(st.sampled_from(sorted(self.model.bodies)), min_size=1, max_size=3, unique=True))
        at = np.array(data.draw(st.lists(st.tuples(*[a_pose] * len(named)), min_size=1, max_size=3)))
        fresh, numbers = self.model.afresh()
        want = fresh.collide_batch(at, [numbers[b] for b in named], max_distance=reach)
        got = self.scene.collide_batch(at, named, max_distance=reach)
        for field in ("intersecting", "pair_count", "has_distance", "distance", "status"):
            assert np.array_equal(got[field], want[field]), field

    @invariant()
    def what_it_holds(self) -> None:
        bodies = self.model.bodies
        assert self.scene.bodies == sorted(bodies) and len(self.scene) == len(bodies)
        for body, what in bodies.items():
            assert body in self.scene and np.array_equal(self.scene.pose(body), what["pose"][:3])
            assert self.scene.options(body)[2] == what["sag"]
            assert self.scene.tree(body).content_hash == TREES[what["tree"]].content_hash


def test_any_sequence_of_calls(scale: float) -> None:
    run_state_machine_as_test(
        SceneStates,
        settings=settings(
            max_examples=max(20, int(200 * scale)),
            stateful_step_count=40,
            deadline=None,
            database=None,
            print_blob=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
