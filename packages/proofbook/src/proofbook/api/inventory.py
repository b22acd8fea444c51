"""Sphinx inventories (`objects.inv`): the names that a site documents, and their addresses."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from proofbook.model.config import InventorySource
from proofbook.model.problem import Problem, Unproved

_FIRST_LINE = b"# Sphinx inventory version 2"


@dataclass(frozen=True)
class Inventory:
    """What a Sphinx site documents of Python. `addresses`: the whole address of each full name."""

    project: str
    version: str
    addresses: dict[str, str]


def read_inventories(root: Path, sources: Iterable[InventorySource]) -> dict[str, str]:
    """The address of each name in several inventories; the first that has a name counts."""
    addresses: dict[str, str] = {}
    for source in sources:
        addresses = read_inventory(root, source.file, source.base_url).addresses | addresses
    return addresses


def read_inventory(root: Path, file: str, base_url: str) -> Inventory:
    """The inventory in `file`, relative to `root`, of the site at `base_url`.

    A name with a page of its own has the address of the page; every other name that of its anchor.
    Raises `Unproved` where the file cannot be read.
    """
    import sphobjinv  # 0.2 s, and only a build needs it

    content = _content(root, file, base_url)
    try:
        inventory = sphobjinv.Inventory(zlib=content)
    except (TypeError, ValueError, zlib.error, sphobjinv.SphobjinvError) as error:
        found = str(error) or type(error).__name__
        raise Unproved([_unreadable(file, base_url, found)]) from error
    addresses: dict[str, str] = {}
    # Modules first: a function may have the name of its module, and then it is the one meant.
    for entry in sorted(inventory.objects, key=lambda entry: entry.role != "module"):
        if entry.domain == "py":
            page, _, anchor = entry.uri_expanded.partition("#")
            own_page = entry.role == "module" or page.endswith(f"/{entry.name}.html")
            addresses[entry.name] = base_url + (page if own_page else f"{page}#{anchor}")
    return Inventory(inventory.project, inventory.version, addresses)


def wrong_inventories(root: Path, sources: Iterable[InventorySource]) -> Iterator[Problem]:
    """The inventories that are missing, or are none; only their first line is looked at."""
    for source in sources:
        try:
            _content(root, source.file, source.base_url)
        except Unproved as unproved:
            yield from unproved.problems


def _content(root: Path, file: str, base_url: str) -> bytes:
    try:
        content = (root / file).read_bytes()
    except OSError as error:
        raise Unproved([_unreadable(file, base_url, error.strerror or str(error))]) from error
    if not content.startswith(_FIRST_LINE):
        found = repr(content[: len(_FIRST_LINE)])
        raise Unproved([_unreadable(file, base_url, found)])
    return content


def _unreadable(file: str, base_url: str, found: str) -> Problem:
    what, mend = "the inventory cannot be read", f"download it: {base_url}objects.inv"
    return Problem(file, 1, what, _FIRST_LINE.decode(), found, mend)
