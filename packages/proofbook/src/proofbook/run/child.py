"""In the process of one script: runs it like `python script.py`, then reports how it ended.

The server calls `run` in a fork, or starts a new interpreter: python -m proofbook.run.child FILE.
It imports nothing of proofbook, and the recorder of gradtrace only to record: a new interpreter
starts for a script as it starts for a reader.

Runs with other numbers share a process, as starting one takes longer than a run: `proofbook update`
does them again in the opposite order, so that none depends on the state left by another.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import faulthandler
import gc
import io
import json
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from os import _exit, getpid, waitpid  # names of our own: a script may patch those in `os`

from gradtrace.recording.script import execute


class _NotRecorded(Exception):
    """The recorder has failed; the text is its message."""


FILE_LIMIT = 1 << 26
"""The maximum size of a file written by a script, in bytes."""
MEMORY_LIMIT = 8 << 30
"""The memory that a script may ask for, in bytes; what it shares with others doesn't count."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_MAKES = {"open": 0, "os.mkdir": 0, "os.rename": 1, "os.link": 1, "os.symlink": 1}
"""The audit events that create a file, and the index of their path argument."""

_DEVICES = "/dev/", "/proc/", "\\\\.\\"
"""The prefixes of paths that aren't files: the last is that of `os.devnull` on Windows."""


class _FileWatch:
    """An audit hook that notes the files created by a script, each with the line."""

    def __init__(self, script: str):
        self.active = True
        self.lines: dict[str, int] = {}
        self._script = script
        cache = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
        # PyTorch's own files there don't count.
        own = (cache, os.path.realpath(cache)) if cache else ()
        self._passed_over = (*_DEVICES, *own)

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


def run(asked: Mapping) -> None:
    """Perform the request, write a report to the folder of the run, and end the process.

    `asked`: the request that the server has read, with the `folder` and the `deadline`, a time of
    day. The report is a JSON object: `error` (type, text and line, or None), `line` of a
    `sys.exit`, whether standard input was `read`, `threads` and `processes` that did not end,
    `files` with the lines that created them, `figures` as SVG. A script that dies early leaves
    none. At the deadline, the current line of the script is noted in the file `stopped`. With
    `trace`, the recorder watches it run, and saves the `recording`. With a `seed`, results are
    rounded otherwise meanwhile. With `variants` (labelled texts) these are run instead, and the
    report has their outputs, with their recordings or else their figures.
    """
    script, record, variants = asked["script"], asked["trace"], asked["variants"]
    _isolate(asked["folder"])
    imitated = contextlib.nullcontext()
    if asked["seed"] is not None:
        from proofbook.run.rounding import OtherRounding

        imitated = OtherRounding(asked["seed"])
    pid, recording = getpid(), os.path.join(asked["folder"], "recording")
    recorder = _recorder(script, recording) if record and not variants else None
    stopped = open(os.path.join(asked["folder"], "stopped"), "w")  # noqa: SIM115  until the end
    faulthandler.enable(stopped)
    faulthandler.dump_traceback_later(max(0.05, asked["deadline"] - time.time()), file=stopped)
    watch = _FileWatch(script)
    sys.addaudithook(watch)
    sys.dont_write_bytecode = True
    sys.argv = [script]
    sys.path[0] = os.getcwd()  # empty: a copied script has no neighbouring modules
    code, line, error, figures, given = 0, 0, None, [], []
    try:
        if variants:
            given = _run_variants(script, variants, None if record else watch, recording)
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
    faulthandler.disable()
    if recorder:
        recorder.save(recording)
    found = {
        "error": error,
        "line": line,
        "read": _was_read(0),
        "threads": threads,
        "processes": _processes_left(),
        "files": [(path, line) for path, line in watch.lines.items() if os.path.exists(path)],
        "figures": figures,
        "variants": given,
    }
    _write(os.path.join(asked["folder"], "report"), json.dumps(found))
    _exit(code)


