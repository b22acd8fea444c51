"""The ranks that `torchrun` starts: the first on a machine reports what was recorded on all.

torchrun --nproc-per-node 2 -m gradtrace doctor train.py
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from gradtrace.doctor.finding import Finding
from gradtrace.doctor.run import Run
from gradtrace.trace import Trace, format_trace, parse_trace
from gradtrace.values import norm

_PATIENCE = 60.0
"""Seconds that the first rank waits for the others, once its own script has ended."""


@dataclass(frozen=True)
class Ranks:
    """The ranks on this machine, from `first` on, of which this process is `own`; `folder`: where
    they hand over their recordings."""

    own: int
    first: int
    count: int
    folder: Path

    @classmethod
    def here(cls) -> Ranks | None:
        """The ranks of which this process is one; None if it isn't one of several."""
        found = os.environ.get
        if (count := int(found("LOCAL_WORLD_SIZE") or 1)) < 2:
            return None
        own, local = int(found("RANK", 0)), int(found("LOCAL_RANK", 0))
        run = "-".join(found(key, "") for key in ("USER", "TORCHELASTIC_RUN_ID", "MASTER_PORT"))
        ranks = cls(own, own - local, count, Path(tempfile.gettempdir()) / f"gradtrace-{run}")
        ranks._file(own).unlink(missing_ok=True)  # of an earlier run
        return ranks

    def hand_over(self, trace: Trace | None) -> None:
        """Hand the recording of this rank over to the first one; None if there is none."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        part = self._file(self.own).with_suffix(".part")
        part.write_text(format_trace(trace) if trace else "", "utf-8")
        part.rename(self._file(self.own))

    def gather(self, own: Run) -> dict[int, Run]:
        """The recordings of all ranks; without those that handed none over."""
        runs, until = {self.own: own}, time.monotonic() + _PATIENCE
        others = {rank: self._file(rank) for rank in range(self.first + 1, self.first + self.count)}
        while not all(map(Path.exists, others.values())) and time.monotonic() < until:
            time.sleep(0.05)
        for rank, file in others.items():
            if file.exists() and (text := file.read_text("utf-8")):
                runs[rank] = Run(parse_trace(text))
            file.unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()
        return runs

    def _file(self, rank: int) -> Path:
        return self.folder / f"{rank}.json"


def told_once(found: Mapping[int, list[Finding]]) -> Iterator[Finding]:
    """The findings of several ranks: those that differ in numbers at most are one."""
    ranks: dict[tuple, list[int]] = {}
    firsts: dict[tuple, Finding] = {}
    for rank, findings in found.items():
        for each in findings:
            facts = {
                k: fact for k, fact in each.facts.items() if not isinstance(fact, (int, float))
            }
            key = each.kind, each.place, each.level, json.dumps(facts, default=asdict)
            firsts.setdefault(key, each)
            ranks.setdefault(key, []).append(rank)
    return (replace(first, ranks=tuple(ranks[key])) for key, first in firsts.items())


def compared(runs: Mapping[int, Run]) -> Iterator[Finding]:
    """What differs between ranks: which parameters their backward passes reach, and, at the first
    step where anything does, the parameters or the gradients."""
    calls = (call["kind"] for run in runs.values() for call in run.trace.calls.values())
    if any("FSDP" in kind or "FullyShard" in kind for kind in calls):
        return  # each rank holds its own part
    yield from _unused(runs)
    place = next(iter(runs.values())).place
    for number, steps in enumerate(zip(*(run.steps for run in runs.values()), strict=False), 1):
        rows = {
            rank: {run.name(row["t"]): row for row in step.rows}
            for (rank, run), step in zip(runs.items(), steps, strict=True)
        }
        found = {
            "ranks-apart": _differing(rows, "before"),
            "gradients-not-averaged": _differing(rows, "grad"),
        }
        if any(found.values()):
            for kind, facts in found.items():
                if facts:
                    yield Finding(kind, place(steps[0].event), {"step": number, **facts})
            return


def _differing(rows: Mapping[int, Mapping[str, dict]], key: str) -> dict[str, object]:
    """The parameters that differ between ranks, with the norms of the first; empty without any."""
    first, *others = rows.values()
    names = [
        n for n in first if any(n in each and each[n][key] != first[n][key] for each in others)
    ]
    if not names:
        return {}
    sizes = [(norm(each[names[0]][key]), rank) for rank, each in rows.items() if names[0] in each]
    facts: dict[str, object] = {"names": names}
    if all(size is not None for size, _ in sizes):
        (small, low), (large, high) = min(sizes), max(sizes)
        if f"{small:.3g}" != f"{large:.3g}":
            facts |= {"name": names[0], "small": small, "low": low, "large": large, "high": high}
    return facts


def _unused(runs: Mapping[int, Run]) -> Iterator[Finding]:
    """The parameters that the backward passes of other ranks reached, but not those of one."""
    passes = min(sum(not each.failed for each in run.passes) for run in runs.values())
    reached = {
        rank: dict.fromkeys(
            run.name(t)
            for t, found in run.gradients.items()
            if run.trace.tensors[t].get("param") and found[0][1]["p"] <= passes
        )
        for rank, run in runs.items()
    }
    for rank, run in runs.items():
        others = {name for each in reached.values() for name in each if name not in reached[rank]}
        if others:
            place = run.place(run.passes[0].event)
            yield Finding("unused-on-rank", place, {"names": sorted(others)}, ranks=(rank,))
