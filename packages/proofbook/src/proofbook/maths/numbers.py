"""Numbers, messages and names in the text of a page: each must be found in a run that it shows.

The names are the ones that only a run can prove: of autograd's nodes, of errors and warnings.
A run is a snippet's code and its output. A number is found in the runs of its section, or,
where that shows none outside of its boxes, of its page; a message or a name in those of the page.
What a run with other numbers printed counts where the section says these numbers. Where a paragraph
speaks of the run of another page or section, it links there: those runs count for its numbers, and
for the messages and names of its section. The sign counts.

A number with `{ .follows }` changes with a figure when a reader varies a number: `trace-vary.js`
takes it from the line of the output that proves it, in the run that is shown.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from proofbook.maths.check import equation_verdicts, verdicts
from proofbook.maths.equalities import sides
from proofbook.maths.judge import Verdict
from proofbook.model.book import Book, fill_placeholders
from proofbook.model.contents import Section, paragraphs
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import (
    MATHS,
    NUMBER,
    VARIED,
    ShownSnippet,
    SnippetText,
    numbers_in,
    snippets_on_page,
    spaced,
)

_VALUE = re.compile(r"(?:[a-z_.]+\()?[-−\d.e+,\[\]() ]+\)?")
_NAMED = re.compile(r'data-(line|source)="([^"]*)"')
_STEP = re.compile(r"#trace-[\w-]+-step-\d+$")
"""A link to a step of a figure; `proofbook.check.links` checks that it names the right one."""
_MESSAGE = re.compile(
    r"(?!(?:python3?|pytest|pip|mkdocs|git) )[A-Za-z'][\w'.,:-]*(?: [\w'.,:()\[\]-]+){3,}"
)
NAME = re.compile(r"\b(?:[A-Z]\w*Backward\d*|AccumulateGrad|[A-Z]\w*(?:Error|Warning))\b")
"""The class of a node, an error or a warning, which depend on the version of PyTorch."""
_OTHER_PROOF = {"name": "a recording of one"}
_ASKED = ("front-matter", "directive", "option", "tag", "attributes")
_ITEM = re.compile(r" *(?:[-*+]|\d+\.) ")
_TUPLE = re.compile(r"\(\d+(?:, \d+)+\)")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,]|\.\d)")
"""A number with commas between its thousands."""
_PERCENT = re.compile(r" ?\\?%| percent\b")
_INTERVAL = re.compile(r"[\[(]\s*-\s*(\d[\d.]*)\s*,\s*\1\s*[\])]")
_BARE = re.compile(r"(?:[-\d.,()\[\]\s&]|\\[,;! ]|\\(?:left|right)\b)*")
# Words that introduce an assumption, in the same clause.
_SUPPOSED = re.compile(
    r"(?:\b(?:if|unless|suppose|assume|imagine|let|say)\b[^.,;:!?\n]{0,24}"
    r"|(?:如果|假设|假如|倘若|要是|万一|就算|即使|比如|若|[设令](?= ))[^。，；：！？\n]{0,12})\Z",
    re.IGNORECASE,
)
# Versions of PyTorch and years need no evidence.
_VERSION = re.compile(r"(?:0\.[1-4]|1\.(?:1[0-3]|\d)|2\.(?:1[0-5]|\d))(?:\.[0-2])?")
_YEAR = re.compile(r"20[12]\d")
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_FROM = r"(?:\d[\d,.]* ?(?:[-–—～~到至或]|to|or|and) ?)?"
_NO_RESULT = re.compile(
    "|".join(
        (
            # dates, years and times of the day
            r"\b\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{4}\b",
            rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?{_MONTH} \d{{1,4}}(?:st|nd|rd|th)?\b"
            r"(?:,? \d{4}\b)?",
            r"\b\d{4} ?年(?:代|(?: ?\d{1,2} ?月)(?: ?\d{1,2} ?[日号])?)?",
            r"\b\d{1,2} ?月(?: ?\d{1,2} ?[日号]|底|初|中)?",
            r"\b(?:in|since|until|from|back to|of|by|around|early|late) (?:19\d|20[0-3])\ds?\b",
            r"\((?:19\d|20[0-3])\d\)|\b(?:19\d|20[0-3])\d (?:papers?|articles?|editions?)\b",
            r"\ban? \d0[89]0\b(?: Ti\b)?",
            r"\b\d{1,2}:\d\d(?::\d\d)?\b",
            r"\b\d{1,2} ?(?:[ap]\.?m\b|o'clock|点(?: ?\d{1,2} ?分|半)?)",
            # durations
            rf"\b{_FROM}\d[\d,.]*[ -]?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b",
            rf"\b{_FROM}\d[\d,.]* ?(?:ms|µs|min|s|h)\b",
            rf"\b{_FROM}\d[\d,.]* ?[多几]? ?(?:[毫微]?秒|分钟|个?(?:小时|星期|月)|天|周|年)",
            # many times
            r"\b10+(?:,000)* ?(?:steps|times|iterations|epochs|步|次|轮)",
            # hardware, the width of a number, the size of a batch
            r"\b(?:RTX|GTX|GeForce|Radeon|RX|Quadro|Tesla|Titan|Xeon|EPYC|Ryzen|Core i\d|Ascend"
            r"|iPhone|Pixel|昇腾|Jetson|Raspberry Pi|HTTP|port|RFC|ISO|IEEE|ISBN|issue|PR)"
            r"[ -]?\d+[\d-]*\w*"
            r"(?: ?(?:Ti|Super|XT|Max|Pro)\b)?",
            r"(?:\bGPUs?|\bcards?|\bmachines?|\blaptops?|\b(?:RTX |GTX )?[A-Z]?\d+\w*)"
            r"(?: with| has| of|,| 有| 的)? ?[(（]?\d+ ?Gi?B\b",
            r"\b\d+ ?Gi?B ?(?:GPUs?\b|cards?\b|(?:of )?(?:(?:GPU )?memory|V?RAM)\b"
            r"|的?(?:显存|显卡|内存))",
            r"(?:显卡|显存|内存)(?:有|是|为|只有)? ?\d+ ?Gi?B\b",
            r"\b\d[\d.]* ?(?:[kMG]?Hz|W|[^\W\d_]*[- ]?cores?|核|°C|km|kg|摄氏度"
            r"|岁|千米|公里)(?![A-Za-z])",
            r"\b\d[\d.]* ?(?:亿|万|[bm]illion) ?(?:个?参数|parameters)",
            r"\b\d+[- ]?bits?\b|\b\d+ ?位(?!数|置)",
            r"\bbatch(?:es)?(?: size)?(?: of)? \d+\b|批(?:大小|量)?(?:是|为|有)? ?\d+ ?[个条张]?"
            r"|\b\d+ ?[个条张](?:样本|图片?)?的(?:一个)?批",
            # versions of other software; places in texts
            r"\b(?:Python|CUDA|cuDNN|NCCL|ROCm|pip|NumPy|SciPy|SymPy|Matplotlib|Triton|Ubuntu"
            r"|Windows|macOS|Transformers|Lightning|MkDocs|Chrome|Firefox|Safari|GCC)"
            r"(?: version)? \d[\d.]*(?:(?:,? (?:or|and|to) |–| ?[、或和到] ?)\d\.\d[\d.]*)*",
            r"\b(?:pages?|pp?\.|chapters?|sections?|exercises?|equations?|eq\.|figures?|fig\.|tables?)"
            r" \(?\d[\d.]*\)?(?:[-–]\d+)?|第 ?\d[\d.]* ?[页章节讲]",
            r"\barXiv:\S+",
        )
    ),
    re.IGNORECASE,
)
"""Dates, times, durations, names of hardware and the like, which no run prints."""
_SIZE = re.compile(
    r"(?:\b(?:decreas|reduc|fall|fell|drop|sink|sank|shrink|shrank|lower|down|less|small|lose|lost"
    r"|subtract|minus|size|magnitude|absolute|away|short)\w*\b[^.,;:!?\n]{0,24}"
    r"|(?:减|降|落|跌|缩|少|低|小|绝对值|差)[^。，；：！？\n]{0,8})\Z",
    re.IGNORECASE,
)
"""Words before a number that is the size of a negative one: "falls by 12"."""


@dataclass(frozen=True)
class Statement:
    """A statement about a run's output: consecutive numbers, or words.

    `place` and `end`: its position in the text of the page, with its marks of code; `said`: its own
    words. `line`: the start of the one line of the output that must contain it, or None. `source`:
    its other source, or None. `bare`: whether it is a whole side of an equation; the 3 of $3w = 6$
    is not, so that no result proves it. `signed`: whether the signs must match the run; in $3 - w$
    a minus is a difference, and "falls by 12" stands for -12. `percent`: 0.5 proves it too, if it
    is 50.
    """

    place: int
    end: int
    kind: str
    wanted: tuple[float, ...] | str
    said: str
    line: str | None = None
    source: str | None = None
    bare: bool = True
    signed: bool = True
    percent: bool = False

    def lines_in(self, text: SnippetText) -> list[int]:
        """The lines of a text that show it; first those with the exact form."""
        if self.kind == "name":
            lines = list(text.lines_naming(self.wanted))
        elif isinstance(self.wanted, str):
            lines = list(text.lines_saying(self.wanted))
        else:
            found = list(text.lines_with(self.wanted, self.signed))
            if self.percent and not found:
                found = text.lines_with((self.wanted[0] / 100,), self.signed)
            if _TUPLE.fullmatch(self.said):  # not the last of one and the first of another
                numbers = (re.escape(number) for number in re.findall(r"[\d.]+", self.said))
                whole = re.compile(r"(?<![\d.])" + r"[^\d)\]]*?".join(numbers) + r"(?![\d])")
                found = [n for n in found if whole.search("\n".join(text.lines[n - 1 :][:9]))]
            lines = sorted(found, key=lambda line: self.said not in text.lines[line - 1])
        if self.line is None:
            return lines
        named = [n for n, row in enumerate(text.lines, 1) if row.strip().startswith(self.line)]
        return [line for line in lines if [line] == named]

    def __str__(self) -> str:
        if isinstance(self.wanted, str):
            return self.wanted
        return ", ".join(f"{number:g}" for number in self.wanted)


@dataclass(frozen=True)
class Evidence:
    """The line, from 1, of a text of a run that shows a statement of the page."""

    snippet: ShownSnippet
    text: SnippetText
    line: int

    @property
    def words(self) -> str:
        """The text of the line."""
        return self.text.lines[self.line - 1]


def find_evidence(
    page: Page,
    statements: Iterable[Statement],
    runs: Callable[[str], Sequence[ShownSnippet]],
    judged: Sequence[Verdict] | None = None,
) -> Iterator[tuple[Statement, Iterator[Evidence]]]:
    """The statements of a page, each with the lines that prove it, the best first.

    Statements with another source are left out. `runs` returns the runs of a page by its file; none
    if it doesn't exist. A number may also be proved by an equation of the page: a run without a
    `script`. `judged`: the verdicts on the page's equations, if known.
    """
    own = runs(page.file)
    if judged is None:
        judged = verdicts(page, own)
    # An equation that holds proves its numbers, and the text may use them.
    true = [one.equality for one in judged if one.state in ("computed", "proved")]
    derived = SnippetText(" ".join(f"{e.left} {e.right}" for e in true), MATHS)
    spoken = SnippetText(" ".join(maths.content for maths in page.maths), MATHS)
    of_runs = [statement for statement in statements if statement.source is None]
    part = _parts(page)
    for start, end in _sections(page):
        linked = [run for file in page.linked_pages(start, end) for run in runs(file)]
        here = [run for run in own if start <= run.place < end]
        # The text around a box, such as an exercise, does not speak of the script in it.
        shows = any(not _boxed(page, run.place) for run in here)
        said = _numbers_said(page, start, end)
        for statement in (one for one in of_runs if start <= one.place < end):
            known = [*own, *linked]
            if not isinstance(statement.wanted, str):
                near = here if shows or _boxed(page, statement.place) else own
                known = [*(near or own), *_runs_linked(page, *part(statement.place), own, runs)]
            texts = [
                (run, text) for run in known for text in run.texts if _is_said(text, run, said)
            ]
            near = sorted(texts, key=partial(_distance, statement, page, start, end))
            if statement.kind == "name":
                nodes = [SnippetText(run.nodes) for run in known if run.nodes]
                near += [(ShownSnippet((text,)), text) for text in nodes]
            elif not statement.line:
                maths = derived if statement.kind == "number in an equation" else spoken
                near.append((ShownSnippet((maths,)), maths))
            yield statement, _in_order(statement, near)


def _boxed(page: Page, place: int) -> bool:
    """Whether a line is within a box, or a list."""
    return page.line(page.line_of(place)).startswith(" ")


def _runs_linked(
    page: Page,
    start: int,
    end: int,
    own: Sequence[ShownSnippet],
    runs: Callable[[str], Sequence[ShownSnippet]],
) -> Iterator[ShownSnippet]:
    """The runs of the pages, and of the sections of this page, that a paragraph links to."""
    for file in page.linked_pages(start, end):
        if file != page.file:
            yield from runs(file)
    anchors = {h.anchor: page.line_starts[h.line - 1] for h in page.headings}
    for link in page.links:
        if start <= link.start < end and not link.external:
            file, anchor = page.target(link)
            place = anchors.get(anchor) if file == page.file else None
            for first, last in _sections(page) if place is not None else ():
                if first <= place < last:
                    yield from (run for run in own if first <= run.place < last)


def _parts(page: Page) -> Callable[[int], tuple[int, int]]:
    """The start and end of the paragraph, the item of a list or the row of a table at a place.

    A displayed formula continues the paragraph above. For an item without a link: of its list.
    """
    links = [link.start for link in page.links if not link.external]
    whole, items = [], []
    for one in paragraphs(page, Section("", 1, page.text)):
        first, start = page.line(one.line), page.line_starts[one.line - 1]
        if first.lstrip().startswith("$$") and items:
            continue
        items.append(start)
        above = page.line(one.line - 1) if one.line > 1 else ""
        if not (_ITEM.match(first) and above.strip()):
            whole.append(start)

    def around(starts: Sequence[int], place: int) -> tuple[int, int]:
        at = bisect_right(starts, place)
        return starts[at - 1] if at else 0, starts[at] if at < len(starts) else len(page.text)

    def part(place: int) -> tuple[int, int]:
        start, end = around(items, place)
        linked = bisect_left(links, start) < bisect_left(links, end)
        return (start, end) if linked else around(whole, place)

    return part


def _numbers_said(page: Page, start: int, end: int) -> frozenset[float]:
    """The numbers in a section, without its snippets' options."""
    return frozenset(numbers_in(page.blanked(_ASKED)[start:end]))


