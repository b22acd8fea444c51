"""The sentences of figures and reports, in one file for each language.

To add a language: copy `en.toml`, translate its values (the keys and the names in braces stay), and
add its name to `_FILES` below.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

_FILES = {
    code: tomllib.loads(Path(__file__).with_name(f"{code}.toml").read_text("utf-8"))
    for code in ("zh", "en")
}
PLAIN = " plain"
"""After the code of a language: without PyTorch's names for nodes, for beginners."""


class _Phrases(dict[str, Mapping[str, str]]):
    def __missing__(self, code: str) -> Mapping[str, str]:
        language = code.removesuffix(PLAIN)
        if language == code or language not in self:
            raise KeyError(code)
        return self[language] | _FILES[language]["plain"]


LANGUAGES: Mapping[str, Mapping[str, str]] = _Phrases(
    (code, words["figures"]) for code, words in _FILES.items()
)
"""The phrases of figures in each language, by its code; that of a plain one isn't listed."""
REPORT_WORDS: Mapping[str, Mapping[str, str]] = {c: words["report"] for c, words in _FILES.items()}


def language_of_locale(name: str) -> str:
    """The code of the language of a locale ("zh_CN.UTF-8"); English where it isn't known."""
    for code, phrases in LANGUAGES.items():
        if name.lower().startswith(tuple(phrases["locales"].split())):
            return code
    return "en"
