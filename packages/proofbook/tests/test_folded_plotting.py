"""The lines of a script that only draw are folded; nothing of the code is lost."""

from __future__ import annotations

import pytest
from proofbook.html.code_lines import mark_lines
from proofbook.html.folded_plotting import fold_plotting
from proofbook.html.tree import parse, serialize

DRAW = 'plt.plot(<span class="n">x</span>)\nplt.xlabel("x")\nplt.show()\n'


def lines(code: str, language: str = "") -> str:
    """A block of code whose lines are elements; folded in a language, if one is given."""
    tree = parse(f'<div class="highlight"><pre><code>{code}</code></pre></div>')
    mark_lines(tree)
    if language:
        fold_plotting(tree, language)
    return serialize(tree).partition("<code>")[2].partition("</code>")[0]


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Show the 3 lines that draw"), ("zh", "显示画图的 3 行")]
)
def test_the_last_lines_that_draw_are_folded(language, words):
    begin = '<span class="n">x</span> = 1\n\n<span class="hll">y = 2\n</span>'
    label = f'<label class="fold" data-search-exclude=""><input type="checkbox">{words}</label>'
    folded = f'{lines(begin)}{label}<span class="folded">{lines(DRAW)}</span>'
    assert lines(begin + DRAW, language) == folded


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\nplt.plot(x)\nplt.show()\n",  # too few
        'x = 1\nplt.plot(x)\nplt.xlabel("x")\nprint(x)\n',  # the last line doesn't show
        DRAW,  # nothing but drawing
        "x = 1\nif x:\n    plt.plot(x)\n    plt.show()\n",
    ],
)
def test_other_scripts_stay_as_they_are(code):
    assert lines(code, "en") == lines(code)


def test_what_draws_in_a_loop_above_stays_with_the_loop():
    loop = "for x in 1, 2:\n    plt.plot(x)\n"
    assert lines(loop + DRAW, "en").startswith(f"{lines(loop)}<label")
