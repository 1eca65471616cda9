# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The programs in documents run, each in a folder of its own that has gear.ply, and what they assert holds."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / name for name in ("README.md", "python/README.md", "docs/coming-from.md")]
DOCUMENTS += sorted((ROOT / "docs/tutorials").glob("*.md"))
PROGRAMS = [
    pytest.param(code, id=f"{path.name}-{number}")
    for path in DOCUMENTS
    if path.is_file()  # a source distribution has the package alone
    for number, code in enumerate(re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.M | re.S))
]


def test_there_are_some() -> None:
    if (ROOT / "docs").is_dir():
        assert len(PROGRAMS) >= 5


@pytest.mark.parametrize("code", PROGRAMS)
def test_it_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "gear.ply" in code:
        command = os.environ.get("DUALBVH") or shutil.which("dualbvh")
        if command is None:
            pytest.skip("there is no command dualbvh to make gear.ply")
        subprocess.run([command, "gen", "gear", "-o", str(tmp_path / "gear.ply"), "--quiet"], check=True)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "<document>", "exec"), {})
