"""Inside the process of one script: runs it with other numbers in it, once for each.

All runs share a process, as starting one takes longer than a run. So that none can depend on what
another has left behind, each is done twice, in the opposite order, and must be the same.
"""

from __future__ import annotations

import contextlib
import gc
import io
import sys
from collections.abc import Callable, Sequence

from gradtrace.recording.execute import execute
from gradtrace.recording.failure import format_failure
from gradtrace.recording.recorder import Recorder
from gradtrace.trace import format_trace

Variant = tuple[str, str]
"""What one of the runs printed, and its recording, or the figure that it has drawn."""

Drawn = Callable[[bool], str | None]
"""Gives what a run has drawn, if that is wanted, and has the next one begin anew."""


class NotRecorded(Exception):
    """The recorder has failed; its text is what the recorder says of that."""


class NotRepeatable(Exception):
    """Two runs with the same numbers differ."""


def run_variants(
    script: str, sources: Sequence[tuple[str, str]], drawn: Drawn | None
) -> list[Variant]:
    """Run each of the `sources`, texts for the file `script`, each after a word on what is
    different in it ("w = -2.0"). An error of the script has that word as its note.

    Each is recorded; where there is `drawn`, it gives what a run has drawn instead. As drawing
    takes longer than most runs, only what is run first is drawn again, after all others.
    """
    gc.freeze()  # what is there by now needs no collecting after each run
    first = [_run(script, *source, drawn) for source in sources]
    for n, (label, source) in reversed(list(enumerate(sources))):
        again = _run(script, label, source, drawn, wanted=n == 0)
        if again[0] != first[n][0] or again[1] not in (None, first[n][1]):
            raise NotRepeatable(f"two runs with {label} differ")
    return first


def _run(
    script: str, label: str, source: str, drawn: Drawn | None, wanted: bool = True
) -> tuple[str, str | None]:
    """A variant; without its figure where that is not `wanted`."""
    printed, main = io.StringIO(), sys.modules["__main__"]
    recorder = None if drawn else Recorder(script, source)
    try:
        with contextlib.redirect_stdout(printed), recorder or contextlib.nullcontext():
            execute(script, source=source)
    except Exception as error:
        error.add_note(f"(with {label})")
        raise
    finally:
        sys.modules["__main__"] = main
        gc.collect()
    if drawn:
        return printed.getvalue(), drawn(wanted)
    if failure := recorder.failure():
        raise NotRecorded(format_failure(failure))
    return printed.getvalue(), format_trace(recorder.trace())
