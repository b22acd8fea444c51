"""What the installed PyTorch offers: names, parameters, what is deprecated.

`build_index.py` writes it to a file, once for each version of torch and in a process of its own:
nobody here imports torch.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from proofbook.model.problem import Problem, Unproved

ALIASES = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "optim": "torch.optim",
    "autograd": "torch.autograd",
    "Tensor": "torch.Tensor",
    "Module": "torch.nn.Module",
    "Optimizer": "torch.optim.Optimizer",
}
"""How a dotted name begins, and the full name of that."""

OWNERS = (
    *("torch.Tensor", "torch.nn.Module", "torch.optim.Optimizer", "torch.autograd.graph.Node"),
    *("torch.autograd.Function", "torch.utils.hooks.RemovableHandle"),
    *("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils"),
    *("torch.nn.utils.parametrize", "torch.nn.utils.parametrizations", "torch.nn.modules.module"),
    *("torch.optim", "torch.autograd", "torch.autograd.graph", "torch.func"),
    "torch.utils.checkpoint",
)
"""Modules and classes whose names are written alone, as in `retain_grad()`."""

_SCRIPT = Path(__file__).with_name("build_index.py")


@dataclass(frozen=True, eq=False)
class Index:
    """The names of one version of torch, as `build_index.py` describes them."""

    version: str
    modules: dict[str, dict[str, dict]]
    dynamic: list[str]
    classes: dict[str, dict]
    attributes: dict[str, list[str]]

    def resolve(self, name: str) -> dict | None:
        """The entry of a dotted name; an empty one if nothing more is known, None if it's wrong."""
        at, *parts = name.split(".")
        entry: dict = {"module": at}
        for part in parts:
            if "module" in entry:
                entry = self._in_module(entry["module"], part)
            elif "class" in entry:
                entry = self.member(entry["class"], part)
            else:
                return {}  # an attribute of an object: unknown
            if not entry:
                return entry
        return entry

    def _in_module(self, module: str, name: str) -> dict | None:
        if module not in self.modules:
            return {}
        # A function may have the name of its module: torch.nn.utils.weight_norm.
        if entry := self.modules[module].get(name):
            return entry
        if f"{module}.{name}" in self.modules:
            return {"module": f"{module}.{name}"}
        there = name in self.modules[module] or module in self.dynamic
        return {} if there else None

    def member(self, key: str, name: str) -> dict | None:
        """The entry of a name in a class; as `resolve`."""
        if key not in self.classes:
            return {}
        chain = [key, *self.classes[key]["bases"]]
        for base in chain:
            if base not in self.classes:
                return {}
            if name in self.classes[base]["members"]:
                return self.classes[base]["members"][name]
        sets = (self.attributes.get(self.classes[base]["module"], ()) for base in chain)
        return {} if name.startswith("__") or any(name in names for names in sets) else None

    @cached_property
    def owned(self) -> dict[str, list[tuple[str, dict]]]:
        """By bare name: the full name with each of the well-known owners, and its entry."""
        found: dict[str, list[tuple[str, dict]]] = {}
        for owner in OWNERS:
            entry = self.resolve(owner) or {}
            names = dict(self.modules.get(entry.get("module", ""), {}))
            if here := self.classes.get(entry.get("class", "")):
                for base in [here, *(self.classes.get(key, {}) for key in here["bases"])]:
                    names = base.get("members", {}) | names
                names = {key: {} for key in self.attributes.get(here["module"], ())} | names
            for name, known in names.items():
                found.setdefault(name, []).append((f"{owner}.{name}", known))
        return found

    def public_names(self, entry: Mapping) -> list[str]:
        """The full names of what an entry describes, as far as they are known.

        First where it is defined; then, for a member of a class, below each name of that class.
        """
        if "of" not in entry:
            return []
        owner, _, name = entry["of"].rpartition(".")
        return [entry["of"], *(f"{cls}.{name}" for cls in self._class_names.get(owner, ()))]

    @cached_property
    def _class_names(self) -> dict[str, list[str]]:
        """By the place where a class is defined: its names in all modules."""
        found: dict[str, list[str]] = {}
        for module, names in self.modules.items():
            for name, entry in names.items():
                if "class" in entry:
                    found.setdefault(entry["class"], []).append(f"{module}.{name}")
        return found

    @cached_property
    def everywhere(self) -> dict[str, list[dict]]:
        """Every name below torch, with all its entries: for what is written without an owner."""
        found: dict[str, list[dict]] = {}
        for names in (*self.modules.values(), *(c["members"] for c in self.classes.values())):
            for name, entry in names.items():
                found.setdefault(name, []).append(entry)
        return found

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of all parameters."""
        entries = (entry for same in self.everywhere.values() for entry in same)
        return frozenset(name for entry in entries for name in entry.get("parameters") or ())

    @cached_property
    def words(self) -> set[str]:
        """Everything that is a name in torch, be it of a parameter or of an attribute."""
        own = {name for names in self.attributes.values() for name in names}
        modules = {part for module in self.modules for part in module.split(".")}
        return own | modules | self.parameters | self.everywhere.keys()

    @cached_property
    def common(self) -> tuple[str, ...]:
        """The names of the well-known owners: what a wrong name may have been meant to be."""
        return tuple(sorted(name for name in self.owned if not name.startswith("_")))


def read_index(cache: Path | None = None) -> Index:
    """The names of the installed torch. Raises `Unproved` where torch cannot be imported.

    Importing all of torch takes seconds, so the result is kept as a file in the folder `cache`; by
    default that is one of this user in the folder for temporary files. The caller keeps the index:
    each call reads the file again.
    """
    torch = importlib.util.find_spec("torch")  # imports nothing
    if torch is None or torch.origin is None:
        raise _unreadable("torch is not installed")
    version_file = Path(torch.origin).with_name("version.py").read_text("utf-8")
    version = re.search(r"__version__ = '([^'+]*)", version_file)
    key = "\n".join([sys.version, torch.origin, version_file, _SCRIPT.read_text("utf-8")])
    folder = cache or _own_folder()
    file = folder and folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
    return Index(version[1] if version else "", **(_load(file) or _build(file)))


def _own_folder() -> Path | None:
    """A folder for temporary files that only this user can write to; None where there is none."""
    user = getattr(os, "getuid", int)()
    folder = Path(tempfile.gettempdir()) / f"proofbook-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.stat(follow_symlinks=False)
    except OSError:
        return None
    others_write = os.name == "posix" and (status.st_uid != user or status.st_mode & 0o022)
    return None if others_write else folder


def _load(file: Path | None) -> dict | None:
    try:
        return json.loads(file.read_text("utf-8")) if file else None
    except (OSError, ValueError):
        return None


def _build(file: Path | None) -> dict:
    """Have the index built, and keep it in `file` for the next time."""
    with tempfile.TemporaryDirectory() as folder:
        new = Path(folder) / "index.json"
        # -P: nothing of the engine may stand in the way of a module that torch imports.
        command = [sys.executable, "-P", str(_SCRIPT), str(new)]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if run.returncode or not new.is_file():
            raise _unreadable(run.stderr.strip().split("\n")[-1])
        text = new.read_text("utf-8")
    if file:
        _keep(file, text)
    return json.loads(text)


def _keep(file: Path, text: str) -> None:
    """Write a file in one step: several builds may do this at once, and others may be reading."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(prefix=file.stem, dir=file.parent)
        with open(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(beside).replace(file)
    except OSError:
        pass  # no place to keep it, or on Windows somebody reads it: the next one builds it again


def _unreadable(found: str) -> Unproved:
    what, expected = "the names of PyTorch cannot be read", "torch, as pinned in requirements.txt"
    mend = f"{sys.executable} -m pip install -r requirements.txt"
    return Unproved([Problem("requirements.txt", 1, what, expected, found, mend)])
