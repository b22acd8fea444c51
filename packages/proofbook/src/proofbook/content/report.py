"""The proof report: how many statements of the pages were run, compared, computed or tried, and how
many were only read by people."""

from __future__ import annotations

import contextlib
import platform
import posixpath
import re
from dataclasses import asdict, dataclass, fields
from importlib import metadata
from itertools import pairwise, permutations

from gradtrace import same_but_for_rounding

from proofbook.api.index import installed_api, names_in_code, shown_text
from proofbook.content.attacks import all_attacks, attacks_on
from proofbook.content.page_summary import title
from proofbook.maths.check import equation_verdicts
from proofbook.maths.equalities import Equality
from proofbook.maths.numbers import statements_of
from proofbook.model.book import Book
from proofbook.model.cache import version_of
from proofbook.model.config import in_language
from proofbook.model.contents import sections
from proofbook.model.page import Page
from proofbook.model.snippet import dtype_of_results, numbers_in, output_file
from proofbook.model.sources import SECOND_WAY

NAME, CLAIMS, VERSIONS, CHANGED_DIGITS = "report", "claims", "versions", "changed-digits"
"""The directives (after `:::`) that insert the report, the attacks of tests in words, the versions
used, or what the comparison of outputs would accept."""

_COUNTED = {
    "zh": {
        "pages": "页面",
        "runs": "运行",
        "lines": "输出行",
        "values": "数和报错",
        "computed": "等式",
        "names": "名字",
        "attacked": "试过的节",
        "open": "没有算的等式",
        "elsewhere": "另有出处",
        "derived": "等式推出",
        "again": "另算一遍",
        "alone": "单凭运行",
    },
    "en": {
        "pages": "Pages",
        "runs": "Runs",
        "lines": "Lines",
        "values": "Values",
        "computed": "Equations",
        "names": "Names",
        "attacked": "Sections tried",
        "open": "Not computed",
        "elsewhere": "From elsewhere",
        "derived": "Worked out",
        "again": "Computed again",
        "alone": "Run alone",
    },
}
_HEAD = {"zh": "| 数了什么 | 全书 |", "en": "| Counted | The whole book |"}
_EACH = {"zh": '\n??? note "每一页：{} 页"', "en": '\n??? note "Page by page: {} pages"'}
_FOLDED = {
    "zh": '\n??? note "没有算的等式：{} 个"',
    "en": '\n??? note "Equations that were not computed: {}"',
}
_UNKNOWN = {
    "zh": "\n查不到的名字（运行起来才有）：{}。",
    "en": "\nNames that could not be looked up (they exist only at run time): {}.",
}
_LACKING = {"zh": "还没有译成中文的页", "en": "Pages not translated yet"}
_COLON, _COMMA = {"zh": "：", "en": ": "}, {"zh": "，", "en": ", "}
_STOP = {"zh": "。", "en": "."}
_PINNED = {"zh": "（`requirements.txt` 里是 {}）", "en": " (`requirements.txt` says {})"}

_SUMMARY = {
    "zh": "这一版有 {sections:,} 节，{tests:,} 个测试试着推翻其中 {attacked:,} 节的说法；"
    "试了什么，写在各节的末尾。这一版有 {sentences:,} 个句子，其中 {unread:,} 个不在这些节里，"
    "也没有数、等式、名字这些机器能核对的东西。它们只由人读过。",
    "en": "This edition has {sections:,} sections. {tests:,} tests try to refute what {attacked:,} "
    "of them say; the end of each says what was tried. The edition has {sentences:,} sentences. "
    "{unread:,} of them stand in none of these sections and contain nothing that a machine could "
    "check: no number, no equation, no name. Only people have read them.",
}

_TRIED = {
    "zh": "把每份记录下来的输出里的每个数字，逐个换成另外九个：一共 {tried:,} 次，放过 {passed} 次",
    "en": "Each digit of each recorded output was replaced by each of the nine others, one at a "
    "time: {tried:,} changes, of which {passed} pass",
}
_PASSED = {
    "zh": "。放过的是这些，两边的数写法不同，是同一个浮点数：",
    "en": ". These pass, since both are one floating point number, written in two ways:",
}

