"""The settings of an edition for Zensical: those of `mkdocs.yml` that it knows, no plugin, no hook.

Zensical reads them in a file of the same form.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from proofbook.content.page_summary import HOME, title
from proofbook.model.book import Book
from proofbook.model.config import FILE, in_language, site_settings
from proofbook.model.page_file import name_of
from proofbook.zensical.extension import NAME

OVERRIDES = "overrides"
"""The folder with the templates of the export."""

_KEPT = (
    *("site_name", "site_description", "site_author", "repo_url", "repo_name", "copyright"),
    *("use_directory_urls", "extra_css", "extra_javascript"),
)
_THEME_LEFT_OUT = ("name", "custom_dir")


def settings_of_edition(root: Path, book: Book, language: str) -> dict[str, Any]:
    """What MkDocs is told of an edition: `mkdocs.en.yml` for English where there is one."""
    main = Path(FILE)
    own = f"{main.stem}.{language}{main.suffix}"
    first = language == book.config.default.code
    has_own = not first and (root / own).is_file()
    site = site_settings(root, own if has_own else FILE)
    theme = site.get("theme")
    site["theme"] = dict(theme) if isinstance(theme, Mapping) else {"name": theme or "mkdocs"}
    if not first and not has_own:
        site["theme"]["language"] = language
    return site


def root_path(book: Book) -> str:
    """The path of the book on its host, with a slash at its end."""
    return urlsplit(book.config.site_url).path.rstrip("/") + "/"


def zensical_settings(site: Mapping[str, Any], book: Book, language: str) -> dict[str, Any]:
    """The settings for Zensical, from those for MkDocs."""
    prefix, config = book.config.prefix(language), book.config
    settings = {name: site[name] for name in _KEPT if site.get(name) not in (None, "")}
    settings.setdefault("site_name", config.file_name)
    if config.site_url:
        settings["site_url"] = posixpath.join(config.site_url, prefix)
    settings |= {"docs_dir": docs_folder(language), "site_dir": posixpath.join("site", prefix)}
    if site.get("nav"):
        settings["nav"] = [_entry(item, book, language) for item in site["nav"]]
    theme = {k: v for k, v in site["theme"].items() if k not in _THEME_LEFT_OUT}
    if "features" in theme:  # the pages are written by the export: to edit one changes no source
        theme["features"] = [each for each in theme["features"] if each != "content.action.edit"]
    settings["theme"] = {**theme, "variant": "classic", "custom_dir": OVERRIDES}
    settings["extra"] = {**(site.get("extra") or {}), **_extra(book, language)}
    settings["plugins"] = ["search"]
    settings["markdown_extensions"] = [*_extensions(site.get("markdown_extensions")), NAME]
    return settings


def left_out(site: Mapping[str, Any]) -> list[str]:
    """What of the settings for MkDocs the export does without."""
    plugins = site.get("plugins") or []
    names = [n for entry in plugins for n in (entry if isinstance(entry, Mapping) else [entry])]
    found = [f"plugin {name}" for name in names if name not in ("search", "proofbook")]
    found += [f"hook {hook}" for hook in site.get("hooks") or []]
    if folder := site["theme"].get("custom_dir"):
        found.append(f"templates in {folder}/")
    return found


def docs_folder(language: str) -> str:
    """The folder with the pages of an edition."""
    return f"docs.{language}"


def settings_file(book: Book, language: str) -> str:
    """The name of the file with the settings of an edition."""
    main = Path(FILE)
    first = language == book.config.default.code
    return FILE if first else f"{main.stem}.{language}{main.suffix}"


def _extra(book: Book, language: str) -> dict[str, Any]:
    """What the templates of the export are told; a page says more of its own editions."""
    if len(book.config.languages) == 1:
        return {"alternate": False, "editions": []}
    root = root_path(book)
    editions = [
        {"lang": each.code, "name": each.name, "link": root + book.config.prefix(each.code)}
        for each in book.config.languages
    ]
    return {"alternate": True, "edition": language, "editions": editions}


def _entry(item: Any, book: Book, language: str) -> Any:
    """An entry of the navigation: a part of the book is called what its first page is called."""
    if isinstance(item, Mapping):
        return {
            _title_of_part(below, book, language) or name: (
                [_entry(each, book, language) for each in below]
                if isinstance(below, list)
                else below
            )
            for name, below in item.items()
        }
    return {in_language(HOME, language): item} if item == "index.md" else item


def _title_of_part(below: Any, book: Book, language: str) -> str:
    pages = [item for item in below if isinstance(item, str)] if isinstance(below, list) else []
    first = next((item for item in pages if posixpath.basename(item) == "index.md"), None)
    if first is None:
        return ""
    file = book.page_file(name_of(f"docs/{first}"), language)
    return title(book.page(file)).replace("`", "") if book.has(file) else ""


def _extensions(given: Any) -> list[str | dict[str, Any]]:
    """The Markdown extensions as a list; an option that only Python code can say is left out."""
    entries: Sequence[Any] = given or []
    pairs = dict(
        pair
        for entry in ([given] if isinstance(given, Mapping) else entries)
        for pair in (entry.items() if isinstance(entry, Mapping) else [(entry, None)])
    )
    said = {
        name: {key: value for key, value in (options or {}).items() if value is not None}
        for name, options in pairs.items()
    }
    return [{name: options} if options else name for name, options in said.items()]
