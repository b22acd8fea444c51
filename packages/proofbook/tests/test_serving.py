"""What `mkdocs serve` shows while an author edits: figures of before, files that are whole."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from pathlib import Path

from proofbook.mkdocs.lab_figures import LabFigures
from proofbook.mkdocs.status import STATUS, write_status

PAGE = '<body><div data-plot="snippets/a.py" data-words="" role="img" aria-label="a line"></div>'
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="1pt" height="1pt">'
    '<text style="font: 10px sans" x="1" y="2">{}</text></svg>'
)


class FakeNotebooks:
    """Notebooks with one script, whose figure may not be drawn yet."""

    def __init__(self) -> None:
        self.drawn: Future[str] = Future()

    def have_run(self, scripts: set[str]) -> bool:
        return self.drawn.done()

    def figures(self, scripts: set[str]) -> dict[str, str]:
        return {script: self.drawn.result(timeout=5) for script in scripts}


def test_a_lab_shows_its_earlier_figures_until_the_new_ones_are_drawn():
    notebooks = FakeNotebooks()
    figures = LabFigures(notebooks)
    notebooks.drawn.set_result(SVG.format("first"))
    first = figures.fill(PAGE, "en", "docs/a.en.md")
    assert "first" in first and "data-earlier" not in first and not figures.earlier

    figures.waits = False
    notebooks.drawn = Future()
    second = figures.fill(PAGE, "en", "docs/a.en.md")
    assert "first" in second and "data-earlier" in second
    assert figures.earlier == {("en", "docs/a.en.md")}

    notebooks.drawn.set_result(SVG.format("second"))
    third = figures.fill(PAGE, "en", "docs/a.en.md")
    assert "second" in third and "first" not in third and "data-earlier" not in third
    assert not figures.earlier


def test_a_figure_that_was_never_drawn_leaves_its_place_marked():
    figures = LabFigures(FakeNotebooks(), waits=False)
    page = figures.fill(PAGE, "en", "docs/a.en.md")
    assert "data-plot" in page and "data-earlier" in page and "<figure" not in page


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
