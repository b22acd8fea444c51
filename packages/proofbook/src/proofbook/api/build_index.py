"""Lists the names of an installed library: `python build_index.py <file> torch` writes JSON.

Run in a process of its own, so that others need not import it; `index.py` reads the file:

    modules     by full name of each public module: its names, each with an entry
    dynamic     the modules that create names on access (`__getattr__`) and do not list them
    classes     by the place where each class is defined: its `bases`, its `members` with their
                entries, and the `module`
    attributes  by module: the names that methods of its classes set on `self`

An entry is empty where only the name is known; its keys are:

    module      it is the module of this full name
    class       it is the class defined at this place, a key of `classes`
    of          where it is defined: module and qualified name
    doc         True if it has a docstring
    parameters  the names of its parameters, `**` among them if it takes any; null where unknown
    deprecated  True if a call warns of it, or its docstring says so
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import json
import pkgutil
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType

PACKAGES = {"torch": ("torch.autograd", "torch.func", "torch.nn", "torch.optim", "torch.utils")}
"""Packages whose modules are imported too, all of them in other libraries; the rest is indexed as
`import torch` leaves it."""
EXCLUDED = re.compile(
    r"torch\.(?:ao|distributed|export|fx|jit|onnx|package|testing)\b|\w+\.(?:.*\.)?tests?\b"
)
"""The contents of these are not listed: any name in them passes."""

_NUMPY = {"dim": "axis", "keepdim": "keepdims", "input": "x", "other": "x2"}
"""Names that functions written in C++ also accept, for NumPy compatibility."""

# "This function is deprecated", not "the argument x is deprecated" and not "size_average: ...".
_DEPRECATED = re.compile(
    r"""^\s*(?:\.\.\s+\w+::\s*)?
        (?: (?-i:\[?DEPRECATED\b)
          | \*{0,2}this\s+(?:function|class|method|module|API)\s+is\s+(?:now\s+)?deprecated
          | (?::\w+:`[^`]+`|torch\.[\w.]+)\s+is\s+deprecated )""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_ON_SELF = re.compile(r"\bself\.(\w+)|register_(?:buffer|parameter)\(\s*[\"'](\w+)")


def main(file: str, library: str) -> None:
    """Write the index of a library to `file`."""
    warnings.simplefilter("ignore")
    root = importlib.import_module(library)
    for package in PACKAGES.get(library, (library,)):
        _import_below(package)
    stubs = _stubs(Path(root.__file__ or "").parent / "_C")
    index: dict[str, dict] = {"modules": {library: {}}, "dynamic": [], "classes": {}}
    index["attributes"] = {}
    for name, module in sorted(sys.modules.items()):
        ours = name.split(".")[0] == library and isinstance(module, ModuleType)
        if ours and "._" not in name and not EXCLUDED.match(name):
            index["modules"][name] = {
                key: _entry(key, value, stubs, index) for key, value in list(vars(module).items())
            }
            if "__dir__" in vars(module):
                index["modules"][name] |= {n: {} for n in dir(module) if n not in vars(module)}
            elif name != "torch" and (
                type(module) is not ModuleType or "__getattr__" in vars(module)
            ):
                index["dynamic"].append(name)
            for found in pkgutil.iter_modules(vars(module).get("__path__", ())):
                index["modules"][name].setdefault(found.name, {})  # there, but not imported
    for name in getattr(root, "_deprecated_attrs", ()):
        index["modules"][library][name] = {"deprecated": True}
    Path(file).write_text(json.dumps(index, separators=(",", ":")), "utf-8")


def _import_below(package: str) -> None:
    """Import the public modules of a package whose dependencies are installed."""
    for found in pkgutil.iter_modules(getattr(sys.modules[package], "__path__", ()), package + "."):
        if found.name.rpartition(".")[2].startswith("_") or EXCLUDED.match(found.name):
            continue
        with contextlib.suppress(Exception, SystemExit):
            importlib.import_module(found.name)
            if found.ispkg:
                _import_below(found.name)


def _stubs(folder: Path) -> dict[str, set[str]]:
    """By bare name: the parameters, in all overloads, of functions written in C++."""
    known: dict[str, set[str]] = {}
    for name in ("__init__.pyi", "_VariableFunctions.pyi", "_nn.pyi"):
        if not (folder / name).is_file():
            continue
        for node in ast.walk(ast.parse((folder / name).read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
                names = {a.arg for a in arguments} | ({"**"} if node.args.kwarg else set())
                known.setdefault(node.name, set()).update(names)
    for names in known.values():
        names.update([_NUMPY[name] for name in names & _NUMPY.keys()])
    return known


def _entry(name: str, value: object, stubs: dict, index: dict) -> dict:
    """The entry of one name; classes are listed in `index`."""
    if isinstance(value, ModuleType):
        # A module that is indexed separately, or isn't part of torch.
        return {"module": value.__name__} if _is_of(value.__name__, index) else {}
    entry: dict = {}
    if (
        name.startswith("_") or type(value).__name__ == "tensortype"
    ):  # torch.ByteTensor and its like
        return entry
    if inspect.isclass(value):
        entry["class"] = _class(value, stubs, index)
    elif isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if not callable(value) and not inspect.isdatadescriptor(value):
        return entry
    doc = value.__doc__ if isinstance(value.__doc__, str) else ""
    if doc.strip():
        entry["doc"] = True
    if callable(value):
        home = getattr(value, "__module__", None) or ""
        entry["of"] = f"{home}.{getattr(value, '__qualname__', name)}"
        entry["parameters"] = _parameters(name, value, stubs)
    marked = value, vars(value).get("__init__") if inspect.isclass(value) else None
    if _DEPRECATED.search(doc) or any(hasattr(x, "__deprecated__") for x in marked):
        entry["deprecated"] = True
    return entry


def _class(cls: type, stubs: dict, index: dict) -> str:
    """List a class and its bases in `index`; returns its key in `classes`."""
    key = f"{cls.__module__}.{cls.__qualname__}"
    if key in index["classes"] or not _is_of(key, index) or EXCLUDED.match(key):
        return key
    ours = [base for base in cls.__mro__[1:] if _is_of(base.__module__, index)]
    listed = index["classes"][key] = {"bases": [], "members": {}, "module": cls.__module__}
    for base in cls.__mro__:
        if base not in (cls, object, *ours):
            listed["members"].update({name: {} for name in vars(base)})
    listed["members"].update({name: {} for name in getattr(cls, "__annotations__", {})})
    for name, value in list(vars(cls).items()):
        nested = inspect.isclass(value)
        listed["members"][name] = {} if nested else _entry(name, value, stubs, index)
    listed["bases"] = [_class(base, stubs, index) for base in ours]
    if cls.__module__ not in index["attributes"]:
        index["attributes"][cls.__module__] = _set_on_self(cls.__module__)
    return key


def _is_of(name: str, index: dict) -> bool:
    """Whether a full name is one of the library, whose root is listed first."""
    return name.split(".")[0] == next(iter(index["modules"])).split(".")[0]


def _set_on_self(module: str) -> list[str]:
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    if not file.endswith(".py"):
        return []
    found = _ON_SELF.findall(Path(file).read_text("utf-8"))
    return sorted({name for pair in found for name in pair if name})


def _parameters(name: str, value: object, stubs: dict) -> list[str] | None:
    """The names of the parameters, with `**` if any are accepted; None if they are unknown."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (ValueError, TypeError):
        found = stubs.get(name)
        return sorted(found) if found else None
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return ["**", *(p.name for p in parameters if p.kind is not p.VAR_KEYWORD)]
    return [p.name for p in parameters]


if __name__ == "__main__":
    main(*sys.argv[1:3])
