"""The settings of a book: the options of `plugins: proofbook:` in `mkdocs.yml`.

The build, the command `proofbook` and the pytest plugin read them here, in the same way and without
MkDocs. Every option has a default, so a book without `mkdocs.yml` has settings too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import yaml
from yaml_env_tag import construct_env_tag

from proofbook.model.problem import Problem, Unproved

FILE = "mkdocs.yml"
LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z]{2,4})?")
FALLBACK = "en"
"""The language used for texts without a translation into the language of a page."""

_NAMES = {"zh": "简体中文", "en": "English"}
_T = TypeVar("_T")


@dataclass(frozen=True)
class Language:
    """One language of the book.

    `code`: as in `docs/a.<code>.md` and in the attribute `lang`; `name`: its name in itself;
    `subtitle`: the subject of the book, in a few words; `license`: for the cover of the PDF.
    """

    code: str
    name: str
    subtitle: str = ""
    license: str = ""


@dataclass(frozen=True)
class InventorySource:
    """A Sphinx inventory: its file, and the address of the site whose names it lists."""

    file: str
    base_url: str


@dataclass(frozen=True)
class NavigationSettings:
    """The navigation in MkDocs' own settings.

    `pages`: the Markdown files that `nav` names, from `docs/`; `complete`: whether it has to name
    every page; `left_out`: patterns, as in `.gitignore`, of pages that it need not name.
    """

    pages: tuple[str, ...] = ()
    complete: bool = False
    left_out: str = ""


@dataclass(frozen=True)
class BookConfig:
    """The settings of a book; paths are relative to the folder of the book, with `/`.

    `languages`: the first is the edition at the address of the book, each other one is at
    `<code>/` below it. `glossary`, `questions`: the TOML files of the terms and of the
    questions. `claims`: the folder of the tests that try to refute general statements of the
    pages. `messages`: the page on which each section named after a message becomes a page too.
    `directives`: Python files, or folders of them, with directives of this book alone.
    `names`: the modules whose names are looked up where the text has them as code.
    `inventories`: names that link to their documentation on another site. `file_name`: the
    prefix of the names of the PDFs and of the offline archive. `offered`: the folder in which
    `proofbook pdf` and `proofbook offline` wrote these; the site offers the files in it, and
    none if it is empty.
    """

    languages: tuple[Language, ...] = (Language("zh", _NAMES["zh"]), Language("en", _NAMES["en"]))
    glossary: str = "docs/glossary/terms.toml"
    questions: str = "docs/questions/questions.toml"
    claims: str = "tests/claims"
    messages: str = "messages/index"
    directives: tuple[str, ...] = ()
    names: tuple[str, ...] = field(default_factory=lambda: ("torch",) if find_spec("torch") else ())
    inventories: tuple[InventorySource, ...] = ()
    active_html: tuple[str, ...] = ()
    """The pages whose HTML may run scripts."""
    file_name: str = "book"
    offered: str = ""
    site_url: str = ""
    """MkDocs' own setting: the address of the book on the web."""
    navigation: NavigationSettings = field(
        default_factory=NavigationSettings, compare=False, repr=False
    )
    """Not compared: no cached result depends on it."""

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the languages, the default edition's first."""
        return tuple(language.code for language in self.languages)

    @property
    def default(self) -> Language:
        """The language of the edition at the address of the book."""
        return self.languages[0]

    @property
    def everywhere(self) -> str:
        """What ends an instruction that counts for the page in each language."""
        return {1: "", 2: " in both languages"}.get(len(self.codes), " in each language")

    def language(self, code: str) -> Language:
        """The language with this code; raises `KeyError` if the book has no such language."""
        return {language.code: language for language in self.languages}[code]

    def prefix(self, code: str) -> str:
        """The path of the edition in a language below the address of the book: "" or "en/"."""
        return "" if code == self.default.code else f"{code}/"


OPTIONS = {
    "languages": (list, dict),
    "glossary": (str,),
    "questions": (str,),
    "claims": (str,),
    "messages": (str,),
    "directives": (list,),
    "names": (list,),
    "active_html": (list,),
    "inventories": (list,),
    "file_name": (str,),
    "offered": (str,),
}
"""The options of the plugin and their YAML types."""


def in_language(words: Mapping[str, _T], code: str) -> _T:
    """The entry of `words` for a language, or for English where it isn't translated."""
    return words[code] if code in words else words[FALLBACK]


