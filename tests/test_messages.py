"""The index of messages has what PyTorch raises and warns with, or there is a reason."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from proofbook.content.questions import read_questions
from proofbook.model.book import read_book

pytestmark = pytest.mark.upgrade

ROOT = Path(__file__).resolve().parents[1]
TORCH = Path(torch.__file__).parent
FILES = (
    "_tensor.py",
    "amp/*.py",
    "autograd/[!p]*.py",
    "nn/modules/module.py",
    "nn/parallel/distributed.py",
    "nn/parameter.py",
    "nn/utils/clip_grad.py",
    "optim/[!_]*.py",
    "optim/_muon.py",
    "utils/checkpoint.py",
    "utils/hooks.py",
)
"""Where autograd, hooks, modules, optimizers, mixed precision, DDP and checkpoints raise and warn;
the profiler of `autograd/` is not among them."""

_WARNING = {"warn", "warn_once", "warning"}
_GAP = "\0"
"""In a text, what is known only when it is raised: a name, a number, a shape."""
_SHOWN_GAP = "..."
_BEGINNING = 44
"""So many letters tell a message from another."""


@dataclass(frozen=True)
class TorchMessage:
    """An error or a warning: its file below `torch/`, its line, and its text with gaps."""

    file: str
    line: int
    text: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """What finds its beginning in a text that has single blanks: a script may print no more."""
        beginning = str(self)[:_BEGINNING].rstrip(". ")
        return re.compile(".{1,60}?".join(map(re.escape, beginning.split(_SHOWN_GAP))))

    def __str__(self) -> str:
        return " ".join(self.text.replace(_GAP, _SHOWN_GAP).split())


def messages() -> list[TorchMessage]:
    """All of them, each text of a file once, in the order of the files."""
    found = {}
    for pattern in FILES:
        for file in sorted(TORCH.glob(pattern)):
            name = file.relative_to(TORCH).as_posix()
            for line, text in _spelled_out(ast.parse(file.read_text(encoding="utf-8"))):
                found.setdefault((name, text), TorchMessage(name, line, text))
    return sorted(found.values(), key=lambda each: (each.file, each.line))


def _spelled_out(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            call = node.exc
        elif isinstance(node, ast.Call) and _name(node.func) in _WARNING:
            call = node
        else:
            continue
        text = next((text for text in map(_text, call.args[:1]) if text), "")
        if text.replace(_GAP, "").strip():
            yield node.lineno, text


def _name(node: ast.expr) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def _text(node: ast.expr) -> str:
    """The text of an expression, with gaps; nothing where none of it is spelled out."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(v.value if isinstance(v, ast.Constant) else _GAP for v in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return (_text(left) or _GAP) + (_text(right) or _GAP)
        case ast.BinOp(left=left, op=ast.Mod()):
            return re.sub(r"%\(?\w*\)?[sdrf]", _GAP, _text(left))
        case ast.Call(func=ast.Attribute(value=value, attr="format")):
            return re.sub(r"\{[^}]*\}", _GAP, _text(value))
    return ""


HEADING = re.compile(r"^### `+ ?(.+?) ?`+ \{ #([\w-]+) \}$", re.MULTILINE)

_REST = 200
"""So many letters of a message may follow its beginning."""


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
    left_out = rules["left_out"]
    open_ones = [each for each in messages() if not printed(each, runs, known)]
    covered = [
        {
            message
            for message in open_ones
            if re.fullmatch(rule.get("file", ".*"), message.file)
            and re.search(rule["says"], str(message))
        }
        for rule in left_out
    ]
    missing = [each for each in open_ones if each not in set().union(*covered)]
    missing = [f"torch/{each.file}:{each.line}: {each}" for each in missing]
    assert not missing, "\n".join(["add them to docs/messages, or a reason:", *missing])
    unused = [rule["says"] for rule, some in zip(left_out, covered, strict=True) if not some]
    assert unused == [], "no message needs these reasons any more"
    anchors = entries("en").keys()
    assert [r["entry"] for r in left_out if "entry" in r and r["entry"] not in anchors] == []
    assert [r["says"] for r in left_out if ("entry" in r) == ("reason" in r)] == []