def _isolate(folder: str) -> None:
    """Set up the session, the streams, the working directory and the limits of this process."""
    if hasattr(os, "fork"):
        import resource

        os.setsid()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
    if sys.platform == "linux":  # elsewhere the limit counts what is only reserved, or nothing
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))
        prctl = ctypes.CDLL(None).prctl
        prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL: without its parent it would run on
        prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: no process that it starts can hide
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Ordinary files, not pipes: a remaining process cannot hold them open, and how far standard
    # input was read can be seen from its position, whichever process read it.
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        mode = os.O_RDWR | (os.O_APPEND if descriptor else 0) | getattr(os, "O_BINARY", 0)
        opened = os.open(os.path.join(folder, name), mode)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin = sys.__stdin__ = _open(0, "r")
    sys.stdout = sys.__stdout__ = _open(1, "w")
    sys.stderr = sys.__stderr__ = _open(2, "w", errors="backslashreplace", buffering=1)
    work = os.path.join(folder, "work")
    os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP", "HOME"), work))
    tempfile.tempdir = None
    os.chdir(work)


def _open(descriptor: int, mode: str, **options) -> io.TextIOBase:
    return open(descriptor, mode, encoding="utf-8", closefd=False, **options)


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
    script: str, variants: Sequence[tuple[str, str]], watch: _FileWatch | None, recording: str
) -> list[tuple[str, str]]:
    """The output of each of the `variants`, with its recording, or with a `watch` its figure; the
    output of the first is printed. If the recorder fails, the file `recording` says why."""
    gc.freeze()  # existing objects need no collecting after each run
    try:
        given = [_run_variant(script, *variant, watch) for variant in variants]
    except _NotRecorded as failure:
        _write(recording, str(failure))
        return []
    print(given[0][0], end="")
    return given


def _run_variant(script: str, label: str, source: str, watch: _FileWatch | None) -> tuple[str, str]:
    """The output and the figure or recording of a variant; an error is noted with its label."""
    printed, main, recorder = io.StringIO(), sys.modules["__main__"], None
    if not watch:
        from gradtrace.recording.recorder import Recorder
        from gradtrace.recording.script import format_failure
        from gradtrace.trace import format_trace

        recorder = Recorder(script, source)
    try:
        with contextlib.redirect_stdout(printed), recorder or contextlib.nullcontext():
            execute(script, source=source)
    except Exception as error:
        error.add_note(f"(with {label})")
        raise
    finally:
        sys.modules["__main__"] = main
        gc.collect()
    if watch:
        return printed.getvalue(), _only_figure(watch)
    if failure := recorder.failure():
        raise _NotRecorded(format_failure(failure))
    return printed.getvalue(), format_trace(recorder.trace())


def _write(file: str, text: str) -> None:
    with open(file, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def _figures() -> list[str]:
    """The script's Matplotlib figures, as SVG; at exit Python closes them."""
    pyplot, drawn = sys.modules.get("matplotlib.pyplot"), []
    for number in pyplot.get_fignums() if pyplot else ():
        text = io.StringIO()
        pyplot.figure(number).savefig(text, format="svg", metadata={"Date": None})
        drawn.append(text.getvalue())
    return drawn


def _only_figure(watch: _FileWatch) -> str:
    """The only figure of a run of the script, or ""; all are closed for the next run."""
    watch.active = False
    figures = _figures()
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
    watch.active = True
    return figures[0] if len(figures) == 1 else ""


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


def _was_read(descriptor: int) -> bool:
    with contextlib.suppress(OSError):  # the script may have closed it
        return os.lseek(descriptor, 0, os.SEEK_CUR) > 0
    return False


def _processes_left(grace: float = 1.0) -> bool:
    """Whether a process that the script started is still running, `grace` seconds after its pipes
    were closed, as helpers such as a resource tracker await; where processes can be awaited.

    Without such a process nothing is closed: a thread of gloo that still waits at a descriptor
    would abort this process.
    """
    if not hasattr(os, "WNOHANG"):
        return False
    end = time.monotonic() + grace
    with contextlib.suppress(ChildProcessError):  # there is none
        while time.monotonic() < end:
            if waitpid(-1, os.WNOHANG)[0] == 0:
                os.closerange(3, 1 << 12)
                time.sleep(0.002)
        return True
    return False


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


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as request:
        asked = json.load(request)
    run(asked)
