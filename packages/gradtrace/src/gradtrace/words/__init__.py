"""The sentences of figures, one module for each language.

To add a language: copy `en.py`, translate its values (the keys and the names in braces stay), and
add it to `LANGUAGES` below.
"""

from __future__ import annotations

from collections.abc import Mapping

from gradtrace.words import en, zh

LANGUAGES: Mapping[str, Mapping[str, str]] = {"zh": zh.PHRASES, "en": en.PHRASES}
"""The phrases of figures in each language, by its code."""
REPORT_WORDS: Mapping[str, Mapping[str, str]] = {"zh": zh.REPORT_WORDS, "en": en.REPORT_WORDS}
DEFAULT = "en"


def language_of_locale(name: str) -> str:
    """The code of the language of a locale ("zh_CN.UTF-8"); `DEFAULT` where it isn't known."""
    for code, phrases in LANGUAGES.items():
        if name.lower().startswith(tuple(phrases["locales"].split())):
            return code
    return DEFAULT
