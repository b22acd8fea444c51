"""What `mkdocs serve` shows while an author edits: figures of before, files that are whole."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from pathlib import Path

import pytest
from proofbook.mkdocs.labs import Labs
from proofbook.mkdocs.page_cache import Cache
from proofbook.mkdocs.serve import STATUS, write_status
from proofbook.run.judge import Result
from proofbook.run.runner import RunnerError

PAGE = '<body><div data-plot="snippets/a.py" data-words="" role="img" aria-label="a line"></div>'
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


def test_a_page_shows_its_earlier_figures_until_the_new_ones_are_drawn(book):
    runs = FakeRuns()
    figures = Labs(runs, Cache())
    runs.end(SVG.format("first"))
    first = figures.fill(PAGE, "en", "docs/a.en.md", book)
    assert "first" in first and "data-earlier" not in first and not figures.earlier

    figures.waits = False
    runs.run = Future()
    second = figures.fill(PAGE, "en", "docs/a.en.md", book)
    assert "first" in second and "data-earlier" in second
    assert figures.earlier == {("en", "docs/a.en.md")}

    runs.end(SVG.format("second"))
    third = figures.fill(PAGE, "en", "docs/a.en.md", book)
    assert "second" in third and "first" not in third and "data-earlier" not in third
    assert not figures.earlier


def test_a_figure_that_was_never_drawn_leaves_its_place_marked(book):
    figures = Labs(FakeRuns(), Cache(), waits=False)
    page = figures.fill(PAGE, "en", "docs/a.en.md", book)
    assert "data-plot" in page and "data-earlier" in page and "<figure" not in page


def lost() -> FakeRuns:
    runs = FakeRuns()
    runs.run.set_exception(RunnerError("the process that runs the snippets ended too early"))
    return runs


def without_figure() -> FakeRuns:
    runs = FakeRuns()
    runs.end()
    return runs


@pytest.mark.parametrize("runs", [lost, without_figure])
def test_a_run_without_a_figure_leaves_its_place_empty(runs, book):
    page = Labs(runs(), Cache()).fill(PAGE, "en", "docs/a.en.md", book)
    assert "data-plot" in page and "data-earlier" not in page and "<figure" not in page


def test_who_reads_the_status_while_it_is_written_reads_a_whole_one(tmp_path: Path):
    write_status(tmp_path, 0, True, [])
    stop, texts = threading.Event(), set()

    def read() -> None:
        while not stop.is_set():
            texts.add((tmp_path / STATUS).read_text("utf-8")[-1:])

    reader = threading.Thread(target=read)
    reader.start()
    for edits in range(300):
        write_status(tmp_path, edits, False, ["/a/"] * 2000)
    stop.set()
    reader.join()
    assert texts == {"}"}
    assert [file.name for file in tmp_path.iterdir()] == [STATUS]
