"""Fills in what a page leaves open: `{{ torch.version }}` becomes the version that is installed.

The pages of a book mean "the PyTorch of this book" in many places; which one it is stands in
requirements.txt alone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import metadata

from proofbook.model.store import LIBRARIES

PLACEHOLDER = re.compile(r"\{\{ *([\w-]+)\.version *\}\}")


@lru_cache(maxsize=128)
def version_of(package: str) -> str:
    """The version of a package, as people say it: `2.13.0` for `2.13.0+cpu`.

    Found in a file of its package, and asked for by each page. Raises `PackageNotFoundError`.
    """
    return metadata.version(package).partition("+")[0]


def fill_placeholders(text: str) -> str:
    """The text with the versions in it, each without its last number: 2.13.

    Filled in are the libraries on which results depend; any other name stays as it is written.
    """
    return PLACEHOLDER.sub(_version, text) if "{{" in text else text


def _version(found: re.Match[str]) -> str:
    if found[1] not in LIBRARIES:
        return found[0]
    try:
        return ".".join(version_of(found[1]).split(".")[:2])
    except metadata.PackageNotFoundError:
        return found[0]
