# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Robots beside pinocchio and coal: kinematics, verdicts and distances of configurations, certified edges and samples.

    pip install pin example-robot-data
    python robots.py URDF [--srdf SRDF] [--free] [--configurations N] [--edges N]

URDF and SRDF are paths below the folder of example-robot-data, for example panda_description/urdf/panda.urdf. Without
an SRDF the pairs that collide in the neutral configuration are left out. Times are those of the processor, on one
thread. Fails if a verdict differs, or a sample collides on an edge that is CLEAR.
"""

from __future__ import annotations

import argparse
import site
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from dualbvh import EdgeVerdict, RobotLayout
from dualbvh.robot import PinocchioRobot, from_pinocchio
from numpy.typing import NDArray

STEPS = (0.05, 0.1, 0.3, 1.0)
SAMPLES = 20


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What work returns, and its microseconds, the better of two runs."""
    best, answer = float("inf"), None
    for _ in range(2):
        begin = time.process_time()
        answer = work()
        best = min(best, time.process_time() - begin)
    return answer, 1e6 * best


class Case:
    """A robot in both libraries, and random configurations."""

    def __init__(self, urdf: str, srdf: str | None, free: bool, count: int) -> None:
        shared = Path(site.getsitepackages()[0]) / "cmeel.prefix/share"
        robots = shared / "example-robot-data/robots"
        path = str(robots / urdf)
        self.model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(path)
        folders = [str(shared), str(robots)]
        self.geometry = pin.buildGeomFromUrdf(self.model, path, pin.GeometryType.COLLISION, package_dirs=folders)
        self.geometry.addAllCollisionPairs()
        if srdf:
            pin.removeCollisionPairs(self.model, self.geometry, str(robots / srdf))
        else:
            self.leave_out_neutral()
        self.data, self.places = self.model.createData(), self.geometry.createData()
        self.robot: PinocchioRobot = from_pinocchio(self.model, self.geometry)
        low, high = self.model.lowerPositionLimit, self.model.upperPositionLimit
        self.low = np.where(np.abs(low) < 10, low, -3.0)
        self.high = np.where(np.abs(high) < 10, high, 3.0)
        pin.seed(1)
        self.q = np.array([pin.randomConfiguration(self.model, self.low, self.high) for _ in range(count)])

    def leave_out_neutral(self) -> None:
        data, places = self.model.createData(), self.geometry.createData()
        pin.computeCollisions(self.model, data, self.geometry, places, pin.neutral(self.model), False)
        for k in reversed(range(len(self.geometry.collisionPairs))):
            if places.collisionResults[k].isCollision():
                self.geometry.removeCollisionPair(self.geometry.collisionPairs[k])

    def of_coal(self, rows: NDArray[np.float64]) -> NDArray[np.bool_]:
        ask = pin.computeCollisions
        return np.array([ask(self.model, self.data, self.geometry, self.places, q, True) for q in rows])


def compare_configurations(case: Case) -> int:
    kinematics = case.robot.place(case.q[:100])
    carried = [i for i, part in enumerate(case.geometry.geometryObjects) if part.parentJoint > 0]
    off = 0.0
    for places, q in zip(kinematics, case.q):
        pin.updateGeometryPlacements(case.model, case.data, case.geometry, case.places, q)
        for row, i in zip(places, carried):
            at = case.places.oMg[i]
            off = max(off, np.abs(row - np.column_stack([at.rotation, at.translation])).max())
    mine, ours = timed(lambda: case.robot.collides(case.q, threads=1))
    _, place = timed(lambda: case.robot.place(case.q))
    begin = time.process_time()
    theirs = case.of_coal(case.q)
    coal = 1e6 * (time.process_time() - begin)
    differ, count = int((mine != theirs).sum()), len(case.q)
    print(f"poses differ by {off:.1e}; {len(case.robot.pairs)} pairs; {100 * mine.mean():.1f} % collide")
    print(
        f"{count} configurations: {differ} verdicts differ; us each: {ours / count:.2f} (all poses to Python: ", end=""
    )
    print(f"{place / count:.2f}), coal {coal / count:.1f}")
    return differ


