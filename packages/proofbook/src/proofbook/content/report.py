"""The proof report: per page, how much of what it says was run, compared or computed."""

from __future__ import annotations

import contextlib
import platform
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path

from proofbook.api.index import Index, read_index
from proofbook.api.names_in_code import names_in_code
from proofbook.check.api_names import shown
from proofbook.check.numbers import claims_of
from proofbook.maths.check import verdicts
from proofbook.maths.equalities import Equality
from proofbook.model.page import Page, language_of, parse, read
from proofbook.model.problem import Unproved
from proofbook.model.snippet import runs_of

NAME, VERSIONS = "report", "versions"
"""What a page writes after `:::` to have the report there, or the versions that were used."""

_HEAD = {
    "zh": ("页面", "运行", "输出行", "数和报错", "等式", "名字", "没有算的等式", "另有出处"),
    "en": (
        "Page",
        "Runs",
        "Lines",
        "Values",
        "Equations",
        "Names",
        "Not computed",
        "From elsewhere",
    ),
}
_FOLDED = {
    "zh": '\n??? note "没有算的等式：{} 个"',
    "en": '\n??? note "Equations that were not computed: {}"',
}
_UNKNOWN = {
    "zh": "\n查不到的名字（运行起来才有）：{}。",
    "en": "\nNames that could not be looked up (they exist only at run time): {}.",
}
_COMMA = {"zh": "，", "en": ", "}
_PINNED = {"zh": "（`requirements.txt` 里是 {}）", "en": " (`requirements.txt` says {})"}
_ALL = {"zh": "全部", "en": "All pages"}


@dataclass(frozen=True)
class Count:
    """What stands on a page, or on several.

    `runs`: scripts shown; `lines`: lines that they printed; `values`: numbers and messages that a
    run shows; `computed`, `open`: equalities whose sides were evaluated, and those that nobody
    could evaluate; `names`: names of PyTorch that were looked up; `elsewhere`: values that name
    another source.
    """

    runs: int = 0
    lines: int = 0
    values: int = 0
    computed: int = 0
    names: int = 0
    open: int = 0
    elsewhere: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Count)))

    def cells(self) -> list[str]:
        return [str(getattr(self, f.name)) for f in fields(Count)]


def count(page: Page, root: Path, names: dict[str, bool]) -> Count:
    """Count what a page shows; a file that cannot be read counts nothing (it is told elsewhere).

    `names`: what `names_of` gives for the page.
    """
    lines, runs = 0, 0
    for reference in page.references:
        if reference.path.endswith(".py"):
            runs += 1
            with contextlib.suppress(OSError, UnicodeDecodeError):
                lines += len(read((root / reference.path).with_suffix(".out")).splitlines())
    judged = verdicts(page, runs_of(page, root))
    sources = [claim.source is None for claim in claims_of(page)]
    own, known = sum(one.state != "open" for one in judged), sum(sources)
    right = sum(names.values())
    return Count(runs, lines, known, own, right, len(judged) - own, len(sources) - known)


def index_or_none() -> Index | None:
    """The names of the installed torch; None where they cannot be read (a check says why)."""
    try:
        return read_index()
    except Unproved:
        return None


def names_of(page: Page, root: Path, index: Index | None) -> dict[str, bool]:
    """The names of PyTorch in the text of a page, each with whether it could be looked up."""
    if index is None:
        return {}
    run, found = shown(page, root), {}
    for use in (use for span in page.own_code for use in names_in_code(span.one_line)):
        name = use.parts[-1]
        plain = len(use.parts) == 1 and not use.call and "_" not in name.strip("_")
        if use.dotted:
            found[use.dotted] = bool(index.resolve(use.dotted))
        elif name in index.owned and not plain and not run.defines(name):
            found[name] = True
    return found


def unproved(page: Page, root: Path) -> list[Equality]:
    """The equalities of a page that could not be evaluated."""
    judged = verdicts(page, runs_of(page, root))
    return [one.equality for one in judged if one.state == "open"]


def table(file: str, root: Path) -> list[str]:
    """The lines of Markdown of the report, in the language that the name of the page `file` says.

    One row for each page of that language, in the order of their names, and one for all.
    """
    language = language_of(file)
    if language not in _HEAD:
        return []
    rows, total = [], Count()
    formulas: list[str] = []
    unknown: set[str] = set()
    index = index_or_none()
    for path, page in _pages(root, language):
        names = names_of(page, root, index)
        counted = count(page, root, names)
        address = posixpath.relpath(path, posixpath.dirname(file.removeprefix("docs/")))
        formulas += _listed(page, address, root)
        unknown |= {f"`{name}`" for name, known in names.items() if not known}
        if not counted.runs:
            continue
        total += counted
        rows.append(_row([f"[{_title(page)}]({address})", *counted.cells()]))
    return [
        _row(_HEAD[language]),
        "|---" + "|---:" * len(fields(Count)) + "|",
        _row([_ALL[language], *total.cells()]),
        *rows,
        *([_UNKNOWN[language].format(_COMMA[language].join(sorted(unknown)))] if unknown else []),
        *([_FOLDED[language].format(len(formulas)), "", *formulas] if formulas else []),
    ]


def versions(page: str, root: Path) -> list[str]:
    """What is installed here of Python and of all that `requirements.txt` pins, as Markdown."""
    language = language_of(page)
    if language not in _HEAD:
        return []
    told = [f"Python {platform.python_version()}"]
    file = root / "requirements.txt"
    pins = re.findall(r"(?m)^([\w-]+)==(\S+)", read(file) if file.is_file() else "")
    for name, pinned in pins:
        with contextlib.suppress(metadata.PackageNotFoundError, Unproved):
            here = read_index().version if name == "torch" else metadata.version(name)
            told.append(f"{name} {here}" + (here != pinned) * _PINNED[language].format(pinned))
    return [_COMMA[language].join(told) + {"zh": "。", "en": "."}[language]]


def _listed(page: Page, address: str, root: Path) -> Iterator[str]:
    for equality in unproved(page, root):
        yield f"    - ${equality}$ ([{_title(page)}]({address}))"


def _pages(root: Path, language: str) -> Iterator[tuple[str, Page]]:
    for path in sorted((root / "docs").rglob(f"*.{language}.md")):
        with contextlib.suppress(UnicodeDecodeError):
            name = path.relative_to(root / "docs").as_posix()
            yield name, parse(f"docs/{name}", read(path))


def _title(page: Page) -> str:
    return page.title.replace("|", r"\|")


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
