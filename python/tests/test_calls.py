# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Tests of all calls: threads, the GIL, Ctrl-C, elements that are refused, memory."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dualbvh
import numpy as np
import pytest
from shapes import box, poses, shift, sphere


@pytest.mark.parametrize("threads", [-1, 0, 1, 2, 5])
def test_threads_change_nothing(ball: dualbvh.Tree, cube: dualbvh.Tree, threads: int) -> None:
    matrices = poses(np.random.default_rng(3), 200, 1.8)
    points = matrices[:, :3, 3]
    scene = dualbvh.Scene()
    bodies = [scene.add(ball), scene.add(cube)]
    both = np.stack([np.broadcast_to(np.eye(4), matrices.shape), matrices], axis=1)
    for ask in (
        lambda n: dualbvh.collide_batch(ball, cube, matrices, threads=n),
        lambda n: dualbvh.distance_batch(ball, cube, matrices, threads=n),
        lambda n: dualbvh.check_clearance_batch(ball, cube, 0.1, matrices, threads=n),
        lambda n: dualbvh.relate_batch(ball, cube, matrices, threads=n),
        lambda n: dualbvh.closest_point_batch(ball, points, threads=n),
        lambda n: dualbvh.locate_point_batch(ball, points, threads=n),
        lambda n: dualbvh.raycast_batch(ball, points, -points, threads=n),
        lambda n: dualbvh.collide_shape_batch(ball, dualbvh.Sphere.array(points, np.full(200, 0.1)), threads=n),
        lambda n: scene.collide_batch(both, bodies, threads=n),
    ):
        one, many = ask(1), ask(threads)
        names = one.dtype.names or (None,)
        for name in names:
            assert np.array_equal(one[name] if name else one, many[name] if name else many), name


def test_many_threads_ask_at_once(ball: dualbvh.Tree, cube: dualbvh.Tree) -> None:
    matrices = poses(np.random.default_rng(4), 64, 1.8)
    want = [bool(dualbvh.collide(ball, cube, m)) for m in matrices]

    def work(_: int) -> list[bool]:
        return [bool(dualbvh.collide(ball, cube, m)) for m in matrices]

    with ThreadPoolExecutor(8) as pool:
        assert all(got == want for got in pool.map(work, range(32)))


def test_a_scene_in_many_threads(cube: dualbvh.Tree) -> None:
    """Calls of different threads wait for each other."""
    scene = dualbvh.Scene()
    fixed = scene.add(cube)

    def work(i: int) -> int:
        body = scene.add(cube, shift(10.0 * (i + 1)))
        for _ in range(20):
            scene.set_pose(body, shift(10.0 * (i + 1), 0.25))
            assert len(scene.collide(body=body)) == 0
        scene.remove(body)
        return body

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(16)))
    assert scene.bodies == [fixed]


def test_numbers_of_bodies_in_many_threads(cube: dualbvh.Tree, ball: dualbvh.Tree, scale: float) -> None:
    """A number that one thread frees is at once another thread's: each finds its own body under it."""
    for _ in range(max(20, int(200 * scale))):
        scene = dualbvh.Scene()
        fixed = scene.add(cube)

        def work(i: int, scene: dualbvh.Scene = scene) -> None:
            for turn in range(8):
                tree, name = (cube, ball)[turn % 2], f"{i} {turn}"
                body = scene.add(tree, shift(10.0 * (i + 1)), name=name, sag=float(i))
                assert body in scene and scene.tree(body) is tree and scene.name(body) == name
                assert scene.options(body)[2] == float(i) and scene.pose(body)[0, 3] == 10.0 * (i + 1)
                scene.set_body_rule(body, dualbvh.PairRule(clearance=1))
                scene.remove(body)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(8)))
        assert scene.bodies == [fixed] and len(scene) == 1


