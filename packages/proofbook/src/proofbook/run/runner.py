"""Runs scripts: starts the server, sends it requests, returns results.

The protocol between the two is described in `server`.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from importlib import resources
from pathlib import Path

from proofbook.directives.plot import STYLE
from proofbook.model.cache import FOLDER
from proofbook.run.judge import Refusal, Result, Variant


def plot_environment() -> dict[str, str]:
    """The environment variables with which a script draws figures in the form of the book."""
    return {
        "MATPLOTLIBRC": str(STYLE),
        "MPLBACKEND": "agg",
        # The warning of `plt.show()` if there is a screen and nothing is shown on it.
        "PYTHONWARNINGS": "ignore:FigureCanvasAgg is non-interactive",
    }


COMPILING = {
    "TORCHINDUCTOR_COMPILE_THREADS": "1",  # no processes for it, which would be left behind
    "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",  # they are larger than a script may write
    "TORCHINDUCTOR_VEC_ISA_OK": "0",
    # Each run compiles its graphs itself: only g++ is spared, of a kernel with the same text.
    "TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
    "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
}
"""With these variables `torch.compile` needs 2 s of g++ for a kernel, not 10: it writes loops that
the compiler may vectorize, instead of vector instructions."""

KERNELS = f"{FOLDER}/kernels"
"""The folder of a book in which the kernels that `torch.compile` compiled are kept."""

TIME_LIMIT = 20.0
"""The maximum wall-clock time of one script in seconds."""

SECONDS_EACH = 2.0
"""Additional seconds for each variant of it that is run."""

PREFIX = "proofbook-runs-"
"""The prefix of the names in the folder for temporary files."""

_OURS = ("gradtrace", "proofbook")


class RunnerError(RuntimeError):
    """The process that runs the scripts did not start, or died."""


class Runner:
    """A server that runs scripts, as many at a time as there are cores. Use it with `with`.

    `limit` is the maximum time of a script in seconds, `hash_seed` the PYTHONHASHSEED of all runs;
    `fresh=True` starts one interpreter for each script, as happens where there is no fork.
    `python`: the interpreter; another than ours needs only torch, NumPy and Matplotlib.
    `environment`: more variables for all runs. `kernels`: the folder in which compiled kernels are
    kept; without one, or where it cannot be written, they are gone with the server.
    """

    def __init__(
        self,
        limit: float = TIME_LIMIT,
        hash_seed: int = 0,
        fresh: bool = False,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
        kernels: Path | None = None,
    ):
        self.limit = limit
        self._numbers = itertools.count()
        self._waiting: dict[int, Future[Result]] = {}
        self._paths: dict[int, Path] = {}
        self._started: dict[int, float] = {}
        self._asked = False
        self._lock, self._sending = threading.Lock(), threading.Lock()
        # Ours, not the server's: it is deleted even if that process is killed.
        self._temporary = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
        self._folder = self._temporary.name
        self._errors = Path(self._folder, "errors")
        # What the first optimizer of a process imports makes this folder, if it isn't there.
        compiled = Path(self._folder, "kernels")
        if kernels is not None and _writable(kernels):
            # A path with blanks, as that of a book may be, fails with g++.
            with contextlib.suppress(OSError):  # as on Windows, without the right to make links
                compiled.symlink_to(kernels.resolve())
        # Another interpreter may not have our packages installed.
        ours = os.pathsep.join(str(resources.files(name).parent) for name in _OURS)
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [python, "-m", "proofbook.run.server", self._folder, "fresh" if fresh else "fork"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={
                    **os.environ,
                    **plot_environment(),
                    **COMPILING,
                    **({} if python == sys.executable else {"PYTHONPATH": ours}),
                    "OMP_NUM_THREADS": "1",
                    "PYTHONHASHSEED": f"{hash_seed}",
                    "TORCHINDUCTOR_CACHE_DIR": str(compiled),
                    **(environment or {}),
                },
                text=True,
                encoding="utf-8",
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def trace(self, script: Path) -> Future[Result]:
        """Run and record `script`: as `submit`, and the `Result` has its `trace`."""
        return self.submit(script, trace=True)

    def submit(
        self,
        script: Path,
        trace: bool = False,
        seed: int | None = None,
        variants: Sequence[Variant] = (),
    ) -> Future[Result]:
        """Run `script`; the future returns its `Result`, or raises `RunnerError`.

        `seed`: moves the last bits of inexact results, see `rounding`. `variants`: other texts for
        the script, each after its label, which are run instead: with `trace` they are recorded,
        without it their figures are returned.
        """
        future: Future[Result] = Future()
        with self._lock:
            number = next(self._numbers)
            self._waiting[number], self._paths[number] = future, script
        path, limit = os.path.abspath(script), self.limit + SECONDS_EACH * len(variants)
        fields = {"script": path, "limit": limit, "trace": trace, "variants": variants}
        self._send({"number": number, **fields, "seed": seed})
        return future

    def run(self, scripts: Iterable[Path]) -> list[Result]:
        """Run all `scripts` and wait; the results come in the same order."""
        futures = [self.submit(script) for script in scripts]
        return [future.result() for future in futures]

    def running(self) -> list[tuple[Path, float]]:
        """The running scripts, each with its seconds so far, the longest first."""
        now = time.monotonic()
        with self._lock:
            started = sorted(self._started.items(), key=lambda item: item[1])
            return [(self._paths[number], now - begin) for number, begin in started]

    def alive(self) -> bool:
        """Whether the server still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the server and everything that it runs."""
        if not self._asked:  # it may still be importing torch, which need not be awaited
            self._process.kill()
        with contextlib.suppress(OSError):  # data that a dead process did not read
            self._process.stdin.close()
        self._process.wait()
        self._reader.join()
        self._process.stdout.close()
        self._temporary.cleanup()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, request: dict) -> None:
        self._asked = True
        try:
            with self._sending:
                self._process.stdin.write(json.dumps(request) + "\n")
                self._process.stdin.flush()
        except (OSError, ValueError):  # it has ended, or was closed
            self._fail_all()

    def _read(self) -> None:
        for line in self._process.stdout:
            fields = json.loads(line)
            number = fields.pop("number")
            with self._lock:
                if not fields:  # the run starts
                    self._started[number] = time.monotonic()
                    continue
                self._started.pop(number, None)
                self._paths.pop(number, None)
                future = self._waiting.pop(number)
            refusal, variants = fields.pop("refusal"), fields.pop("variants")
            refusal = Refusal(**refusal) if refusal else None
            variants = None if variants is None else [(text, trace) for text, trace in variants]
            future.set_result(Result(**fields, refusal=refusal, variants=variants))
        self._fail_all()

    def _fail_all(self) -> None:
        """The server has ended: there will be no more results."""
        code = self._process.wait()
        with self._lock:
            lost = list(self._waiting.values())
            self._waiting.clear()
            self._started.clear()
        if lost:
            stderr = ""
            with contextlib.suppress(OSError):
                stderr = self._errors.read_text("utf-8", "replace").strip()[-2000:]
            status = f"exit status {code}" if code >= 0 else f"signal {-code}"
            what = f"the process that runs the snippets ended too early ({status}). It said:"
            for future in lost:
                future.set_exception(RunnerError(f"{what}\n{stderr or '(nothing)'}"))


def _writable(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return os.access(folder, os.W_OK)
    return False
