"""The process that runs and records one script, as `python script.py` would run it.

    python gradtrace/recording/process.py job.json

The job holds `script` (and its `name`, as it was typed) or `module`, `arguments`, `source` (text to
run in place of that file's text, or null), `limit` (seconds, or null), `steps` or `until`
(where the recording begins, if not at the start), `passes` (how many are recorded), `outlines`
(whether after many events the gradients of leaves still are), `stop` (whether the script ends then)
and `folder`, in which this process writes: `started` once the script runs, `recording` (the trace),
`report` (how the recording ended, and where), `end`, if the script continued after that, and
`crash` (where it was, if C code crashed).

The script may print what it likes, read its input, write files, import its neighbours, and go on
for hours: it runs at full speed once enough is recorded. The exit status is the script's.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import faulthandler
import json
import linecache
import multiprocessing
import os
import re
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

_RECORD_FOLDER = Path(__file__).resolve().parent
_leave = os._exit
"""Without what `_Ending.watch` puts in its place for the script."""
_GRACE = 3.0
"""Seconds that a stopped script has for its `finally:` blocks."""
_TIMED_OUT, _INTERRUPTED = 124, 130
"""The exit status of a script that was stopped, as with `timeout` and in a shell."""


class _Stopped(BaseException):
    """Raised in the script to end it, so that its cleanup runs."""


def main(job: dict) -> None:
    """Run the script of a job; never returns."""
    try:
        import torch._dynamo  # noqa: F401  the first optimizer imports it, slow when traced
    except ModuleNotFoundError as missing:  # the command says what to install
        sys.exit(str(missing))

    from gradtrace.recording.script import (
        execute,
        failure_of_recorder,
        format_failure,
        spec_of_module,
    )

    own_pid, folder, spec = os.getpid(), Path(job["folder"]), None
    script = job["script"]
    try:  # before the script's folder comes first in sys.path
        from gradtrace.recording.position import line_in_script
        from gradtrace.recording.recorder import Recorder
        from gradtrace.recording.watch import Watch

        if job["module"]:
            sys.path[0] = os.getcwd()
            spec = spec_of_module(job["module"])
            script = spec.origin
        else:
            sys.path[0] = os.path.dirname(script)
        ending = _Ending(job, script)
        first, last = job["steps"] or (None, None)
        max_steps = last and last - first + 1
        options = {"max_passes": job["passes"], "max_steps": max_steps, "health": True}
        options |= {"outlines": job["outlines"], "recent": job["until"] == "error"}
        source = job["source"]
        if source is not None:
            # What is run is shown in tracebacks, and by `inspect`.
            linecache.cache[script] = len(source), None, source.splitlines(keepends=True), script
        recorder = Recorder(script, source, **options, when_full=ending.full)
        waits = first or job["until"] not in (None, "error")
        watch = Watch(recorder, first, job["until"]) if waits else None
    except ModuleNotFoundError as error:
        if not job["module"]:
            raise
        _write(folder / "report", {"end": "no module", "error": str(error)})
        _leave(1)
    except Exception as error:
        text = format_failure(failure_of_recorder(error))
        (folder / "recording").write_text(text, encoding="utf-8", newline="\n")
        _write(folder / "report", {"end": "error"})
        _leave(1)
    ending.recorder, ending.watched = recorder, watch
    sys.argv = [job["name"] or script, *job["arguments"]]
    (folder / "started").touch()
    crash = open(folder / "crash", "w")  # noqa: SIM115  open until the process ends
    if not faulthandler.is_enabled():
        faulthandler.enable(crash)
    ending.watch()
    report: dict = {"end": "end"}
    code = 0
    try:
        with watch or recorder, _warnings_of_the_script(script):
            execute(script, spec, source)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if code:
            report = {"end": "exit", "line": line_in_script(end, script)}
        if code and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
    except _Stopped:
        code = ending.status
    except KeyboardInterrupt as error:
        report = {"end": "interrupted", "line": line_in_script(error, script)}
        code = _INTERRUPTED
    except BaseException as error:
        first, *_ = traceback.format_exception_only(error)[-1].strip().split("\n")
        report = {"end": "error", "line": line_in_script(error, script), "error": first}
        failure = recorder.failure()
        if not (failure and failure.file) and not _is_unread(error):
            _print_traceback(error, script)
        code = 1
    if os.getpid() != own_pid:  # the script forked, and this is the copy
        _flush()
        _leave(code)
    ending.save(report)
    # As Python does at exit: wait for other threads first.
    for finish in (threading._shutdown, atexit._run_exitfuncs):
        with contextlib.suppress(Exception):
            finish()
    _flush()
    _leave(code)


class _Ending:
    """Saves the trace once: at the script's end, at the time limit, or after enough events."""

    def __init__(self, job: dict, script: str) -> None:
        self.recorder = self.watched = None
        self.status = 0
        """The exit status of a script that is stopped."""
        self._job, self._script, self._folder = job, script, Path(job["folder"])
        self._saving = threading.RLock()  # a handler of the script may call os._exit in it
        self._saved = False

    def watch(self) -> None:
        """Stop the script when its time is over; at SIGTERM and `os._exit` save what there is."""
        if hasattr(signal, "SIGUSR1"):
            # It wakes a script that sleeps or waits; Windows has no signal for that.
            def stop(*_: object) -> None:
                raise _Stopped

            signal.signal(signal.SIGUSR1, stop)
        if self._job["limit"] is not None:
            threading.Thread(target=self._wait_for_limit, daemon=True).start()
        if os.name != "nt" and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            # A thread is told, since the script may wait in C code, as for another rank.
            self._told, self._tells = socket.socketpair()
            self._tells.setblocking(False)
            signal.set_wakeup_fd(self._tells.fileno(), warn_on_full_buffer=False)
            signal.signal(signal.SIGTERM, self._tell)
            os.register_at_fork(after_in_child=self._leave_signals)
            threading.Thread(target=self._wait_for_sigterm, daemon=True).start()
        own_pid = os.getpid()

        def save_and_leave(status: int) -> None:
            if os.getpid() == own_pid:
                self._save_now({"end": "left"})
            _leave(status)

        os._exit = save_and_leave

    def full(self, line: int | None) -> None:
        """In the thread of the script: recording is complete."""
        self.save({"end": "enough", "line": line})
        if self._job["stop"]:
            raise _Stopped

    def save(self, report: dict) -> None:
        """Save the trace and the report; later only how the script ended after the recording."""
        with self._saving:
            if self._saved:
                _write(self._folder / "end", report)
                return
            watch, report = self.watched, report | {"script": self._script}
            # The number of processes that this one has made, which is in the name of the next.
            next_name = multiprocessing.Process().name
            report["children"] = int(re.split("[-:]", next_name)[-1]) - 1
            if self._job["until"] == "error" and "error" not in report:
                report["never"] = {"steps": 0, "passes": 0}
            elif watch is not None and watch.beginning is None:
                report["never"] = {"steps": watch.steps, "passes": watch.passes}
            else:
                self.recorder.save(str(self._folder / "recording"))
            if watch is not None and (began := watch.beginning) is not None:
                name = self.recorder.name_of(began.of) if began.of is not None else ""
                report["began"] = vars(began) | {"of": name}
            elif passes := self.recorder.forgotten:
                report["began"] = {"found": "recent", "steps": 0, "passes": passes}
            _write(self._folder / "report", report)
            self._saved = True

    def _save_now(self, report: dict) -> None:
        """Save what there is, wherever the script is, which waits for it."""
        sys.setswitchinterval(1000)
        frame = sys._current_frames().get(threading.main_thread().ident)
        while frame is not None and frame.f_code.co_filename != self._script:
            frame = frame.f_back
        with self._saving:
            self.recorder.finish()
            self.save(report | {"line": frame.f_lineno if frame else None})
        sys.setswitchinterval(0.005)

    def _tell(self, *_: object) -> None:
        """asyncio has the file for signals to itself: it doesn't tell the thread."""
        self._tells.send(bytes([signal.SIGTERM]))

    def _leave_signals(self) -> None:
        """In a fork, which shares the sockets: a signal to it is not one to the script."""
        signal.set_wakeup_fd(-1)
        if signal.getsignal(signal.SIGTERM) == self._tell:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _wait_for_sigterm(self) -> None:
        # Where the script has a handler of its own, that is what ends it, or doesn't.
        while not (
            signal.SIGTERM in self._told.recv(99) and signal.getsignal(signal.SIGTERM) == self._tell
        ):
            pass
        self._save_now({"end": "terminated", "error": "SIGTERM"})
        _leave(128 + signal.SIGTERM)

    def _wait_for_limit(self) -> None:
        time.sleep(self._job["limit"])
        self.status = _TIMED_OUT
        self._save_now({"end": "limit"})
        thread = threading.main_thread().ident
        if hasattr(signal, "SIGUSR1"):
            signal.pthread_kill(thread, signal.SIGUSR1)
        else:
            error = ctypes.py_object(_Stopped)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
        time.sleep(_GRACE)
        _flush()
        _leave(self.status)


