"""The runs of a book's snippets: a script is run once for its text, for any number of requests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path

from proofbook.model.cache import Store
from proofbook.run.judge import Result, Variant
from proofbook.run.runner import KERNELS, Runner

RunKey = tuple[str, str, str]
"""A script, the hash of its bytes, and how it is run: one of the following."""
PLAIN, RECORDED, VARIED = "plain", "recorded", "varied"
"""The last is with other numbers; the hash then includes all its texts."""


@dataclass
class Runs:
    """Owns the runner, which starts with the first script to run, and the results by script.

    `known`: results of an earlier process for the same software; only scripts that are not in it
    are run. `took`: the seconds of scripts in an earlier process; the longest run first.
    """

    root: Path
    start_runner: Callable[..., Runner] = Runner
    known: dict[RunKey, Result] = field(default_factory=dict)
    took: Mapping[str, float] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    """The scripts that the last `start` had to run."""
    _futures: dict[RunKey, Future[Result]] = field(default_factory=dict)
    _last: dict[tuple[str, str], Future[Result]] = field(default_factory=dict)
    _runner: Runner | None = None

    def prepare(self, scripts: Iterable[str]) -> None:
        """Start the runner if any of these scripts has no known result.

        It imports torch in the background, so it is ready for `start` if the caller does other work
        meanwhile.
        """
        if self._runner is None and any(self._key(s, PLAIN) not in self.known for s in scripts):
            self._runner = self._new_runner()

    def start(
        self,
        scripts: Iterable[str],
        traced: Iterable[str],
        varied: Mapping[str, Sequence[Variant]] | None = None,
    ) -> list[Future[Result]]:
        """Run these scripts, record those in `traced`, and run those in `varied` with other
        numbers, recorded if they are in `traced`, unless that was done."""
        varied, traced = varied or {}, set(traced)
        if self._runner is not None and not self._runner.alive():
            self.close()
            self._futures = {}  # they will never end
        wanted = [(script, PLAIN) for script in scripts]
        wanted += [(script, RECORDED) for script in traced]
        wanted += [(script, VARIED) for script in varied]
        wanted.sort(key=lambda each: -self.took.get(each[0], 0.0))
        futures: dict[RunKey, Future[Result]] = {}
        self.again = set()
        for script, way in wanted:
            variants = varied[script] if way == VARIED else ()
            key = self._key(script, way, variants)
            if key in self._futures:
                futures[key] = self._futures[key]
            elif key in self.known:
                futures[key] = Future()
                # Results stored with a book move with it: the script may be elsewhere by now.
                moved = replace(self.known[key], path=str(self.root / script))
                futures[key].set_result(moved)
            else:
                self._runner = self._runner or self._new_runner()
                file = self.root / script
                recorded = way != PLAIN and script in traced
                futures[key] = self._runner.submit(file, recorded, variants=variants)
                self.again.add(script)
        self._futures = futures
        self._last = {(script, way): run for (script, _, way), run in futures.items()}
        return list(futures.values())

    def _new_runner(self) -> Runner:
        return self.start_runner(kernels=self.root / KERNELS)

    def last(self, script: str, way: str = PLAIN) -> Future[Result] | None:
        """The last requested run of the script."""
        return self._last.get((script, way))

    def _key(self, script: str, way: str, variants: Sequence[Variant] = ()) -> RunKey:
        texts = [(self.root / script).read_bytes(), *(text.encode() for _, text in variants)]
        return script, hashlib.sha256(b"\0".join(texts)).hexdigest()[:20], way

    def running(self) -> list[tuple[Path, float]]:
        """The running scripts, each with its seconds so far."""
        return self._runner.running() if self._runner else []

    def close(self) -> None:
        """Stop all runs."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def save(self, store: Store) -> None:
        """Write the results; known results of scripts that were not requested are retained."""
        asked = {script for script, *_ in self._futures}
        others = {
            key: result
            for key, result in known_results(store).items()
            if key[0] not in asked and (self.root / key[0]).is_file()
        }
        store.save("runs", {**others, **self.results()})

    def results(self) -> dict[RunKey, Result]:
        """The results of the scripts that ended normally."""
        return {key: future.result() for key, future in self._futures.items() if _counts(future)}


def known_results(store: Store) -> dict[RunKey, Result]:
    """The results of an earlier process for the same software."""
    return store.load("runs")


def seconds_of(results: Mapping[RunKey, Result]) -> dict[str, float]:
    """The seconds of each script's last run."""
    return {script: run.seconds for (script, *_), run in results.items()}


def _counts(future: Future[Result]) -> bool:
    return future.done() and future.exception() is None and future.result().refusal is None
