# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The programs in documents run, and what they assert holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("docs/coming-from.md", "python/README.md")
PROGRAMS = [
    pytest.param(code, id=f"{name}-{number}")
    for name in DOCUMENTS
    for number, code in enumerate(re.findall(r"^```python\n(.*?)^```$", (ROOT / name).read_text(), re.M | re.S))
]


def test_there_are_some() -> None:
    assert len(PROGRAMS) >= len(DOCUMENTS)


@pytest.mark.parametrize("code", PROGRAMS)
def test_it_runs(code: str) -> None:
    exec(compile(code, "<document>", "exec"), {})
