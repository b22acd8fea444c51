"""Whether a large book is built in time linear in its pages, and how fast an edit there is served.

    python benchmarks/large_book.py [100 300 1000] [--languages en] [--folder FOLDER]

Writes books of so many pages in each language, with two snippets on each page; builds each with
nothing remembered, with the largest memory of the main process; then edits a page and a snippet of
the last while it is served. Wanted at 1,000 pages: under 1.5 GB, an edited page within 2 s.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
import tempfile
from pathlib import Path

from measure import BUILD, MEASURED, MIB, Edit, import_torch, load, program, serve

PART = 40
"""How many pages lie in one folder."""

SETTINGS = """\
site_name: A large book
site_url: http://127.0.0.1:8000/
theme:
  name: material
  features: [navigation.prune]
plugins:
  - search
  - proofbook:
      languages: [{languages}]
markdown_extensions:
  - attr_list
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.arithmatex: {{ generic: true }}
"""
INDEX = {"en": "# A large book { #large-book }\n\n", "zh": "# 一本大书 { #large-book }\n\n"}
LINK = {"en": "- [page {n}]({path}.en.md)\n", "zh": "- [第 {n} 页]({path}.zh.md)\n"}
PAGES = {
    "en": """\
# What is the slope of {n} squares? {{ #squares-{n} }}

At $w = 3$ the slope of ${n} w^2$ is {slope}, as ${n} \\times 2 \\times 3 = {slope}$ says:

::: snippets/{folder}/slope_{n}.py
    highlight: y.backward()

## Twice a tensor {{ #twice }}

Each element is doubled, also the first: it is 2. See [the next page]({next}.en.md) and
[another one]({other}.en.md#twice).

::: snippets/{folder}/twice_{n}.py
    highlight: 2 * x
""",
    "zh": """\
# {n} 个平方的斜率是多少？ {{ #squares-{n} }}

在 $w = 3$ 处，${n} w^2$ 的斜率是 {slope}，因为 ${n} \\times 2 \\times 3 = {slope}$：

::: snippets/{folder}/slope_{n}.py
    highlight: y.backward()

## 一个张量的两倍 {{ #twice }}

每个元素都变成两倍，第一个也是：得到 2。看[下一页]({next}.zh.md)和[另一页]({other}.zh.md#twice)。

::: snippets/{folder}/twice_{n}.py
    highlight: 2 * x
""",
}
SLOPE = """\
import torch

w = torch.tensor(3.0, requires_grad=True)
y = {n} * w**2
y.backward()
print("w.grad:", w.grad)
"""
TWICE = """\
import torch

x = torch.tensor([1.0, {n}.0])
y = 2 * x
print("y:", y)
"""
MARK = "edited-by-the-benchmark"


def write_book(root: Path, count: int, languages: list[str]) -> Path:
    """Write a book of `count` pages in each language, with what its scripts print recorded."""
    texts = {"mkdocs.yml": SETTINGS.format(languages=", ".join(languages))}
    for n in range(1, count + 1):
        folder = folder_of(n)
        scripts = {
            f"snippets/{folder}/slope_{n}.py": SLOPE.format(n=n),
            f"snippets/{folder}/twice_{n}.py": TWICE.format(n=n),
        }
        texts |= scripts
        texts |= {f"{name[:-3]}.out": printed(text) for name, text in scripts.items()}
        place = {"next": beside(n % count + 1), "other": beside((n + count // 2) % count + 1)}
        for language in languages:
            page = PAGES[language].format(n=n, slope=6 * n, folder=folder, **place)
            texts[f"docs/{folder}/page-{n}.{language}.md"] = page
    for language in languages:
        first = "".join(
            LINK[language].format(n=n, path=f"{folder_of(n)}/page-{n}")
            for n in range(1, count + 1, PART)
        )
        texts[f"docs/index.{language}.md"] = INDEX[language] + first
    for name, text in texts.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="\n")
    return root


def folder_of(n: int) -> str:
    return f"part_{(n - 1) // PART + 1}"


def beside(n: int) -> str:
    """A page from the folder of another one."""
    return f"../{folder_of(n)}/page-{n}"


def printed(script: str) -> str:
    """What a script prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(script, "script.py", "exec"), {"__name__": "__main__"})
    return out.getvalue()


def build(root: Path, count: int, torch: float) -> None:
    seconds = program(MEASURED + BUILD, root)
    peak, own = map(float, (root / "used").read_text().split())
    (root / "used").unlink()
    print(
        f"{count:5} pages, {2 * count:5} snippets: built in {seconds:6.1f} s"
        f" {seconds / torch:6.1f} x   main process: {own:6.1f} s of the processor,"
        f" {own / count * 1000:.0f} ms a page, at most {peak / MIB:.0f} MiB",
        flush=True,
    )


def edit(root: Path, count: int, language: str) -> None:
    n = count // 2
    path = f"{folder_of(n)}/page-{n}"
    page = Edit(f"docs/{path}.{language}.md", f"\n{MARK}\n", f"{path}/", MARK)
    snippet = Edit(f"snippets/{folder_of(n)}/twice_{n}.py", f"# {MARK}\n", f"{path}/", MARK)
    with serve(root) as (served, seconds):
        print(f"mkdocs serve: the first page after   {seconds:6.1f} s")
        for name, edited in (("page", page), ("snippet", snippet)):
            waits = [one for _ in range(3) for one in served.edit(edited)]
            shown = statistics.median(one.shown for one in waits)
            checked = statistics.median(one.checked for one in waits)
            print(f"an edited {name} is served after {shown:5.2f} s, checked {checked:.2f} s")
        print(f"memory of the server {served.memory():.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", type=int, default=[100, 300, 1000])
    parser.add_argument("--languages", nargs="+", choices=PAGES, default=["en"])
    parser.add_argument("--folder", type=Path, help="where the books are written, and stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = options.folder or Path(temporary)
        torch = import_torch()
        print(f"{load()}; import torch {torch:.2f} s")
        for count in options.pages:
            root = write_book(place / f"book-{count}", count, options.languages)
            build(root, count, torch)
        edit(root, count, options.languages[0])


if __name__ == "__main__":
    main()
