"""Runs scripts: starts the server, sends it requests, returns results.

The protocol between the two is described in `server`. For `proofbook shake`, a script can be run as
on another machine, within the limits of imitation.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

from proofbook.model.temporary import TemporaryFolder
from proofbook.run.judge import Refusal, Result, Variant

STYLE = Path(__file__).with_name("plot.mplstyle")


def plot_environment() -> dict[str, str]:
    """The environment variables with which a script draws figures in the form of the book."""
    return {
        "MATPLOTLIBRC": str(STYLE),
        "MPLBACKEND": "agg",
        # The warning of `plt.show()` if there is a screen and nothing is shown on it.
        "PYTHONWARNINGS": "ignore:FigureCanvasAgg is non-interactive",
    }


TIME_LIMIT = 20.0
"""The maximum wall-clock time of one script in seconds."""

SECONDS_EACH = 2.0
"""Additional seconds for each variant of it that is run."""

_OURS = ("gradtrace", "proofbook")


@dataclass(frozen=True)
class Machine:
    """A machine that rounds differently from this one.

    `seed`: the direction in which the last bits of inexact results change, see `rounding`; None
    leaves them. `threads`: the number of threads of an operation. `kernels`: whether the kernels of
    oneDNN and NNPACK are used, if torch has them, or its own.
    """

    name: str
    seed: int | None = None
    threads: int = 1
    kernels: bool = True

    @contextlib.contextmanager
    def imitated(self) -> Iterator[None]:
        """While it is active, torch computes as on this machine; its settings remain, as the
        process is for one run."""
        import torch

        from proofbook.run.rounding import OtherRounding

        torch.set_num_threads(self.threads)
        if not self.kernels:
            torch.backends.mkldnn.enabled = False
            torch.backends.nnpack.set_flags(False)
        with OtherRounding(self.seed) if self.seed is not None else contextlib.nullcontext():
            yield


MACHINES = (
    *(Machine(f"with the last bits of results moved (seed {seed})", seed) for seed in range(3)),
    Machine("with two threads", threads=2),
    Machine("with other kernels", kernels=False),
)

PLAIN_PROCESSOR = {"ATEN_CPU_CAPABILITY": "default"}
"""The environment of a processor without AVX; torch reads it when it is imported."""


class RunnerError(RuntimeError):
    """The process that runs the scripts did not start, or died."""


class Runner:
    """A server that runs scripts, as many at a time as there are cores. Use it with `with`.

    `limit` is the maximum time of a script in seconds, `hash_seed` the PYTHONHASHSEED of all runs;
    `fresh=True` starts one interpreter for each script, as happens where there is no fork.
    `python`: the interpreter; another than ours needs only torch, NumPy and Matplotlib.
    `environment`: more variables for all runs.
    """

    def __init__(
        self,
        limit: float = TIME_LIMIT,
        hash_seed: int = 0,
        fresh: bool = False,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
    ):
        self.limit = limit
        self._numbers = itertools.count()
        self._waiting: dict[int, Future[Result]] = {}
        self._paths: dict[int, Path] = {}
        self._forks = hasattr(os, "fork") and not fresh
        self._started: dict[int, float] = {}
        self._asked = False
        self._lock, self._sending = threading.Lock(), threading.Lock()
        # Ours, not the server's: it is deleted even if that process is killed.
        self._temporary = TemporaryFolder()
        self._folder = str(self._temporary.path)
        self._errors = Path(self._folder, "errors")
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [python, "-m", "proofbook.run.server", self._folder, "fresh" if fresh else "fork"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={
                    **os.environ,
                    **plot_environment(),
                    **_packages(python),
                    "OMP_NUM_THREADS": "1",
                    "PYTHONHASHSEED": f"{hash_seed}",
                    # What the first optimizer of a process imports makes this folder.
                    "TORCHINDUCTOR_CACHE_DIR": str(Path(self._folder, "torchinductor")),
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
        machine: Machine | None = None,
        variants: Sequence[Variant] = (),
    ) -> Future[Result]:
        """Run `script`; the future returns its `Result`, or raises `RunnerError`.

        `machine`: another one, to be imitated. `variants`: other texts for the script, each after
        its label, which are run instead: with `trace` they are recorded, without it their figures
        are returned.
        """
        future: Future[Result] = Future()
        with self._lock:
            number = next(self._numbers)
            self._waiting[number], self._paths[number] = future, script
        path, limit = os.path.abspath(script), self.limit + SECONDS_EACH * len(variants)
        fields = {"script": path, "limit": limit, "trace": trace, "variants": variants}
        self._send({"number": number, **fields, "machine": asdict(machine) if machine else None})
        return future

    def run(self, scripts: Iterable[Path], machine: Machine | None = None) -> list[Result]:
        """Run all `scripts` and wait; the results come in the same order."""
        futures = [self.submit(script, machine=machine) for script in scripts]
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
        self._temporary.remove()

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


def _packages(python: str) -> dict[str, str]:
    """The path of our packages for another interpreter, which may not have them installed."""
    if python == sys.executable:
        return {}
    return {"PYTHONPATH": os.pathsep.join(str(resources.files(p).parent) for p in _OURS)}
