"""What proving costs a build of the site, and how fast `mkdocs serve` shows an edit.

    python benchmarks/site.py [repeats]

Builds the book with every snippet and notebook executed and compared, and again with the outputs
taken as recorded and no notebook; then serves a copy of the book, edits a page in each language, a
snippet and an output, and waits until the new content is served. Also builds without
`proof/mkdocs_speed.py` and compares the two sites byte by byte.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "1"}
BUILD = """
from mkdocs.__main__ import cli
cli(["build", "--quiet"])
"""
AS_RECORDED = (
    """
from concurrent.futures import Future
import proofbook.run.runner
from proofbook.run.result import Result

class Recorded:
    def submit(self, script, trace=False):
        future = Future()
        out = script.with_suffix(".out").read_text(encoding="utf-8")
        future.set_result(Result(str(script.resolve()), out, 0.0))
        return future
    def running(self):
        return []
    def alive(self):
        return True
    def close(self):
        pass

proofbook.run.runner.Runner = Recorded
import proofbook.pipeline
import proofbook.run.notebooks
proofbook.pipeline.problems_in_runs = lambda book, results: []
proofbook.run.notebooks.labs_of = lambda book: []
"""
    + BUILD
)
PORT = 8123


def copy_of_book(folder: Path, speed: bool = True) -> Path:
    book = folder / "book"
    shutil.copytree(
        ROOT, book, ignore=shutil.ignore_patterns(".git", ".venv", "site*", "__pycache__", ".cache")
    )
    if not speed:
        config = book / "mkdocs.yml"
        lines = config.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if "mkdocs_speed.py" not in line]
        config.write_text("\n".join(kept), encoding="utf-8")
    return book


def build(book: Path, program: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], cwd=book, env=ENVIRONMENT, check=True)
    return time.perf_counter() - began


def builds(book: Path, repeats: int) -> None:
    pairs = [(build(book, AS_RECORDED), build(book, BUILD)) for _ in range(repeats)]
    rendered, proved = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"mkdocs build, executed and compared   {proved:5.2f} s")
    print(f"the same, outputs taken as recorded   {rendered:5.2f} s")
    print(f"ratio                                 {proved / rendered:5.2f}\n")


def different_files(one: Path, other: Path) -> list[str]:
    def names(site: Path) -> set[str]:
        return {str(p.relative_to(site)) for p in site.rglob("*") if p.is_file()}

    both = names(one) & names(other)
    _, differ, errors = filecmp.cmpfiles(one, other, sorted(both), shallow=False)
    return sorted(names(one) ^ names(other)) + differ + errors


def edits(book: Path, repeats: int) -> None:
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{PORT}"]
    server = subprocess.Popen(
        command, cwd=book, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        began = time.perf_counter()
        while "<article" not in served(""):
            time.sleep(0.05)
        print(f"mkdocs serve answers after            {time.perf_counter() - began:5.2f} s")
        time.sleep(1)
        page, mark = "docs/basics/leaf.{}.md", "\n\nedited-by-the-benchmark\n"
        edit(book, "a Chinese page", page.format("zh"), "basics/leaf/", mark, repeats)
        edit(book, "an English page", page.format("en"), "en/basics/leaf/", mark, repeats)
        script = "snippets/basics/leaf_or_not"
        code, line = "\nprint('edited-by-the-benchmark')\n", "edited-by-the-benchmark\n"
        edit(book, "a snippet", script + ".py", "basics/leaf/", code, repeats)
        edit(book, "a recorded output", script + ".out", "en/basics/leaf/", line, repeats)
    finally:
        server.terminate()
        server.wait()


def served(address: str) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/{address}", timeout=30) as answer:
            return answer.read().decode("utf-8")
    except OSError:
        return ""


def edit(book: Path, name: str, file: str, address: str, addition: str, repeats: int) -> None:
    """Append to a file and take the addition away again; prints the median and the longest wait."""
    path, times = book / file, []
    text = path.read_text(encoding="utf-8")
    for _ in range(repeats):
        for content, there in ((text + addition, True), (text, False)):
            path.write_text(content, encoding="utf-8")
            began = time.perf_counter()
            while ("edited-by-the-benchmark" in served(address)) != there:
                time.sleep(0.01)
            times.append(time.perf_counter() - began)
            time.sleep(0.3)
    print(
        f"{name + ' edited and served again':38}{statistics.median(times):5.2f} s"
        f"   (longest {max(times):.2f} s)"
    )


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        book, plain = copy_of_book(Path(one)), copy_of_book(Path(other), speed=False)
        builds(book, repeats)
        build(plain, BUILD)
        differ = different_files(book / "site", plain / "site")
        print(f"files that differ without the speed module: {differ or 'none'}\n")
        edits(book, repeats)


if __name__ == "__main__":
    main()
