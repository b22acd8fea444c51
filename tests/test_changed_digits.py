"""The rule that takes rounding for no difference lets no wrong digit through."""

import re
from pathlib import Path

from proofbook.content.changed_digits import changed_digits
from proofbook.model.book import read_book

ROOT = Path(__file__).parent.parent


def test_a_changed_digit_passes_only_where_both_mean_the_same_float():
    found = changed_digits(read_book(ROOT))
    assert found.tried > 50_000
    for line, changed in found.passed:
        one, other = (re.findall(r"\d+\.\d*(?:e[-+]\d+)?", text) for text in (line, changed))
        assert one != other and list(map(float, one)) == list(map(float, other)), (line, changed)
    assert len(found.passed) <= 0.001 * found.tried
