"""Which versions of packages are installed here."""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata


@lru_cache(maxsize=128)
def version_of(package: str) -> str:
    """The version of a package, as people say it: `2.13.0` for `2.13.0+cpu`.

    Found in a file of its package, and asked for by each page. Raises `PackageNotFoundError`.
    """
    return metadata.version(package).partition("+")[0]
