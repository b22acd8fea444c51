"""The runs of a book's snippets: a script is run once for its text, however often one asks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from proofbook.run.result import Result
from proofbook.run.runner import Runner, RunnerError

Key = tuple[str, str, bool]
"""A script, the hash of its bytes, and whether it is recorded."""


@dataclass
class Runs:
    """Owns the runner, which starts with the first script to run, and the results by script.

    `known`: results of an earlier process for the same software; with it, only scripts that are not
    in it are run. `took`: the seconds of scripts in an earlier process; the longest run first.
    """

    root: Path
    start_runner: Callable[[], Runner] = Runner
    known: dict[Key, Result] = field(default_factory=dict)
    took: Mapping[str, float] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    """The scripts that the last `start` had to run."""
    _futures: dict[Key, Future[Result]] = field(default_factory=dict)
    _last: dict[str, Future[Result]] = field(default_factory=dict)
    _runner: Runner | None = None

    def prepare(self, scripts: Iterable[str]) -> None:
        """Start the runner if any of these scripts has no result that is known.

        It imports torch, and is ready when `start` comes, if the caller does something meanwhile.
        """
        if self._runner is None and any(self._key(s, False) not in self.known for s in scripts):
            self._runner = self.start_runner()

    def start(self, scripts: Iterable[str], traced: Iterable[str]) -> list[Future[Result]]:
        """Have these scripts run, and those of `traced` recorded too, unless that was done."""
        if self._runner is not None and not self._runner.alive():
            self.close()
            self._futures = {}
        wanted = [(script, False) for script in scripts] + [(script, True) for script in traced]
        wanted.sort(key=lambda each: -self.took.get(each[0], 0.0))
        futures: dict[Key, Future[Result]] = {}
        self.again = set()
        for script, trace in wanted:
            key = self._key(script, trace)
            if key in self._futures:
                futures[key] = self._futures[key]
            elif key in self.known:
                futures[key] = Future()
                futures[key].set_result(self.known[key])
            else:
                self._runner = self._runner or self.start_runner()
                futures[key] = self._runner.submit(self.root / script, trace)
                self.again.add(script)
        self._futures |= futures
        self._last = {script: run for (script, _, trace), run in futures.items() if not trace}
        return list(futures.values())

    def last(self, script: str) -> Future[Result] | None:
        """The run of a script that was asked for last, one without a recording."""
        return self._last.get(script)

    def forget_others(self, scripts: Iterable[str]) -> None:
        """Keep of each of these scripts the last runs alone, and of all others none."""
        last = {(script, trace): digest for script, digest, trace in self._futures}
        kept = set(scripts)
        self._futures = {
            (script, digest, trace): future
            for (script, digest, trace), future in self._futures.items()
            if script in kept and last[script, trace] == digest
        }

    def fork_kernel(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: str
    ) -> tuple[Future[int], Future[int]]:
        """Have the runner fork a Jupyter kernel; raises `RunnerError` if there is no runner."""
        if self._runner is None:
            raise RunnerError("no script has been run")
        return self._runner.fork_kernel(arguments, environment, folder)

    def _key(self, script: str, trace: bool) -> Key:
        digest = hashlib.sha256((self.root / script).read_bytes()).hexdigest()[:20]
        return script, digest, trace

    def running(self) -> list[tuple[Path, float]]:
        """The scripts that run at this moment, each with its seconds so far."""
        return self._runner.running() if self._runner else []

    def close(self) -> None:
        """Stop what runs."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def results(self) -> dict[Key, Result]:
        """The results of the scripts that came to their end as they should."""
        return {key: future.result() for key, future in self._futures.items() if _counts(future)}


def _counts(future: Future[Result]) -> bool:
    return future.done() and future.exception() is None and future.result().refusal is None