def _is_said(text: SnippetText, run: ShownSnippet, said: frozenset[float]) -> bool:
    """Whether the section states the numbers with which this was printed, or the script does."""
    return all(value in said or value in numbers_in(run.code) for value in text.values_varied)


def _in_order(
    statement: Statement, known: Sequence[tuple[ShownSnippet, SnippetText]]
) -> Iterator[Evidence]:
    for run, text in known:
        yield from (Evidence(run, text, line) for line in statement.lines_in(text))


def _distance(
    statement: Statement, page: Page, start: int, end: int, shown: tuple[ShownSnippet, SnippetText]
) -> tuple[int, ...]:
    """The distance of a text for a reader, by decreasing importance."""
    run, text = shown
    elsewhere = run.page != page.file
    return (
        elsewhere,
        not elsewhere and not start <= run.place < end,
        not re.search("[a-z]", statement.said) or statement.said not in text.text,  # `lr=0.1`
        ("out", "code").index(text.part) if text.part in ("out", "code") else 2,
        run.place > statement.place,
        abs(run.place - statement.place),
    )


def evidence_on_page(page: Page, book: Book) -> Iterator[tuple[Statement, Iterator[Evidence]]]:
    """The statements of a page of a book, each with the lines that prove it, the best first."""
    statements = statements_of(page)
    judged = book.remember(equation_verdicts, page.file)

    def runs(file: str) -> Sequence[ShownSnippet]:
        return book.fact(snippets_on_page, book.shown_page(file))

    return find_evidence(page, statements, runs, judged)


