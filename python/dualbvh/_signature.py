# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""What inspect.signature() and help() of editors say of the functions of the extension module.

The module states the signature of each function as text. It becomes an inspect.Signature when somebody asks, so that a
call costs nothing more, and an import neither.
"""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

from . import _core

_KINDS = inspect.Parameter


def _default(node: ast.expr | None, names: dict[str, Any]) -> Any:
    if node is None:
        return _KINDS.empty
    return eval(compile(ast.Expression(node), "<signature>", "eval"), names)


def _parsed(function: Any) -> tuple[ast.FunctionDef, dict[str, Any]]:
    """The text that the module states, and what the names in its defaults stand for."""
    text, _, defaults = function.__nb_signature__[0]
    names: dict[str, Any] = {**vars(_core), "float": float}
    if defaults is not None:  # "\0" stands for the first of them, and so on
        names.update((f"_default_{i}", value) for i, value in enumerate(defaults))
        text = re.sub(r"\\(\d+)", r"_default_\1", text)
    (definition,) = ast.parse(text + ": ...").body
    assert isinstance(definition, ast.FunctionDef)
    return definition, names


def _signature(function: Any) -> inspect.Signature:
    """The signature of a function or method of the module, with its annotations as text."""
    definition, names = _parsed(function)
    arguments = definition.args
    positional = [*arguments.posonlyargs, *arguments.args]
    given: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    values = [*given, *arguments.defaults]
    parameters = []
    for i, (argument, value) in enumerate(zip(positional, values)):
        kind = _KINDS.POSITIONAL_ONLY if i < len(arguments.posonlyargs) else _KINDS.POSITIONAL_OR_KEYWORD
        parameters.append((argument, kind, value))
    parameters += [(argument, _KINDS.KEYWORD_ONLY, value) for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return inspect.Signature(
        [
            _KINDS(
                argument.arg,
                kind,
                default=_default(value, names),
                annotation=_KINDS.empty if argument.annotation is None else ast.unparse(argument.annotation),
            )
            for argument, kind, value in parameters
        ],
        return_annotation=inspect.Signature.empty if definition.returns is None else ast.unparse(definition.returns),
    )


def install() -> None:
    """Lets the functions and methods of the module answer inspect.signature()."""
    _core._set_signature(property(_signature), _core.collide, _core.Scene.add)
