# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Random poses."""

from __future__ import annotations

import numpy as np


def turn(random):
    """A random rotation, 3 x 3."""
    q, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return q * np.linalg.det(q)


def pose(random, reach=1.6):
    made = np.eye(4)
    made[:3, :3] = turn(random)
    made[:3, 3] = random.uniform(-reach, reach, 3)
    return made
