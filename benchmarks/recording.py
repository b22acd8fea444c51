"""What recording costs: each snippet of the book, run plain and recorded.

    python benchmarks/recording.py [script...]

Every run is a fork of one warm process, as many at a time as there are cores, as in the book. It
prints the ratio of a recorded run to a plain one, for the whole book and snippet by snippet, and
how large the recordings are. What else the machine does counts too: run it on an idle one.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from gradtrace import parse_trace
from proofbook.run.judge import Result
from proofbook.run.runner import Runner

ROOT = Path(__file__).resolve().parent.parent


def timed(runner: Runner, scripts: list[Path], trace: bool) -> tuple[float, dict[str, Result]]:
    """The time for all scripts, and what each gave; a first run of one warms the process up."""
    runner.submit(scripts[0], trace).result()
    began = time.perf_counter()
    waiting = {script.stem: runner.submit(script, trace) for script in scripts}
    found = {name: future.result() for name, future in waiting.items()}
    return time.perf_counter() - began, found


def row(name: str, table: dict[str, float]) -> str:
    worst = max(table, key=table.__getitem__)
    middle = statistics.median(table.values())
    return f"{name:8} median {middle:8.1f}   worst {table[worst]:8.1f}  {worst}"


def main() -> None:
    scripts = [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "snippets").rglob("*.py"))
    with Runner() as runner:
        plain_time, plain = timed(runner, scripts, trace=False)
        time_recorded, recorded = timed(runner, scripts, trace=True)
    for name, result in recorded.items():
        if result.refusal:
            print(f"not recorded: {name}: {result.refusal.found.splitlines()[-1]}")
    whole = {name: result for name, result in recorded.items() if not result.refusal}
    print(row("ratio", {name: r.seconds / plain[name].seconds for name, r in whole.items()}))
    print(row("ms", {name: 1000 * r.seconds for name, r in whole.items()}))
    print(row("bytes", {name: len(r.trace) for name, r in whole.items()}))
    print(row("events", {name: len(parse_trace(r.trace).events) for name, r in whole.items()}))
    print(f"the book, plain     {plain_time:6.1f} s")
    print(f"the book, recorded  {time_recorded:6.1f} s   {time_recorded / plain_time:.1f} times")


if __name__ == "__main__":
    main()
