"""Runs and records a script of a reader, as `python FILE` would run it, in a process of its own.

python gradtrace/record/script.py job.json

The job holds `script`, `arguments`, `limit` (seconds), `passes` (how many are enough) and `folder`,
in which this process leaves: `started` once the script runs, `recording`, and at last `report`.
Unlike the scripts of the book, one of a reader may print what it likes, read its input, write
files, import its neighbours, and go on for hours: it is stopped where enough is recorded.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path

_HERE = Path(__file__).resolve().parent
EVERY = 0.02
"""Seconds between two looks at how far the script is."""


def main(job: dict) -> None:
    """Run the script of a job; never returns."""
    import torch._dynamo  # noqa: F401  the first optimizer imports it, which is slow when watched

    from gradtrace.record.execute import execute
    from gradtrace.record.recorder import Recorder

    me, script = os.getpid(), job["script"]
    recorder = Recorder(script)
    end = _End(recorder, job)
    sys.argv = [script, *job["arguments"]]
    sys.path[0] = os.path.dirname(script)
    Path(job["folder"], "started").touch()
    threading.Thread(target=end.wait, daemon=True).start()
    told: dict = {"end": "end"}
    code = 0
    try:
        with recorder:
            execute(script)
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
        if code and not isinstance(left.code, int):
            print(left.code, file=sys.stderr)
    except KeyboardInterrupt as stop:
        told = {"end": "interrupted", "line": _line(stop, script)}
    except BaseException as error:
        first, *_ = traceback.format_exception_only(error)[-1].strip().split("\n")
        told = {"end": "error", "line": _line(error, script), "error": first}
        _print_traceback(error, script)
    if os.getpid() != me:  # the script forked, and this is the copy
        _flush()
        os._exit(code)
    end.leave(told)


class _End:
    """Saves the recording once, whoever comes first: the end of the script, or the one who waits
    for the time limit or for enough passes."""

    def __init__(self, recorder, job: dict) -> None:
        self._recorder, self._job, self._saving = recorder, job, threading.Lock()

    def wait(self) -> None:
        """In a thread of its own: stop the script when it is time."""
        until = time.monotonic() + self._job["limit"]
        while True:
            time.sleep(EVERY)
            if self._recorder.passes > self._job["passes"]:
                return self._stop("enough")
            if time.monotonic() > until:
                return self._stop("limit")

    def leave(self, told: dict) -> None:
        """Save the recording and the report, and end the process."""
        self._saving.acquire()  # never released: nobody else gets beyond this line
        folder = Path(self._job["folder"])
        self._recorder.save(str(folder / "recording"))
        (folder / "report.part").write_text(json.dumps(told), encoding="utf-8")
        (folder / "report.part").rename(folder / "report")
        if told["end"] in ("end", "error"):
            with contextlib.suppress(Exception):
                threading._shutdown()  # as Python does: other threads come to their end first
            with contextlib.suppress(Exception):
                atexit._run_exitfuncs()
        _flush()
        os._exit(0)

    def _stop(self, why: str) -> None:
        sys.setswitchinterval(1000)  # the script stands still until the recording is in one text
        frame = sys._current_frames().get(threading.main_thread().ident)
        while frame is not None and frame.f_code.co_filename != self._job["script"]:
            frame = frame.f_back
        self._recorder.cut()
        self.leave({"end": why, "line": frame.f_lineno if frame else None})


def _print_traceback(error: BaseException, script: str) -> None:
    """The traceback as it is without us: from the script on, and without our own frames."""
    told = traceback.TracebackException.from_exception(error)
    files = [frame.filename for frame in told.stack]
    first = files.index(script) if script in files else len(files)
    told.stack = traceback.StackSummary.from_list(
        frame
        for frame in told.stack[first:]
        if Path(frame.filename).parent != _HERE and frame.name != "handle_torch_function"
    )
    print("".join(told.format()), end="", file=sys.stderr)


def _line(error: BaseException, script: str) -> int | None:
    """The innermost line of the script that the error came through."""
    if isinstance(error, SyntaxError) and error.filename == script:
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno for f in reversed(frames) if f.filename == script), None)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    with open(sys.argv[1], encoding="utf-8") as file:
        main(json.load(file))