def read_config(root: Path, file: str = FILE) -> BookConfig:
    """The settings of the book in the folder `root`; raises `Unproved` where they are wrong.

    Without the file, or without an entry `proofbook` under its `plugins:`, the defaults hold.
    """
    site = _site_settings(root, file)

    def wrong(key: object, what: str, expected: str, value: object) -> Unproved:
        line, found = _line(root / file, key), f"{key}: {value}"
        return Unproved([Problem(file, line, what, expected, found, "correct this line")])

    given: dict[str, Any] = {}
    for key, value in _plugin_options(site.get("plugins")).items():
        if key not in OPTIONS:
            raise wrong(key, "proofbook has no such option", " or ".join(OPTIONS), value)
        if value is not None and not isinstance(value, OPTIONS[key]):
            names = {list: "a list", dict: "a mapping", str: "a text"}
            expected = " or ".join(names[kind] for kind in OPTIONS[key])
            raise wrong(key, "the option has a value of another kind", expected, value)
        if value is not None:
            given[key] = value
    for name in given.keys() & {"glossary", "questions"}:
        if not re.fullmatch(r"docs/.+\.toml", given[name]):
            expected = "docs/<folder>/<name>.toml"
            raise wrong(name, "the file is none of the book", expected, given[name])
    if "languages" in given:
        given["languages"] = tuple(_languages(given["languages"], wrong))
    if "directives" in given:
        given["directives"] = tuple(map(str, given["directives"]))
    if "active_html" in given:
        given["active_html"] = tuple(map(str, given["active_html"]))
    if "names" in given:
        given["names"] = tuple(given["names"])
        if not all(isinstance(name, str) and name.isidentifier() for name in given["names"]):
            what, expected = "these are not modules", "names as `import` takes them: [numpy]"
            raise wrong("names", what, expected, given["names"])
    try:
        given["inventories"] = tuple(InventorySource(**x) for x in given.get("inventories", ()))
    except TypeError as error:
        what, expected = "this is not an inventory", "file: and base_url:, two texts"
        raise wrong("inventories", what, expected, given["inventories"]) from error
    site_url = str(site.get("site_url") or "")
    return BookConfig(**given, site_url=site_url, navigation=_navigation(site))


def _languages(value: list | dict, wrong: Callable[..., Unproved]) -> Iterator[Language]:
    given = value if isinstance(value, dict) else dict.fromkeys(value)
    if not given:
        raise wrong("languages", "the book has no language", "at least one", value)
    for code, words in given.items():
        if not LANGUAGE_CODE.fullmatch(str(code)):  # unquoted, `no:` (Norwegian) is False in YAML
            what = "this is not the code of a language"
            raise wrong("languages", what, 'a code such as "en"', code)
        own = {"name": words} if isinstance(words, str) else words or {}
        known = {each.name for each in fields(Language)} - {"code"}
        if not isinstance(own, dict) or own.keys() - known:
            expected = f"a name, or {', '.join(sorted(known))}"
            raise wrong(code, f"the language {code} is described otherwise", expected, words)
        yield Language(code, **{"name": _NAMES.get(code, code), **own})


def _navigation(site: Mapping[str, Any]) -> NavigationSettings:
    checks = site.get("validation")
    of_nav = checks.get("nav", checks) if isinstance(checks, dict) else {}
    complete = isinstance(of_nav, dict) and of_nav.get("omitted_files") == "warn"
    patterns = [site.get(name) for name in ("exclude_docs", "draft_docs", "not_in_nav")]
    left_out = "\n".join(each for each in patterns if isinstance(each, str))
    return NavigationSettings(tuple(_pages_of_nav(site.get("nav"))), complete, left_out)


def _pages_of_nav(nav: object) -> Iterator[str]:
    """The Markdown files in a navigation, which is a list of files, and of titles with either."""
    if isinstance(nav, str):
        if nav.endswith(".md") and "://" not in nav:
            yield nav
    elif isinstance(nav, list | dict):
        for item in nav.values() if isinstance(nav, dict) else nav:
            yield from _pages_of_nav(item)


class _Loader(yaml.SafeLoader):
    """Reads `!ENV` like MkDocs, and any other unknown tag as None."""


_Loader.add_constructor("!ENV", construct_env_tag)
_Loader.add_constructor(None, lambda loader, node: None)


def _site_settings(root: Path, file: str) -> dict[str, Any]:
    """The settings in a file of MkDocs, merged with the inherited ones."""
    path = root / file
    if not path.is_file():
        return {}
    try:
        found = yaml.load(path.read_text("utf-8"), _Loader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        what, fix = "the settings cannot be read", "correct this file"
        raise Unproved([Problem(file, line, what, "YAML in UTF-8", str(error), fix)]) from error
    found = found if isinstance(found, dict) else {}
    if inherited := found.pop("INHERIT", None):
        base = Path(file).parent / str(inherited)
        return _merged(_site_settings(root, base.as_posix()), found)
    return found


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """`base` with additions and changes from `own`, including nested mappings."""
    result = dict(base)
    for key, value in own.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        result[key] = _merged(base[key], value) if both else value
    return result


def _plugin_options(plugins: object) -> dict[str, Any]:
    """The options of proofbook among MkDocs' plugins: a mapping, or a list with mappings."""
    entries = [plugins] if isinstance(plugins, dict) else plugins
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("proofbook"), dict):
            return entry["proofbook"]
    return {}


def _line(file: Path, key: object) -> int:
    """The line of an option of the plugin, from 1; 1 if it cannot be found."""
    text = file.read_text("utf-8") if file.is_file() else ""
    start = max(text.find("proofbook:"), 0)
    place = re.compile(rf"(?<=[\s{{,\"']){re.escape(str(key))}[\"']?\s*:").search(text, start)
    return text.count("\n", 0, place.start()) + 1 if place else 1
