# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Exceptions: one for each status of the library, all of them an `Error`.

The text is the library's sentence. Those about arguments are a ValueError, too, those about files an OSError, and so
on, so that code which knows nothing of dualbvh catches what it expects.
"""

from __future__ import annotations

import errno
import re
from typing import Any


class Error(Exception):
    """The base of all exceptions of dualbvh.

    status   the name of the library's status, as "NOT_RIGID"
    line     of the text file that is wrong, from 1; 0 where there is none
    byte     offset into the file, from 0; -1 where there is none
    element  index of the vertex, triangle, pose or ray concerned, from 0; -1 where there is none
    """

    status: str = ""
    line: int = 0
    byte: int = -1
    element: int = -1


class InvalidArgument(Error, ValueError):
    """An argument is outside its range, or of the wrong shape."""


class OutOfMemory(Error, MemoryError):
    """There was not enough memory."""


class Limit(Error, ValueError):
    """The input is larger than the library handles."""


class NotFinite(Error, ValueError):
    """A number is NaN or infinite."""


class NotRigid(Error, ValueError):
    """The matrix of a pose is too far from a rotation; `orthonormalise` gives the nearest one."""


class IndexRange(Error, ValueError):
    """A triangle names a vertex that does not exist."""


class Empty(Error, ValueError):
    """The mesh has no triangles."""


class IoError(Error, OSError):
    """A file could not be read or written; `errno` and `filename` are those of an OSError, str() is the sentence."""

    def __str__(self) -> str:
        if self.strerror is None:  # made with a text alone
            return super().__str__()
        return self.strerror if self.filename is None else f"{self.filename}: {self.strerror}"


class UnknownFormat(Error, ValueError):
    """The file is of no format that the library reads."""


class Malformed(Error, ValueError):
    """The file breaks the rules of its format."""


class Truncated(Error, ValueError):
    """The file ends before what it promises."""


class Invariant(Error, RuntimeError):
    """A stored structure breaks one of its invariants."""


class NoTopology(Error, ValueError):
    """The tree was built without the topology that the question needs."""


class BudgetSpent(Error, RuntimeError):
    """The budget (`max_work`, `max_total`) was spent before the answer was known.

    found     of a Scene's queries: what they had found until then; else None
    open      of Scene.collide() and clashes(): the pairs of bodies that have no answer, n x 2; else None
    at_least  of Scene.distance(): no two bodies are closer; else 0
    """

    found: Any = None
    open: Any = None
    at_least: float = 0.0


class Cancelled(Error, RuntimeError):
    """The call was ended."""


_OF_STATUS: dict[str, type[Error]] = {
    "INVALID_ARGUMENT": InvalidArgument,
    "OUT_OF_MEMORY": OutOfMemory,
    "LIMIT": Limit,
    "NOT_FINITE": NotFinite,
    "NOT_RIGID": NotRigid,
    "INDEX_RANGE": IndexRange,
    "EMPTY": Empty,
    "IO": IoError,
    "UNKNOWN_FORMAT": UnknownFormat,
    "MALFORMED": Malformed,
    "TRUNCATED": Truncated,
    "INVARIANT": Invariant,
    "NO_TOPOLOGY": NoTopology,
    "BUDGET_SPENT": BudgetSpent,
    "CANCELLED": Cancelled,
}


# The ends of the library's sentences about files that the system refused.
_REASONS = {
    "there is no such file or folder": errno.ENOENT,
    "permission denied": errno.EACCES,
    "it is a folder": errno.EISDIR,
    "the disk is full": errno.ENOSPC,
}


# Names in the library's sentences, which are members of its structures, and the names that Python has for them.
_WORDS = (
    (r"\bdbvh_tree_options\.topology\b", "topology=True"),
    (r"\bquery\.body_count is (\d+) without query\.bodies\b", r"poses are of \1 bodies, and none are named"),
    (r"\b(?:query|options)\.", ""),
    (r"\bthread_count\b", "threads"),
    (r"\bDBVH_BOX_FIT_", "BoxFit."),
    (r"\bdbvh_pose_", ""),
)


def _in_python(text: str) -> str:
    """The library's sentence with the names that things have here."""
    for pattern, name in _WORDS:
        text = re.sub(pattern, name, text)
    return text


def _number(text: str) -> int | None:
    """The system's number of an error that the library's sentence tells of."""
    stated = re.search(r"\(error number (\d+)\)$", text)
    return int(stated[1]) if stated else _REASONS.get(text.rpartition(": ")[2])


def from_status(status: str, text: str, line: int, byte: int, element: int, file: str | None = None) -> Error:
    """The exception for a status of the library; what the extension module raises."""
    kind = _OF_STATUS.get(status, Error)
    text = _in_python(text)
    if kind is IoError:
        error: Error = IoError(_number(text), text, file)
    else:
        error = kind(text if file is None else f"{file}: {text}")
    error.status, error.line, error.byte, error.element = status, line, byte, element
    return error
