"""`pytest --codeblocks docs`: every code block of every page runs as the page shows it.

The blocks are those that pytest-codeblocks finds in the expanded page: they run as a reader
copies them. By itself the plugin skips a fence with a title, runs code inside pytest, and lets a
marker silently drop a block; here each runs in a process of its own, and a lost one is an error.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from functools import cached_property
from pathlib import Path

import pytest
from gradtrace import same_but_for_rounding
from pytest_codeblocks.main import CodeBlock, extract_from_buffer

from proofbook.check.markup import typed_code
from proofbook.directives.registry import expand, expand_reference
from proofbook.directives.snippet import code_with_notes
from proofbook.model.book import Book, read_book
from proofbook.model.page import Page, one_line_end, stem_of
from proofbook.model.problem import Problem, Unproved
from proofbook.model.snippet import dtype_of_results, first_different_line
from proofbook.run.judge import Result, refused
from proofbook.run.runner import KERNELS, TIME_LIMIT, Runner, RunnerError


class CodeBlocks:
    """Collects and runs the code blocks of the book in `root`."""

    def __init__(self, root: Path):
        self.root = root.resolve()

    @cached_property
    def book(self) -> Book:
        """The book, read when the first of its pages is collected."""
        return read_book(self.root)

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Generator:
        found = yield
        if file_path.suffix == ".md" and self.root / "docs" in file_path.resolve().parents:
            return [PageFile.from_parent(parent, path=file_path, code_blocks=self)]
        return found

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator:
        """Submit all chosen blocks to the runner at once; each item waits for its result."""
        option, blocks = session.config.option, [i for i in session.items if isinstance(i, Block)]
        stopped = session.testsfailed and not option.continue_on_collection_errors
        if not blocks or option.collectonly or stopped:
            return (yield)
        limit = session.config.getini("codeblocks_limit") or TIME_LIMIT
        kept = Runner(limit, kernels=self.root / KERNELS)
        with tempfile.TemporaryDirectory() as folder, kept as runner:
            runs = Runs(Path(folder), runner)
            for block in blocks:
                block.runs = runs
                if not hasattr(session.config, "workerinput"):
                    runs.of(block)  # a worker of pytest-xdist runs only what it is given
            return (yield)


class Runs:
    """The runs of blocks; identical code, as in both languages, runs once."""

    def __init__(self, folder: Path, runner: Runner):
        self.folder, self.runner = folder, runner
        self._started: dict[tuple[str, str], Future[Result]] = {}

    def of(self, block: Block) -> Future[Result]:
        """The run of a block, started if it isn't yet."""
        key = block.script, block.code_block.code
        if key not in self._started:
            file = self.folder / str(len(self._started)) / block.script
            file.parent.mkdir(parents=True)
            file.write_text(block.code_block.code, encoding="utf-8", newline="\n")
            self._started[key] = self.runner.submit(file)
        return self._started[key]


class PageFile(pytest.File):
    """A page in one language."""

    def __init__(self, *, code_blocks: CodeBlocks, **others):
        super().__init__(**others)
        self.code_blocks = code_blocks

    def collect(self) -> Iterator[pytest.Item]:
        file = self.path.resolve().relative_to(self.code_blocks.root).as_posix()
        book = self.code_blocks.book
        if unreadable := [problem for problem in book.unreadable if problem.file == file]:
            raise Unproved(unreadable)
        page = book.page(file)
        if typed := list(typed_code(page, book)):
            raise Unproved(typed)
        blocks = extract(page, book)
        if lost := list(_lost_blocks(page, blocks, book)):
            raise Unproved(lost)
        scripts = {r.line: r.path for r in page.references if r.path in book.scripts}
        for line, block in blocks.items():
            if line not in scripts:
                continue
            about = {"file": file, "line": line, "script": scripts[line], "block": block}
            item = Block.from_parent(self, name=f"line {line}: {scripts[line]}", **about)
            if self.config.pluginmanager.hasplugin("xdist"):
                both = stem_of(file)  # of the page's languages
                item.add_marker(pytest.mark.xdist_group(both))
            yield item

    def repr_failure(self, excinfo: pytest.ExceptionInfo):
        return _message(excinfo.value) or super().repr_failure(excinfo)


