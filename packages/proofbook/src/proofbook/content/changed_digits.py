"""How many wrong digits in recorded outputs the comparison of outputs would accept.

The comparison ignores rounding (`gradtrace.compare`), so this is measured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gradtrace import same_but_for_rounding

from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.snippet import dtype_of_results, output_file

NAME = "changed-digits"
"""The directive (after `:::`) that inserts the sentence in a page."""

_TRIED = {
    "zh": "把每份记录下来的输出里的每个数字，逐个换成另外九个：一共 {tried:,} 次，放过 {passed} 次",
    "en": "Each digit of each recorded output was replaced by each of the nine others, one at a "
    "time: {tried:,} changes, of which {passed} pass",
}
_PASSED = {
    "zh": "。放过的是这些，两边的数写法不同，是同一个浮点数：",
    "en": ". These pass, since both are one floating point number, written in two ways:",
}
_STOP = {"zh": "。", "en": "."}


@dataclass(frozen=True)
class ChangedDigits:
    """The number of digits changed, and the accepted lines, as recorded and as changed."""

    tried: int
    passed: tuple[tuple[str, str], ...]


def changed_digits(book: Book) -> ChangedDigits:
    """Change each digit of each recorded output into each other digit, one at a time."""
    scripts = [script for script in book.scripts if book.has(output_file(script))]
    found = [book.remember(changed_digits_of, script) for script in scripts]
    passed = tuple(pair for one in found for pair in one.passed)
    return ChangedDigits(sum(one.tried for one in found), passed)


def changed_digits_of(book: Book, script: str) -> ChangedDigits:
    """The same for the output of one script."""
    dtype = dtype_of_results(book.text(script))
    tried, passed = 0, []
    for line in book.text(output_file(script)).splitlines():
        for digit in re.finditer("[0-9]", line):
            for other in "0123456789".replace(digit[0], ""):
                changed = line[: digit.start()] + other + line[digit.end() :]
                tried += 1
                if same_but_for_rounding(line, changed, dtype):
                    passed.append((line, changed))
    return ChangedDigits(tried, tuple(passed))


def sentence(file: str, book: Book) -> list[str]:
    """The lines of Markdown, in the language of the page `file`."""
    language, found = book.language_of(file), book.fact(changed_digits)
    said = in_language(_TRIED, language).format(tried=found.tried, passed=len(found.passed))
    if not found.passed:
        return [said + in_language(_STOP, language)]
    pairs = [f"- `{line.strip()}`, `{changed.strip()}`" for line, changed in found.passed]
    return [said + in_language(_PASSED, language), "", *pairs]
