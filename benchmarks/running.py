"""How to run all snippets of the book: every strategy side by side, on the snippets as they are.

    python benchmarks/running.py [repeats]

Each strategy starts cold: the clock runs from the start of its first process to its last compared
output, and includes the import of torch. The strategies with an interpreter for each script run
every eighth, and the time for all is computed from that. Prints the medians, their ratios, and the
limits that the project has set itself.
"""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((ROOT / "snippets").rglob("*.py"))
SAMPLE = SCRIPTS[::8]
"""For the strategies with an interpreter for each script: all of them would take many minutes."""
SMALL = (
    "import torch\nw = torch.tensor(1.0, requires_grad=True)\n(2 * w).backward()\nprint(w.grad)\n"
)


def expected(script: Path) -> str:
    return script.with_suffix(".out").read_text(encoding="utf-8")


def bare() -> None:
    """In this process, one after another, without any isolation: the least that it can cost.

    A script may print something else here: the ones before it have left their traces. How many do
    is told, and is why the project isolates them.
    """
    other = 0
    for script in SCRIPTS:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_path(str(script), run_name="__main__")
        other += out.getvalue() != expected(script)
    if other:
        print(f"without isolation, {other} of {len(SCRIPTS)} scripts print something else")


def proofbook(scripts: list[Path], fresh: bool = False) -> None:
    """The project's runner: isolated, limited, compared."""
    from proofbook.run.runner import Runner

    with Runner(fresh=fresh) as runner:
        results = runner.run(scripts)
        for script, result in zip(scripts, results, strict=True):
            assert result.stdout == expected(script), script


def interpreters() -> None:
    """One interpreter after another."""
    for script in SAMPLE:
        command = [sys.executable, script]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == expected(script), script


def marginal(count: int = 200) -> float:
    """Seconds for one more small snippet, in a runner that has started."""
    from proofbook.run.runner import Runner

    with tempfile.TemporaryDirectory() as folder, Runner() as runner:
        script = Path(folder) / "small.py"
        script.write_text(SMALL)
        runner.run([script] * 20)
        began = time.perf_counter()
        runner.run([script] * count)
        return (time.perf_counter() - began) / count


STRATEGIES: dict[str, Callable[[], None]] = {
    "exec in one process, no isolation": bare,
    "proofbook": lambda: proofbook(SCRIPTS),
    "proofbook, an interpreter each": lambda: proofbook(SAMPLE, fresh=True),
    "one interpreter after another": interpreters,
}


def cold(name: str, repeats: int) -> float:
    """The median time of a strategy in a process of its own, in seconds."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        subprocess.run([sys.executable, __file__, "--run", name], check=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        STRATEGIES[sys.argv[2]]()
        return
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    times = {}
    for name in STRATEGIES:
        sampled = "interpreter" in name
        whole = len(SCRIPTS) / len(SAMPLE) if sampled else 1
        times[name] = whole * cold(name, 1 if sampled else repeats)
    base, ours, *_, slowest = times.values()
    print(f"{len(SCRIPTS)} snippets, {os.cpu_count()} cores\n")
    for name, seconds in times.items():
        print(f"{name:36} {seconds:6.2f} s   {seconds / base:6.2f} times the first")
    more = marginal()
    print(f"\nproofbook / exec without isolation  {ours / base:6.2f}   (limit 1.6)")
    print(f"one after another / proofbook       {slowest / ours:6.2f}   (at least 12)")
    print(f"one more small snippet              {more * 1000:6.1f} ms (limit 25)")


if __name__ == "__main__":
    main()
