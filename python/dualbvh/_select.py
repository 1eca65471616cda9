# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Patterns that name bodies, as the command has them (docs/scene-format.md): paths with * and ?, selectors.

Texts are compared as UTF-8, a byte at a time, as the command does it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

_SELECTOR = re.compile(rb"\[([A-Za-z0-9_.:\- ]+)(!=|=|~)((?:\\.|[^\]\\])*)\]", re.S)
_TAIL = re.compile(rb"(?:" + _SELECTOR.pattern + rb")+\Z", re.S)


def exact(name: str) -> str:
    """The pattern that matches this name and nothing else."""
    return "".join("\\" + c if c in "*?\\" else c for c in name)


@lru_cache(maxsize=256)
def _glob(pattern: bytes) -> re.Pattern[bytes]:
    made, at = b"", 0
    while at < len(pattern):
        c = pattern[at : at + 1]
        if c == b"\\":
            at += 1
            c = pattern[at : at + 1]
            made += re.escape(c) if c else b"(?!)"  # a backslash at the end fits nothing
        else:
            made += b".*" if c == b"*" else b"." if c == b"?" else re.escape(c)
        at += 1
    return re.compile(made, re.S)


def _names_path(pattern: bytes, path: bytes) -> bool:
    """Does the pattern match the path, or a leading part of it that ends before a "/"?"""
    glob = _glob(pattern)
    ends = [*(at.start() for at in re.finditer(b"/", path)), len(path)]
    return any(glob.fullmatch(path, 0, end) for end in ends)


def _fits(key: bytes, sign: bytes, wanted: bytes, path: bytes, properties: Mapping[str, str]) -> bool:
    said = properties.get(key.decode())
    value = said.encode() if said is not None else path.rsplit(b"/", 1)[-1] if key == b"name" else None
    if sign == b"~":
        return value is not None and re.sub(rb"\\(.)", rb"\1", wanted, flags=re.S).lower() in value.lower()
    return (value is not None and _glob(wanted).fullmatch(value) is not None) == (sign == b"=")


def matcher(pattern: str) -> Callable[[str, Mapping[str, str]], bool]:
    """The function that tells of a path and properties whether the pattern names that body."""
    text = pattern.encode()
    tail = _TAIL.search(text)
    if tail is None:
        return lambda path, _properties: _names_path(text, path.encode())
    selectors = _SELECTOR.findall(tail[0])
    head = text[: tail.start()]
    head = head[:-1] if head.endswith(b"/") else head

    def names(path: str, properties: Mapping[str, str]) -> bool:
        if head and not _names_path(head, path.encode()):
            return False
        return all(_fits(key, sign, wanted, path.encode(), properties) for key, sign, wanted in selectors)

    return names
