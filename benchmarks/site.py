"""What proving costs a build of the site, and how long an author waits.

    python benchmarks/site.py [build] [check] [serve] [memory] [--repeats 3] [--edits 200]

Without a name, all parts. Everything happens in a copy of the book, in seconds and as multiples of
what `import torch` takes in the same minute:

build   `mkdocs build --strict` with nothing remembered; a second build with what the first
        remembered; and one in which no script runs (outputs taken as recorded)
check   `proofbook check` with nothing remembered, after an edited page, after an edited snippet,
        and `--fresh`
serve   `mkdocs serve`: from an edit until it is served, and until the book is checked
memory  resident memory of the server before and after many edits in a row

What torch offers (the names, their documentation) is kept once for each machine and not part of
this: the first build on a new machine takes some seconds more.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from measure import (
    BUILD,
    STRICT_BUILD,
    Edit,
    Waits,
    command,
    import_torch,
    load,
    program,
    serve,
)

ROOT = Path(__file__).resolve().parent.parent

AS_RECORDED = """
from concurrent.futures import Future
import proofbook.pipeline
from proofbook.run.judge import Result
from proofbook.run.runs import Runs

def recorded(self, scripts, traced):
    futures = []
    for script in scripts:
        path, future = self.root / script, Future()
        future.set_result(Result(str(path), path.with_suffix(".out").read_text("utf-8"), 0.0))
        futures.append(future)
    return futures

Runs.start = recorded
proofbook.pipeline.problems_in_runs = lambda book, results: []
"""

MARK = "edited-by-the-benchmark"
PAGE = f"\n\n{MARK}\n"
SCRIPT = f"\n# {MARK}\n"
EDITS = {
    "an edited Chinese page": (Edit("docs/basics/leaf.zh.md", PAGE, "basics/leaf/", MARK), 1.0),
    "an edited English page": (Edit("docs/basics/leaf.en.md", PAGE, "en/basics/leaf/", MARK), 1.0),
    "an edited snippet": (
        Edit("snippets/basics/leaf_or_not.py", SCRIPT, "basics/leaf/", MARK),
        1.5,
    ),
    "an edited recorded output": (
        Edit("snippets/basics/leaf_or_not.out", f"{MARK}\n", "en/basics/leaf/", MARK),
        1.5,
    ),
    "an edited laboratory": (
        Edit("snippets/labs/depth_norms.py", SCRIPT, "labs/depth/", MARK),
        5.0,
    ),
}
"""Each with the seconds after which it should be served."""


def copy_of_book(folder: Path) -> Path:
    """The book in a folder of its own, with nothing remembered and no site."""
    left = (".git", ".venv", "site", "site.*", "__pycache__", ".cache", "dist")
    return Path(shutil.copytree(ROOT, folder / "book", ignore=shutil.ignore_patterns(*left)))


def row(name: str, seconds: float, torch: float, limit: float | None = None, more: str = "") -> str:
    wanted = f"(wanted {limit:g} s)" if limit else ""
    return f"{name:46}{seconds:7.2f} s {seconds / torch:6.1f} x  {wanted:14} {more}".rstrip()


def build(book: Path, torch: float, options: argparse.Namespace) -> None:
    def seconds(text: str) -> float:
        shutil.rmtree(book / ".cache", ignore_errors=True)
        return program(text, book)

    def median(text: str) -> float:
        return statistics.median(seconds(text) for _ in range(options.repeats))

    nothing, first = map(median, (AS_RECORDED + BUILD, STRICT_BUILD))
    again = program(STRICT_BUILD, book)
    print(row("mkdocs build --strict", first, torch, 45))
    print(row("once more, with what was remembered", again, torch, 20))
    print(row("mkdocs build in which no script runs", nothing, torch))


def check(book: Path, torch: float, options: argparse.Namespace) -> None:
    arguments = [sys.executable, "-m", "proofbook", "check"]

    def say(name: str, limit: float | None = None, *more: str) -> None:
        seconds, status, _ = command([*arguments, *more], book, (0, 1))
        print(row(name, seconds, torch, limit, "something does not hold" if status else ""))

    def after(name: str, edit: Edit) -> None:
        path = book / edit.file
        before = path.read_text("utf-8")
        path.write_text(before + edit.text, "utf-8", newline="\n")
        say(name, 3)
        path.write_text(before, "utf-8", newline="\n")
        command(arguments, book)

    shutil.rmtree(book / ".cache", ignore_errors=True)
    say("proofbook check, nothing remembered")
    say("the same again, nothing edited")
    after("after an edited page", EDITS["an edited Chinese page"][0])
    after("after an edited snippet", EDITS["an edited snippet"][0])
    say("proofbook check --fresh", None, "--fresh")


def wait(book: Path, torch: float, options: argparse.Namespace) -> None:
    with serve(book) as (served, seconds):
        print(row("mkdocs serve: the first page after", seconds, torch))
        for name, (edit, limit) in EDITS.items():
            waits = [one for _ in range(options.repeats) for one in served.edit(edit)]
            shown = statistics.median(one.shown for one in waits)
            print(row(f"{name} is served after", shown, torch, limit, longest(waits)))


def longest(waits: list[Waits]) -> str:
    shown, checked = (max(w.shown for w in waits), statistics.median(w.checked for w in waits))
    return f"longest {shown:.2f} s; checked after {checked:.2f} s"


def memory(book: Path, torch: float, options: argparse.Namespace) -> None:
    """Edits of a page in each language and of a snippet in turn; every tenth is checked too.

    The memory before is that after a first round of edits: whatever is loaded once is there then.
    """
    names = ("an edited Chinese page", "an edited English page", "an edited snippet")
    edits = [EDITS[name][0] for name in names]
    with serve(book) as (served, _):
        for edit in edits:
            served.edit(edit)
        before = served.memory()
        texts = {edit.file: (book / edit.file).read_text("utf-8") for edit in edits}
        for number in range(options.edits):
            edit, mark = edits[number % len(edits)], f"{MARK}-{number}-"
            text = texts[edit.file] + edit.text.replace(MARK, mark)
            served.write(replace(edit, mark=mark), text, True, check=number % 10 == 9)
        served.wait(lambda: served.checked(edit.address))
        after = served.memory()
    print(f"memory of the server {before:9.0f} MiB")
    print(
        f"after {options.edits} edits {after:15.0f} MiB ({after / before - 1:+.1%}, wanted +10 %)"
    )


PARTS: dict[str, Callable[[Path, float, argparse.Namespace], None]] = {
    "build": build,
    "check": check,
    "serve": wait,
    "memory": memory,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="part", help=" or ".join(PARTS))
    parser.add_argument("--repeats", type=int, default=3, help="of each build and each edit")
    parser.add_argument("--edits", type=int, default=200, help="in a row, for the memory")
    options = parser.parse_args()
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    import_torch()  # from the disk
    with tempfile.TemporaryDirectory() as folder:
        book = copy_of_book(Path(folder))
        for part in options.parts or PARTS:
            torch = import_torch()
            print(f"\n{part}: {load()}\n{row('import torch', torch, torch)}", flush=True)
            PARTS[part](book, torch, options)


if __name__ == "__main__":
    main()
