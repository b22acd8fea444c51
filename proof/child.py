"""Inside the process that runs one script: run it as `python script.py` would, then say how it went.

Stands alone (it imports nothing of ours), so that a fresh interpreter can be started on this file too.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import json
import os
import runpy
import sys
import threading
import traceback

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC


def run(script: str, report: str, limit: float) -> None:
    """Run `script` and leave a report of its end in the file `report`; never returns.

    `limit` is the time in seconds after which the place where the script stands is noted in
    `report + ".trace"`. A script that dies before its end leaves no report.
    """
    trace = open(report + ".trace", "w")
    faulthandler.enable(trace)
    faulthandler.dump_traceback_later(limit, file=trace)
    home = os.path.dirname(report)
    written: dict[str, int] = {}
    watching = True

    def watch(event: str, args: tuple) -> None:
        if not watching or not (event == "os.mkdir" or event == "open" and args[2] & _WRITING):
            return
        with contextlib.suppress(TypeError, ValueError):  # a descriptor, not a path
            path = os.path.abspath(os.fsdecode(args[0]))
            if not path.startswith((home, "/dev/", "/proc/")):
                written.setdefault(path, _line(script))

    sys.addaudithook(watch)
    sys.dont_write_bytecode = True
    sys.argv = [script]
    sys.path[0] = os.path.dirname(script)
    code, error = 0, None
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException as raised:
        code, error = 1, _told(raised, script)
    main = threading.main_thread()
    threads = [t.name for t in threading.enumerate() if t not in (main, threading.current_thread())]
    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except Exception as raised:
        code, error = 1, error or _told(raised, script)
    watching = False
    faulthandler.cancel_dump_traceback_later()
    files = [(path, line) for path, line in written.items() if os.path.exists(path)]
    with open(report, "w", encoding="utf-8") as file:
        json.dump({"error": error, "threads": threads, "files": files}, file)
    os._exit(code)


def _told(raised: BaseException, script: str) -> dict:
    lines = [f.lineno for f in traceback.extract_tb(raised.__traceback__) if f.filename == script]
    if isinstance(raised, SyntaxError) and raised.filename == script:
        lines.append(raised.lineno)
    text = "".join(traceback.format_exception_only(raised)).strip()
    return {"type": type(raised).__name__, "text": text, "line": lines[-1] if lines else 0}


def _line(script: str) -> int:
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename == script:
            return frame.f_lineno
        frame = frame.f_back
    return 0


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], float(sys.argv[3]))
