"""The process that runs and records one script, as `python script.py` would run it.

    python gradtrace/record/script_process.py job.json

The job holds `script`, `arguments`, `limit` (seconds), `passes` (how many are enough) and `folder`,
in which this process leaves: `started` once the script runs, `recording` (the trace), and at last
`report` (how the script ended, and where). The script may print what it likes, read its input,
write files, import its neighbours, and go on for hours: it is stopped where enough is recorded.
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

_RECORD_FOLDER = Path(__file__).resolve().parent
_INTERVAL = 0.02
"""Seconds between two looks at how far the script is."""


def main(job: dict) -> None:
    """Run the script of a job; never returns."""
    import torch._dynamo  # noqa: F401  the first optimizer imports it, which is slow when traced

    from gradtrace.record.execute import execute
    from gradtrace.record.failure import failure_of_recorder, format_failure

    own_pid, script = os.getpid(), job["script"]
    try:
        from gradtrace.record.recorder import Recorder
        from gradtrace.record.script_position import line_in_script

        recorder = Recorder(script)
    except Exception as error:
        text = format_failure(failure_of_recorder(error))
        Path(job["folder"], "recording").write_text(text, encoding="utf-8", newline="\n")
        _report(Path(job["folder"]), {"end": "error"})
        os._exit(0)
    ending = _Ending(recorder, job)
    sys.argv = [script, *job["arguments"]]
    sys.path[0] = os.path.dirname(script)
    Path(job["folder"], "started").touch()
    threading.Thread(target=ending.wait_for_limits, daemon=True).start()
    report: dict = {"end": "end"}
    code = 0
    try:
        with recorder:
            execute(script)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if code and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
    except KeyboardInterrupt as error:
        report = {"end": "interrupted", "line": line_in_script(error, script)}
    except BaseException as error:
        first, *_ = traceback.format_exception_only(error)[-1].strip().split("\n")
        in_script = isinstance(error, SyntaxError) and error.filename == script
        line = error.lineno if in_script else line_in_script(error, script)
        report = {"end": "error", "line": line, "error": first}
        failure = recorder.failure()
        if not (failure and failure.file):
            _print_traceback(error, script)
    if os.getpid() != own_pid:  # the script forked, and this is the copy
        _flush()
        os._exit(code)
    ending.save_and_exit(report)


class _Ending:
    """Saves the trace once, at what comes first: the end of the script, or the thread that waits
    for the time limit or for enough passes."""

    def __init__(self, recorder, job: dict) -> None:
        self._recorder, self._job, self._saving = recorder, job, threading.Lock()

    def wait_for_limits(self) -> None:
        """In a thread of its own: stop the script when it is time."""
        until = time.monotonic() + self._job["limit"]
        while True:
            time.sleep(_INTERVAL)
            if self._recorder.passes > self._job["passes"]:
                return self._stop("enough")
            if time.monotonic() > until:
                return self._stop("limit")

    def save_and_exit(self, report: dict) -> None:
        """Save the trace and the report, and end the process."""
        self._saving.acquire()  # never released: no other thread gets beyond this line
        folder = Path(self._job["folder"])
        self._recorder.save(str(folder / "recording"))
        _report(folder, report)
        if report["end"] in ("end", "error"):
            with contextlib.suppress(Exception):
                threading._shutdown()  # as Python does: other threads come to their end first
            with contextlib.suppress(Exception):
                atexit._run_exitfuncs()
        _flush()
        os._exit(0)

    def _stop(self, why: str) -> None:
        sys.setswitchinterval(1000)  # the script waits until the trace is saved
        frame = sys._current_frames().get(threading.main_thread().ident)
        while frame is not None and frame.f_code.co_filename != self._job["script"]:
            frame = frame.f_back
        self._recorder.finish()
        self.save_and_exit({"end": why, "line": frame.f_lineno if frame else None})


def _report(folder: Path, report: dict) -> None:
    """Write the report, all of it or nothing."""
    (folder / "report.part").write_text(json.dumps(report), encoding="utf-8")
    (folder / "report.part").rename(folder / "report")


def _print_traceback(error: BaseException, script: str) -> None:
    """Print the traceback as it is without a recorder: from the script on, without its frames."""
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


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


if __name__ == "__main__":
    # In place of this file's folder, which nobody should import from: where the package lies, as it
    # may be found through the current folder of the command alone.
    sys.path[0] = str(_RECORD_FOLDER.parents[1])
    with open(sys.argv[1], encoding="utf-8") as file:
        main(json.load(file))
