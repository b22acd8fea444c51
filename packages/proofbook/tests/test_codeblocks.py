"""`pytest --codeblocks docs` on small books: what runs, and what is said where it fails."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from proofbook.model.torch_records import TorchRecord, hashes, record_file, record_text
from proofbook.testing.fixtures import PATIENCE

SETTINGS = """\
[tool.pytest.ini_options]
testpaths = ["docs"]
addopts = "--codeblocks"
norecursedirs = [".*"]
"""

DOUBLE = """\
x = 2

print("double:", 2 * x)
"""

OLDER = TorchRecord(
    "1.4.0",
    {},
    False,
    {"snippets/t/double.py": hashes(DOUBLE, "another: 5\n")},
    {"snippets/t/double.py": "another: 5\n"},
)

GAPS = '''\
def words():

    return """one

two"""


print(words())
print("   ")
print("end\\n")
'''

GOOD = """\
# Good { #good }

::: snippets/t/double.py
    highlight: 2 * x

!!! note "Within a box"
    ::: snippets/t/gaps.py

```text
print("no code")
```

```sh
echo from the shell
```
"""

GOOD_ITEMS = ["line 3: snippets/t/double.py", "line 7: snippets/t/gaps.py"]


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Callable[[dict[str, str]], Path]:
    """Makes a book from pages and snippets, with the settings that a book needs."""

    def make(files: dict[str, str]) -> Path:
        root = tmp_path_factory.mktemp("book")
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8", newline="\n")
        (root / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
        return root

    return make


@pytest.fixture(scope="module")
def good(book) -> Path:
    return book(
        {
            "docs/t/p.zh.md": GOOD,
            "docs/t/p.en.md": GOOD,
            "docs/build/q.zh.md": "::: snippets/t/double.py\n    then: 1.4.0\n",
            record_file("1.4.0"): record_text(OLDER),
            "snippets/t/double.py": DOUBLE,
            "snippets/t/double.out": "double: 4\n",
            "snippets/t/gaps.py": GAPS,
            "snippets/t/gaps.out": "one\n\ntwo\n   \nend\n\n",
        }
    )


def run_pytest(*arguments: object, cwd: Path) -> tuple[int, str]:
    """The exit status of pytest in a process of its own, and what it says."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *map(str, arguments)],
        cwd=cwd,
        env={**variables, "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=4 * PATIENCE,
    )
    return done.returncode, done.stdout


def test_every_block_runs_once_in_each_language(good):
    code, told = run_pytest("-v", cwd=good)
    passed = re.findall(r"^(docs/t/\S+?::.*?) PASSED", told, re.MULTILINE)
    pages = ("docs/t/p.en.md", "docs/t/p.zh.md")
    assert passed == [f"{page}::{item}" for page in pages for item in GOOD_ITEMS], told
    # A folder that pytest passes over unless it is told otherwise.
    assert "docs/build/q.zh.md::line 1: snippets/t/double.py PASSED" in told
    assert code == 0


def test_blocks_are_chosen_as_users_choose_tests(good, tmp_path):
    page = good / "docs/t/p.zh.md"
    one = f"{page}::line 3: snippets/t/double.py"
    code, told = run_pytest("-x", one, cwd=tmp_path)
    assert "1 passed" in told
    assert code == 0


SHOWN = "::: snippets/t/good.py\n"

TYPED = "Python code is typed into the page, so nothing runs it"
MARKED = "a test marker is typed into the page"
LOST = {
    "skipfile": (f"<!--pytest-codeblocks:skipfile-->\n\n{SHOWN}", f"1: {MARKED}"),
    "spaced": (f"<!-- pytest.mark.xfail -->\n\n{SHOWN}", f"1: {MARKED}"),
    "joined": (f"{SHOWN}\n<!--pytest-codeblocks:cont-->\n\n{SHOWN}", f"3: {MARKED}"),
    "typed": ('Text.\n\n```python title="x"\nprint(1)\n```\n', f"3: {TYPED}"),
}
"""Pages from which pytest-codeblocks would drop a block or its output, and what is said instead."""


@pytest.fixture(scope="module")
def faulty(book) -> str:
    """What pytest says about a book with many faults, each on a page of its own."""
    pages = {
        "difference": "# Title { #title }\n\n::: snippets/t/stale.py\n    highlight: 3 * x\n",
        "missing": "\n::: snippets/t/god.py\n",
        "loop": "::: snippets/t/loop.py\n",
        "raises": "::: snippets/t/raises.py\n",
        "syntax": "::: snippets/t/syntax.py\n",
        **{name: text for name, (text, _) in LOST.items()},
    }
    snippets = {
        "good": ("print(1)\n", "1\n"),
        "stale": ('x = 2\n\nprint("one")\nprint("triple:", 3 * x)\n', "one\ntriple: 7\n"),
        "loop": ("print(1, flush=True)\nwhile True:\n    pass\n", "1\n"),
        "raises": ("print(1)\n1 / 0\n", "1\n"),
        "syntax": ("print(1\n", "1\n"),
    }
    files = {f"docs/t/{name}.en.md": text for name, text in pages.items()}
    for name, (source, output) in snippets.items():
        files |= {f"snippets/t/{name}.py": source, f"snippets/t/{name}.out": output}
    code, told = run_pytest(
        "--continue-on-collection-errors", "-o", "codeblocks_limit=1.5", cwd=book(files)
    )
    assert code == 1, told
    assert re.search(rf"=+ 4 failed, {len(pages) - 4} errors in", told), told
    return told


def told_of(faulty: str, page: str) -> str:
    """The paragraph of the report that begins with the name of a page."""
    found = re.findall(rf"^docs/t/{page}\.en\.md:\d+: .*(?:\n  .*)*", faulty, re.MULTILINE)
    assert found, f"nothing about {page} in:\n{faulty}"
    return "\n".join(found)


SAID = {
    "difference": (
        "3: snippets/t/stale.py prints something else than the page shows, in line 2 of the output",
        ["triple: 7    (the page)", "triple: 6    (what", "proofbook update snippets/t/stale.py"],
    ),
    "missing": ("2: the page names a snippet that does not exist", ["is snippets/t/good.py"]),
    "loop": ("1: snippets/t/loop.py, line ", ["the script does not end", "an end within 1.5 s"]),
    "raises": (
        "1: snippets/t/raises.py, line 2: the script raises",
        ["ZeroDivisionError", "proofbook check snippets/t/raises.py"],
    ),
    # By the name that it has in the book, not by that of the file that was run.
    "syntax": ("1: snippets/t/syntax.py, line 1: the script", ['"snippets/t/syntax.py", line 1']),
    **{page: (said, []) for page, (_, said) in LOST.items()},
}


@pytest.mark.parametrize("page", SAID)
def test_what_fails_is_told_and_no_block_is_lost_in_silence(faulty, page):
    told = told_of(faulty, page)
    what, words = SAID[page]
    assert told.startswith(f"docs/t/{page}.en.md:{what}")
    assert all(word in told for word in words)
    assert re.search(r"(?m)^  fix: +\S", told)
