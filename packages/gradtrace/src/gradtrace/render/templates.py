"""Texts of which many are alike but for their numbers: each kind is stored once.

The iterations of a loop are told in the same sentences and drawn in the same pictures, with other
numbers. These are put in columns, one for each place in a template, which compress well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

PLACE = "\x7f"
"""Stands in a template where a number does; a text that has it itself has it as a number."""

_NUMBER = re.compile(rf"[−-]?\d+(?:\.\d+)*(?:e[+−-]?\d+)?|{PLACE}")

Templates = tuple[list[str], list[int], list[list[str]]]
"""Templates; for each text the index of its own; for each template its columns of numbers, which
are separated by spaces."""


def as_templates(texts: Iterable[str]) -> Templates:
    """The templates of texts. A number that is the same wherever a template is used stays in it."""
    rows: dict[tuple[str, ...], list[list[str]]] = {}
    kinds: dict[tuple[str, ...], int] = {}
    which = []
    for text in texts:
        between = tuple(_NUMBER.split(text))
        rows.setdefault(between, []).append(_NUMBER.findall(text))
        which.append(kinds.setdefault(between, len(kinds)))
    templates, columns = [], []
    for between, found in rows.items():
        template, varying = [between[0]], []
        for column, after in zip(zip(*found, strict=True), between[1:], strict=True):
            same = len(set(column)) == 1 and column[0] != PLACE
            template += [column[0] if same else PLACE, after]
            varying += [] if same else [" ".join(column)]
        templates.append("".join(template))
        columns.append(varying)
    return templates, which, columns
