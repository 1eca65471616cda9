# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The clearance of a part along its motion, as a plot (pip install matplotlib), or a table where there is none.

python clearance_plot.py [FILE.png]
"""

from __future__ import annotations

import sys

import dualbvh
import numpy as np
from shapes import box, torus

ring, bar = dualbvh.Tree(torus(2.0, 0.5)), dualbvh.Tree(box(0.4, 3.0, 0.4))

# The bar comes down into the ring while it turns by a quarter.
start = np.eye(4)
start[:3, 3] = (0.0, 0.3, 3.0)
end = np.array([[0.0, -1.0, 0.0, 0.2], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, -2.0], [0.0, 0.0, 0.0, 1.0]])
motion = dualbvh.Motion.between(start, end)

times = np.linspace(0.0, 1.0, 401)
poses = np.stack([motion.pose(t) for t in times])
clearance = dualbvh.distance_batch(ring, bar, poses)["distance"]
impact = dualbvh.time_of_impact(ring, bar, motion)

try:
    import matplotlib.pyplot as plt
except ImportError:
    for t, d in zip(times[::40], clearance[::40]):
        print(f"{t:4.2f} {d:8.4f} {'#' * int(20 * d)}")
else:
    plt.figure(figsize=(7, 3.5), layout="constrained")
    plt.plot(times, clearance)
    plt.fill_between(times, 0, clearance.max(), where=clearance == 0, alpha=0.3, color="tab:red", label="intersecting")
    if impact:
        plt.axvline(impact.time, color="k", linewidth=0.8, linestyle="--", label=f"time of impact {impact.time:.4f}")
    plt.xlabel("time")
    plt.ylabel("clearance")
    plt.ylim(bottom=0)
    plt.legend()
    if len(sys.argv) > 1:
        plt.savefig(sys.argv[1], dpi=120)
    else:
        plt.show()
print(impact)
