# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Writes dualbvh/_core.pyi, the types of the extension module, from the signatures that the module itself states.

    python make_stub.py [--check] [FILE]

Run it where dualbvh is installed, after a change of a signature or a text. With --check it writes nothing, and fails
where the file is not what it would write. FILE: another one than the package's in this folder.
"""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

HEADER = '''\
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

# Written by make_stub.py from the extension module: change the texts there.

"""The functions and classes of dualbvh, which that package offers under its own name."""

import enum
import os
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import numpy.dtypes
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Buffer

from ._types import Bytes, FileName, MeshLike, OnError, PoseLike, PosesLike, Records, Shape, Solid
'''


def stub() -> str:
    """The text of the stub."""
    # The installed package is meant, not the sources beside this file, which have no extension module.
    here = Path(__file__).resolve().parent
    sys.path[:] = [folder for folder in sys.path if Path(folder or ".").resolve() != here]
    generator = StubGen(importlib.import_module("dualbvh._core"), quiet=True)
    generator.put(generator.module)
    text = generator.get()
    # Names in the signatures look like modules to the generator, which imports them; the header has what there is.
    body = text[re.search(r"^(?=[A-Za-z_]+: |def |class )", text, re.M).start() :]  # type: ignore[union-attr]
    # The attribute that inspect.signature() reads of classes repeats their __init__.
    body = re.sub(r"^ +__signature__: .*\n", "", body, flags=re.M)
    body = re.sub(r"\bnumpy\.(?=float64|uint32)", "np.", body)
    body = re.sub(r"^(\w+_DTYPE): .*$", r"\1: np.dtype[np.void]", body, flags=re.M)
    body = re.sub(r"Annotated\[NDArray\[np.float64\], dict\(.*?\)\]", "NDArray[np.float64]", body)
    text = HEADER.replace("Annotated, ", "").replace("import numpy.dtypes\n", "") + "\n" + body.rstrip() + "\n"
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "python/dualbvh/_core.pyi", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("file", nargs="?", type=Path, default=Path(__file__).parent / "dualbvh" / "_core.pyi")
    options = parser.parse_args()
    text = stub()
    if not options.check:
        options.file.write_text(text)
        return 0
    if options.file.read_text() == text:
        return 0
    print(f"{options.file.name} is not what make_stub.py writes", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