def unproved_values(page: Page, book: Book) -> Iterator[Problem]:
    """The numbers and messages of a page that no run on it shows."""
    own = book.fact(snippets_on_page, page.file)
    return without_evidence(page, evidence_on_page(page, book), own)


def without_evidence(
    page: Page,
    found: Iterable[tuple[Statement, Iterator[Evidence]]],
    own: Sequence[ShownSnippet] = (),
) -> Iterator[Problem]:
    """The problems of those statements of a page for which there is no evidence. `own`: the runs of
    the page, one of which may show it in another section."""
    for statement, proving in found:
        known = _is_supposed(page, statement) or _is_ratio(page, statement)
        if next(proving, None) is None and not known:
            where = f"the line with {statement.line!r} of" if statement.line else "the code or"
            yield page.problem(
                page.line_of(statement.place),
                f"no run shows this {statement.kind}",
                f"what stands in {where} output of a snippet of this section, of a page that this "
                f"paragraph links to, or in {_OTHER_PROOF.get(statement.kind, 'an equation')}",
                str(statement),
                _fix(page, statement, own),
            )


def _fix(page: Page, statement: Statement, own: Sequence[ShownSnippet]) -> str:
    shown = ((run, text) for run in own for text in run.texts if text.part[:1] != VARIED)
    place = next((run.place for run, text in shown if statement.lines_in(text)), None)
    line = page.line_of(place) if place is not None else 0
    anchors = [heading.anchor for heading in page.headings if heading.line <= line]
    link = f"link to #{anchors[-1]}, whose run shows it" if anchors and anchors[-1] else ""
    if not link and not isinstance(statement.wanted, str):
        link = "show the run that prints it, or the equation from which it follows"
    return f"correct it, or {link or 'show the run that prints it'}"


