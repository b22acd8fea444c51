"""What the checks say when one digit of a recorded output is changed: computed, not told.

A page writes `::: spoiled` and below it `of: snippets/....py`.
"""

from __future__ import annotations

import re
from pathlib import Path

from proofbook.check.text_difference import other_output
from proofbook.model.page import Page, Reference, read
from proofbook.model.problem import Problem

NAME = "spoiled"
"""What a page writes after `:::`."""

_DIGIT = re.compile(r"(?<=tensor\()\d")


def fence(page: Page, reference: Reference, root: Path, problems: list[Problem]) -> list[str]:
    """The message, as Markdown: the first digit of the first tensor that is printed is made wrong.

    Where that can't be done, a problem is added to `problems`.
    """
    script = reference.option("of") or ""
    try:
        output = read((root / script).with_suffix(".out"))
    except (OSError, ValueError) as error:
        output, why = "", str(error)
    else:
        why = "no tensor in its output"
    wrong = _DIGIT.sub(lambda digit: str((int(digit[0]) + 1) % 10), output, count=1)
    if message := other_output(script, wrong, output):
        return ["```{ .text .spoiled }", *str(message).splitlines(), "```"]
    problems.append(
        Problem(
            page.file,
            reference.line,
            "there is no digit to spoil",
            "of: <a snippet whose output holds a tensor of one number>",
            f"of: {script}: {why}",
            "correct the option below this line",
            (page.file,),
        )
    )
    return []