_NUMBERS = re.compile(r"(?:[-\d.,()\[\]\s&]|\\\\|\\[,;! ]|\\(?:left|right|(?:begin|end)\{\w+\}))*")
_FORMULA = re.compile(r"[-+/^]|\\(?:cdot|times|frac|sqrt)|\d\s*[a-z(]")
"""The side of an equation that is a computation; the other is only numbers."""


_MASK, _ADDRESS = "\ufffc", "\ufffd"
_SENTENCE_END = re.compile(
    r"[.!?]+[\")\]”’*_]*(?=\s+[^a-z\s])"  # "e.g. this" goes on
    # A title that ends in a question mark is followed by its address; the sentence continues.
    rf"|[。！？]+[”’」）)*_]*(?!{_ADDRESS})"
    r"|\Z"
)
_OPAQUE = ("code", "maths", "comment", "tag", "attributes", "autolink")
_STOPPED = re.compile(r"[.!?。！？][\")\]”’」）*_]*\s*\Z")


@dataclass(frozen=True)
class Count:
    """The counts of a page, or of several.

    `runs`: scripts shown; `lines`: lines that they printed; `values`: numbers and messages that a
    run shows; `computed`, `open`: equalities whose sides were evaluated, and those that could not
    be; `names`: names of PyTorch that were looked up; `sections`: all sections, and those
    `attacked` by tests; `elsewhere`: values that name another source; `derived`, `again`, `alone`:
    scripts that print numbers, of which an equation derives one, which tests find a second way, and
    which only their run confirms; `sentences`: all sentences, and the `unread` ones, in which
    nothing is checked and that no test attacks.
    """

    pages: int = 0
    runs: int = 0
    lines: int = 0
    values: int = 0
    computed: int = 0
    names: int = 0
    sections: int = 0
    attacked: int = 0
    open: int = 0
    elsewhere: int = 0
    derived: int = 0
    again: int = 0
    alone: int = 0
    sentences: int = 0
    unread: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Count)))


def count(book: Book, file: str) -> Count:
    """Count the contents of a page; a file that cannot be read counts as empty."""
    page = book.page(file)
    scripts = [each.path for each in page.references if each.path.endswith(".py")]
    outputs = [book.text_or_empty(output_file(script)) for script in scripts]
    judged = book.remember(equation_verdicts, file)
    known = [statement.source is None for statement in statements_of(page)]
    attacked = book.fact(attacks_on, page.name)
    printing = [s for s, output in zip(scripts, outputs, strict=True) if numbers_in(output)]
    return Count(
        pages=1,
        runs=len(scripts),
        lines=sum(len(output.splitlines()) for output in outputs),
        values=sum(known),
        computed=sum(one.state != "open" for one in judged),
        names=sum(book.remember(names_of, file).values()),
        sections=len(sections(page)),
        attacked=sum(section.anchor in attacked for section in sections(page)),
        open=sum(one.state == "open" for one in judged),
        elsewhere=len(known) - sum(known),
        derived=sum(is_derived(book, script) for script in printing),
        again=sum(is_found_again(book, script) for script in printing),
        alone=sum(is_alone(book, script) for script in printing),
        sentences=len(sentences(page)),
        unread=_unread(page, book),
    )


def is_derived(book: Book, script: str) -> bool:
    """Whether an equation that holds on a page with this script derives a number that it prints."""
    worked_out = {
        number
        for file in book.pages_showing(script)
        for one in book.remember(equation_verdicts, file)
        if one.state in ("computed", "proved")
        for side, other in permutations((one.equality.left, one.equality.right))
        if _NUMBERS.fullmatch(side) and not _NUMBERS.fullmatch(other) and _FORMULA.search(other)
        for number in numbers_in(side)
    }
    return not worked_out.isdisjoint(numbers_in(book.text_or_empty(output_file(script))))


