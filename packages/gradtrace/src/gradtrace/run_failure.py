"""What is said where a script could not be recorded."""

from __future__ import annotations

from gradtrace.errors import CommandError
from gradtrace.options import Options
from gradtrace.recording.script_runner import FailedRun


def run_failure(options: Options, run: FailedRun) -> CommandError:
    """The error of a run without a trace."""
    plain = options.file or f"-m {options.module}"
    what, expected, mend = {
        "interrupted": (
            "it was interrupted before anything was recorded",
            "a script that ends, or that can be stopped",
            "run it again",
        ),
        "hangs": (
            "the script does not end",
            "a script that ends, or that can be stopped",
            "look for what it waits for",
        ),
        "no module": (
            "there is no such module",
            "a module or a package with a __main__, in this folder or installed",
            "name one, as python -m does: gradtrace -m package.train",
        ),
        "died": (
            "the process that records ended too early",
            "a script that ends, or that can be stopped",
            "see what it printed above; torch must be installed: pip install torch",
        ),
        "unrecordable": (
            "this script cannot be recorded",
            "a script that leaves the recorder in its place",
            "take out what sets a trace function (a debugger, coverage) or recurses very deep",
        ),
        "fault": (
            f"the recorder of gradtrace failed, and not {options.name}",
            "a recorder that knows the installed PyTorch",
            f"update gradtrace, or take an older PyTorch; python {plain} runs as ever",
        ),
    }[run.why]
    return CommandError(run.file or options.name, run.line, what, expected, run.found, mend)
