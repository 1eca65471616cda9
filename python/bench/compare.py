# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""dualbvh beside python-fcl, coal, trimesh and Open3D, in one process: do two meshes intersect?

    pip install python-fcl coal trimesh open3d
    DUALBVH_DATA=FOLDER python compare.py [--rounds N]

For each pair of meshes, at poses of which about half intersect: microseconds of processor time a query, one at a time
and in batches of 100 and 10,000 poses, all on one thread; and how many times those of dualbvh the others take.
Libraries take turns in each round, and medians over the rounds are compared. What has no batch asks one after the
other, as its users do. The second table is what two threads bring in wall time,
which means something on an idle machine, and what they cost together in processor time, which also does on a busy one.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import dualbvh
import numpy as np
from shapes import Floats, Pair, any_module, pairs

Ask = Callable[[Floats], int]  # poses to the number that intersect

fcl, coal, trimesh, open3d = (any_module(name) for name in ("fcl", "coal", "trimesh", "open3d"))


def of_dualbvh(pair: Pair) -> dict[str, Ask]:
    a, b = dualbvh.Tree(pair.a), dualbvh.Tree(pair.b)

    def single(poses: Floats) -> int:
        return sum(bool(dualbvh.collide(a, b, pose)) for pose in poses)

    def batch(poses: Floats) -> int:
        return int(dualbvh.collide_batch(a, b, poses, threads=1)["intersecting"].sum())

    return {"dualbvh": single, "dualbvh batch": batch}


def of_fcl(pair: Pair) -> dict[str, Ask]:
    def model(vertices: Floats, faces: Any) -> Any:
        made = fcl.BVHModel()
        made.beginModel(len(vertices), len(faces))
        made.addSubModel(vertices, faces)
        made.endModel()
        return made

    a = fcl.CollisionObject(model(*pair.a), fcl.Transform())
    b = fcl.CollisionObject(model(*pair.b), fcl.Transform())
    request = fcl.CollisionRequest()

    def single(poses: Floats) -> int:
        count = 0
        for pose in poses:
            b.setTransform(fcl.Transform(pose[:3, :3], pose[:3, 3]))
            count += fcl.collide(a, b, request, fcl.CollisionResult()) > 0
        return count

    return {"python-fcl": single}


def of_coal(pair: Pair) -> dict[str, Ask]:
    def model(vertices: Floats, faces: Any) -> Any:
        made = coal.BVHModelOBBRSS()
        made.beginModel(len(faces), len(vertices))
        made.addVertices(vertices)
        made.addTriangles(faces)
        made.endModel()
        return made

    a, b = model(*pair.a), model(*pair.b)
    at_a, request = coal.Transform3s(), coal.CollisionRequest()

    def single(poses: Floats) -> int:
        count = 0
        for pose in poses:
            result = coal.CollisionResult()
            coal.collide(a, at_a, b, coal.Transform3s(pose[:3, :3], pose[:3, 3]), request, result)
            count += result.isCollision()
        return count

    return {"coal": single}


def of_trimesh(pair: Pair) -> dict[str, Ask]:
    a, b = (trimesh.Trimesh(*mesh, process=False) for mesh in (pair.a, pair.b))
    managers = {"trimesh": trimesh.collision.CollisionManager}
    from dualbvh.compat.trimesh import CollisionManager

    managers["the same with dualbvh"] = CollisionManager
    found: dict[str, Ask] = {}
    for name, kind in managers.items():
        manager = kind()
        manager.add_object("a", a)
        manager.add_object("b", b)

        def single(poses: Floats, manager: Any = manager) -> int:
            count = 0
            for pose in poses:
                manager.set_transform("b", pose)
                count += manager.in_collision_internal()
            return count

        found[name] = single
    return found


