"""A finding of the doctor: its kind, its place, and the recorded facts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypedDict

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""The most severe first."""


class Kind(TypedDict, total=False):
    """A kind of finding. `page`: of the book, with a section ("accumulate/second-time#mend");
    a fact may be a part of it.

    By language, the sentences on what was `found`, each omitted if one of its facts is missing, and
    how to `fix` it. `message`: a pattern of the error or warning that reveals it.
    """

    level: Level
    page: str
    message: str
    found: dict[str, list[str]]
    fix: dict[str, str]


KINDS: Mapping[str, Kind] = tomllib.loads(
    Path(__file__).with_name("findings.toml").read_text(encoding="utf-8")
)
"""All kinds by name, in the order of a report."""


@dataclass(frozen=True)
class Place:
    """A line of the script, or of another `file` of the user."""

    line: int | None
    file: str = ""


@dataclass(frozen=True)
class Finding:
    """One finding. `facts` fill the sentences of its kind: names, numbers, `Place`s, lists of
    names. `mild`: it is a note, although its kind mostly isn't. `ranks`: of several processes,
    those in which it was found."""

    kind: str
    place: Place
    facts: dict[str, object] = field(default_factory=dict)
    mild: bool = False
    ranks: tuple[int, ...] = ()

    @property
    def level(self) -> Level:
        """Its severity."""
        return "note" if self.mild else KINDS[self.kind]["level"]

    @property
    def page(self) -> str:
        """The page of the book that explains it."""
        return KINDS[self.kind]["page"].format(**{"name": "index"} | self.facts)


def kind_of_message(message: str) -> str | None:
    """The first kind whose pattern matches an error or a warning."""
    matching = (name for name, kind in KINDS.items() if "message" in kind)
    return next((name for name in matching if re.search(KINDS[name]["message"], message)), None)
