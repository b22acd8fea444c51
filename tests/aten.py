"""Runs scripts plain and recorded, each in a fork, and gives what both printed and computed.

    python tests/aten.py script...

The operations are those that torch itself counts while it runs them (the observer behind its
profilers): from C++ and without a dispatch mode, so that counting changes none of them.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """What a script printed, the operations that ran, in order, with the shapes they got, and the
    text of the recording, if it was recorded."""

    stdout: str
    operations: list
    trace: str = ""


def compared(scripts: Sequence[Path]) -> dict[Path, tuple[Run, Run]]:
    """Of each script, the plain run and the recorded one; as many at a time as there are cores."""
    shares = [share for n in range(CORES) if (share := scripts[n::CORES])]
    with ThreadPoolExecutor(CORES) as pool:
        found = pool.map(_in_a_process, shares)
    return {script: runs for share in found for script, runs in share.items()}


CORES = os.cpu_count() or 1


def _in_a_process(scripts: Sequence[Path]) -> dict[Path, tuple[Run, Run]]:
    done = subprocess.run(
        [sys.executable, __file__, *map(str, scripts)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rows = map(json.loads, done.stdout.splitlines())
    return {
        script: (Run(*plain), Run(*recorded))
        for script, (plain, recorded) in zip(scripts, rows, strict=True)
    }


def main(scripts: list[str]) -> None:
    from gradtrace import Recorder
    from proofbook.run.preload import preload_optimizers, preload_torch

    preload_torch()
    preload_optimizers()
    for script in scripts:
        row = [_forked(script, contextlib.nullcontext()), _forked(script, Recorder(script))]
        print(json.dumps(row), flush=True)


def _forked(script: str, watching) -> list:
    """The result of a run in a process of its own, which may end as it likes."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result")
        if (pid := os.fork()) == 0:
            try:
                os.chdir(folder)
                result.write_text(json.dumps(_observed(script, watching)))
            except BaseException:
                result.write_text(json.dumps([traceback.format_exc(), [], ""]))
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        return json.loads(result.read_text())


def _observed(script: str, watching) -> list:
    from gradtrace import execute, format_trace
    from torch._C._autograd import _disable_profiler_legacy, _enable_profiler_legacy
    from torch._C._profiler import ProfilerConfig, ProfilerState, _ExperimentalConfig

    sys.stdout = io.StringIO()
    how = ProfilerConfig(ProfilerState.CPU, True, False, False, False, False, _ExperimentalConfig())
    _enable_profiler_legacy(how)
    with watching:
        execute(script)
    events = [event for thread in _disable_profiler_legacy() for event in thread]
    ran = [[event.name(), event.shapes()] for event in events if event.kind() == "push"]
    recording = format_trace(watching.trace()) if hasattr(watching, "trace") else ""
    return [sys.stdout.getvalue(), ran, recording]


if __name__ == "__main__":
    main(sys.argv[1:])