def is_found_again(book: Book, script: str) -> bool:
    """Whether `tests/second_way` computes the output of this script by other means."""
    topic, _, name = script.removesuffix(".py").removeprefix("snippets/").rpartition("/")
    code = book.text_or_empty(f"{SECOND_WAY}/{topic}.py")
    return re.search(rf'(?m)^(?:def {name}\(|    "{name}": )', code) is not None


def is_alone(book: Book, script: str) -> bool:
    """Whether only its run confirms a script's output: no equation derives a number, no test finds
    it a second way, and none attacks a section that shows it."""
    if is_derived(book, script) or is_found_again(book, script):
        return False
    return not any(
        each.path == script and each.line in _lines_tried(book.page(file), book)
        for file in book.pages_showing(script)
        for each in book.page(file).references
    )


def _lines_tried(page: Page, book: Book) -> frozenset[int]:
    """The lines of the sections of a page that a test attacks."""
    attacked = book.fact(attacks_on, page.name)
    return frozenset(n for each in sections(page) if each.anchor in attacked for n in each.lines)


def _unread(page: Page, book: Book) -> int:
    """The number of sentences in which nothing is checked, in sections that no test attacks."""
    tried = _lines_tried(page, book)
    places = [statement.place for statement in statements_of(page)]
    places += [one.equality.place for one in book.remember(equation_verdicts, page.file)]
    index = installed_api(book)
    places += [code.start for code in page.own_code if names_in_code(code.one_line, index)]
    return sum(
        page.line_of(start) not in tried and not any(start <= place < end for place in places)
        for start, end in sentences(page)
    )


def sentences(page: Page) -> list[tuple[int, int]]:
    """Start and end of each sentence of paragraphs, items of lists and boxes, in their order.

    Headings, titles of boxes and captions of figures don't count; cells of a table only with a full
    stop.
    """
    masked = list(page.blanked(_OPAQUE, letter=_MASK))
    for link in page.spans_of("link", "image"):
        masked[link.content_end : link.end] = _ADDRESS * (link.end - link.content_end)
    text = "".join(masked)
    silent = {line for first, last in page.blocks for line in range(first, last + 1)}
    titles = [(span.start, span.end) for span in page.spans_of("heading", "box")]
    found: list[tuple[int, int]] = []
    for region in page.scanned.regions:
        titled = any(start <= region.start < end for start, end in titles)
        if titled or page.line_of(region.start) in silent:
            continue
        ends = [match.end() for match in _SENTENCE_END.finditer(text, region.start, region.end)]
        for start, end in pairwise([region.start, *ends]):
            said = page.text[start:end]
            if said.strip() and not (region.ends_line and not _STOPPED.search(said)):
                found.append((start + len(said) - len(said.lstrip()), start + len(said.rstrip())))
    return found


def total(book: Book, language: str) -> Count:
    """The total counts of all pages in a language."""
    return sum((book.fact(count, page.file) for page in _pages(book, language)), Count())


def names_of(book: Book, file: str) -> dict[str, bool]:
    """The names of the libraries in the text of a page, each with whether it could be looked up."""
    page = book.page(file)
    if (index := installed_api(book)) is None:
        return {}  # reported by the check of names
    run, found = shown_text(page, book), {}
    for use in (use for span in page.own_code for use in names_in_code(span.one_line, index)):
        name = use.parts[-1]
        plain = len(use.parts) == 1 and not use.call and "_" not in name.strip("_")
        if dotted := use.dotted(index):
            found[dotted] = bool(index.resolve(dotted))
        elif name in index.owned and not plain and not run.defines(name):
            found[name] = True
    return found


def unproved(book: Book, file: str) -> tuple[Equality, ...]:
    """The equalities of a page that could not be evaluated."""
    judged = book.remember(equation_verdicts, file)
    return tuple(one.equality for one in judged if one.state == "open")


