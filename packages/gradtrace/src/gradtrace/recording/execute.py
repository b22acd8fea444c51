"""Runs a script as `python script.py` does, or a module as `python -m module` does."""

from __future__ import annotations

import builtins
import io
import sys
import types
from importlib.machinery import ModuleSpec
from importlib.util import find_spec


def execute(script: str, spec: ModuleSpec | None = None, source: str | None = None) -> None:
    """Run the script as `__main__`; `spec`: that of the module which it is, if it was named so;
    `source`: its text, if that isn't to be read from its file.

    Not with runpy, which takes `__main__` away before the end.
    """
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=script, __cached__=None, __builtins__=builtins)
    if spec is not None:
        main.__dict__.update(__spec__=spec, __package__=spec.parent, __loader__=spec.loader)
    sys.modules["__main__"] = main
    exec(
        compile(_source(script) if source is None else source, script, "exec", 0, True), vars(main)
    )


def _source(script: str) -> bytes:
    with io.open_code(script) as file:
        return file.read()


def spec_of_module(name: str) -> ModuleSpec:
    """The module that `python -m name` runs: of a package its `__main__`.

    Imports the packages around it. Raises `ModuleNotFoundError` where there is no such module, or
    none written in Python.
    """
    spec = find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = find_spec(f"{name}.__main__")
    if spec is None or not (spec.origin or "").endswith(".py"):
        raise ModuleNotFoundError(f"there is no module {name} to run", name=name)
    return spec
