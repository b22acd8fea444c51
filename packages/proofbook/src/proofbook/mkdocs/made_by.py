"""What the HTML of a page depends on besides the book: the software, and the settings of MkDocs."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import Any

from markdown import Extension
from mkdocs.config.defaults import MkDocsConfig

from proofbook.markdown.highlight import RememberingExtension
from proofbook.mkdocs.kept import digest
from proofbook.model.book import Book

_APART = {"dev_addr", "markdown_extensions", "plugins", "site_dir", "strict", "theme", "watch"}
"""Settings that no HTML of a page's content depends on, and those that are looked at apart."""


def installed_software() -> str:
    """A digest of all installed packages with their versions: any may extend Markdown."""
    folders = [Path(folder or ".") for folder in sys.path]
    names = {
        file.name
        for folder in folders
        if folder.is_dir()
        for pattern in ("*.dist-info", "*.egg-info")
        for file in folder.glob(pattern)
    }
    return digest(*sorted(names))


def settings_digest(config: MkDocsConfig, book: Book) -> str | None:
    """A digest of the settings of an edition and of the files that they name; None where they hold
    something that only this process knows."""
    try:
        said = {name: _plain(config[name]) for name in sorted(config) if name not in _APART}
        plugins = {n: _plain(getattr(p, "config", None)) for n, p in config.plugins.items()}
        modules = [_code_of(extension) for extension in config.markdown_extensions]
    except TypeError:
        return None
    hooks = [_stamp(Path(hook)) for hook in config.hooks]
    inventories = [_stamp(book.root / source.file) for source in book.config.inventories]
    return digest(repr([said, plugins, modules, hooks, inventories]))


def _plain(value: Any) -> Any:
    """A setting, such that its `repr` is the same in every process; raises `TypeError`."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return sorted((str(key), _plain(one)) for key, one in value.items())
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, set | frozenset):
        return sorted(map(repr, map(_plain, value)))
    if isinstance(value, FunctionType | BuiltinFunctionType | type):
        return f"{value.__module__}:{value.__qualname__}"
    if type(value).__repr__ is object.__repr__:
        raise TypeError(type(value))
    return repr(value)


def _code_of(extension: str | Extension) -> Any:
    """Where the code of an extension lies, and when it changed: it need not be installed.

    Raises `TypeError` for one that a plugin made.
    """
    if isinstance(extension, RememberingExtension):
        return _plain(extension.getConfigs())
    if isinstance(extension, Extension):
        raise TypeError(extension)
    try:
        spec = importlib.util.find_spec(extension.partition(":")[0])
    except (ImportError, ValueError):
        return extension  # a name that its package registered
    return _stamp(Path(spec.origin)) if spec and spec.origin else extension


def _stamp(file: Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return f"{file}: none"
    return f"{file} {status.st_size} {status.st_mtime_ns}"
