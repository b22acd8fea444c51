"""The addresses of names in the official documentation, from Sphinx inventories."""

from __future__ import annotations

import builtins
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from proofbook.api.index import OTHERS, Index, ShownText, installed_api, names_in_code
from proofbook.model.book import Book
from proofbook.model.config import InventorySource
from proofbook.model.problem import Problem, Unproved


def read_inventories(root: Path, sources: Iterable[InventorySource]) -> dict[str, str]:
    """The address of each name in several inventories; the first one with a name counts.

    A name with its own page has the address of the page; every other name has the address of its
    anchor. Raises `Unproved` where a file cannot be read.
    """
    import sphobjinv  # 0.2 s

    addresses: dict[str, str] = {}
    for source in reversed(tuple(sources)):
        try:
            inventory = sphobjinv.Inventory(zlib=(root / source.file).read_bytes())
        except (OSError, TypeError, ValueError, zlib.error, sphobjinv.SphobjinvError) as error:
            what, expected = "the inventory cannot be read", "a Sphinx inventory, version 2"
            found = str(error) or type(error).__name__
            fix = f"download it: {source.base_url}objects.inv"
            raise Unproved([Problem(source.file, 1, what, expected, found, fix)]) from error
        # Modules first: a function may have the name of its module, and then it is the one meant.
        for entry in sorted(inventory.objects, key=lambda entry: entry.role != "module"):
            if entry.domain == "py":
                page, _, anchor = entry.uri_expanded.partition("#")
                own_page = entry.role == "module" or page.endswith(f"/{entry.name}.html")
                addresses[entry.name] = source.base_url + (page if own_page else f"{page}#{anchor}")
    return addresses


_NAME_OR_CALL = re.compile(r"\.?[A-Za-z_][\w.]*(?:\(.*\))?")
_SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"


@dataclass(frozen=True)
class Documentation:
    """Finds names in the official documentation.

    `index`: the names of the installed library; `addresses`: the documented names, with their
    addresses. A name is documented where its class defines it: according to the index,
    `torch.nn.Linear.zero_grad` is `torch.nn.Module.zero_grad`.
    """

    index: Index
    addresses: Mapping[str, str]

    def address(self, name: str) -> str | None:
        """The address of a full name; None where it is not documented, or does not exist."""
        entry = self.index.resolve(name)
        if entry is None or name.rpartition(".")[2].startswith("_"):
            return None
        candidates = [name, *self.index.public_names(entry)]
        place = next((self.addresses[n] for n in candidates if n in self.addresses), None)
        # A page made from a missing docstring is empty.
        empty = place and "#" not in place and "of" in entry and not entry.get("doc")
        return None if empty else place

    def address_of_code(self, text: str, shown: ShownText) -> str | None:
        """The address for a piece of code that is a name or a call, if it is unambiguous.

        `shown`: the text of the page's snippets; names that they define are excluded.
        """
        found = names_in_code(text, self.index) if _NAME_OR_CALL.fullmatch(text) else ()
        if not found or ".".join(found[0].parts).lstrip(".") != text.partition("(")[0].lstrip("."):
            return None
        code = found[0]
        name, first = code.parts[-1], code.parts[0]
        if dotted := code.dotted(self.index):
            ours = first in self.index.roots or not shown.defines(first) or shown.imports(first)
            return self.address(dotted) if ours else None
        bare = len(code.parts) == 1
        if first in OTHERS or (bare and (shown.defines(name) or hasattr(builtins, name))):
            return None
        if bare and not code.call and "_" not in name.strip("_") and not name[0].isupper():
            return None  # a plain word
        if self.index.member(_SCHEDULER, name) is not None:
            return None  # `step()`: of an optimizer or of a scheduler?
        owned = [full for full, _ in self.index.owned.get(name, ())]
        places = {self.address(full) for full in owned if self._is_member(full)}
        if bare:  # a function too; `x.name` is of an object
            places |= {place for full in owned if (place := self.address(full))}
        return places.pop() if len(places) == 1 else None

    def _is_member(self, name: str) -> bool:
        return "class" in (self.index.resolve(name.rpartition(".")[0]) or {})


def known_documentation(book: Book) -> Documentation | None:
    """The documentation of the installed libraries, from the book's inventories."""
    index = installed_api(book)
    if index is None:
        return None
    return _documentation(index, book.root, book.config.inventories)


@lru_cache(maxsize=8)
def _documentation(
    index: Index, root: Path, sources: tuple[InventorySource, ...]
) -> Documentation | None:
    try:
        return Documentation(index, read_inventories(root, sources))
    except Unproved:
        return None  # `wrong_inventories` reports it


def wrong_inventories(book: Book) -> Iterator[Problem]:
    """The inventories of a book that are missing, or cannot be read."""
    try:
        read_inventories(book.root, book.config.inventories)
    except Unproved as unproved:
        yield from unproved.problems
