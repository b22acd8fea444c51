"""Runs scripts: starts the warm process, hands it scripts, gives back results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path

from proof.result import Refusal, Result

LIMIT = 20.0
"""Seconds that one snippet may take."""


class RunnerError(RuntimeError):
    """The process that runs the scripts did not start, or died."""


class Runner:
    """A warm process that runs scripts, as many at a time as there are cores. Use it with `with`.

    `limit` is the time in seconds that one script may take, `hash_seed` the PYTHONHASHSEED of all runs;
    `fresh=True` starts one interpreter for each script, as happens where there is no fork.
    """

    def __init__(self, limit: float = LIMIT, hash_seed: int = 0, fresh: bool = False):
        self.limit = limit
        self._waiting: dict[str, list[Future[Result]]] = {}
        self._lock = threading.Lock()
        self._errors = tempfile.TemporaryFile()
        root = Path(__file__).resolve().parent.parent
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "proof.warm", *(["--fresh"] if fresh else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=root,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": str(hash_seed)},
            text=True,
            encoding="utf-8",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def submit(self, script: Path) -> Future[Result]:
        """Have `script` run; the future gives its `Result`, or raises `RunnerError`."""
        path, future = str(script.resolve()), Future()
        with self._lock:
            self._waiting.setdefault(path, []).append(future)
        try:
            self._process.stdin.write(json.dumps({"script": path, "limit": self.limit}) + "\n")
            self._process.stdin.flush()
        except OSError:
            self._give_up()
        return future

    def run(self, scripts: Iterable[Path]) -> list[Result]:
        """Run all `scripts` and wait; the results come in the same order."""
        return [future.result() for future in [self.submit(script) for script in scripts]]

    def close(self) -> None:
        """End the warm process and everything that it runs."""
        self._process.stdin.close()
        self._process.wait()
        self._reader.join()
        self._process.stdout.close()
        self._errors.close()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        for line in self._process.stdout:
            told = json.loads(line)
            refusal = Refusal(**told.pop("refusal")) if told["refusal"] else told.pop("refusal")
            result = Result(**told, refusal=refusal)
            with self._lock:
                future = self._waiting[result.path].pop(0)
            future.set_result(result)
        self._give_up()

    def _give_up(self) -> None:
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip()[-2000:]
        with self._lock:
            lost = [future for futures in self._waiting.values() for future in futures]
            self._waiting.clear()
        for future in lost:
            future.set_exception(
                RunnerError(f"the process that runs the snippets ended too early. It said:\n{said}")
            )
