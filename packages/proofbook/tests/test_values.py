"""Numbers and messages in prose: what no run on the page shows is refused."""

from __future__ import annotations

import pytest
from proofbook.maths.numbers import find_evidence, statements_of, without_evidence
from proofbook.model.page import parse
from proofbook.model.snippet import ShownSnippet, SnippetText

CODE = 'w = torch.tensor([1.0, 2.0])\nprint("loss:", loss)\nprint("w:", w)\n'
OUT = (
    "loss: tensor(48.)\nw: tensor([ 3.0000, -0.0367, 1e-08])\n"
    "RuntimeError: Trying to backward through the graph a second time (or directly).\n"
    "last node: UnsafeViewBackward0\n"
)
RUN = ShownSnippet(
    (SnippetText(CODE, "code"), SnippetText(OUT)), nodes="AccumulateGrad MulBackward0"
)


def refused(text: str, *linked: str) -> list[str]:
    """What is refused on a page with one run; pages in `linked` have a run that prints 99."""
    page = parse("docs/t/p.en.md", text)
    runs = {"docs/t/p.en.md": (RUN,)} | {
        file: (ShownSnippet((SnippetText("99\n"),)),) for file in linked
    }
    found = find_evidence(page, statements_of(page), lambda file: runs.get(file, ()))
    return [problem.found for problem in without_evidence(page, found)]


@pytest.mark.parametrize(
    "text",
    [
        "It is `48`, `tensor(48.)`, `48.0`, $48$ or 48.",
        "The `w` is `[3, -0.0367]`, then $10^{-8}$.",
        "`Trying to backward through the graph a second time`",
        "`Trying to backward ... a second time (or directly)`",
        "Since 1.8, on 2.13 and 1.12.1, in 2019.",
        "[#42004](https://example.org/42004) and [Q 77 of 88](https://example.org)",
        "```text\n12345\n```",
        "::: snippets/t/s.py\n    highlight: 12345\n",
        "$50 - 2 = 48$, and so 50.",
        "`99`, see [there](q.en.md).",
        "See [there](q.en.md):\n\n$$\n99\n$$",
        "It is −0.0367. It falls by 0.0367. 它减少了 0.0367。 The clamp is $[-48, 48]$.",
        '`12345`{ data-source="https://example.org" }',
        "`loss2.backward()` and `conv2d`, `float32`, `x[0] = 1`",
        '`48`{ data-line="loss:" }',
        "If $w = 49$ held, or if `w` were `50`; suppose $n = 51$. 如果 $w = 52$，设 $n = 53$。",
        "`proofbook check docs` and `git log --oneline main`",
        "`UnsafeViewBackward0`, `<MulBackward0 object>`, `AccumulateGrad`, a `RuntimeError`",
        '“`OldBackward0`” in quotation marks, `OldBackward0`{ data-source="https://example.org" }',
    ],
)
def test_what_is_proved_or_no_claim(text):
    assert refused(text, "docs/t/q.en.md") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is `49`.", ["49"]),
        ("It is -7.", ["-7"]),
        ("It is $-48$.", ["-48"]),
        ("It is 0.0367.", ["0.0367"]),
        ("`99`\n\nSee [there](q.en.md).", ["99"]),
        ("| [there](q.en.md) | 3 |\n| this | `99` |", ["99"]),
        ("It is $49$.", ["49"]),
        ("`tensor([2., 4.])`", ["2, 4"]),
        ("`[-0.0367, 3]`", ["-0.0367, 3"]),
        ("`w = 17`", ["17"]),
        ("`Trying to forward through the graph`", ["Trying to forward through the graph"]),
        ("## One { #one }\n\n`99`\n\n## Two { #two }\n\n[there](q.en.md)", ["99"]),
        ('??? question "Why 49?"\n', ["49"]),
        ('`48`{ data-line="w:" }', ["48"]),
        ("If so, it is $49$. 假设如此，得 `50`。", ["50", "49"]),
        ("`MulBackward0` and `MulBackward`, a `UserWarning`", ["MulBackward", "UserWarning"]),
        ("`99`, and `[there](q.en.md)` is code", ["99"]),
        (r"\(49\) and \$50$", ["50", "49"]),
        ("\\[\n49\n\\]\n\n\\begin{align}\n50\n\\end{align}", ["49", "50"]),
    ],
)
def test_what_no_run_shows_is_refused(text, found):
    assert refused(text, "docs/t/q.en.md") == found


SECTIONS = """\
# T {{ #t }}

One.

::: snippets/t/s.py
    vary: w = 2.0 | -20 to 20 step 0.5

## Two {{ #two }}

::: snippets/t/two.py

{}
"""


def refused_of_two(text: str) -> list[str]:
    """What is refused in the second section of a page; the first shows a run in which a reader
    may change `w`, from -20 to 20, and which prints -3 * w."""
    page = parse("docs/t/p.en.md", SECTIONS.format(text))
    first, second = (page.line_starts[r.line - 1] for r in page.references)
    varied = [
        SnippetText(f"w={w}\nw.grad: {-3.0 * w}", f"&w={w}") for w in (-20.0, -0.5, 7.0, 8.0, 20.0)
    ]
    own = (SnippetText("w = 2.0\n", "code"), SnippetText("w.grad: -6.0\n"), *varied)
    runs = (
        ShownSnippet(own, place=first, page="docs/t/p.en.md"),
        ShownSnippet((SnippetText("w: 50\n"),), place=second, page="docs/t/p.en.md"),
    )
    found = find_evidence(page, statements_of(page), lambda file: runs if file == page.file else ())
    return [problem.found for problem in without_evidence(page, found)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is `50`.", []),
        ("The answer is `-8`.", ["-8"]),
        ("It was `-6.0`.", ["-6"]),
        ("It was `-6.0`, [above](#t).", []),
        ("It was `6.0`, [above](#t).", ["6"]),
        ("Drag `w` to `-0.5` [there](#t) and it is `1.5`.", []),
        ("Drag `w` to `-0.5` [there](#t) and it is `-1.5`.", ["-1.5"]),
        ("Drag `w` [there](#t) and it is `-60`.", ["-60"]),
    ],
)
def test_evidence_is_the_own_section_or_what_the_paragraph_links_to(text, found):
    assert refused_of_two(text) == found
