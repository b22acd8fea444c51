"""`gradtrace doctor FILE`: records a script, and prints what is wrong with its gradients.

The exit status is 0 if there are only notes; 1 if there is an error or a warning, which the
failure of the script itself is too; 2 if the script could not be examined.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from gradtrace.doctor import Run, diagnose, in_order, report, report_json
from gradtrace.doctor.ranks import Ranks, compared, told_once
from gradtrace.doctor.report import rank_names
from gradtrace.options import (
    CommandError,
    Options,
    add_book,
    parsed,
    parser_of_script,
    script_path,
    steps_asked_for,
)
from gradtrace.recording.runner import (
    FailedRun,
    Job,
    RecordedRun,
    ScriptProcess,
    UnbegunRun,
)
from gradtrace.run_notes import end_note, nothing_seen, run_failure
from gradtrace.words import REPORT_WORDS

PASSES = 30
"""The number of backward passes that show an error that is there from the first steps on."""
_FOUND, _NOT_LOOKED_AT = 1, 2


def examine(arguments: list[str]) -> int:
    """Run `gradtrace doctor` with these arguments; returns the exit status."""
    given = parsed(_parser(), arguments)
    as_json, book, passes = given.pop("json"), given.pop("book"), given.pop("passes")
    options = Options(**given)
    try:
        here = Ranks.here()
        run, status = _recorded(options, passes, as_json)
        if here and here.own != here.first:
            here.hand_over(run.trace if isinstance(run, RecordedRun) else None)
        if isinstance(run, FailedRun):
            raise run_failure(options, run)
    except CommandError as error:
        print(error, file=sys.stderr)
        return _NOT_LOOKED_AT
    words = REPORT_WORDS[options.page_language]
    if isinstance(run, UnbegunRun):
        key = "never_step" if options.steps else "never_error"
        print(words[key].format(first=options.steps, steps=run.steps), file=sys.stderr)
        return status
    if here and here.own != here.first:
        return status  # if the script failed, torchrun ends the others
    if run.began and run.began.steps:
        print(words["began"].format(step=run.began.steps + 1), file=sys.stderr)
    looked_up, script = Run(run.trace), Path(run.script).name
    if here is None:
        findings = diagnose(looked_up)
    else:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # torchrun's, as another rank has failed
        runs = here.gather(looked_up)
        found = told_once({rank: diagnose(each) for rank, each in runs.items()})
        findings = in_order([*found, *compared(runs)])
        script += "" if as_json else f" ({rank_names(words, list(runs))})"
    seen = any(event["k"] in ("backward", "step", "error") for event in run.trace.events)
    if not (seen or findings):
        what, expected = "there is nothing to look at", "a backward pass, or a step of an optimizer"
        print(nothing_seen(options, run, what, expected, "neither"), file=sys.stderr)
        return _NOT_LOOKED_AT
    write = report_json if as_json else report
    print(write(looked_up, findings, options.page_language, script, book))
    if run.end != "enough":
        for note in end_note(run, options.limit, options.page_language):
            print(note.replace("`", ""), file=sys.stderr)
    if any(finding.level != "note" for finding in findings):
        return _FOUND
    return status if run.end in ("end", "exit", "left", "terminated") else 0


def _recorded(
    options: Options, passes: int, as_json: bool
) -> tuple[RecordedRun | UnbegunRun | FailedRun, int]:
    """The recording and the exit status of the script, which is stopped once enough is recorded."""
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
        outlines=True,
    )
    with ScriptProcess(job, stdout=sys.stderr if as_json else None) as process:
        run = process.recorded()
        return run, process.wait()


def _parser() -> argparse.ArgumentParser:
    parser = parser_of_script(
        "gradtrace doctor",
        description="Record a script and print what is wrong with its gradients, and where."
        " The exit status is 0 if nothing is, 1 if something is, 2 if it could not be looked at.",
    )
    text = "print JSON, and what the script prints to stderr"
    parser.add_argument("--json", action="store_true", help=text)
    text = f"look at so many backward passes (default: {PASSES}), then end the script"
    parser.add_argument("--passes", type=_count, default=PASSES, metavar="N", help=text)
    begin = parser.add_mutually_exclusive_group()
    text = "look at the steps of the optimizer from this one on: 500, or 500-510"
    begin.add_argument("--steps", metavar="N[-M]", help=text)
    text = "look at the last steps before the script fails"
    begin.add_argument("--until", choices=("error",), help=text)
    add_book(parser)
    return parser


def _count(text: str) -> int:
    """A number of passes, for argparse."""
    if text.isdecimal() and 0 < int(text) < 10**6:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
