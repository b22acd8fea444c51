"""What `mkdocs serve` shows while an author edits: figures of before, until the new ones come."""

from __future__ import annotations

from concurrent.futures import Future

import pytest
from proofbook.mkdocs.labs import Labs
from proofbook.mkdocs.page_cache import Cache
from proofbook.run.judge import Result
from proofbook.run.runner import RunnerError

PLACEHOLDER = 'data-plot="snippets/a.py" data-words="" data-caption="" role="img"'
PAGE = f'<body><div {PLACEHOLDER} aria-label="a line"></div>'
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="1pt" height="1pt">'
    '<text style="font: 10px sans" x="1" y="2">{}</text></svg>'
)


class FakeRuns:
    """The runs of one script, which may not have come to its end."""

    def __init__(self) -> None:
        self.run: Future[Result] = Future()

    def last(self, script: str, kind: str = "") -> Future[Result] | None:
        return None if kind else self.run

    def end(self, *figures: str) -> None:
        self.run.set_result(Result("a.py", "", 0.1, figures=figures))


def test_a_page_shows_its_earlier_figures_until_the_new_ones_are_drawn():
    runs = FakeRuns()
    labs = Labs(runs, Cache(), waits=False)

    def page() -> str:
        return labs.fill(PAGE, "en", "docs/a.en.md")

    assert "data-plot" in page() and labs.earlier  # never drawn yet
    runs.end(SVG.format("first"))
    assert "first" in page() and not labs.earlier
    runs.run = Future()
    assert "first" in page() and labs.earlier == {("en", "docs/a.en.md")}
    runs.end(SVG.format("second"))
    assert "second" in (shown := page()) and "first" not in shown and not labs.earlier


@pytest.mark.parametrize("error", [RunnerError("it ended too early"), None])
def test_a_run_without_a_figure_leaves_its_place_empty(error):
    runs = FakeRuns()
    runs.run.set_exception(error) if error else runs.end()
    page = Labs(runs, Cache()).fill(PAGE, "en", "docs/a.en.md")
    assert "data-plot" in page and "<figure" not in page
