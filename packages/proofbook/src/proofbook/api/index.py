"""What the installed PyTorch offers: names, parameters, what is deprecated, where it is documented.

`torch_index.py` writes it down, once for each version of torch and in a process of its own: nobody
here imports torch.
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
from dataclasses import dataclass
from functools import cache, cached_property
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
"""How a dotted name begins, and what that stands for."""

OWNERS = (
    *("torch.Tensor", "torch.nn.Module", "torch.optim.Optimizer", "torch.autograd.graph.Node"),
    *("torch.autograd.Function", "torch.utils.hooks.RemovableHandle"),
    *("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils"),
    *("torch.nn.utils.parametrize", "torch.nn.utils.parametrizations", "torch.nn.modules.module"),
    *("torch.optim", "torch.autograd", "torch.autograd.graph", "torch.func"),
    "torch.utils.checkpoint",
)
"""Whose names are written without their owner, as in `retain_grad()`."""

_WRITER = Path(__file__).with_name("build_index.py")


@dataclass(frozen=True, eq=False)
class Index:
    """The file that `torch_index.py` writes; the comment at its top says what stands in it."""

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
                return {}  # an attribute of an object: nobody can tell
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


@cache
def read_index() -> Index:
    """What the installed torch offers; written down first where that was not done yet."""
    found = importlib.util.find_spec("torch")  # imports nothing
    if found is None or found.origin is None:
        raise _unknown("torch is not installed")
    told = Path(found.origin).with_name("version.py").read_text("utf-8")
    version = re.search(r"__version__ = '([^'+]*)", told)
    key = "\n".join([sys.version, found.origin, told, _WRITER.read_text("utf-8")])
    folder = Path(tempfile.gettempdir()) / f"proof-names-{getattr(os, 'getuid', int)()}"
    file = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
    try:
        told = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        told = _written(file)
    return Index(version[1] if version else "", **told)


def _written(file: Path) -> dict:
    """Have the index written, and keep it in `file` for the next time."""
    with tempfile.TemporaryDirectory() as folder:
        new = Path(folder) / "index.json"
        # -P: nothing of the engine may stand in the way of a module that torch imports.
        command = [sys.executable, "-P", str(_WRITER), str(new)]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if run.returncode or not new.is_file():
            raise _unknown(run.stderr.strip().split("\n")[-1])
        text = new.read_text("utf-8")
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        beside = file.with_name(f"{file.name}.{os.getpid()}")
        beside.write_text(text, "utf-8")
        beside.replace(file)  # two builds may do this at once
    except OSError:
        pass  # no place to keep it: the next one has to wait again
    return json.loads(text)


def _unknown(why: str) -> Unproved:
    what, expected = "the names of PyTorch cannot be read", "torch, as pinned in requirements.txt"
    mend = f"{sys.executable} -m pip install -r requirements.txt"
    return Unproved([Problem("requirements.txt", 1, what, expected, why, mend)])
