"""The rule that takes rounding for no difference lets no wrong digit through."""

import re
from pathlib import Path

from gradtrace import same_but_for_rounding
from proofbook.model.snippet import dtype_of_results

ROOT = Path(__file__).parent.parent
OUTPUTS = sorted((ROOT / "snippets").rglob("*.out"))


def test_a_changed_digit_passes_only_where_both_mean_the_same_float():
    changes, passed = 0, []
    for file in OUTPUTS:
        dtype = dtype_of_results(file.with_suffix(".py").read_text("utf-8"))
        for line in file.read_text("utf-8").splitlines():
            for digit in re.finditer(r"\d", line):
                for other in set("0123456789") - {digit[0]}:
                    changed = line[: digit.start()] + other + line[digit.end() :]
                    changes += 1
                    if same_but_for_rounding(line, changed, dtype):
                        passed.append((line, changed))
    assert changes > 50_000
    for line, changed in passed:
        one, other = (re.findall(r"\d+\.\d*(?:e[-+]\d+)?", text) for text in (line, changed))
        assert one != other and list(map(float, one)) == list(map(float, other)), (line, changed)
    assert len(passed) <= 0.001 * changes
