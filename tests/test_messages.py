"""The index of messages has what PyTorch raises and warns with, or there is a reason."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from proofbook.content.questions import read_questions
from proofbook.model.book import read_book
from torch_messages import TorchMessage, messages

ROOT = Path(__file__).resolve().parents[1]
HEADING = re.compile(r"^### `+ ?(.+?) ?`+ \{ #([\w-]+) \}$", re.MULTILINE)

_REST = 200
"""So many letters of a message may follow its beginning."""

pytestmark = pytest.mark.upgrade


def entries(language: str) -> dict[str, str]:
    """The messages of the index, by their anchors."""
    page = (ROOT / f"docs/messages/index.{language}.md").read_text(encoding="utf-8")
    found = HEADING.findall(page)
    assert len({message for message, _ in found}) == len(found)
    return {anchor: message for message, anchor in found}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_message_that_readers_paste_stands_in_the_index(language):
    said = [question.message for question in read_questions(read_book(ROOT)) if question.message]
    shown = entries(language).values()
    assert [m for m in said if not any(m in entry or entry in m for entry in shown)] == []


def printed(message: TorchMessage, runs: dict[str, str], known: list[str]) -> bool:
    """Whether a run of the index prints this message, or any run one that is in the index.

    `runs`: the outputs of the book by their files, with single blanks; `known`: the index.
    """
    for file, output in runs.items():
        if match := message.pattern.search(output):
            said = output[match.start() : match.end() + _REST]
            if file.startswith("messages/") or any(entry in said for entry in known):
                return True
    return False


def test_every_message_of_the_installed_torch_is_in_the_index_or_there_is_a_reason():
    snippets = ROOT / "snippets"
    runs = {
        file.relative_to(snippets).as_posix(): " ".join(file.read_text(encoding="utf-8").split())
        for file in sorted(snippets.glob("*/*.out"))
    }
    known = list(entries("en").values())
    rules = tomllib.loads((ROOT / "tests/messages_left_out.toml").read_text(encoding="utf-8"))
    left_out, unused = rules["left_out"], []
    open_ones = [each for each in messages() if not printed(each, runs, known)]
    for rule in left_out:
        rest = [
            each
            for each in open_ones
            if not (
                re.fullmatch(rule.get("file", ".*"), each.file)
                and re.search(rule["says"], str(each))
            )
        ]
        if len(rest) == len(open_ones):
            unused.append(rule["says"])
        open_ones = rest
    missing = [f"torch/{each.file}:{each.line}: {each}" for each in open_ones]
    assert not missing, "\n".join(["add them to docs/messages, or a reason:", *missing])
    assert unused == [], "no message needs these reasons any more"
    anchors = entries("en").keys()
    assert [r["entry"] for r in left_out if "entry" in r and r["entry"] not in anchors] == []
    assert [r["says"] for r in left_out if ("entry" in r) == ("reason" in r)] == []


def test_a_message_that_nobody_prints_or_that_is_not_in_the_index_is_missed():
    message = TorchMessage("optim/sgd.py", 1, "a new \0 message: \0")
    runs = {"t/s.out": "x: a new kind of message: 3"}
    assert printed(message, runs, ["a new kind of message"])
    assert not printed(message, runs, ["another"])
    assert printed(message, {"messages/s.out": runs["t/s.out"]}, ["another"])
    assert not printed(message, {"messages/s.out": "an old one"}, ["an old one"])
