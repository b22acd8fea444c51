"""Performs the commands that `__main__` reads."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from proofbook import pipeline, summary
from proofbook.check.attacks import READ_TESTS
from proofbook.check.files import MODULE_NAMES
from proofbook.check.languages import NONE_OF_THESE, PARTED
from proofbook.content.questions import NO_QUESTION
from proofbook.content.report import unproved
from proofbook.content.torch_versions import wrong_differences
from proofbook.directives.registry import read_with_results, traced_scripts, varied_scripts
from proofbook.directives.varied_figure import values_of, variants_of_scripts
from proofbook.export.offline import ExportError, offline
from proofbook.export.pdf import pdf
from proofbook.model.book import Book, read_book
from proofbook.model.cache import Store
from proofbook.model.config import FILE, in_language, read_config
from proofbook.model.page import name_of, stem_of
from proofbook.model.problem import (
    Problem,
    Unproved,
    errors,
    format_problems,
    warnings,
    without_duplicates,
)
from proofbook.model.snippet import output_file, snippets_on_page
from proofbook.model.sources import Revision, base_revision
from proofbook.other_python import drill, write_record
from proofbook.run.runs import Runs
from proofbook.run.shake import fragile, with_torch
from proofbook.run.update import record
from proofbook.summary import counted

_SNIPPET = """\
x = 3
print("twice:", 2 * x)
"""

_PAGES = {
    "zh": """\
# {title} {{ #{anchor} }}

第一句话回答读者的问题。

::: {script}
    highlight: 2 * x

## 为什么 {{ #why }}

写出推导，让读者能自己算一遍。
""",
    "en": """\
# {title} {{ #{anchor} }}

The first sentence answers the reader's question.

::: {script}
    highlight: 2 * x

## Why {{ #why }}

