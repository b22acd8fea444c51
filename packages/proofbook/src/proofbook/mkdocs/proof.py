"""The end of a build: writes what all editions share, and says what holds and what does not."""

from __future__ import annotations

import logging
from pathlib import Path

from mkdocs.exceptions import Abort, PluginError

from proofbook import pipeline
from proofbook.cli import summary
from proofbook.cli.progress import showing_progress
from proofbook.export import downloads
from proofbook.html import math_font
from proofbook.mkdocs.kept import digest
from proofbook.mkdocs.material import show_problems
from proofbook.mkdocs.session import Session
from proofbook.model.problem import without_duplicates
from proofbook.run.runner import RunnerError

log = logging.getLogger("mkdocs.proofbook")


def write_shared_files(session: Session, site: Path) -> None:
    """Write the scripts, and the font of the formulas, into the folder of the site."""
    book, letters = session.book, frozenset().union(*session.findings.letters.values())
    for language in book.config.codes:
        downloads.write_scripts(book, language, site / book.config.prefix(language))
    if not letters:
        return
    made_from = digest(*sorted(letters))
    font = session.kept.get("font", made_from)
    if font is None:
        font = math_font.font(letters)
        session.kept.put("font", made_from, font)
    for language in book.config.codes:
        folder = site / book.config.prefix(language)
        if folder.is_dir():
            (folder / math_font.FILE).write_bytes(font)


def prove(session: Session, site: Path, warned: Abort | None) -> None:
    """Say what holds and what doesn't, once all editions are built.

    Raises `PluginError` where something doesn't; in a site that is served, its pages say it
    instead. `warned`: how a strict build ends that had warnings; it is raised after that.
    """
    try:
        outcome = pipeline.finish(session.started, showing_progress)
    except RunnerError as error:
        raise PluginError(str(error)) from error
    extra = [problem for found in session.findings.problems.values() for problem in found]
    problems = without_duplicates([*outcome.problems, *extra])
    if outcome.warnings:  # not as a warning of MkDocs, which would stop a strict build
        log.info(summary.format_warnings(outcome.warnings))
    if session.serving:
        if problems:
            log.error(summary.format_failures(problems))
            show_problems(problems, site, session.book.config)
        log.info(summary.format_recheck(outcome, len(problems)))
    elif problems:
        text = summary.format_failures(problems)
        raise PluginError(f"the book does not hold; the last good site stays\n\n{text}")
    elif not warned:
        log.info(summary.format_success(outcome))
    if warned:
        raise warned
