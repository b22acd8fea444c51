"""The two versions of a page: their words are their own, everything else is the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from proof.contents import Contents, Item, Section, contents, front_matter, sections
from proof.page import Page
from proof.problem import Problem
from proof.prose import own_words
from proof.terms import Terms, one_of

LANGUAGES = ("zh", "en")
"""The languages of the book; `docs/<topic>/<page>.<language>.md` is one page in one of them."""

_SAME = ("highlight", "figure", "passes", "part", "then")  # captions are words
_NAMES = {
    "equations": "equations",
    "sums": "equations within a line",
    "links": "links",
    "figures": "figures",
    "boxes": "boxes",
    "rows": "rows of tables",
    "numbers": "numbers",
}


def versions(pages: Iterable[Page]) -> dict[str, dict[str, Page]]:
    """The pages by their name without language, and by their language."""
    found: dict[str, dict[str, Page]] = defaultdict(dict)
    for page in pages:
        stem, _, language = page.file.removesuffix(".md").rpartition(".")
        if language in LANGUAGES:
            found[stem][language] = page
    return found


def pairs(pages: Iterable[Page]) -> dict[str, tuple[Page, Page]]:
    """The pages that exist in both languages, by their name without language."""
    found = versions(pages).items()
    return {stem: (two["zh"], two["en"]) for stem, two in found if len(two) == len(LANGUAGES)}


def problems_between(pages: Sequence[Page], unreadable: set[str], terms: Terms) -> list[Problem]:
    """Where the two versions of a page do not agree; `unreadable` files are told elsewhere."""
    found = list(_alone(pages, unreadable))
    for one, other in pairs(pages).values():
        found += twins(one, other, terms)
    return found


def twins(one: Page, other: Page, terms: Terms) -> Iterator[Problem]:
    """Where the two versions of a page do not agree; `one` is the Chinese version."""
    yield from _order(one, other)
    yield from _front_matter(one, other)
    theirs = {section.anchor: section for section in sections(other)}
    for here in sections(one):
        if there := theirs.get(here.anchor):
            yield from _section(one, here, other, there)
    yield from _terms(one, other, terms)


def _alone(pages: Sequence[Page], unreadable: set[str]) -> Iterator[Problem]:
    for page in pages:
        stem = page.file.removesuffix(".md")
        if stem.rpartition(".")[2] not in LANGUAGES:
            yield Problem(
                page.file,
                1,
                "the name of the page does not say its language",
                " or ".join(f"{stem}.{language}.md" for language in LANGUAGES),
                page.file,
                "rename the file",
                (page.file,),
            )
    for stem, found in versions(pages).items():
        for missing in set(LANGUAGES) - set(found):
            (page,) = found.values()
            if f"{stem}.{missing}.md" in unreadable:
                continue
            yield Problem(
                page.file,
                1,
                "the page exists in one language only",
                f"{stem}.{missing}.md beside it",
                "no such file",
                f"write {stem}.{missing}.md with the same snippets and anchors",
                (page.file,),
            )


def _order(one: Page, other: Page) -> Iterator[Problem]:
    """The two versions of a page show the same snippets and headings, in the same order."""

    def marks(page: Page) -> list[Item]:
        # Typed code and headings without an anchor are told by themselves.
        told = {*page.typed_python, *(h.line for h in page.headings if not h.anchor)}
        found = [
            Item(" ".join([r.path, *(v for k, v, _ in r.options if k in _SAME)]), r.line)
            for r in page.references
        ]
        found += [Item(f"{'#' * h.level} {{ #{h.anchor} }}", h.line) for h in page.headings]
        fences = [Item(page.line(start).strip(), start) for start, _ in page.blocks]
        found += [x for x in fences if x.value[:3] in ("```", "~~~")]
        return sorted((x for x in found if x.line not in told), key=lambda x: x.line)

    ours, theirs = marks(one), marks(other)
    for here, there in _side_by_side(ours, theirs):
        if here is None or there is None or here.value != there.value:
            page, at = (one, here) if here else (other, there)
            twin = other if page is one else one
            expected = there.value if here and there else "nothing more"
            yield Problem(
                page.file,
                at.line,
                "the two languages of the page part here",
                f"the same as in {twin.file}: {expected}",
                at.value,
                f"give {one.file} and {other.file} the same snippets and anchors in the same order",
                (one.file, other.file),
            )
            return


def _front_matter(one: Page, other: Page) -> Iterator[Problem]:
    ours, theirs = front_matter(one), front_matter(other)
    if ours != theirs:
        yield Problem(
            one.file,
            1,
            "the front matter of the two languages differs",
            f"but for title and description, the same as in {other.file}:\n"
            + ("\n".join(theirs) or "none"),
            "\n".join(ours) or "none",
            f"give {one.file} and {other.file} the same front matter",
            (one.file, other.file),
        )


def _section(one: Page, here: Section, other: Page, there: Section) -> Iterator[Problem]:
    ours, theirs = contents(one, here), contents(other, there)
    for kind in _NAMES:
        more, less = _difference(kind, ours, theirs)
        if not more and not less:
            continue
        # Told where something stands, rather than where it is missing.
        page, twin, at = (one, other, there) if more else (other, one, here)
        here_only, there_only = (more, less) if more else (less, more)
        yield Problem(
            page.file,
            min(item.line for item in here_only),
            f"the two languages of the page have different {_NAMES[kind]} under #{here.anchor}",
            _told(there_only, f"the same as in {twin.file}:{at.line}", "none of these"),
            _told(here_only, "here only", ""),
            f"say the same in {one.file} and {other.file}",
            (one.file, other.file),
        )


def _told(items: Sequence[Item], before: str, nothing: str) -> str:
    said = ", ".join(dict.fromkeys(item.value for item in items)) or nothing
    return f"{before}: {said}"


def _difference(kind: str, one: Contents, other: Contents) -> tuple[list[Item], list[Item]]:
    """What only the one section has, and what only the other has."""
    ours, theirs = getattr(one, kind), getattr(other, kind)
    if kind in ("equations", "boxes"):
        for here, there in _side_by_side(ours, theirs):
            if here is None or there is None or here.value != there.value:
                return [here] if here else [], [there] if there else []
        return [], []
    if kind == "sums":
        return _without(ours, theirs), _without(theirs, ours)
    if kind != "numbers":
        return _surplus(ours, theirs), _surplus(theirs, ours)
    return _numbers(one, other)


def _numbers(one: Contents, other: Contents) -> tuple[list[Item], list[Item]]:
    """The numbers that only one of the sections tells.

    To say a number once more is style; to say one once more and another once less is a slip.
    """
    ours, theirs = ([x for x in c.numbers if _telling(x.value)] for c in (one, other))
    more, less = _surplus(ours, theirs), _surplus(theirs, ours)
    if not (more and less):
        more, less = _without(ours, theirs), _without(theirs, ours)
    return more + _small(one, other), less + _small(other, one)


def _small(one: Contents, other: Contents) -> list[Item]:
    """The small numbers that the other section doesn't tell, in prose not even as a word."""
    counted = [x for x in one.counted if not _telling(x.value)]
    prose = [x for x in one.numbers if re.fullmatch("[3-9]", x.value)]
    found = _without(counted, other.numbers) + _without(prose, (*other.numbers, *other.spoken))
    return list(dict.fromkeys(found))


