"""What a doctor finds: of which kind, where, how grave, and the recorded facts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gradtrace.doctor.kinds import KINDS

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Place:
    """A line of the script, or of another `file` of the user."""

    line: int | None
    file: str = ""


@dataclass(frozen=True)
class Finding:
    """One thing that was found. `facts` fill the sentences about its kind: names, numbers,
    `Place`s, lists of names."""

    kind: str
    place: Place
    facts: dict[str, object] = field(default_factory=dict)
    mild: bool = False
    """It is a note, although its kind mostly isn't."""

    @property
    def level(self) -> Level:
        return "note" if self.mild else KINDS[self.kind].level

    @property
    def page(self) -> str:
        """The page of the book that explains it: "accumulate/second-time#mend"."""
        return KINDS[self.kind].page