def _is_supposed(page: Page, statement: Statement) -> bool:
    """Whether a number is an assumption of the page: "if `w` were `17`", "suppose $n = 50$"."""
    return _SUPPOSED.search(page.prose, max(0, statement.place - 60), statement.place) is not None


def _is_ratio(page: Page, statement: Statement) -> bool:
    """Whether a percentage is that of two numbers of its paragraph: "from 16 to 4, 75% less"."""
    if not statement.percent:
        return False
    start, end = page.text.rfind("\n\n", 0, statement.place), page.text.find("\n\n", statement.end)
    before, after = page.text[start + 1 : statement.place], page.text[statement.end : end]
    others = {abs(number) for number in numbers_in(f"{before} {after}")}
    rounded = 0.5 / 10 ** len(statement.said.partition(".")[2])
    return any(
        abs(100 * part - abs(statement.wanted[0])) <= rounded
        for one in others
        for other in others | {1.0}
        # 1, 2 and 3 would prove every half and third.
        if one != other and other and (one >= 10 or other >= 10 or not one.is_integer())
        for part in (one / other, abs(one - other) / other, abs(one - other) / (one or 1.0))
    )


@lru_cache(maxsize=512)
def statements_of(page: Page) -> tuple[Statement, ...]:
    """The page's statements about the output of runs: in plain words, in code, in formulas."""
    return (*_in_prose(page), *_in_code(page), *_in_maths(page), *_names(page))


