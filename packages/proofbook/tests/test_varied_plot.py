"""A plot in which a reader changes a number: what is kept, compared, refused, and shipped."""

from __future__ import annotations

import json

import pytest
from proofbook.directives.plot import data_files
from proofbook.directives.varied_figure import variants_of
from proofbook.model.book import read_book
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.tiny_book import Book

SCRIPT = """\
import matplotlib.pyplot as plt

slope = 2.0
print("at 3:", slope * 3)
plt.plot([0, 3], [0, slope * 3], label="line")
plt.ylim(0, 12)
plt.legend()
plt.show()
"""
VARY = "slope = 2.0 | 1 to 3 step 1"
VARIED = "snippets/t/s.varied"
OPTIONS = f"    figure: plot\n    alt: a line\n    vary: {VARY}\n"
ZH = OPTIONS.replace("a line", "一条线") + "    words: line=直线\n"


@pytest.fixture
def shown(book: Book) -> Book:
    """A book in which both pages let a reader change a plot."""
    book.write("snippets/t/s.py", SCRIPT)
    book.write("snippets/t/s.out", "at 3: 6.0\n")
    book.change("docs/t/p.zh.md", "    highlight: 3 * w\n", ZH)
    book.change("docs/t/p.en.md", "    highlight: 3 * w\n", OPTIONS)
    return book


def check(proof_command) -> str:
    return proof_command("check", "snippets", "docs")[2]


def test_what_they_print_is_kept_and_compared(shown, proof_command):
    assert f"expected: a file {VARIED}" in check(proof_command)
    assert f"{VARIED}: 3 runs recorded" in proof_command("update")[1]
    rows = [json.loads(row) for row in shown.read(VARIED).splitlines()[1:]]
    assert [(row["values"], row["printed"], row["changes"]) for row in rows] == [
        ([value], f"at 3: {at}\n", []) for value, at in (("1.0", 3.0), ("2.0", 6.0), ("3.0", 9.0))
    ]
    assert check(proof_command) == ""
    shown.change(VARIED, "at 3: 9.0", "at 3: 9.5")
    assert "s.py prints something else with 3.0" in check(proof_command)
    proof_command("update")
    shown.change("docs/t/p.zh.md", "是 6。", "是 6，`slope = 3.0` 时是 `at 3: 9.0`。")
    shown.change("docs/t/p.en.md", "It is 6.", "It is 6, with `slope = 3.0` `at 3: 9.0`.")
    assert check(proof_command) == ""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('label="line"', 'label="line" if slope < 3 else "steep"', "steep=<in Chinese>"),
        ("plt.show()", "if slope > 2:\n    plt.close()", "no figure to show with 3.0"),
        ("plt.show()", "if slope > 2:\n    plt.figure()", "no figure to show with 3.0"),
    ],
)
def test_each_of_the_figures_is_looked_at(shown, proof_command, old, new, told):
    shown.change("snippets/t/s.py", old, new)
    proof_command("update")
    found = check(proof_command)
    assert told in found


def test_all_pages_vary_the_same_figure(shown, proof_command):
    proof_command("update")
    shown.change("docs/t/p.en.md", VARY, "slope = 2.0 | 2, 3")
    assert "the same lines as on docs/t/p." in check(proof_command)


def test_a_figure_that_remembers_another_run_is_told(shown, proof_command):
    changed = 'plt.rcParams["lines.linewidth"] += 1\nplt.plot('
    shown.change("snippets/t/s.py", "plt.plot(", changed)
    assert "two runs drew different things" in proof_command("update")[2]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_data_holds_what_each_run_drew(shown, proof_command, runner, fresh_runner, language):
    proof_command("update")
    book, script = read_book(shown.root), shown.root / "snippets/t/s.py"
    variants = variants_of(SCRIPT, [VARY])
    one, other, own = (
        runner.submit(script, variants=variants),
        fresh_runner.submit(script, variants=variants[::-1]),
        runner.submit(script),
    )
    drawn = one.result(PATIENCE).variants
    assert drawn == other.result(PATIENCE).variants[::-1]
    assert drawn[1] == (own.result(PATIENCE).stdout, *own.result(PATIENCE).figures)
    ((name, text),) = data_files(
        book.page(f"docs/t/p.{language}.md"), {"snippets/t/s.py": drawn}.get
    )
    assert name == "plot-t-s.js"
    data = json.loads(text.partition(" = ")[2])
    pictures, printed = zip(*data["runs"], strict=True)
    assert [data["texts"][n] for n in printed] == ["at 3: 3.0", "at 3: 6.0", "at 3: 9.0"]
    assert pictures[1] == -1
    steep = data["texts"][pictures[2]]
    alt, label = {
        "zh": ("slope = 3.0 时的同一幅图。脚本印出：at 3: 9.0", "直线"),
        "en": ("The same figure with slope = 3.0. The script prints: at 3: 9.0", "line"),
    }[language]
    assert steep.startswith(f'<svg role="img" aria-label="{alt}"') and f">{label}</text>" in steep