def table(file: str, book: Book) -> list[str]:
    """The lines of Markdown of the report, in the language of the page `file`; none without a
    language.

    A table of the totals of all pages of that language, then a line for each page, in reading
    order, and one for each equation that was not computed.
    """
    language = book.language_of(file)
    if language not in book.config.codes:
        return []
    counted, comma = in_language(_COUNTED, language), in_language(_COMMA, language)
    of_all = total(book, language)
    rows = [(label, f"{getattr(of_all, name):,}") for name, label in counted.items()]
    if lacking := book.untranslated(language):
        rows.append((in_language(_LACKING, language), f"{len(lacking):,}"))
    lines = [in_language(_HEAD, language), "|---|---:|", *(f"| {a} | {b} |" for a, b in rows)]
    pages = _pages(book, language)
    names = [book.fact(names_of, page.file).items() for page in pages]
    if unknown := sorted({f"`{name}`" for some in names for name, known in some if not known}):
        lines.append(in_language(_UNKNOWN, language).format(comma.join(unknown)))
    lines += [in_language(_EACH, language).format(len(pages)), ""]
    lines += [_of_page(page, file, book) for page in pages]
    open_ = [(e, page) for page in pages for e in book.fact(unproved, page.file)]
    if equations := [f"    - ${equality}$ ({_link(page, file)})" for equality, page in open_]:
        lines += [in_language(_FOLDED, language).format(len(equations)), "", *equations]
    return lines


def _of_page(page: Page, file: str, book: Book) -> str:
    """The counts of a page, without those that are zero, as an item of a list."""
    counted, colon = in_language(_COUNTED, page.language), in_language(_COLON, page.language)
    here = book.fact(count, page.file)
    told = [(label, getattr(here, name)) for name, label in counted.items() if name != "pages"]
    some = " · ".join(f"{label} {number}" for label, number in told if number)
    return f"    - {_link(page, file)}{colon + some if some else ''}"


def claims(file: str, book: Book) -> list[str]:
    """The number of sections of the edition that tests attack, in words."""
    language = book.language_of(file)
    numbers = asdict(total(book, language))
    tests = {(attack.file, attack.test) for attack in book.fact(all_attacks)}
    return [in_language(_SUMMARY, language).format(**numbers, tests=len(tests))]


def versions(page: str, book: Book) -> list[str]:
    """The versions of Python and of the packages in `requirements.txt`, as Markdown."""
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


def _pages(book: Book, language: str) -> list[Page]:
    place = {name: at for at, name in enumerate(book.reading_order)}
    pages = [page for page in book.pages if page.language == language]
    return sorted(pages, key=lambda page: place.get(page.name, len(place)))


def _link(page: Page, file: str) -> str:
    return f"[{title(page) or page.file}]({posixpath.relpath(page.file, posixpath.dirname(file))})"


def changed_digits(book: Book) -> tuple[int, list[tuple[str, str]]]:
    """How many wrong digits in recorded outputs the comparison of outputs was tried with, and the
    lines that it accepts, as recorded and as changed.

    Each digit is replaced by each other one, alone. The comparison ignores rounding
    (`gradtrace.tolerance`), so this is measured.
    """
    scripts = [script for script in book.scripts if book.has(output_file(script))]
    found = [book.remember(_changed_digits_of, script) for script in scripts]
    return sum(tried for tried, _ in found), [pair for _, passed in found for pair in passed]


def _changed_digits_of(book: Book, script: str) -> tuple[int, tuple[tuple[str, str], ...]]:
    dtype = dtype_of_results(book.text(script))
    pairs = [
        (line, line[: digit.start()] + other + line[digit.end() :])
        for line in book.text(output_file(script)).splitlines()
        for digit in re.finditer("[0-9]", line)
        for other in "0123456789".replace(digit[0], "")
    ]
    return len(pairs), tuple(pair for pair in pairs if same_but_for_rounding(*pair, dtype))


def changed_digits_in_words(file: str, book: Book) -> list[str]:
    """The lines of Markdown, in the language of the page `file`."""
    language, (tried, passed) = book.language_of(file), book.fact(changed_digits)
    said = in_language(_TRIED, language).format(tried=tried, passed=len(passed))
    if not passed:
        return [said + in_language(_STOP, language)]
    pairs = [f"- `{line.strip()}`, `{changed.strip()}`" for line, changed in passed]
    return [said + in_language(_PASSED, language), "", *pairs]
