"""The errors and warnings that the Python files of the installed PyTorch spell out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

ROOT = Path(torch.__file__).parent
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
        for file in sorted(ROOT.glob(pattern)):
            name = file.relative_to(ROOT).as_posix()
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
