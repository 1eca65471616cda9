# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""The command dualbvh, for files that libraries of Python read.

    python -m dualbvh.models [--command PROGRAM] WORD...

The words are those of the command. What names an IFC, USD or STEP file, or a JSON scene that includes one, is converted
into scene files in a temporary folder, which is there as long as the command runs on these. What cannot be read is left
to the command, which says why not.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

from .._files import program
from . import kind_of, read


class Conversion:
    """Words of the command, with scene files in place of models."""

    def __init__(self, folder: str, words: list[str]) -> None:
        self.folder = Path(folder)
        self.sag = _number_after("--sag", words)
        self.may_leave = "--allow-outside" in words
        self.made: dict[tuple[str, float | None], str | None] = {}
        self.packages: list[str] = []
        self.words = [self._word(word) for word in words]
        for number, package in enumerate(dict.fromkeys(self.packages)):
            self.words.append(f"--package=dualbvh.{number}={package}")

    def _word(self, word: str) -> str:
        if kind_of(word) is not None and os.path.isfile(word):
            return self.model(word, self.sag) or word
        if word.lower().endswith(".json") and os.path.isfile(word):
            return self.scene(word, 0) or word
        return word

    def place_for(self, path: str) -> Path:
        """A new name with the ending .json for what is made of a file: its name is seen in sentences."""
        folder = self.folder / str(len(list(self.folder.iterdir())))
        folder.mkdir()
        (folder / "original").write_text(path, encoding="utf-8")  # the command shows this name in place of the other
        return folder / (os.path.basename(path) + ".json")

    def model(self, path: str, sag: float | None) -> str | None:
        """The scene file of a model; None: it cannot be read here."""
        key = (os.path.realpath(path), sag)
        if key not in self.made:
            self.made[key] = self._read(path, sag)
        return self.made[key]

    def _read(self, path: str, sag: float | None) -> str | None:
        try:
            model = read(path, sag=sag or None)
        except ImportError:
            return None
        except ValueError as error:
            raise SystemExit(_complain(f"{path}: {error}")) from error
        for note in model.notes:
            _complain(f"{path}: {note}")
        if len(model) == 0:
            raise SystemExit(_complain(f"{path}: no part of it has a surface"))
        made = self.place_for(path)
        model.write(made)
        return os.fspath(made)

    def scene(self, path: str, depth: int) -> str | None:
        """A copy of a JSON scene with models replaced; None: it has none, or is no scene."""
        try:
            with open(path, encoding="utf-8-sig") as file:
                said = json.load(file)
        except (OSError, ValueError):
            return None
        entries = [e for key in ("bodies", "include") for e in _list(said, key) if isinstance(e, dict)]
        folder, is_changed = os.path.dirname(os.path.realpath(path)), False
        unit = _UNITS.get(said.get("unit", "")) if entries else None
        outer = said["defaults"].get("sag") if isinstance(said.get("defaults"), dict) else None
        for entry in entries:
            name = entry.get("file")
            if not isinstance(name, str) or "://" in name:
                continue
            real = os.path.realpath(os.path.join(folder, name))
            made = None
            if depth < 16 and (self.may_leave or os.path.commonpath([real, folder]) == folder) and os.path.isfile(real):
                made = self._entry(real, entry, unit, outer, depth)
            entry["file"] = made or real
            is_changed = is_changed or made is not None
        if not is_changed:
            return None
        self.packages += [folder, os.fspath(self.folder)]
        copy = self.place_for(path)
        copy.write_text(json.dumps(said), encoding="utf-8")
        return os.fspath(copy)

    def _entry(self, real: str, entry: dict[str, Any], unit: float | None, outer: Any, depth: int) -> str | None:
        kind = kind_of(real)
        if kind is None:
            return self.scene(real, depth + 1) if real.lower().endswith(".json") else None
        sag = entry.get("sag", outer)
        if not isinstance(sag, (int, float)):
            return self.model(real, self.sag)
        own = {"ifc": 1.0, "step": 0.001}.get(kind)
        made = self.model(real, sag * unit / own if unit and own else sag)
        if made:
            entry.pop("sag", None)  # flat parts have none
        return made


_UNITS = {"m": 1.0, "mm": 0.001, "cm": 0.01, "um": 1e-6, "km": 1000.0, "in": 0.0254, "ft": 0.3048}


def _list(said: Any, key: str) -> list[Any]:
    found = said.get(key) if isinstance(said, dict) else None
    return found if isinstance(found, list) else []


def _number_after(option: str, words: list[str]) -> float | None:
    for at, word in enumerate(words):
        text = word[len(option) + 1 :] if word.startswith(option + "=") else None
        if word == option and at + 1 < len(words):
            text = words[at + 1]
        if text is not None:
            try:
                return float(text)
            except ValueError:
                return None  # the command says what is wrong with it
    return None


def _complain(text: str) -> int:
    print(f"dualbvh: {text}", file=sys.stderr)
    return 2


def _run(words: list[str], folder: str) -> int:
    """Runs the command, which gets signals, and waits for it."""
    child: subprocess.Popen[bytes] | None = None
    early: list[int] = []  # signals that came before there was a child to name

    def pass_on(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT:  # the terminal sends that to both
            return
        if child is None:
            early.append(number)
        else:
            child.send_signal(number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        known = getattr(signal, name, None)
        if known is not None and signal.getsignal(known) != signal.SIG_IGN:
            signal.signal(known, pass_on)
    child = subprocess.Popen(words, env=os.environ | {"DUALBVH_MODELS": "", "DUALBVH_CONVERTED": folder})
    for missed in early:
        child.send_signal(missed)
    return child.wait()


def main(words: list[str] | None = None) -> int:
    words = sys.argv[1:] if words is None else words
    command, words = (words[1], words[2:]) if words[:1] == ["--command"] and len(words) > 1 else (None, words)
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that the folder is removed
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, _frame: sys.exit(128 + number))
    try:
        with tempfile.TemporaryDirectory(prefix="dualbvh-") as made:
            folder = os.path.realpath(made)
            status = _run([command or program(), *Conversion(folder, words).words], folder)
    except KeyboardInterrupt:
        status = -signal.SIGINT
    except OSError as error:
        status = _complain(str(error))
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 2
    if status < 0:  # as the command ended
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


if __name__ == "__main__":
    sys.exit(main())
