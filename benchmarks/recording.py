"""What recording costs: each snippet of the book, run plain and recorded.

    python benchmarks/recording.py [script...]

Every run is a fork of one warm process, as in the book; the best of three counts, so that what else
the machine does counts less. Prints the median and the worst ratio, the time for the whole book, and
how large the recordings are.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from proof.runner import Runner  # noqa: E402
from proof.trace.model import parsed  # noqa: E402

REPEATS = 3


def seconds(runner: Runner, script: Path, trace: bool) -> float:
    """The least time of a run, one after another: alone on the machine as far as we can tell."""
    runs = [runner.submit(script, trace).result() for _ in range(REPEATS)]
    return min(run.seconds for run in runs)


def whole(runner: Runner, scripts: list[Path], trace: bool) -> float:
    """The time for all scripts, as many at once as there are cores."""
    began = time.perf_counter()
    for future in [runner.submit(script, trace) for script in scripts]:
        future.result()
    return time.perf_counter() - began


def main() -> None:
    scripts = [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "snippets").rglob("*.py"))
    with Runner() as runner:
        runner.trace(scripts[0]).result()  # warm
        whole_plain, whole_recorded = (whole(runner, scripts, trace) for trace in (False, True))
        ratios, sizes, events = {}, {}, {}
        for script in scripts:
            result = runner.trace(script).result()
            if result.refusal:
                print(f"not recorded: {script.stem}: {result.refusal.found}")
                continue
            sizes[script], events[script] = len(result.trace), len(parsed(result.trace).events)
            plain, recorded = (seconds(runner, script, trace) for trace in (False, True))
            ratios[script] = recorded / plain
    print(f"{len(ratios)} snippets recorded\n")
    for name, table in (("ratio", ratios), ("bytes", sizes), ("events", events)):
        worst = max(table, key=table.__getitem__)
        middle = statistics.median(table.values())
        print(f"{name:8} median {middle:8.1f}   worst {table[worst]:8.1f}  {worst.stem}")
    print(f"\nthe book, plain     {whole_plain:6.1f} s")
    print(f"the book, recorded  {whole_recorded:6.1f} s   {whole_recorded / whole_plain:.1f} times")


if __name__ == "__main__":
    main()