@contextlib.contextmanager
def _warnings_of_the_script(script: str):
    """A warning names the file that called the function that warns, which may be a wrapper of the
    recorder: name the place in the script instead."""
    import warnings

    show: Callable = warnings.showwarning

    def show_of_script(message, category, filename, lineno, file=None, line=None):
        if _RECORD_FOLDER in Path(filename).parents:
            frame = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename != script:
                frame = frame.f_back
            if frame is not None:
                filename, lineno, line = script, frame.f_lineno, None
        show(message, category, filename, lineno, file, line)

    warnings.showwarning = show_of_script
    try:
        yield
    finally:
        if warnings.showwarning is show_of_script:
            warnings.showwarning = show


def _write(file: Path, report: dict) -> None:
    """Write a report atomically."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(report), encoding="utf-8")
    part.rename(file)


def _print_traceback(error: BaseException, script: str) -> None:
    """Print the traceback as without a recorder: from the script on, without our frames."""
    shown = traceback.TracebackException.from_exception(error)
    files = [frame.filename for frame in shown.stack]
    first = files.index(script) if script in files else len(files)
    shown.stack = traceback.StackSummary.from_list(
        frame
        for frame in shown.stack[first:]
        if _RECORD_FOLDER not in Path(frame.filename).parents
        and frame.name != "handle_torch_function"
    )
    print("".join(shown.format()), end="", file=sys.stderr)


def _is_unread(error: BaseException) -> bool:
    """Whether the script failed because the reader of its output closed it, as `head` does."""
    if not isinstance(error, BrokenPipeError) or not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(1, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


if __name__ == "__main__":
    # Instead of this file's folder, where nothing should be imported: the package's folder, as it
    # may be found through the current folder of the command only.
    sys.path[0] = str(_RECORD_FOLDER.parents[1])
    with open(sys.argv[1], encoding="utf-8") as file:
        described = json.load(file)
    try:
        main(described)
    except KeyboardInterrupt:  # before the script began
        _leave(_INTERRUPTED)
