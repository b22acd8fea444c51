"""The API of the installed PyTorch (names, parameters, deprecations), and the names in code.

`build_index.py` writes it to a file, once for each version of torch and in a process of its own:
importing torch here would take twenty times as long as reading the file.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from platformdirs import user_cache_dir

from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved
from proofbook.model.snippet import output_file
from proofbook.model.torch_records import output_with

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
"""Prefixes of dotted names, and their full names."""

OWNERS = (
    *("torch.Tensor", "torch.nn.Module", "torch.optim.Optimizer", "torch.autograd.graph.Node"),
    *("torch.autograd.Function", "torch.utils.hooks.RemovableHandle"),
    *("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils"),
    *("torch.nn.utils.parametrize", "torch.nn.utils.parametrizations", "torch.nn.modules.module"),
    *("torch.optim", "torch.autograd", "torch.autograd.graph", "torch.func"),
    "torch.utils.checkpoint",
)
"""Modules and classes whose members are written without them, as in `retain_grad()`."""

OTHERS = sys.stdlib_module_names | {"np", "numpy"}
"""Prefixes of names that are not in torch."""
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
        """The entry of a dotted name; empty if nothing more is known, None if the name is wrong."""
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
        """The known full names of an entry.

        First the place of its definition; then, for a member of a class, below each name of that
        class.
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
        """Every name below torch, with all its entries: for names written without an owner."""
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
        """Every name in torch, including parameters and attributes."""
        own = {name for names in self.attributes.values() for name in names}
        modules = {part for module in self.modules for part in module.split(".")}
        return own | modules | self.parameters | self.everywhere.keys()

    @cached_property
    def common(self) -> tuple[str, ...]:
        """The names of the well-known owners: candidates for the correction of a wrong name."""
        return tuple(sorted(name for name in self.owned if not name.startswith("_")))


def read_index(cache: Path | None = None) -> Index:
    """The names of the installed torch. Raises `Unproved` where torch cannot be imported.

    Importing all of torch takes seconds, so the result is stored as a file in the folder `cache`,
    by default the user's. The caller caches the index: each call reads the file again.
    """
    torch = importlib.util.find_spec("torch")  # imports nothing
    if torch is None or torch.origin is None:
        raise _unreadable("torch is not installed")
    version_file = Path(torch.origin).with_name("version.py").read_text("utf-8")
    version = re.search(r"__version__ = '([^'+]*)", version_file)
    key = "\n".join([sys.version, torch.origin, version_file, _SCRIPT.read_text("utf-8")])
    name = f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
    file = (cache or Path(user_cache_dir("proofbook"))) / name
    try:
        known = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        known = _build(file)
    return Index(version[1] if version else "", **known)


def _build(file: Path) -> dict:
    """Build the index in a process, and store it in `file` for the next time.

    Several processes may build or read it at once, so it is written atomically.
    """
    with tempfile.TemporaryDirectory() as folder:
        new = Path(folder) / "index.json"
        # -P: no module of the engine may shadow one that torch imports.
        command = [sys.executable, "-P", str(_SCRIPT), str(new)]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if run.returncode or not new.is_file():
            raise _unreadable(run.stderr.strip().split("\n")[-1])
        text = new.read_text("utf-8")
    with contextlib.suppress(OSError):  # if it cannot be stored, the next one builds it again
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=file.stem, dir=file.parent) as folder:
            Path(folder, file.name).write_text(text, "utf-8")
            Path(folder, file.name).replace(file)
    return json.loads(text)


def _unreadable(found: str) -> Unproved:
    what, expected = "the names of PyTorch cannot be read", "torch, as pinned in requirements.txt"
    fix = f"{sys.executable} -m pip install -r requirements.txt"
    return Unproved([Problem("requirements.txt", 1, what, expected, found, fix)])


_FILE_ENDINGS = {"py", "pyi", "pt", "pth", "md", "txt", "ipynb", "org"}
"""`torch.py` is a file."""
_DOTTED_NAME = re.compile(rf"(?<![\w./\"'])(?:{'|'.join(ALIASES)})(?:\.[A-Za-z_]\w*)+")

