"""A finding of the doctor: its kind, place, severity, and the recorded facts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Level = Literal["error", "warning", "note"]


class Words(NamedTuple):
    """The text of a report on one kind in one language: sentences on what was `found`, each omitted
    if one of its facts is missing, and how to `fix` it."""

    found: tuple[str, ...]
    fix: str


class Kind:
    """A kind of finding, declared once, next to the check that finds it.

    `page`: of the book, with a section ("accumulate/second-time#mend").
    """

    def __init__(self, name: str, level: Level, page: str) -> None:
        self.name, self.level, self.page, self.message = name, level, page, ""
        self.words: dict[str, Words] = {}

    def says(self, message: str = "", **words: str) -> Kind:
        """The kind with its words, by language code: one sentence per line, and after an arrow how
        to fix it. `message`: a pattern of the error or warning that reveals it."""
        self.message = message
        for language, text in words.items():
            found, _, fix = text.partition("-> ")
            self.words[language] = Words(tuple(found.strip().split("\n")), fix)
        return self


@dataclass(frozen=True)
class Place:
    """A line of the script, or of another `file` of the user."""

    line: int | None
    file: str = ""


@dataclass(frozen=True)
class Finding:
    """One finding. `facts` fill the sentences of its kind: names, numbers, `Place`s, lists of
    names. `mild`: it is a note, although its kind mostly isn't."""

    kind: Kind
    place: Place
    facts: dict[str, object] = field(default_factory=dict)
    mild: bool = False

    @property
    def level(self) -> Level:
        """Its severity."""
        return "note" if self.mild else self.kind.level


def kind_of_message(declared: Iterable[object], message: str) -> Kind | None:
    """The first of the kinds declared in a module whose pattern matches a message."""
    kinds = (each for each in declared if isinstance(each, Kind) and each.message)
    return next((kind for kind in kinds if re.search(kind.message, message)), None)