def _telling(number: str) -> bool:
    """Whether a number is written in digits in either language: not so 3, 10, 100 or 10000."""
    return not re.fullmatch(r"\d|10+", number)


def _surplus(some: Iterable[Item], others: Iterable[Item]) -> list[Item]:
    """The items of which there are more than among the others, as many as there are more."""
    left, found = Counter(item.value for item in others), []
    for item in some:
        if left[item.value]:
            left[item.value] -= 1
        else:
            found.append(item)
    return found


def _without(some: Iterable[Item], others: Iterable[Item]) -> list[Item]:
    """The items that the others don't have at all."""
    there = {item.value for item in others}
    return [item for item in some if item.value not in there]


def _side_by_side(ours: Sequence[Item], theirs: Sequence[Item]) -> Iterator[tuple]:
    for i in range(max(len(ours), len(theirs))):
        yield ours[i] if i < len(ours) else None, theirs[i] if i < len(theirs) else None


def _terms(one: Page, other: Page, terms: Terms) -> Iterator[Problem]:
    """A term introduced in Chinese, as 叶子张量（leaf tensor）, is used in English too."""
    text = own_words(one)
    for term in terms.all:
        introduced = re.search(rf"{re.escape(term.zh)}（[A-Za-z][A-Za-z ,/-]*）", text)
        # "A leaf" is a leaf tensor too, and "deepcopy" a deep copy.
        short = re.split(r"[ -]", term.en)[0]
        if not introduced or one_of(term.names("en"), "s?").search(other.text):
            continue
        if re.search(rf"(?<![A-Za-z]){re.escape(short)}", other.text, re.IGNORECASE):
            continue
        yield Problem(
            one.file,
            text.count("\n", 0, introduced.start()) + 1,
            "the page introduces a term that its English version never uses",
            f"{' or '.join(term.names('en'))} in {other.file}",
            introduced[0],
            f"use the term in {other.file}, or do without it here",
            (one.file, other.file),
        )
