"""The proof report: per page, how much of what it says was run, compared or computed."""

from __future__ import annotations

import contextlib
import platform
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib import metadata

from proofbook.api.names_in_code import names_in_code
from proofbook.check.api_names import installed_api, shown_text
from proofbook.check.equations import equation_verdicts
from proofbook.check.numbers import statements_of
from proofbook.content.claim_report import reading
from proofbook.content.versions import version_of
from proofbook.maths.equalities import Equality
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.page import Page
from proofbook.model.snippet import output_file

NAME, VERSIONS = "report", "versions"
"""What a page writes after `:::` to have the report there, or the versions that were used."""

_HEAD = {
    "zh": (
        *("页面", "运行", "输出行", "数和报错", "等式", "名字", "论断", "测试过", "只讲例子"),
        *("没有算的等式", "另有出处"),
    ),
    "en": (
        "Page",
        "Runs",
        "Lines",
        "Values",
        "Equations",
        "Names",
        "Claims",
        "Tested",
        "Examples",
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
_COMMA, _STOP = {"zh": "，", "en": ", "}, {"zh": "。", "en": "."}
_PINNED = {"zh": "（`requirements.txt` 里是 {}）", "en": " (`requirements.txt` says {})"}
_ALL = {"zh": "全部", "en": "All pages"}


@dataclass(frozen=True)
class Count:
    """What is counted on a page, or on several.

    `runs`: scripts shown; `lines`: lines that they printed; `values`: numbers and messages that a
    run shows; `computed`, `open`: equalities whose sides were evaluated, and those that nobody
    could evaluate; `names`: names of PyTorch that were looked up; `claims`: general sentences that
    are claims, and those `tested`; `examples`: those that speak of their example; `elsewhere`:
    values that name another source.
    """

    runs: int = 0
    lines: int = 0
    values: int = 0
    computed: int = 0
    names: int = 0
    claims: int = 0
    tested: int = 0
    examples: int = 0
    open: int = 0
    elsewhere: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Count)))

    def cells(self) -> list[str]:
        return [str(getattr(self, f.name)) for f in fields(Count)]


def count(book: Book, file: str) -> Count:
    """Count what a page shows; a file that cannot be read counts nothing (it is reported apart)."""
    page = book.page(file)
    lines, runs = 0, 0
    for reference in page.references:
        if reference.path.endswith(".py"):
            runs += 1
            lines += len(book.text_or_empty(output_file(reference.path)).splitlines())
    judged = book.remember(equation_verdicts, file)
    sources = [statement.source is None for statement in book.cached(statements_of, page)]
    own, known = sum(one.state != "open" for one in judged), sum(sources)
    right = sum(book.remember(names_of, file).values())
    general = book.fact(reading, file)
    return Count(
        *(runs, lines, known, own, right, general.claims, general.tested, general.examples),
        *(len(judged) - own, len(sources) - known),
    )


def names_of(book: Book, file: str) -> dict[str, bool]:
    """The names of PyTorch in the text of a page, each with whether it could be looked up."""
    page = book.page(file)
    if (index := installed_api(book)) is None:
        return {}  # reported by the check of names
    run, found = shown_text(page, book), {}
    for use in (use for span in page.own_code for use in names_in_code(span.one_line)):
        name = use.parts[-1]
        plain = len(use.parts) == 1 and not use.call and "_" not in name.strip("_")
        if use.dotted:
            found[use.dotted] = bool(index.resolve(use.dotted))
        elif name in index.owned and not plain and not run.defines(name):
            found[name] = True
    return found


def unproved(book: Book, file: str) -> tuple[Equality, ...]:
    """The equalities of a page that could not be evaluated."""
    judged = book.remember(equation_verdicts, file)
    return tuple(one.equality for one in judged if one.state == "open")


def table(file: str, book: Book) -> list[str]:
    """The lines of Markdown of the report, in the language of the page `file`; none in no language.

    One row for each page of that language, in the order of their names, and one for all.
    """
    language = book.language_of(file)
    if language not in book.config.codes:
        return []
    comma = in_language(_COMMA, language)
    rows, total = [], Count()
    formulas: list[str] = []
    unknown: set[str] = set()
    for path, page in _pages(book, language):
        names = book.fact(names_of, page.file)
        counted = book.fact(count, page.file)
        address = posixpath.relpath(path, posixpath.dirname(file.removeprefix("docs/")))
        formulas += _listed(page, address, book)
        unknown |= {f"`{name}`" for name, known in names.items() if not known}
        if not counted.runs:
            continue
        total += counted
        rows.append(_row([f"[{_title(page)}]({address})", *counted.cells()]))
    return [
        _row(in_language(_HEAD, language)),
        "|---" + "|---:" * len(fields(Count)) + "|",
        _row([in_language(_ALL, language), *total.cells()]),
        *rows,
        *([in_language(_UNKNOWN, language).format(comma.join(sorted(unknown)))] if unknown else []),
        *(
            [in_language(_FOLDED, language).format(len(formulas)), "", *formulas]
            if formulas
            else []
        ),
    ]


def versions(page: str, book: Book) -> list[str]:
    """What is installed here of Python and of all that `requirements.txt` pins, as Markdown."""
    language = book.language_of(page)
    if language not in book.config.codes:
        return []
    other = in_language(_PINNED, language)
    versions = [f"Python {platform.python_version()}"]
    pins = re.findall(r"(?m)^([\w-]+)==(\S+)", book.text_or_empty("requirements.txt"))
    for name, pinned in pins:
        with contextlib.suppress(metadata.PackageNotFoundError):
            here = version_of(name)
            versions.append(f"{name} {here}" + (here != pinned) * other.format(pinned))
    return [in_language(_COMMA, language).join(versions) + in_language(_STOP, language)]


def _listed(page: Page, address: str, book: Book) -> Iterator[str]:
    for equality in book.fact(unproved, page.file):
        yield f"    - ${equality}$ ([{_title(page)}]({address}))"


def _pages(book: Book, language: str) -> Iterator[tuple[str, Page]]:
    for file in book.page_files:
        if book.language_of(file) == language:
            yield file.removeprefix("docs/"), book.page(file)


def _title(page: Page) -> str:
    return page.title.replace("|", r"\|")


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