class Block(pytest.Item):
    """A script as a page shows it."""

    def __init__(self, *, file: str, line: int, script: str, block: CodeBlock, **others):
        super().__init__(**others)
        self.file, self.line, self.script, self.code_block = file, line, script, block

    def runtest(self) -> None:
        if failure := _failure(self.script, self.code_block, self.runs.of(self).result()):
            raise Unproved([Problem(self.file, self.line, *failure, (self.file,))])

    def repr_failure(self, excinfo: pytest.ExceptionInfo):
        return _message(excinfo.value) or super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        # In a text that ends the item's name, pytest would write "::" for each dot.
        return self.path, self.line - 1, f"{self.file}, {self.name}"


def _message(error: BaseException) -> str:
    if isinstance(error, Unproved):
        return "\n\n".join(map(str, error.problems))
    return str(error) if isinstance(error, RunnerError) else ""


def extract(page: Page, book: Book) -> dict[int, CodeBlock]:
    """The blocks that pytest-codeblocks finds in the expanded page, by line of the page."""
    origins = _origins(page, book)
    indents = {r.line: r.indent for r in page.references}
    lines = expand(page, book).split("\n")
    # The plugin removes the indent of every line of a block; of an empty one, the line itself.
    padded = [text or indents.get(line, "") for text, line in zip(lines, origins, strict=True)]
    blocks: dict[int, CodeBlock] = {}
    # The first that a reference became; older outputs may follow it.
    for block in extract_from_buffer(io.StringIO("\n".join(padded))):
        blocks.setdefault(origins[block.lineno - 1], block)
    return blocks


def _origins(page: Page, book: Book) -> list[int]:
    """For each line of the expanded page, the line of the page's own file that it comes from."""
    at, origins = 0, []
    for reference in page.references:
        lines = expand_reference(reference, page, book)
        length = len("\n".join(lines).split("\n")) if lines else 0
        origins += [*range(at + 1, reference.line), *[reference.line] * length]
        at = reference.end
    return [*origins, *range(at + 1, page.text.count("\n") + 2)]


def _lost_blocks(page: Page, blocks: dict[int, CodeBlock], book: Book) -> Iterator[Problem]:
    """Blocks that would not run as the script that a reader of the page sees."""
    for reference in page.references:
        if reference.path not in book.scripts:
            continue
        block, shown = blocks.get(reference.line), code_with_notes(reference, book).rstrip("\n")
        found = block and block.code.rstrip("\n")
        if found != shown or block.expected_output is None:
            what, expected = "a code block is lost", f"the code of {reference.path}, and its output"
            fix = "close the fences above this line, and move them out of the way"
            yield page.problem(reference.line, what, expected, found or "nothing is run", fix)


def _failure(script: str, block: CodeBlock, result: Result) -> tuple[str, str, str, str] | None:
    """The error of a block's run, the expected and found output, and the fix."""
    if result.refusal:
        # By its name in the book, not the name of the file that was run.
        problem = refused(script, result)
        found = problem.found.replace(result.path, script)
        what = f"{script}, line {problem.line}: {problem.what}"
        return what, problem.expected, found, problem.fix
    # A page does not show which line ends there are, nor how many after the last line.
    texts = (block.expected_output, one_line_end(result.stdout))
    shown, printed = (text.rstrip("\n") + "\n" for text in texts)
    if same_but_for_rounding(shown, printed, dtype_of_results(block.code)):
        return None
    line, said, printed = first_different_line(shown, printed)
    return (
        f"{script} prints something else than the page shows, in line {line} of the output",
        f"{said}    (the page)",
        f"{printed}    (what it prints now)",
        f"if the new output is right: proofbook update {script}",
    )