NOT_PYTHON = (SyntaxError, ValueError, MemoryError, RecursionError)
"""The exceptions of `ast.parse` for a text that is not Python, or nests too deep."""


@dataclass(frozen=True)
class CodeName:
    """A name in a piece of code.

    `parts`: the name split at its dots; the first part is '' if the owner is an expression without
    a name, as in `(a + b).grad`. `call`: whether it is called; `keywords`: the names of the call's
    keyword arguments.
    """

    parts: tuple[str, ...]
    call: bool = False
    keywords: tuple[str, ...] = ()

    @property
    def dotted(self) -> str | None:
        """The full name, if the first part shows that it is a name of torch."""
        first, *rest = self.parts
        if first not in ALIASES or not rest or (len(rest) == 1 and rest[0] in _FILE_ENDINGS):
            return None
        return ".".join([ALIASES[first], *rest])


def names_in_code(text: str) -> tuple[CodeName, ...]:
    """The names in a piece of code, each as long as it is written.

    Code that does not parse, such as `with torch.no_grad():`, yields only its dotted names.
    """
    text = text.replace("…", "...")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("_" + text if re.match(r"\.[A-Za-z]", text) else text)
    except NOT_PYTHON:
        return tuple(CodeName(tuple(found[0].split("."))) for found in _DOTTED_NAME.finditer(text))
    return tuple(_names_in_tree(tree))


def _names_in_tree(tree: ast.AST) -> Iterator[CodeName]:
    seen: set[int] = set()
    for node in ast.walk(tree):
        call = isinstance(node, ast.Call)
        named = node.func if call else node
        if not isinstance(named, (ast.Attribute, ast.Name)) or id(named) in seen:
            continue
        parts: list[str] = []
        while isinstance(named, ast.Attribute):
            seen.add(id(named))
            parts.insert(0, named.attr)
            named = named.value
        seen.add(id(named))
        first = named.id if isinstance(named, ast.Name) else ""
        keywords = tuple(k.arg for k in node.keywords if k.arg) if call else ()
        yield CodeName(("" if first == "_" and parts else first, *parts), call, keywords)


def installed_api(book: Book) -> Index | None:
    """The API of the installed torch, or None if it is not known."""
    index = _installed()
    return index if isinstance(index, Index) else None


def unknown_api(book: Book) -> Iterator[Problem]:
    """Why the API of torch isn't known, reported for the pages with code in their text."""
    asking = tuple(page.file for page in book.pages if page.own_code)
    found = _installed() if asking else ()
    if not isinstance(found, Index):
        yield from (replace(problem, pages=asking) for problem in found)


@lru_cache(maxsize=1)
def _installed() -> Index | tuple[Problem, ...]:
    try:
        return read_index()
    except Unproved as unproved:
        return tuple(unproved.problems)


@dataclass(frozen=True)
class ShownText:
    """The code and output of the snippets of a page."""

    code: str
    output: str

    @cached_property
    def words(self) -> set[str]:
        """All names in it."""
        return set(re.findall(r"\w+", self.code + self.output))

    def has(self, text: str) -> bool:
        """Whether it contains the text, not as a part of a longer name."""
        name = rf"(?<!\w){re.escape(text)}(?!\w)"
        return re.search(name, self.code) is not None or re.search(name, self.output) is not None

    def defines(self, name: str) -> bool:
        """Whether a script defines the name itself."""
        given = rf"\b(?:def|class|as|for)\s+{name}\b|^\s*{name}\s*(?:,|=[^=])"
        return re.search(given, self.code, re.MULTILINE) is not None

    def imports(self, alias: str) -> bool:
        """Whether a script uses the alias for the module of torch."""
        imported = rf"^\s*(?:import torch\S* as {alias}|from torch\S* import .*\b{alias})\b"
        return re.search(imported, self.code, re.MULTILINE) is not None


def shown_text(page: Page, book: Book) -> ShownText:
    """The texts of the page's snippets that can be read."""
    scripts, outputs = [], []
    for reference in page.references:
        script = reference.path
        scripts.append(book.text_or_empty(script))
        outputs.append(book.text_or_empty(output_file(script)))
        outputs += [output_with(book, script, version) or "" for version in reference.then]
    return ShownText("\n".join(scripts), "\n".join(outputs))
