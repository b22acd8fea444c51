"""What the name of a page's file says: `docs/basics/leaf.zh.md` is `basics/leaf` in Chinese.

In a book of one language the code may be left out: `docs/basics/leaf.md`.
"""

from __future__ import annotations

import re

LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z]{2,4})?")


def language_of(file: str) -> str:
    """The code of the language that the name of a page says; "" where it says none."""
    _, dot, code = file.removesuffix(".md").rpartition("/")[2].rpartition(".")
    return code if dot and LANGUAGE_CODE.fullmatch(code) else ""


def stem_of(file: str) -> str:
    """A page without language and ending: `docs/basics/leaf`."""
    return file.removesuffix(".md").removesuffix(f".{language_of(file)}")


def name_of(file: str) -> str:
    """A page without language and ending, seen from `docs/`: `basics/leaf`."""
    return stem_of(file).removeprefix("docs/")
