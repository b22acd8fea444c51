"""The API of the installed libraries that the book is about (names, parameters, deprecations), and
the names in code.

`build_index.py` writes it to a file, once for each version of a library and in a process of its
own: importing torch here would take twenty times as long as reading the file.
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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import metadata
from pathlib import Path

from platformdirs import user_cache_dir

from proofbook.model.book import Book
from proofbook.model.cache import in_development, package_of, states_of_files, title_of
from proofbook.model.config import FILE
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
    "np": "numpy",
    "pd": "pandas",
    "plt": "matplotlib.pyplot",
}
"""Prefixes of dotted names, and their full names, besides the libraries themselves."""

OWNERS = (
    *("torch.Tensor", "torch.nn.Module", "torch.optim.Optimizer", "torch.autograd.graph.Node"),
    *("torch.autograd.Function", "torch.utils.hooks.RemovableHandle"),
    *("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils"),
    *("torch.nn.utils.parametrize", "torch.nn.utils.parametrizations", "torch.nn.modules.module"),
    *("torch.optim", "torch.autograd", "torch.autograd.graph", "torch.func"),
    "torch.utils.checkpoint",
)
"""Modules and classes of torch whose members are written without them, as in `retain_grad()`; of
another library these are its root and the classes in it."""

OTHERS = sys.stdlib_module_names | {"np", "numpy"}
"""Prefixes of names that are in no library that is looked up, unless it is one of these."""
_SCRIPT = Path(__file__).with_name("build_index.py")


@dataclass(frozen=True, eq=False)
class Index:
    """The names of libraries in one version each, as `build_index.py` describes them.

    `roots`: their modules, each with what it is called in a sentence: PyTorch 2.13.0.
    """

    roots: dict[str, str]
    modules: dict[str, dict[str, dict]]
    dynamic: list[str]
    classes: dict[str, dict]
    attributes: dict[str, list[str]]

    @cached_property
    def title(self) -> str:
        """What these libraries are called in a sentence, with their versions."""
        return " or ".join(self.roots.values())

    @cached_property
    def aliases(self) -> dict[str, str]:
        """The prefixes of dotted names of these libraries, and their full names."""
        found = {short: whole for short, whole in ALIASES.items() if _root(whole) in self.roots}
        return found | {root: root for root in self.roots}

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
        owners = [name for name in OWNERS if _root(name) in self.roots]
        for root in self.roots.keys() - {"torch"}:
            names = self.modules.get(root, {})
            owners += [root, *(f"{root}.{name}" for name in names if "class" in names[name])]
        for owner in owners:
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
        """Every name, with all its entries: for names written without an owner."""
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
        """Every name, including parameters and attributes."""
        own = {name for names in self.attributes.values() for name in names}
        modules = {part for module in self.modules for part in module.split(".")}
        return own | modules | self.parameters | self.everywhere.keys()

    @cached_property
    def common(self) -> tuple[str, ...]:
        """The names of the well-known owners: candidates for the correction of a wrong name."""
        return tuple(sorted(name for name in self.owned if not name.startswith("_")))


def read_index(cache: Path | None = None, libraries: Sequence[str] = ("torch",)) -> Index:
    """The names of installed libraries. Raises `Unproved` where one cannot be imported.

    Importing all of torch takes seconds, so the result is stored as a file in the folder `cache`,
    by default the user's. The caller caches the index: each call reads the files again.
    """
    index = Index({}, {}, [], {}, {})
    for library in libraries:
        found, package = importlib.util.find_spec(library), package_of(library)  # imports nothing
        if found is None or found.origin is None:
            raise _unreadable(library, f"{library} is not installed")
        version = metadata.version(package) if package else ""
        edited = states_of_files(library) if in_development(library) else ()
        key = [sys.version, found.origin, version, *edited, _SCRIPT.read_text("utf-8")]
        name = f"{hashlib.sha256(chr(10).join(key).encode()).hexdigest()[:16]}.json"
        file = (cache or Path(user_cache_dir("proofbook"))) / name
        try:
            known = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError):
            known = _build(file, library)
        index.roots[library] = title_of(package) if package else library
        index.dynamic.extend(known["dynamic"])
        for kind in ("modules", "classes", "attributes"):
            getattr(index, kind).update(known[kind])
    return index


def _root(name: str) -> str:
    return name.partition(".")[0]


def _build(file: Path, library: str) -> dict:
    """Build the index in a process, and store it in `file` for the next time.

    Several processes may build or read it at once, so it is written atomically.
    """
    with tempfile.TemporaryDirectory() as folder:
        new = Path(folder) / "index.json"
        # -P: no module of the engine may shadow one that the library imports.
        command = [sys.executable, "-P", str(_SCRIPT), str(new), library]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if run.returncode or not new.is_file():
            raise _unreadable(library, run.stderr.strip().split("\n")[-1])
        text = new.read_text("utf-8")
    with contextlib.suppress(OSError):  # if it cannot be stored, the next one builds it again
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=file.stem, dir=file.parent) as folder:
            Path(folder, file.name).write_text(text, "utf-8")
            Path(folder, file.name).replace(file)
    return json.loads(text)


def _unreadable(library: str, found: str) -> Unproved:
    what, expected = f"the names of {library} cannot be read", f"{library}, installed"
    fix = f"{sys.executable} -m pip install {library}, or take it out of names: in {FILE}"
    return Unproved([Problem(FILE, 1, what, expected, found, fix)])


_FILE_ENDINGS = {"py", "pyi", "pt", "pth", "md", "txt", "ipynb", "org"}
"""`torch.py` is a file."""
_DOTTED_NAME = re.compile(r"(?<![\w./\"'])([A-Za-z_]\w*)(?:\.[A-Za-z_]\w*)+")

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

    def dotted(self, index: Index) -> str | None:
        """The full name, if the first part shows that it is a name of a library."""
        first, *rest = self.parts
        if first not in index.aliases or not rest or (len(rest) == 1 and rest[0] in _FILE_ENDINGS):
            return None
        return ".".join([index.aliases[first], *rest])


def names_in_code(text: str, index: Index | None) -> tuple[CodeName, ...]:
    """The names in a piece of code, each as long as it is written.

    Code that does not parse, such as `with torch.no_grad():`, yields only the dotted names of the
    libraries.
    """
    text = text.replace("…", "...")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("_" + text if re.match(r"\.[A-Za-z]", text) else text)
    except NOT_PYTHON:
        found, known = _DOTTED_NAME.finditer(text), index.aliases if index else ()
        return tuple(CodeName(tuple(name[0].split("."))) for name in found if name[1] in known)
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
    """The API of the installed libraries, or None if there are none, or one is not known."""
    index = _installed(book.config.names)
    return index if isinstance(index, Index) else None


def unknown_api(book: Book) -> Iterator[Problem]:
    """Why the API of a library isn't known, reported for the pages with code in their text."""
    asking = tuple(page.file for page in book.pages if page.own_code)
    found = _installed(book.config.names) if asking else ()
    if not isinstance(found, Index):
        yield from (replace(problem, pages=asking) for problem in found)


@lru_cache(maxsize=1)
def _installed(libraries: tuple[str, ...]) -> Index | tuple[Problem, ...]:
    try:
        return read_index(None, libraries) if libraries else ()
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
        """Whether a script uses the alias for the module that it usually stands for."""
        root = _root(ALIASES.get(alias, alias))
        imported = rf"^\s*(?:import {root}\S* as {alias}|from {root}\S* import .*\b{alias})\b"
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