def test_a_long_call_is_alone(ball: dualbvh.Tree) -> None:
    """Calls of other threads on a scene wait for a long one, and a long one for them."""
    scene = dualbvh.Scene()
    for i in range(300):
        scene.add(ball, shift(1.5 * (i % 20), 1.5 * (i // 20)))
    want = scene.collide(threads=1).tobytes()

    def change(i: int) -> None:
        for turn in range(40):
            body = scene.add(ball, shift(-10.0 * (i + 1), 0, 5.0 * turn))
            scene.set_pose(body, shift(-10.0 * (i + 1), 3, 5.0 * turn))
            scene.remove(body)

    def ask(_: int) -> None:
        for _ in range(40):
            scene.set_pose(0, shift(0))
            found = scene.collide(threads=1)
            assert found[found["b"] < 300].tobytes() == want and len(found) * found.itemsize == len(want)

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(change if i % 3 else ask, i) for i in range(6)]:
            done.result()
    assert len(scene) == 300


def test_scenes_are_copied_whole(cube: dualbvh.Tree) -> None:
    """A copy, and a page, of a scene that another thread changes is of one moment."""
    scene, done = dualbvh.Scene(), threading.Event()

    def change() -> None:
        while not done.is_set():
            pair = [scene.add(cube, name="left"), scene.add(cube, name="right")]
            scene.set_pair_rule(pair[0], pair[1], dualbvh.PairRule(may_touch=True))
            for body in reversed(pair):
                scene.remove(body)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(change)
        sizes = set()
        for _ in range(300):
            other = copy.copy(scene)
            sizes.add(len(other))
            assert [other.name(body) for body in other.bodies] == ["left", "right"][: len(other)]
        done.set()
        running.result()
    assert sizes <= {0, 1, 2}


def test_the_gil_is_released() -> None:
    """Another thread counts while this one waits for an answer."""
    tree = dualbvh.Tree(sphere(n=64))
    counted, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    begin, calls = time.monotonic(), 0
    while counted[0] <= 20 and time.monotonic() - begin < 10:
        dualbvh.collide_pairs_batch(tree, tree, np.broadcast_to(shift(0.01), (8, 4, 4)), threads=1)
        calls += 1
    done.set()
    other.join()
    assert counted[0] > 20 and counted[0] > calls


def _long_calls() -> dict[str, Callable[[], object]]:
    tree, scene = dualbvh.Tree(sphere(n=48)), dualbvh.Scene()
    for i in range(2):
        scene.add(tree, shift(0.01 * i))
    many = np.broadcast_to(shift(0.001), (100_000, 4, 4))
    return {
        "collide_pairs_batch": lambda: dualbvh.collide_pairs_batch(tree, tree, many),
        "distance_batch": lambda: dualbvh.distance_batch(tree, tree, np.broadcast_to(shift(2.5), (1_000_000, 4, 4))),
        "contacts_batch": lambda: dualbvh.contacts_batch(tree, tree, many[:20_000]),
        "time_of_impact_batch": lambda: dualbvh.time_of_impact_batch(
            tree, tree, [dualbvh.Motion.between(shift(3, 0.1), shift(-3))] * 100_000
        ),
        "scene": lambda: scene.motion_batch(
            np.broadcast_to(np.stack([np.eye(4), shift(3)]), (200_000, 2, 4, 4)), edges=[(0, 1), (1, 0)] * 100_000
        ),
    }


@pytest.mark.skipif(os.name != "posix", reason="needs setitimer")
@pytest.mark.parametrize("name", ["collide_pairs_batch", "distance_batch", "contacts_batch", "time_of_impact_batch"])
def test_keyboard_interrupt(name: str) -> None:
    """Ctrl-C ends a batch that would take minutes, and the next call works."""
    call = _long_calls()[name]
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        begin = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            call()
        assert time.monotonic() - begin < 30  # far less, but on a machine that is busy with other work
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    cube = dualbvh.Tree(box())
    assert dualbvh.collide(cube, cube)


def test_a_handler_may_ask(cube: dualbvh.Tree) -> None:
    """A signal handler that asks something in the middle of a call has an answer of its own; a scene says that it is in
    use."""
    tree, scene = dualbvh.Tree(sphere(n=48)), dualbvh.Scene()
    for i in range(2):
        scene.add(tree, shift(0.001 * i))
    answers: list[object] = []

    def handler(*_: object) -> None:
        answers.append(bool(dualbvh.collide(cube, cube, shift(0.5))))
        try:
            scene.collide()
        except RuntimeError as error:
            answers.append(str(error))
        raise InterruptedError

    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(InterruptedError):
            dualbvh.collide_pairs_batch(tree, tree, np.broadcast_to(shift(0.001), (100_000, 4, 4)))
        assert answers[0] is True
        many = np.broadcast_to(np.stack([np.eye(4), shift(0.001)]), (200_000, 2, 4, 4))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(InterruptedError):
            scene.collide_pairs_batch(many, max_distance=1)
        assert "in use" in str(answers[-1])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_refused_elements(ball: dualbvh.Tree, cube: dualbvh.Tree) -> None:
    matrices = poses(np.random.default_rng(5), 10, 1.5)
    matrices[3, 0, 0] = np.nan
    matrices[7, :3, :3] *= 2
    with pytest.raises(dualbvh.errors.NotFinite) as caught:
        dualbvh.collide_batch(ball, cube, matrices)
    assert caught.value.element == 3
    good = [i for i in range(10) if i not in (3, 7)]
    for batch in (dualbvh.collide_batch, dualbvh.distance_batch, dualbvh.relate_batch):
        kept, want = batch(ball, cube, matrices, errors="keep"), batch(ball, cube, matrices[good])
        assert np.array_equal(np.flatnonzero(kept["status"]), [3, 7])
        for name in want.dtype.names:  # type: ignore[union-attr]
            assert np.array_equal(kept[good][name], want[name])
    matrices[5] = np.nan  # the last row, too
    for batch in (dualbvh.collide_batch, dualbvh.distance_batch, dualbvh.relate_batch):
        assert np.array_equal(np.flatnonzero(batch(ball, cube, matrices, errors="keep")["status"]), [3, 5, 7])
    assert np.array_equal(
        np.flatnonzero(dualbvh.check_clearance_batch(ball, cube, 0.1, matrices, errors="keep")["status"]), [3, 5, 7]
    )
    records, pairs, offsets = dualbvh.collide_pairs_batch(ball, cube, matrices, errors="keep")
    assert records["status"][5] and len(pairs) == offsets[-1]
    with pytest.raises(dualbvh.errors.NotFinite) as caught:
        dualbvh.collide_batch(ball, cube, matrices[4:6])
    assert caught.value.element == 1
    matrices[5] = np.eye(4) * 2
    with pytest.raises(dualbvh.errors.InvalidArgument, match="0 0 0 1"):  # no matrix of a pose
        dualbvh.collide_batch(ball, cube, matrices, errors="keep")
    matrices[5] = np.eye(4)
    with pytest.raises(ValueError, match="'raise' or 'keep'"):
        dualbvh.collide_batch(ball, cube, matrices, errors="ignore")  # type: ignore[arg-type]
    with pytest.raises(dualbvh.errors.NotRigid):
        dualbvh.collide_batch(ball, cube, matrices[:3], matrices[7], errors="keep")


def test_all_threads(cube: dualbvh.Tree) -> None:
    """-1 is all cores wherever there are threads, and no other negative number is anything."""
    assert dualbvh.Tree(box(), threads=-1).options["threads"] >= 1
    assert dualbvh.collide(cube, cube, threads=-1)
    assert len(dualbvh.contacts(cube, cube, threads=-1)) == len(dualbvh.contacts(cube, cube))
    for wrong in (-2, 1 << 33, 1.5, "all"):
        with pytest.raises(TypeError):
            dualbvh.collide(cube, cube, threads=wrong)  # type: ignore[arg-type]


def test_totals_of_batches(ball: dualbvh.Tree, cube: dualbvh.Tree) -> None:
    """max_total ends a batch: what is finished are the first elements, the same for every number of threads."""
    matrices = poses(np.random.default_rng(6), 200, 1.8)
    whole = dualbvh.distance_batch(ball, cube, matrices)
    with pytest.raises(dualbvh.errors.BudgetSpent) as caught:
        dualbvh.distance_batch(ball, cube, matrices, max_total=300)
    first = caught.value.element
    assert 0 < first < 200
    for threads in (1, 4):
        kept = dualbvh.distance_batch(ball, cube, matrices, max_total=300, errors="keep", threads=threads)
        assert np.flatnonzero(kept["status"]).tolist() == list(range(first, 200))
        assert np.array_equal(kept["distance"][:first], whole["distance"][:first])
    assert np.array_equal(dualbvh.distance_batch(ball, cube, matrices, max_total=10**12), whole)


def test_refused_elements_without_records(ball: dualbvh.Tree, cube: dualbvh.Tree) -> None:
    """Batches whose answers are no records keep refused elements, too."""
    matrices = poses(np.random.default_rng(9), 12, 1.5)
    matrices[3, 0, 0] = np.nan
    matrices[7, :3, :3] *= 2
    good = np.setdiff1d(np.arange(12), [3, 7])
    status = dualbvh.collide_batch(ball, cube, matrices, errors="keep")["status"]

    with pytest.raises(dualbvh.errors.NotFinite) as caught:
        dualbvh.contacts_batch(ball, cube, matrices)
    assert caught.value.element == 3
    kept = dualbvh.contacts_batch(ball, cube, matrices, errors="keep")
    assert [c.status for c in kept] == status.tolist()
    assert not kept[3] and not kept[7] and any(kept)
    for i in good:
        assert np.array_equal(kept[i].points, dualbvh.contacts(ball, cube, matrices[i]).points)
    assert pickle.loads(pickle.dumps(kept[3])).status == status[3]

    solid = dualbvh.Sphere([0, 0, 0], 0.9)
    shapes = dualbvh.collide_shape_batch(cube, solid, matrices, errors="keep")
    assert shapes.dtype == dualbvh.COLLIDE_SHAPE_DTYPE and np.array_equal(shapes["status"], status)
    plain = dualbvh.collide_shape_batch(cube, solid, matrices[good])
    assert plain.dtype == bool and np.array_equal(shapes["intersects"][good], plain) and 0 < plain.sum() < len(plain)
    assert not shapes["intersects"][[3, 7]].any()

    points = np.random.default_rng(10).uniform(-1, 1.5, (40, 3))
    points[11] = np.inf
    where = dualbvh.locate_point_batch(cube, points, errors="keep")
    assert where.dtype == dualbvh.LOCATION_DTYPE and np.flatnonzero(where["status"]).tolist() == [11]
    rest = np.delete(points, 11, axis=0)
    assert np.array_equal(np.delete(where["location"], 11), dualbvh.locate_point_batch(cube, rest))

    motions = dualbvh.Motion.between_batch([np.eye(4)] * 12, matrices, errors="keep")
    moved = dualbvh.time_of_impact_batch(ball, cube, motions, errors="keep")
    assert np.flatnonzero(moved["status"]).tolist() == [3, 7]
    with pytest.raises(dualbvh.errors.NotFinite) as caught:
        dualbvh.Motion.between_batch([np.eye(4)] * 12, matrices)
    assert caught.value.element == 3
    for batch in (dualbvh.contacts_batch, dualbvh.Motion.between_batch):
        with pytest.raises(ValueError, match="'raise' or 'keep'"):
            batch(cube, cube, matrices, errors="") if batch is dualbvh.contacts_batch else batch(  # type: ignore
                matrices, matrices, errors=""
            )


def test_totals_of_loops(ball: dualbvh.Tree, cube: dualbvh.Tree) -> None:
    """max_total of batches that the package runs itself: as in batches of the library, for every number of threads."""
    matrices = poses(np.random.default_rng(11), 300, 1.2)
    solids = dualbvh.collide_shape_batch(ball, dualbvh.Aabb([-0.1] * 3, [0.8] * 3), matrices)
    with dualbvh.Spent() as spent:
        dualbvh.collide_shape_batch(ball, dualbvh.Aabb([-0.1] * 3, [0.8] * 3), matrices)
    half = spent.steps // 2
    assert half > 300
    firsts = set()
    for threads in (1, 2, 4, 7):
        kept = dualbvh.collide_shape_batch(
            ball, dualbvh.Aabb([-0.1] * 3, [0.8] * 3), matrices, max_total=half, errors="keep", threads=threads
        )
        refused = np.flatnonzero(kept["status"])
        firsts.add(int(refused[0]))
        assert refused.tolist() == list(range(refused[0], 300)) and not kept["intersects"][refused].any()
        assert np.array_equal(kept["intersects"][: refused[0]], solids[: refused[0]])
    assert len(firsts) == 1 and 50 < firsts.pop() < 250
    whole = dualbvh.collide_shape_batch(
        ball, dualbvh.Aabb([-0.1] * 3, [0.8] * 3), matrices, max_total=spent.steps, errors="keep", threads=3
    )
    assert not whole["status"].any() and np.array_equal(whole["intersects"], solids)

    counted = [len(c) for c in dualbvh.contacts_batch(ball, cube, matrices[:60])]
    for threads in (1, 4):
        with pytest.raises(dualbvh.errors.BudgetSpent) as caught:
            dualbvh.contacts_batch(ball, cube, matrices[:60], max_total=20_000, threads=threads)
        first = caught.value.element
        found = dualbvh.contacts_batch(ball, cube, matrices[:60], max_total=20_000, errors="keep", threads=threads)
        assert 0 < first < 60 and [bool(c.status) for c in found] == [i >= first for i in range(60)]
        assert [len(c) for c in found] == [n if i < first else 0 for i, n in enumerate(counted)]


def test_spent(ball: dualbvh.Tree, cube: dualbvh.Tree) -> None:
    """Steps are counted, as many as a limit needs, on the thread that counts."""
    matrices = poses(np.random.default_rng(12), 50, 1.5)
    with dualbvh.Spent() as outer:
        with dualbvh.Spent() as spent:
            assert spent.steps == 0
            dualbvh.distance(ball, cube, shift(3))
        one = spent.steps
        assert one > 0
        with dualbvh.Spent() as spent:
            dualbvh.distance_batch(ball, cube, matrices, threads=2)
    assert outer.steps == one + spent.steps > 0 and f"{spent.steps} steps" in repr(spent)
    kept = dualbvh.distance_batch(ball, cube, matrices, max_total=spent.steps, errors="keep")
    assert not kept["status"].any()
    kept = dualbvh.distance_batch(ball, cube, matrices, max_total=spent.steps // 2, errors="keep")
    assert kept["status"].any() and not kept["status"].all()
    dualbvh.distance(ball, cube, shift(3), max_work=one)
    with pytest.raises(dualbvh.errors.BudgetSpent), dualbvh.Spent() as cut:
        dualbvh.distance(ball, cube, shift(3), max_work=one // 4)
    assert 0 < cut.steps < one
    with dualbvh.Spent() as here:
        thread = threading.Thread(target=lambda: dualbvh.distance(ball, cube, shift(3)))
        thread.start()
        thread.join()
    assert here.steps == 0 and dualbvh.Spent().steps == 0


@pytest.mark.parametrize("shape", [(0, 4, 4), (0, 3, 4), (0, 12)])
def test_empty_batches(ball: dualbvh.Tree, shape: tuple[int, ...]) -> None:
    none = np.zeros(shape)
    for batch in (dualbvh.collide_batch, dualbvh.distance_batch, dualbvh.relate_batch):
        assert len(batch(ball, ball, none)) == 0
    assert len(dualbvh.contacts_batch(ball, ball, none)) == 0
    assert [len(x) for x in dualbvh.collide_pairs_batch(ball, ball, none)] == [0, 0, 1]
    assert len(dualbvh.raycast_batch(ball, np.zeros((0, 3)), np.zeros((0, 3)))) == 0
    assert len(dualbvh.closest_point_batch(ball, np.zeros((0, 3)))) == 0
    assert len(dualbvh.time_of_impact_batch(ball, ball, [])) == 0


@pytest.mark.parametrize("bad", [np.eye(4), np.zeros((3, 3, 3)), np.zeros((2, 16)), None, "x", [[1.0], [2.0, 3.0]], 7])
def test_batches_of_wrong_shape(ball: dualbvh.Tree, bad: object) -> None:
    for batch in (dualbvh.collide_batch, dualbvh.distance_batch, dualbvh.contacts_batch):
        with pytest.raises((ValueError, TypeError)):
            batch(ball, ball, bad)  # type: ignore[arg-type]


def test_one_line_for_many(ball: dualbvh.Tree) -> None:
    """One origin, direction, start or end may be that of all lines; one radius that of all spheres."""
    points, way = poses(np.random.default_rng(7), 30, 3)[:, :3, 3], [-1.0, 0.25, 0.5]
    ways = np.tile(way, (30, 1))
    for cast in (dualbvh.raycast_batch, dualbvh.segment_cast_batch):
        assert np.array_equal(cast(ball, points, way), cast(ball, points, ways))
        assert np.array_equal(cast(ball, way, points), cast(ball, ways, points))
        assert len(cast(ball, way, points[0])) == 1 and len(cast(ball, np.zeros((0, 3)), way)) == 0
    records, hits, offsets = dualbvh.raycast_all_batch(ball, points, way)
    assert len(records) == 30 and len(hits) == offsets[-1]
    same = dualbvh.Sphere.array(points, 0.25), dualbvh.Sphere.array(points, np.full(30, 0.25))
    assert np.array_equal(*(dualbvh.collide_shape_batch(ball, spheres) for spheres in same))
    assert np.array_equal(
        dualbvh.shape_cast_batch(same[0], way, dualbvh.Sphere([0, 0, 0], 1)),
        dualbvh.shape_cast_batch(same[0], ways, dualbvh.Sphere([0, 0, 0], 1)),
    )
    for wrong in (points[:7], np.zeros((30, 2)), [1.0, 2.0], [[1.0, 2.0, 3.0]]):
        with pytest.raises(ValueError):
            dualbvh.raycast_batch(ball, points, wrong)
    with pytest.raises(ValueError, match="centres and radii must be as many"):
        dualbvh.Sphere.array(points, [1, 2])


def _resident() -> int:
    """Bytes of memory that the process has, after a collection."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_no_leak(cube: dualbvh.Tree, scale: float) -> None:
    """Memory stays what it is over many calls of every kind, those that raise among them. python/bench/leaks.py makes a
    million."""
    mesh, scene, matrices = box(), dualbvh.Scene(), np.stack([shift(0.5), shift(3)])
    scene.add(cube)

    def once() -> None:
        tree = dualbvh.Tree(mesh)
        dualbvh.collide(tree, cube, matrices[0]).counters  # noqa: B018
        dualbvh.collide_pairs(tree, cube, matrices[0])
        dualbvh.collide_batch(tree, cube, matrices)
        dualbvh.check_clearance(tree, cube, 0.1, matrices[1])
        dualbvh.relate(tree, cube, matrices[1]).separation  # noqa: B018
        dualbvh.contacts(tree, cube, matrices[0]).points  # noqa: B018
        dualbvh.raycast_all(tree, [-1, 0.5, 0.5], [1, 0, 0])
        scene.remove(scene.add(tree, matrices[0], name="body"))
        for bad in (np.eye(3), np.eye(4) * 2, "x"):
            try:
                dualbvh.collide(tree, cube, bad)  # type: ignore[arg-type]
            except (ValueError, TypeError):
                pass

    rounds = max(50, int(300 * scale))
    for _ in range(rounds):
        once()
    before = _resident()
    for _ in range(3 * rounds):
        once()
    assert _resident() - before < 3 * rounds * 256 + (1 << 20)


def test_refit_in_a_handler() -> None:
    """A tree that a call is reading is not changed under it; afterwards it is."""
    mesh = sphere(n=48)
    tree = dualbvh.Tree(mesh, topology=False)
    answers: list[str] = []

    def handler(*_: object) -> None:
        try:
            tree.refit(mesh)
        except RuntimeError as error:
            answers.append(str(error))
        raise InterruptedError

    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(InterruptedError):
            dualbvh.distance_batch(tree, tree, np.broadcast_to(shift(2.5), (1_000_000, 4, 4)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert len(answers) == 1 and "in use" in answers[0]
    tree.refit(mesh)