def of_open3d(pair: Pair) -> dict[str, Ask]:
    """is_intersecting() compares every triangle with every one: small meshes only."""
    if len(pair.a[1]) * len(pair.b[1]) > 1_000_000:
        return {}
    a, b = (
        open3d.geometry.TriangleMesh(
            open3d.utility.Vector3dVector(vertices), open3d.utility.Vector3iVector(faces.astype(np.int32))
        )
        for vertices, faces in (pair.a, pair.b)
    )

    def single(poses: Floats) -> int:
        return sum(a.is_intersecting(open3d.geometry.TriangleMesh(b).transform(pose)) for pose in poses)

    return {"Open3D": single}


def contenders(pair: Pair) -> dict[str, Ask]:
    found = of_dualbvh(pair)
    for module, make in ((fcl, of_fcl), (coal, of_coal), (trimesh and fcl, of_trimesh), (open3d, of_open3d)):
        if module:
            found |= make(pair)
    return found


def microseconds(ask: Ask, poses: Floats) -> float:
    begin = time.thread_time()
    ask(poses)
    return (time.thread_time() - begin) / len(poses) * 1e6


def compare(pair: Pair, rounds: int) -> None:
    poses = pair.poses(10_000, 1)
    asks = contenders(pair)
    single, batch = asks["dualbvh"], asks["dualbvh batch"]
    # Poses for each engine, enough to make a round take ten milliseconds or more.
    sample: dict[str, Floats] = {}
    for name, ask in asks.items():
        count = int(2e4 / max(microseconds(ask, poses[:5]), 1))
        sample[name] = poses[: max(20, min(2000, count))]
    times: dict[str, list[float]] = {name: [] for name in asks}
    batches: dict[int, list[float]] = {100: [], 10_000: []}
    for _ in range(rounds):
        for name, ask in asks.items():
            if ask is not batch:
                times[name].append(microseconds(ask, sample[name]))
        for size, list_of in batches.items():
            starts = range(0, min(3 * size, len(poses)), size)
            list_of.append(statistics.median(microseconds(batch, poses[k : k + size]) for k in starts))
    ours = statistics.median(times["dualbvh"])
    of_batch = {size: statistics.median(list_of) for size, list_of in batches.items()}
    print(f"{pair.name}: {single(poses[:1000]) / 10:.0f} % intersect")
    batch_text = f"in batches of 100 {of_batch[100]:8.2f} us, of 10,000 {of_batch[10_000]:8.2f} us"
    print(f"  {'dualbvh':24} {ours:10.2f} us   {batch_text}")
    for name, list_of in times.items():
        if list_of and name != "dualbvh":
            theirs = statistics.median(list_of)
            ratios = "   ".join(f"{theirs / of_batch[size]:7.1f} x" for size in of_batch)
            print(f"  {name:24} {theirs:10.2f} us   {theirs / ours:7.1f} x one; of batches {ratios}", flush=True)


def two_threads(pair: Pair, rounds: int) -> None:
    a, b = dualbvh.Tree(pair.a), dualbvh.Tree(pair.b)
    poses = pair.poses(10_000, 1)
    taken: dict[int, list[float]] = {1: [], 2: []}
    worked: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for threads in taken:
            begin, cpu = time.perf_counter(), time.process_time()
            dualbvh.collide_batch(a, b, poses, threads=threads)
            taken[threads].append(time.perf_counter() - begin)
            worked[threads].append(time.process_time() - cpu)
    faster = min(taken[1]) / min(taken[2])
    more = statistics.median(worked[2]) / statistics.median(worked[1])
    print(f"  {pair.name:24} {faster:5.2f} x as fast, for {more:5.2f} x the processor time")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    versions = {name: getattr(m, "__version__", "?") for name, m in
                (("fcl", fcl), ("coal", coal), ("trimesh", trimesh), ("open3d", open3d)) if m}  # fmt: skip
    print(f"dualbvh {dualbvh.__version__} ({dualbvh.isa_name()}) beside {versions}\n")
    for pair in pairs():
        compare(pair, rounds)
    print("\nBatches of 10,000 on two threads in place of one, the least wall time of each:")
    for pair in pairs():
        two_threads(pair, rounds)


if __name__ == "__main__":
    main()
