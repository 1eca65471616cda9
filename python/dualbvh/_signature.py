# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors

"""Signatures of the functions of the extension module, for inspect.signature() and the help of editors.

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


def _annotation(node: ast.expr | None) -> Any:
    return _KINDS.empty if node is None else ast.unparse(node)


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
    required: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    parameters: list[inspect.Parameter] = []

    def take(argument: ast.arg, kind: Any, value: ast.expr | None) -> None:
        parameters.append(
            inspect.Parameter(
                argument.arg, kind, default=_default(value, names), annotation=_annotation(argument.annotation)
            )
        )

    for i, (argument, value) in enumerate(zip(positional, [*required, *arguments.defaults])):
        take(
            argument, _KINDS.POSITIONAL_ONLY if i < len(arguments.posonlyargs) else _KINDS.POSITIONAL_OR_KEYWORD, value
        )
    for argument, keyword_value in zip(arguments.kwonlyargs, arguments.kw_defaults):
        take(argument, _KINDS.KEYWORD_ONLY, keyword_value)
    return inspect.Signature(parameters, return_annotation=_annotation(definition.returns))


def _bound_signature(method: Any) -> inspect.Signature:
    """The signature of a bound method, without the object."""
    whole = _signature(method)
    return whole.replace(parameters=list(whole.parameters.values())[1:])


class _OfClass:
    """__signature__ of a class of the module: that of its __init__. Python before 3.11.4 does not look there itself."""

    def __init__(self, of: type) -> None:
        self._of = of

    def __get__(self, instance: Any, owner: type) -> inspect.Signature:
        if instance is not None or owner is not self._of:
            raise AttributeError("__signature__")
        return _bound_signature(vars(owner)["__init__"]).replace(return_annotation=_KINDS.empty)


def install() -> None:
    """Lets the functions, methods and classes of the module answer inspect.signature()."""
    for one in list(vars(_core).values()):
        if isinstance(one, type) and len(getattr(vars(one).get("__init__"), "__nb_signature__", ())) == 1:
            one.__signature__ = _OfClass(one)  # type: ignore[attr-defined]
    for function, answer in (
        (_core.collide, _signature),
        (_core.Cache.__reduce__, _signature),
        (_core.Cache().__reduce__, _bound_signature),
    ):
        _core._set_signature(type(function), property(answer))  # type: ignore[attr-defined]
