"""Runs a script as `python script.py` or `python -m module` does; says why there is no recording.

Does not import torch, which may be what fails.
"""

from __future__ import annotations

import builtins
import dis
import io
import json
import platform
import sys
import types
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType


def execute(script: str, spec: ModuleSpec | None = None, source: str | None = None) -> None:
    """Run the script as `__main__`; `spec`: the spec of its module, if it was named as one;
    `source`: its text, if that isn't to be read from its file.

    Not with runpy, which removes `__main__` before the end.
    """
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=script, __cached__=None, __builtins__=builtins)
    if spec is not None:
        main.__dict__.update(__spec__=spec, __package__=spec.parent, __loader__=spec.loader)
    sys.modules["__main__"] = main
    if source is None:
        with io.open_code(script) as file:
            source = file.read()
    exec(compile(source, script, "exec", 0, True), vars(main))


def spec_of_module(name: str) -> ModuleSpec:
    """The module that `python -m name` runs: for a package its `__main__`.

    Imports the enclosing packages. Raises `ModuleNotFoundError` if there is no such module, or it
    isn't written in Python.
    """
    spec = find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = find_spec(f"{name}.__main__")
    if spec is None or not (spec.origin or "").endswith(".py"):
        raise ModuleNotFoundError(f"there is no module {name} to run", name=name)
    return spec


_RECORDING, _PACKAGE = Path(__file__).resolve().parents[:2]
_EXHAUSTED = (RecursionError, MemoryError)
"""Errors that the script causes, wherever they are raised."""


@dataclass(frozen=True)
class Failure:
    """The reason why there is no recording.

    `file` and `line`: the place in gradtrace that failed; no file if the script is of a kind that
    cannot be recorded.
    """

    found: str
    file: str = ""
    line: int = 1

    def __str__(self) -> str:
        return f"{self.found} ({self.file}:{self.line})" if self.file else self.found


def format_failure(failure: Failure) -> str:
    """The text that is written in place of a recording."""
    return json.dumps({"failure": asdict(failure)}, ensure_ascii=False) + "\n"


def parse_failure(text: str) -> Failure | None:
    """The failure that was written, or None where the text is a recording."""
    return Failure(**json.loads(text)["failure"]) if text.startswith('{"failure"') else None


def failure_of_recorder(error: BaseException) -> Failure:
    """An error in the recorder; the script's if it is out of memory or recursion depth."""
    found = f"{type(error).__name__}: {error}"
    if isinstance(error, _EXHAUSTED):
        return Failure(found)
    places = [entry for entry in entries_of(error) if _PACKAGE in _file(entry).parents]
    file, line = Path(__file__).resolve(), 1  # where the package itself cannot be imported
    if places:
        file, line = _file(places[-1]), places[-1].tb_lineno
    torch = getattr(sys.modules.get("torch"), "__version__", "(not imported)")
    software = f"with PyTorch {torch} and Python {platform.python_version()}"
    return Failure(f"{found}\n{software}", file.relative_to(_PACKAGE.parent).as_posix(), line)


def is_of_recorder(error: BaseException) -> bool:
    """Whether an error that propagated into the script arose in the recorder itself.

    Errors of a function that the recorder calls on behalf of the script are the script's, as they
    would be without the recorder.
    """
    if not isinstance(error, Exception) or isinstance(error, _EXHAUSTED):
        return False
    entries = list(entries_of(error))
    if not entries or _RECORDING not in _file(entries[-1]).parents:
        return False
    last = entries[-1]
    done = dis.get_instructions(last.tb_frame.f_code)
    at_work = next((each.opname for each in done if each.offset == last.tb_lasti), "")
    return not at_work.startswith(("CALL", "PRECALL"))


def hide_recorder(error: BaseException) -> None:
    """Remove the recorder's frames, and those through which torch calls it, from an error's
    traceback, so that it is the same as without a recorder."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        waiting += [each.__cause__, each.__context__]
        for entry in entries_of(each):
            while (inner := entry.tb_next) is not None and (
                inner.tb_frame.f_code.co_name == "handle_torch_function"
                or _RECORDING in _file(inner).parents
            ):
                entry.tb_next = inner.tb_next


def entries_of(error: BaseException) -> Iterator[TracebackType]:
    """The entries of an error's traceback, from the outermost on."""
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _file(entry: TracebackType) -> Path:
    return Path(entry.tb_frame.f_code.co_filename).resolve()
