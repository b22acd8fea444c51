"""In the process of one script: runs it like `python script.py`, then reports how it ended.

The server calls `run` in a fork, or starts a new interpreter: python -m proofbook.run.child FILE.
It imports nothing of proofbook, and the recorder of gradtrace only to record: a new interpreter
starts for a script as it starts for a reader.

Runs with other numbers share a process, as starting one takes longer than a run. To ensure that
none depends on the state left by another, each is done twice, in the opposite order, and must be
the same.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import faulthandler
import functools
import gc
import io
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from os import _exit, getpid  # names of our own: a script may patch those in `os`

from gradtrace.recording.script import execute


class _NotRecorded(Exception):
    """The recorder has failed; the text is its message."""


class NotRepeatable(Exception):
    """Two runs with the same numbers differ."""


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_MAKES = {"open": 0, "os.mkdir": 0, "os.rename": 1, "os.link": 1, "os.symlink": 1}
"""The audit events that create a file, and the index of their path argument."""

_DEVICES = "/dev/", "/proc/", "\\\\.\\"
"""The prefixes of paths that aren't files: on Windows, `os.devnull` is `\\\\.\
ul`.
"""


class _FileWatch:
    """An audit hook that notes the files created by a script, each with the line."""

    def __init__(self, script: str):
        self.active = True
        self.lines: dict[str, int] = {}
        self._script = script
        cache = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
        # PyTorch's own files there don't count.
        self._passed_over = (*_DEVICES, cache) if cache else _DEVICES

    def __call__(self, event: str, args: tuple) -> None:
        if not self.active or event not in _MAKES:
            return
        # A descriptor instead of a path, or a working directory that is gone: nothing to note.
        with contextlib.suppress(TypeError, ValueError, OSError):
            if event != "open" or args[2] & _WRITING:
                path = os.path.abspath(os.fsdecode(args[_MAKES[event]]))
                in_folder = event == "open" and os.path.isdir(path)  # as `tempfile` opens one
                if not (in_folder or path.startswith(self._passed_over)):
                    self.lines.setdefault(path, _current_line(self._script))


def run(asked: Mapping, report: str, limit: float) -> None:
    """Run the request, write a report to the file `report`, and end the process; never returns.

    `asked`: the request that the server has read. The report is a JSON object: `error` (type, text
    and line, or None), `line` of a `sys.exit`, `threads` that did not end, `files` with the lines
    that created them, `figures` as SVG. A script that dies early leaves none. After `limit`
    seconds, the current line of the script is noted in `report + ".trace"`. With `trace`, the
    recorder watches it run, and saves the recording as `report + ".recording"`. Meanwhile a
    `machine` is imitated. With `variants` (labelled texts) these are run instead, and their
    outputs, with their recordings or else their figures, are saved as `report + ".variants"`.
    """
    script, record, variants = asked["script"], asked["trace"], asked["variants"]
    imitated = contextlib.nullcontext()
    if asked["machine"]:
        from proofbook.run.runner import Machine

        imitated = Machine(**asked["machine"]).imitated()
    pid, began, recording = getpid(), time.monotonic(), f"{report}.recording"
    recorder = _recorder(script, recording) if record and not variants else None
    die_with_parent()
    trace = open(report + ".trace", "w")  # noqa: SIM115  open until the process ends
    faulthandler.enable(trace)
    left = max(0.05, limit - (time.monotonic() - began))  # importing the recorder took some time
    faulthandler.dump_traceback_later(left, file=trace)
    watch = _FileWatch(script)
    sys.addaudithook(watch)
    sys.dont_write_bytecode = True
    sys.argv = [script]
    sys.path[0] = os.getcwd()  # empty: a copied script has no neighbouring modules
    code, line, error, figures, given = 0, 0, None, [], []
    try:
        if variants:
            drawn = None if record else functools.partial(_only_figure, watch)
            given = _run_variants(script, variants, drawn, recording)
        else:
            with imitated, recorder or contextlib.nullcontext():
                execute(script)
        watch.active = False  # the font search isn't the script's doing
        figures = _figures()
        watch.active = True
    except SystemExit as end:
        code, line = _status(end), _last_line(end, script)
    except BaseException as raised:
        code, error = 1, _error_report(raised, script)
        if getpid() != pid:
            traceback.print_exception(raised)
    threads: list[str] = []
    try:
        threads = _shut_down()
    except Exception as raised:
        code, error = 1, error or _error_report(raised, script)
    watch.active = False
    if getpid() != pid:  # the script forked, and this is the copy: it must not write the report
        _exit(code)
    faulthandler.cancel_dump_traceback_later()
    if recorder:
        recorder.save(recording)
    if given:
        _write(f"{report}.variants", json.dumps(given))
    files = [(path, line) for path, line in watch.lines.items() if os.path.exists(path)]
    found = {"error": error, "line": line, "threads": threads, "files": files, "figures": figures}
    _write(report, json.dumps(found))
    _exit(code)


def _recorder(script: str, recording: str):
    """The recorder of a script; if there can't be one, the file says why, and the script runs."""
    try:
        from gradtrace.recording.recorder import Recorder

        return Recorder(script)
    except Exception as error:
        from gradtrace.recording.script import failure_of_recorder, format_failure

        _write(recording, format_failure(failure_of_recorder(error)))
        return None