Give the derivation, so that a reader can do the sum.
""",
}


_UNPROVED_LINE = re.compile(r"#|\||\s+(?:alt|caption):|.*\*\*")
"""Headings, rows of tables, what figures say, what is in bold."""


def perform(options: argparse.Namespace, root: Path, store: Store, runs: Runs) -> int:
    """Perform the command given by the `options`; returns the exit status.

    `runs` and `store` belong to the book in `root`. Raises `Unproved` or `RunnerError`.
    """
    if options.command == "new":
        return _new(root, options.name, options.language)
    if make := {"offline": offline, "pdf": pdf}.get(options.command):
        return _export(make, root, options.out)
    fresh = options.command == "check" and options.fresh
    book = read_book(root) if fresh else read_with_results(root, store)
    if options.command == "ready":
        return _ready(book, store, runs)
    chosen = _chosen(book, options.paths)
    if options.command == "unproved":
        return _unproved(book, chosen[0])
    if options.command == "check" and options.python:
        return _drill(book, options, chosen[1])
    if options.command == "check":
        return _check(book, *chosen, store, runs, named=bool(options.paths))
    if options.command == "shake":
        return _shake(book, chosen[1])
    return _update(book, chosen[1])


def _export(make: Callable[..., Path], root: Path, out: Path | None) -> int:
    try:
        print(make(root, out or root / "dist", _progress))
    except ExportError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _check(
    book: Book, files: set[str], scripts: list[str], store: Store, runs: Runs, named: bool
) -> int:
    outcome = _outcome(book, scripts, store, runs)
    return _print(outcome.of(files) if named else outcome)


def _outcome(
    book: Book, scripts: list[str], store: Store, runs: Runs, since: Revision | None = None
) -> pipeline.Outcome:
    started = pipeline.start(book, runs, scripts=scripts)
    outcome = pipeline.finish(started, summary.showing_progress, since=since)
    store.save_memo(book)
    runs.save(store)
    return outcome


def _print(outcome: pipeline.Outcome) -> int:
    """Print problems and warnings, or what holds; returns the exit status."""
    if outcome.warnings:
        print(summary.format_warnings(outcome.warnings), file=sys.stderr)
    if outcome.problems:
        print(summary.format_failures(outcome.problems), file=sys.stderr)
        return 1
    print(summary.format_success(outcome))
    return 0


def _ready(book: Book, store: Store, runs: Runs) -> int:
    """Check what differs from the main branch, and say which of it only a person can judge."""
    revision = base_revision(book.root, branch=True)
    changed = sorted(revision.files if revision else ())
    if not changed:
        print("nothing differs from the main branch")
        return 0
    known = [file for file in changed if file in book.sources]
    if known:
        files, scripts = _chosen(book, known)
        outcome = _outcome(book, scripts, store, runs, revision).of(files)
        found = without_duplicates([*outcome.problems, *outcome.warnings])
        later = [problem for problem in found if _can_wait(problem, changed)]
        own = [problem for problem in found if problem not in later]
        if later:
            rows = [f"  {problem.file}:{problem.line}: {problem.what}" for problem in later]
            print("\n".join(["for a maintainer, who sees to it later:", *rows]), file=sys.stderr)
        if _print(replace(outcome, problems=errors(own), warnings=warnings(own))):
            return 1
    python = [file for file in changed if file.endswith(".py") and (book.root / file).exists()]
    ruff = shutil.which("ruff") if python else None
    for command, fix in (("check", "check --fix"), ("format --check", "format")):
        done = ruff and subprocess.run([ruff, *command.split(), "-q", *python], cwd=book.root)
        if done and done.returncode:
            print(f"  fix:      ruff {fix} {' '.join(python)}", file=sys.stderr)
            return 1
    if read := [row for file in known for row in _only_read(book, revision, file)]:
        print("\n".join(["no run proves these; read them once more:", *read]))
    print(f"ready to send: {counted(changed, 'file')}")
    return 0


def _can_wait(problem: Problem, changed: Collection[str]) -> bool:
    """Whether somebody else does it: who writes the other language, or knows the tests.

    What was added to one language can wait; a number that is another than in the other cannot.
    """
    in_two_languages = len(problem.pages) == 2 and len(set(map(stem_of, problem.pages))) == 1
    alone = in_two_languages and len(set(problem.pages) & set(changed)) == 1
    adds = problem.file in changed and problem.expected.endswith(NONE_OF_THESE)
    adds |= problem.severity == "warning" or problem.what == PARTED
    return (alone and adds) or problem.what.endswith((READ_TESTS, NO_QUESTION))


def _only_read(book: Book, revision: Revision, file: str) -> Iterator[str]:
    """The new lines of a page of a kind that no check proves, each with its place."""
    if file not in book.page_files:
        return
    before = Counter((revision.text(file) or "").splitlines())
    printed = "\n".join(run.text for run in book.fact(snippets_on_page, file))
    for number, line in enumerate(book.text(file).splitlines(), start=1):
        title = re.fullmatch(r"#+ (.*?)(?: \{.*\})?", line)
        if title and title[1].strip("` ") in printed:
            continue  # the message that a run raises
        if not before[line] and _UNPROVED_LINE.match(line):
            yield f"  {file}:{number}: {line.strip()}"


def _update(book: Book, scripts: list[str]) -> int:
    traced = book.fact(traced_scripts)
    varied = book.fact(varied_scripts)
    asked = {
        script: (varied[script], values_of(varied[script]), variants)
        for script, variants in variants_of_scripts(book, varied).items()
    }
    differences, problems, same = record(book.root, scripts, traced, asked)
    for difference in differences:
        print(difference, end="\n\n")
    changed = [s for s in scripts if any(output_file(s) in text for text in differences)]
    tried = with_torch(book.root, changed)
    if unsteady := fragile(book.root, tried) if tried else []:
        _report(unsteady)
    pages = dict.fromkeys(page for script in changed for page in book.pages_showing(script))
    read = f" Read what shows them: {', '.join(pages)}" if pages else ""
    print(f"{counted(differences, 'output')} recorded, {same} as before.{read}")
    if problems:
        _report(problems)
    return 1 if problems else 0


def _report(problems: list[Problem]) -> None:
    """Print problems after something else was changed."""
    print(format_problems(problems).removesuffix(" Nothing was changed."), file=sys.stderr)


def _shake(book: Book, scripts: list[str]) -> int:
    scripts = with_torch(book.root, scripts)
    problems = fragile(book.root, scripts) if scripts else []
    if problems:
        print(format_problems(problems), file=sys.stderr)
        return 1
    print(
        f"{counted(scripts, 'snippet')} with PyTorch: the same numbers wherever results are rounded"
        " otherwise."
    )
    return 0


def _drill(book: Book, options: argparse.Namespace, scripts: list[str]) -> int:
    """Compare another PyTorch with the recorded outputs, and record its outputs if requested."""
    found = drill(book, options.python, scripts, not options.paths, summary.showing_progress)
    if found.problems:
        print(summary.format_failures(found.problems), file=sys.stderr)
    print(summary.format_drill(found))
    if not options.record:
        return 1 if found.problems else 0
    print(f"recorded in {write_record(book, found.record)}")
    if without := errors(wrong_differences(book.reopened())):
        _report(without)
    return 1 if without else 0


def _unproved(book: Book, files: set[str]) -> int:
    pages = [page for page in book.pages if page.file in files]
    found = [(page, equality) for page in pages for equality in unproved(book, page.file)]
    for page, equality in found:
        print(f"{page.file}:{page.line_of(equality.place)}: {equality}")
    print(
        f"{counted(found, 'equation')} on {counted(pages, 'page')}: neither evaluated nor refuted."
    )
    return 0


def _new(root: Path, name: str, language: str | None) -> int:
    script, *pages = _create_page(root, name, language)
    try:
        _, problems, _ = record(root, [script])
        if problems:
            raise Unproved(problems)
    except BaseException:  # no page without a proof remains after an error
        for file in (script, *pages):
            (root / file).unlink()
        raise
    output = output_file(script)
    page = f"{name_of(pages[0])}.md"
    steps = [
        f"write the snippet, then: proofbook update {script}",
        "write the page" if len(pages) == 1 else "write the pages",
        f"add {page} to the nav of mkdocs.yml",
        "proofbook ready",
    ]
    print("\n".join(["started:", *(f"  {file}" for file in [script, output, *pages])]))
    print("\n".join(["now:", *(f"  {number}. {step}" for number, step in enumerate(steps, 1))]))
    return 0


def _create_page(root: Path, name: str, only: str | None) -> list[str]:
    """Write `snippets/<topic>/<name>.py` and its page in each language; returns the files written.

    `only`: the only language in which to write the page.

    In a book of one language whose first page is `docs/index.md`, the page's file has no language
    code either. Raises `Unproved` if the name is invalid or one of the files exists; then nothing
    is written.
    """
    name = name.removeprefix("snippets/").removesuffix(".py").replace("-", "_")
    problems = []
    page = name.replace("_", "-")
    script = f"snippets/{name}.py"
    expected = ""
    if not re.fullmatch(r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*", name):
        expected = "<topic>/<name> of small letters, digits and _: sharing/two_inputs"
    elif name.split("/")[1] in MODULE_NAMES:
        expected = "a name that no Python module has"
    if expected:
        fix = "proofbook new <topic>/<name>"
        problems.append(Problem(script, 1, "this name will not do", expected, name, fix))
    title = page.split("/")[-1].replace("-", " ").capitalize()
    texts = {script: _SNIPPET}
    codes = read_config(root).codes
    plain = len(codes) == 1 and (root / "docs/index.md").is_file()
    if only and only not in codes:
        what, fix = "the book has no such language", f"proofbook new {name}"
        problems.append(Problem(FILE, 1, what, " or ".join(codes), only, fix))
    for language in (only,) if only else codes:
        file = f"docs/{page}.md" if plain else f"docs/{page}.{language}.md"
        texts[file] = in_language(_PAGES, language).format(
            title=title, anchor=page.split("/")[-1], script=script
        )
    for file in (*texts, f"snippets/{name}.out"):
        if (root / file).exists():
            problems.append(
                Problem(file, 1, "the file exists", "no such file", file, "take another name")
            )
    if problems:
        raise Unproved(problems)
    for file, text in texts.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8", newline="\n")
    return list(texts)


def _chosen(book: Book, paths: list[str]) -> tuple[set[str], list[str]]:
    """The files that `paths` name, with all related files, and the scripts among them.

    A page includes its snippets; a snippet includes its output and the pages that show it.
    """
    pages = {page.file: {r.path for r in page.references} for page in book.pages}
    known = set(book.sources)
    files: set[str] = set()
    for path in paths or ["."]:
        # From the current folder of the command, or from the root of the book.
        here = Path(path).resolve()
        place = here if here.exists() and here.is_relative_to(book.root) else book.root / path
        name = place.relative_to(book.root).as_posix() if place.is_relative_to(book.root) else path
        found = {f for f in known if name in (f, ".") or f.startswith(name + "/")}
        if not found:
            expected, fix = "a page, a snippet or a folder", "proofbook check (without a path: all)"
            what = "this names nothing in the book"
            raise Unproved([Problem(path, 1, what, expected, "no such file", fix)])
        files |= found
    named = {re.sub(r"\.(?:out|trace|varied)$", ".py", file) for file in files}
    shown = {script for page in files & pages.keys() for script in pages[page]}
    scripts = (named | shown) & set(book.scripts)
    files |= {user for script in named & scripts for user in book.pages_showing(script)}
    stems = {script.removesuffix(".py") for script in scripts}
    files |= scripts | {stem + end for stem in stems for end in (".out", ".trace", ".varied")}
    return files, sorted(scripts)
