# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The fixtures of the tests: meshes, poses, and random numbers whose seed is printed."""

from __future__ import annotations

import os

import dualbvh
import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers. DUALBVH_TEST_SEED repeats a run; pytest shows what is printed where a test fails."""
    seed = int(os.environ.get("DUALBVH_TEST_SEED", np.random.SeedSequence().entropy & 0xFFFFFFFF))
    print(f"DUALBVH_TEST_SEED={seed}")
    return np.random.default_rng(seed)


@pytest.fixture(scope="session")
def scale() -> float:
    """The number of random cases, scaled by DUALBVH_TEST_SCALE like the other tests."""
    return float(os.environ.get("DUALBVH_TEST_SCALE", "1"))


@pytest.fixture(scope="session")
def cube() -> dualbvh.Tree:
    from shapes import box

    return dualbvh.Tree(box())


@pytest.fixture(scope="session")
def ball() -> dualbvh.Tree:
    from shapes import sphere

    return dualbvh.Tree(sphere())