def _run_variants(
    script: str,
    variants: Sequence[tuple[str, str]],
    drawn: Callable[[bool], str | None] | None,
    recording: str,
) -> list[tuple[str, str]]:
    """The output of each of the `variants`, with its recording, or the figure that `drawn` returns;
    the output of the first is printed. If the recorder fails, the file `recording` says why.

    An error of the script has its variant's label as a note. As drawing takes longer than most
    runs, only the first one is drawn again, after all others.
    """
    gc.freeze()  # existing objects need no collecting after each run
    try:
        first = [_run_variant(script, *variant, drawn) for variant in variants]
        for n, (label, source) in reversed(list(enumerate(variants))):
            again = _run_variant(script, label, source, drawn, wanted=n == 0)
            if again[0] != first[n][0] or again[1] not in (None, first[n][1]):
                raise NotRepeatable(f"two runs with {label} differ")
    except _NotRecorded as failure:
        _write(recording, str(failure))
        return []
    print(first[0][0], end="")
    return first


def _run_variant(
    script: str,
    label: str,
    source: str,
    drawn: Callable[[bool], str | None] | None,
    wanted: bool = True,
) -> tuple[str, str | None]:
    """The output and the figure or recording of a variant; without its figure unless `wanted`."""
    from gradtrace.recording.recorder import Recorder
    from gradtrace.recording.script import format_failure
    from gradtrace.trace import format_trace

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
        raise _NotRecorded(format_failure(failure))
    return printed.getvalue(), format_trace(recorder.trace())


def _write(file: str, text: str) -> None:
    with open(file, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def die_with_parent() -> None:
    """Let the kernel kill this process with its parent: otherwise it would run on."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL


def _figures() -> list[str]:
    """The script's Matplotlib figures, as SVG; at exit Python closes them."""
    pyplot, drawn = sys.modules.get("matplotlib.pyplot"), []
    for number in pyplot.get_fignums() if pyplot else ():
        text = io.StringIO()
        pyplot.figure(number).savefig(text, format="svg", metadata={"Date": None})
        drawn.append(text.getvalue())
    return drawn


def _only_figure(watch: _FileWatch, wanted: bool) -> str | None:
    """The only figure of a run of the script, "" if there isn't one, or None if it is not wanted;
    figures are closed for the next run."""
    watch.active = False
    figures = _figures() if wanted else []
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
    watch.active = True
    return (figures[0] if len(figures) == 1 else "") if wanted else None


def _shut_down() -> list[str]:
    """Python's shutdown: wait for threads, run the handlers of atexit, destroy the objects of the
    script, flush the streams. Returns the names of threads that are still running."""
    _unfinished_threads(daemons=False)
    atexit._run_exitfuncs()
    sys.modules.pop("__main__", None)
    gc.collect()
    threads = _unfinished_threads(daemons=True)
    for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__):
        if not getattr(stream, "closed", stream is None):
            stream.flush()
    return threads


def _unfinished_threads(daemons: bool, grace: float = 0.5) -> list[str]:
    """The threads that do not end within `grace` seconds: those of a DataLoader need a moment."""
    end = time.monotonic() + grace
    while True:
        threads = [t for t in threading.enumerate() if t is not threading.main_thread()]
        names = [t.name for t in threads if daemons or not t.daemon]
        if not names or time.monotonic() > end:
            return names
        time.sleep(0.002)


def _status(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return (end.code or 0) & 0xFF
    print(end.code, file=sys.stderr)
    return 1


def _error_report(raised: BaseException, script: str) -> dict:
    line = _last_line(raised, script)
    if isinstance(raised, SyntaxError) and raised.filename == script:
        line = raised.lineno or 0
    text = "".join(traceback.format_exception_only(raised)).strip()
    return {"type": type(raised).__name__, "text": text, "line": line}


def _last_line(raised: BaseException, script: str) -> int:
    """The innermost line of the script that the error passed through; 0 if there is none."""
    lines = [f.lineno for f in traceback.extract_tb(raised.__traceback__) if f.filename == script]
    return lines[-1] if lines else 0


def _current_line(script: str) -> int:
    """The line of the script that is being executed; 0 if there is none."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename == script:
            return frame.f_lineno
        frame = frame.f_back
    return 0


def main(file: str) -> None:
    """Perform the request in a file, with its `report` and its `deadline`, a time of day."""
    with open(file, encoding="utf-8") as stream:
        asked = json.load(stream)
    run(asked, asked["report"], max(0.05, asked["deadline"] - time.time()))


if __name__ == "__main__":
    main(sys.argv[1])
