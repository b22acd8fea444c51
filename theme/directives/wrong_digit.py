"""What the checks say when one digit of a recorded output is changed: computed, not written down.

A page writes `::: wrong-digit` and below it `of: snippets/....py`.
"""

from __future__ import annotations

import re

from proofbook.directives import Directive
from proofbook.markdown.spans import Option, Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Unproved
from proofbook.model.snippet import changed_output, output_file

OPTIONS = {"of": Option("of: <a snippet whose output holds a tensor of one number>")}
_DIGIT = re.compile(r"(?<=tensor\()(-?)(\d)")


def _expand(reference: Reference, page: Page, book: Book) -> list[str]:
    """The message, as Markdown, once the first digit of the first tensor of the output is wrong."""
    script = reference.option("of") or ""
    try:
        output = book.text(output_file(script))
    except (OSError, ValueError) as error:
        output, why = "", str(error)
    else:
        why = "no tensor in its output"
    wrong = _DIGIT.sub(lambda n: f"{n[1]}{(int(n[2]) + 1) % 10}", output, count=1)
    if message := changed_output(script, wrong, output):
        return ["```{ .text .check-message }", *str(message).splitlines(), "```"]
    problem = page.problem(
        reference.line,
        "there is no digit to make wrong",
        OPTIONS["of"].form,
        f"of: {script}: {why}",
        "correct the option below this line",
    )
    raise Unproved([problem])


DIRECTIVES = [Directive("wrong-digit", _expand, OPTIONS)]
