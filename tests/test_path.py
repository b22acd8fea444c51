"""A path through the book lists its pages with their times, and what they take together."""

from __future__ import annotations

import re
from pathlib import Path

from proofbook.html.page import site_markdown
from proofbook.model.book import read_book

ROOT = Path(__file__).resolve().parents[1]


def test_the_handbook_has_five_paths_of_eight_pages_whose_times_add_up():
    book = read_book(ROOT)
    for code, minutes in (("zh", r"· (\d+) 分钟"), ("en", r"· (\d+) min")):
        text = book.remember(site_markdown, f"docs/handbook/index.{code}.md", 0)
        paths = [p.split("\n## ")[0] for p in text.split("??? note")[1:]]
        assert len(paths) == 5
        for path in paths:
            spent = [int(number) for number in re.findall(minutes, path)]
            total = re.search(r"\n    (?:About|读一遍约) (\d+) ", path)[1]
            assert len(spent) == 8 and sum(spent) == int(total)
