# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The cost of a call from Python above that of the C call: processor time of collide() for two boxes that are far
apart, of which the library's part is measured by a batch of the same pose.

    python overhead.py
"""

from __future__ import annotations

import statistics
import time

import dualbvh
import numpy as np
from shapes import box


def nanoseconds(count: int) -> tuple[float, float, float]:
    """A call, the same in a batch, and an empty turn of the loop."""
    tree, pose = dualbvh.Tree(box()), np.eye(4)
    pose[0, 3] = 3.0
    many, collide = np.tile(pose, (count, 1, 1)), dualbvh.collide
    times = []
    begin = time.thread_time()
    for _ in range(count):
        pass
    times.append(time.thread_time() - begin)
    begin = time.thread_time()
    for _ in range(count):
        collide(tree, tree, pose)
    times.append(time.thread_time() - begin)
    begin = time.thread_time()
    dualbvh.collide_batch(tree, tree, many, threads=1)
    times.append(time.thread_time() - begin)
    empty, call, batch = (t / count * 1e9 for t in times)
    return call - empty, batch, empty


def main() -> None:
    rounds = [nanoseconds(100_000) for _ in range(9)]
    call, batch, _ = (statistics.median(values) for values in zip(*rounds))
    print(f"a call {call:.0f} ns, in a batch {batch:.0f} ns: {call - batch:.0f} ns for the way from Python and back")


if __name__ == "__main__":
    main()
