"""Runs a script once for each value of its numbers, each time in a process of its own."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace

from gradtrace.errors import CommandError
from gradtrace.graph.excerpt import can_be_drawn
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.narrate.run_notes import finished_trace
from gradtrace.options import Options
from gradtrace.recording.script_runner import (
    FailedRun,
    Job,
    RecordedRun,
    ScriptProcess,
    UnbegunRun,
)
from gradtrace.render.several_runs import PlayedRun, VariedRuns
from gradtrace.render.varied import VariedNumber
from gradtrace.vary.variation import WrongVariation, points, variation_in, with_values

MAX_NUMBERS = 2
"""So many numbers of a script can be varied together."""
MAX_RUNS = 50
"""So often a script is run: each time it does all that it does, for as long as it takes."""


@dataclass(frozen=True)
class Variant:
    """A script with some of its numbers changed; `label` says which ("lr = 0.01")."""

    label: str
    source: str


@dataclass(frozen=True)
class VariedScript:
    """A script with all combinations of the values of its numbers, that of the last one changing
    fastest."""

    numbers: tuple[VariedNumber, ...]
    variants: tuple[Variant, ...]


def varied_script(options: Options, code: str) -> VariedScript:
    """The script that is asked for, whose text is `code`.

    Raises `CommandError` where a number cannot be varied, and `SyntaxError`.
    """
    numbers, variations, places = [], [], []
    for text in options.vary:
        try:
            variation, place = variation_in(code, text)
        except WrongVariation as error:
            raise _wrong(options, text, error) from error
        if place in places:
            error = WrongVariation("each number once", f"{variation.name} twice")
            raise _wrong(options, text, error)
        variations.append(variation)
        places.append(place)
        own = variation.own
        named = variation.name, place.label(variation.name)
        where = place.line, place.start, place.end
        numbers.append(VariedNumber(*named, *where, variation.values, own))
    if len(numbers) > MAX_NUMBERS:
        error = WrongVariation(f"at most {MAX_NUMBERS} numbers", f"{len(numbers)}")
        raise _wrong(options, options.vary[-1], error)
    try:
        combinations = points(variations, MAX_RUNS)
    except WrongVariation as error:
        mended = WrongVariation(error.expected, error.found, "take fewer values")
        raise _wrong(options, options.vary[-1], mended) from error
    names = [number.name for number in numbers]
    return VariedScript(
        tuple(numbers),
        tuple(
            Variant(
                ", ".join(f"{n} = {v}" for n, v in zip(names, values, strict=True)),
                with_values(code, places, values),
            )
            for values in combinations
        ),
    )


def _wrong(options: Options, text: str, error: WrongVariation) -> CommandError:
    what = f'--vary "{text}": this number cannot be varied'
    return CommandError(options.name, 1, what, error.expected, error.found, error.mend)


def run_variants(options: Options, job: Job, script: VariedScript, own: PlayedRun) -> VariedRuns:
    """Run the script with each combination of values but its own, of which there is a run already.

    What these runs print is not shown, but recorded; what they say on stderr is. Raises
    `CommandError` where one is interrupted.
    """
    phrases = LANGUAGES[options.page_language]
    which = VariedRuns(script.numbers, ()).own
    runs = []
    for index, variant in enumerate(script.variants):
        if index == which:
            runs.append(own)
            continue
        number = index + (index < which) + 1
        told = {"number": number, "count": len(script.variants), "label": variant.label}
        print(phrases["vary_run"].format(**told), file=sys.stderr, flush=True)
        changed = replace(job, source=variant.source)
        with open(os.devnull, "w") as nowhere, ScriptProcess(changed, nowhere) as process:
            run = process.recorded()
            process.wait()
            later = process.later_error()
        if "interrupted" in (getattr(run, "why", ""), getattr(run, "end", "")):
            raise _interrupted(options, f"run {number} of {len(script.variants)}")
        runs.append(_played(run, job, options.page_language, later, own))
    return VariedRuns(script.numbers, runs)


def _interrupted(options: Options, run: str) -> CommandError:
    what, expected = "it was interrupted before all runs were recorded", "runs that end"
    mend = "take fewer values, or end each run early: --stop, or --limit 60"
    return CommandError(options.name, 1, what, expected, f"Ctrl-C in {run}", mend)


def _played(
    run: RecordedRun | UnbegunRun | FailedRun,
    job: Job,
    language: str,
    later: str | None,
    own: PlayedRun,
) -> PlayedRun:
    phrases = LANGUAGES[language]
    nothing = phrases["vary_nothing"]
    if isinstance(run, FailedRun):
        return PlayedRun(None, "", [nothing, f"`{run.found}`"])
    if isinstance(run, UnbegunRun):
        return PlayedRun(None, "", [nothing, *([f"`{run.error}`"] if run.error else [])])
    trace, sentences = finished_trace(run, job, language)
    if later:
        sentences.append(phrases["later_error"].format(message=later))
    said = [sentence for sentence in sentences if sentence not in own.said]
    if can_be_drawn(trace):
        return PlayedRun(trace, trace.stdout, said)
    return PlayedRun(None, trace.stdout, [nothing, *said], run.line)
