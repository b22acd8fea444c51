"""Runs a script as `python script.py` does."""

from __future__ import annotations

import builtins
import io
import sys
import types


def execute(script: str) -> None:
    """Run the script as `__main__`. Not with runpy, which takes `__main__` away before the end."""
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=script, __cached__=None, __builtins__=builtins)
    sys.modules["__main__"] = main
    with io.open_code(script) as file:
        code = compile(file.read(), script, "exec", dont_inherit=True)
    exec(code, main.__dict__)
