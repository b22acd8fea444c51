"""`gradtrace doctor FILE`: records a script, and prints what is wrong with its gradients.

The exit status is 0 if nothing was found but notes; 1 if there is an error or a warning, which the
failure of the script itself is too; 2 if the script could not be looked at.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from gradtrace.doctor.diagnosis import diagnose
from gradtrace.doctor.languages import LANGUAGES
from gradtrace.doctor.report import report, report_json
from gradtrace.errors import CommandError
from gradtrace.options import Options, script_path, seconds, steps_asked_for
from gradtrace.recording.script_runner import (
    FailedRun,
    Job,
    RecordedRun,
    ScriptProcess,
    UnbegunRun,
)
from gradtrace.run_failure import run_failure

PASSES = 30
"""So many backward passes show what is wrong, if it is from the first steps on."""
BOOK = "GRADTRACE_BOOK"
"""The variable of the environment that holds the address of the book."""
_FOUND, _NOT_LOOKED_AT = 1, 2


def examine(arguments: list[str]) -> int:
    """Run `gradtrace doctor` with these arguments; gives the exit status."""
    given = vars(_parser().parse_args(arguments))
    as_json, book, passes = given.pop("json"), given.pop("book"), given.pop("passes")
    script, module = given.pop("script"), given.pop("module")
    name, *rest = module or script or [""]
    if not name:
        _parser().error("which script? gradtrace doctor train.py")
    options = Options(**{"module" if module else "file": name}, **given, arguments=tuple(rest))
    try:
        run, status = _recorded(options, passes, as_json)
        if isinstance(run, FailedRun):
            raise run_failure(options, run)
    except CommandError as error:
        print(error, file=sys.stderr)
        return _NOT_LOOKED_AT
    words = LANGUAGES[options.page_language].WORDS
    if isinstance(run, UnbegunRun):
        key = "never_step" if options.steps else "never_error"
        print(words[key].format(first=options.steps, steps=run.steps), file=sys.stderr)
        return status
    if run.began and run.began.steps:
        print(words["began"].format(step=run.began.steps + 1), file=sys.stderr)
    findings = diagnose(run.trace)
    seen = any(event["k"] in ("backward", "step", "error") for event in run.trace.events)
    if not (seen or findings):
        print(_nothing_seen(options, run), file=sys.stderr)
        return _NOT_LOOKED_AT
    write = report_json if as_json else report
    print(write(run.trace, findings, options.page_language, Path(run.script).name, book))
    if any(finding.level != "note" for finding in findings):
        return _FOUND
    return status if run.end in ("end", "exit") else 0


def _nothing_seen(options: Options, run: RecordedRun) -> CommandError:
    """The error of a script that neither computed gradients nor used any."""
    what, expected = "there is nothing to look at", "a backward pass, or a step of an optimizer"
    found, mend = "neither", "call loss.backward() in what the script runs, in its main thread"
    if run.end == "exit":
        found = f"neither; it left with sys.exit (line {run.line})"
        mend = "see what it printed above, and give it the arguments and files that it needs"
    return CommandError(options.name, 1, what, expected, found, mend)


def _recorded(
    options: Options, passes: int, as_json: bool
) -> tuple[RecordedRun | UnbegunRun | FailedRun, int]:
    """What was recorded, and the exit status of the script, which ends once it is enough."""
    steps = steps_asked_for(options)
    has_end = options.until or (steps and steps[1])
    job = Job(
        *(str(script_path(options.file)) if options.file else "", options.module),
        arguments=options.arguments,
        passes=None if has_end else passes,
        steps=steps,
        until=options.until,
        stop=True,
        name=options.file,
        limit=options.limit,
        health=True,
    )
    with ScriptProcess(job, stdout=sys.stderr if as_json else None) as process:
        run = process.recorded()
        return run, process.wait()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gradtrace doctor",
        usage="gradtrace doctor [options] (train.py | -m package.module) [arguments of the script]",
        description="Record a script and print what is wrong with its gradients, and where."
        " The exit status is 0 if nothing is, 1 if something is, 2 if it could not be looked at.",
    )
    text = "the script with its arguments, for example train.py --epochs 1"
    parser.add_argument("script", nargs=argparse.REMAINDER, help=text)
    text = "run a module, as python -m does"
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help=text)
    text = "print JSON, and what the script prints to stderr"
    parser.add_argument("--json", action="store_true", help=text)
    text = "instead of that of your terminal"
    parser.add_argument("--language", choices=tuple(LANGUAGES), help=text)
    text = f"look at so many backward passes (default: {PASSES}), then end the script"
    parser.add_argument("--passes", type=_count, default=PASSES, metavar="N", help=text)
    begin = parser.add_mutually_exclusive_group()
    text = "look at the steps of the optimizer from this one on: 500, or 500-510"
    begin.add_argument("--steps", metavar="N[-M]", help=text)
    text = "look at the last steps before the script fails"
    begin.add_argument("--until", choices=("error",), help=text)
    text = "stop the script after so many seconds"
    parser.add_argument("--limit", type=seconds, metavar="SECONDS", help=text)
    text = f"the address of the book, for links to its pages (default: ${BOOK})"
    parser.add_argument("--book", default=os.environ.get(BOOK, ""), metavar="URL", help=text)
    return parser


def _count(text: str) -> int:
    """A number of passes, for argparse."""
    if text.isdecimal() and 0 < int(text) < 10**6:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