def compare_distances(case: Case) -> int:
    rows = case.q[:4000]
    nearest, ours = timed(lambda: case.robot.nearest(rows, threads=1))
    text = f"least distance with its points: {ours / len(rows):.1f} us a configuration"
    ask = case.robot.robot.margin_batch
    for margin in (0.0, 0.01, 0.05):
        _, near = timed(
            lambda margin=margin: ask(case.robot.scene, rows, RobotLayout.PINOCCHIO, margin=margin, threads=1)
        )
        text += f", any below {margin} m {near / len(rows):.2f}"
    begin, off = time.process_time(), 0.0
    for q, mine in zip(rows[:100], nearest["nearest"]["distance"]):
        pin.computeDistances(case.model, case.data, case.geometry, case.places, q)
        least = min(result.min_distance for result in case.places.distanceResults)
        off = max(off, abs(least - mine) if least > 0 else 0.0)
    coal = 1e4 * (time.process_time() - begin)
    print(f"{text}; coal {coal:.0f}, which differs by at most {off:.1e} m where bodies are apart")
    again = case.robot.distances(rows, threads=1)["distance"]
    return int((again != nearest["nearest"]["distance"]).sum())


def compare_edges(case: Case, count: int) -> int:
    free = case.q[~case.robot.collides(case.q)]
    rng, wrong = np.random.default_rng(1), 0
    for step in STEPS:
        starts = free[rng.integers(0, len(free), count)]
        ways = rng.normal(size=(count, case.model.nv))
        ways *= step / np.abs(ways).max(axis=1, keepdims=True)
        ends = [pin.integrate(case.model, q, v) for q, v in zip(starts, ways)]
        rows = np.stack([starts, np.array(ends)], axis=1).reshape(-1, case.model.nq)
        pairs = [(2 * i, 2 * i + 1) for i in range(count)]
        found, every = timed(lambda rows=rows, pairs=pairs: case.robot.check_edges(rows, pairs, threads=1))
        states = np.concatenate(
            [
                case.robot.robot.between(rows[a], rows[b], np.linspace(0, 1, SAMPLES), RobotLayout.PINOCCHIO)
                for a, b in pairs
            ]
        )
        sampled, own = timed(lambda states=states: case.robot.collides(states, threads=1))
        hits = sampled.reshape(count, SAMPLES).any(axis=1)
        begin = time.process_time()
        case.of_coal(states[: 20 * SAMPLES])
        coal = 1e6 * (time.process_time() - begin) / 20
        text = f"{step:4} rad: {every / count:6.1f} us"
        for verdict in (EdgeVerdict.CLEAR, EdgeVerdict.COLLIDES, EdgeVerdict.CLOSE):
            chosen = [pair for pair, edge in zip(pairs, found) if edge["verdict"] == verdict]
            text += f", {len(chosen)} {verdict.name.lower()}"
            if chosen:
                _, took = timed(lambda rows=rows, chosen=chosen: case.robot.check_edges(rows, chosen, threads=1))
                text += f" {took / len(chosen):.1f} us"
        clear = found["verdict"] == int(EdgeVerdict.CLEAR)
        wrong += int((clear & hits).sum())
        missed = int((~hits & (found["verdict"] == int(EdgeVerdict.COLLIDES))).sum())
        print(f"{text}; {SAMPLES} samples {own / count:.1f} us, by coal {coal:.0f} us, miss {missed} collisions")
    print(f"edges that are CLEAR and have a sample that collides: {wrong}")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urdf")
    parser.add_argument("--srdf")
    parser.add_argument("--free", action="store_true", help="the base floats")
    parser.add_argument("--configurations", type=int, default=10000)
    parser.add_argument("--edges", type=int, default=300)
    arguments = parser.parse_args()
    case = Case(arguments.urdf, arguments.srdf, arguments.free, arguments.configurations)
    wrong = compare_configurations(case) + compare_distances(case) + compare_edges(case, arguments.edges)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