def _in_prose(page: Page) -> Iterator[Statement]:
    words = list(page.prose)
    for link in page.links:  # a title is quoted, and a step is checked as a link
        if link.external or _STEP.search(link.address):
            words[link.start : link.end] = " " * (link.end - link.start)
    for found in _NO_RESULT.finditer("".join(words)):
        words[found.start() : found.end()] = " " * len(found[0])
    for found in _GROUPED.finditer("".join(words)):
        words[found.start() : found.end()] = found[0].replace(",", "").rjust(len(found[0]))
    installed = fill_placeholders("{{ torch.version }}")
    for found in NUMBER.finditer("".join(words)):
        digits = found["digits"].rstrip(".")
        if not found["sign"] and len(digits) == 1:
            continue  # a count, such as 3 layers
        if _VERSION.fullmatch(digits) or _YEAR.fullmatch(digits) or digits == installed:
            continue
        said = found[0].rstrip(".")
        place = found.start()
        wanted = -float(digits) if found["sign"] else float(digits)
        signed = bool(found["sign"]) or not _SIZE.search(page.prose, max(0, place - 60), place)
        percent = _PERCENT.match(page.prose, place + len(said)) is not None
        end = place + len(said)
        yield Statement(place, end, "number", (wanted,), said, signed=signed, percent=percent)


def _in_code(page: Page) -> Iterator[Statement]:
    for code in page.code_spans:
        attributes = dict(_NAMED.findall(code.attributes))
        place, end, inside = code.start, code.whole_end, code.content
        more = inside, attributes.get("line"), attributes.get("source")
        numbers = () if _NO_RESULT.fullmatch(inside) else numbers_in(inside)
        if _MESSAGE.fullmatch(inside):
            yield Statement(place, end, "message", " ".join(inside.split()), *more)
        elif _VALUE.fullmatch(inside):
            if numbers:
                yield Statement(place, end, "value", numbers, *more)
        else:  # an expression: its small numbers are places and counts
            for number in numbers:
                if abs(number) > 9 or not number.is_integer():
                    yield Statement(place, end, "number", (number,), *more)


def _names(page: Page) -> Iterator[Statement]:
    """The names in code; a message is matched as a whole, and quotations are skipped."""
    for code in page.own_code:
        if not _MESSAGE.fullmatch(code.content):
            source = dict(_NAMED.findall(code.attributes)).get("source")
            for name in NAME.findall(code.content):
                yield Statement(code.start, code.whole_end, "name", name, name, source=source)


def _in_maths(page: Page) -> Iterator[Statement]:
    for maths in page.maths:
        bare = [
            range(at, at + len(side)) for side, at in sides(maths.content) if _BARE.fullmatch(side)
        ]
        intervals = list(_INTERVAL.finditer(maths.content))
        for found in NUMBER.finditer(spaced(maths.content)):
            if len(digits := found["digits"].rstrip(".")) > 1:
                alone = any(found.start() in side for side in bare)
                between = any(i.start() < found.start() < i.end() for i in intervals)
                wanted = -float(digits) if alone and found["sign"] else float(digits)
                said = "number in an equation", (wanted,), digits
                percent = _PERCENT.match(maths.content, found.end()) is not None
                signed = alone and not between
                yield Statement(
                    maths.start, maths.end, *said, bare=alone, signed=signed, percent=percent
                )


def _sections(page: Page) -> list[tuple[int, int]]:
    """The parts of a page, from one heading of the second level to the next."""
    places = [heading.start for heading in page.spans_of("heading") if heading.name == "2"]
    return list(zip([0, *places], [*places, len(page.text)], strict=True))


_FOLLOWS = re.compile(r"\{[^{}]*(?<![\w-])\.follows(?![\w-])[^{}]*\}")
_MARKS = "*_`"


def wrong_following(page: Page, book: Book) -> Iterator[Problem]:
    """The errors of a page's numbers that should follow a figure on it."""
    lists = page.spans_of("attributes")
    wanted = [span for span in lists if _FOLLOWS.fullmatch(page.text, span.start, span.end)]
    if not wanted:
        return
    proved = {
        statement.end: next(proving, None) for statement, proving in evidence_on_page(page, book)
    }
    for span in wanted:
        before = page.text[: span.start].rstrip(_MARKS)
        # Code ends with its list; a number in bold, before its marks.
        ends = (span.end, *range(span.start, len(before) - 1, -1))
        evidence = next(filter(None, map(proved.get, ends)), None)
        said = re.split(r"[\s*`]+", before)[-1]
        if wrong := _why_not(page, evidence, said):
            what, fix = "the number cannot follow a figure", "correct it, or take it away"
            yield page.problem(span.line, what, *wrong, fix)


def _why_not(page: Page, evidence: Evidence | None, said: str) -> tuple[str, str] | None:
    """The expectation for a number with this evidence, and the fact that contradicts it."""
    if evidence is None or evidence.text.part != "out" or evidence.snippet.page != page.file:
        return "a number that a snippet with vary: on this page prints", said
    runs = [text for text in evidence.snippet.texts if text.part.startswith(VARIED)]
    if not runs:
        return f"vary: on {evidence.snippet.script}, which prints it", "none"
    number = numbers_in(said)
    if len(number) != 1 or numbers_in(evidence.words).count(number[0]) != 1:
        return "one number, which its line has once", f"{said}: {evidence.words}"
    for run in runs:
        # Each such text begins with a line for each number that is varied.
        lines = run.lines[run.part.count("=") :]
        line = lines[evidence.line - 1] if evidence.line <= len(lines) else ""
        if _words(line) != _words(evidence.words):
            return f"{_words(evidence.words)} in each run", f"{line or 'no such line'} ({run.part})"
    return None


def _words(line: str) -> str:
    """A line without its numbers."""
    return re.sub(r"-?(?:\d[\d.]*(?:e[+-]?\d+)?|\bnan\b|\binf\b)", "#", spaced(line))
