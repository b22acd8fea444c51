"""The messages of PyTorch that the book explains, in a file of this package, and the one that a
traceback ends with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MESSAGES = Path(__file__).with_name("messages.json")
"""The messages: `python tests/test_known_messages.py`, in the folder of the book, writes it."""

_START = re.compile(
    r"(?:.*:\d+[:\]] ?)?(?:\w+\.)*\w*"
    r"(?:Error|Exception|Warning|Unsupported|Exit|Interrupt)(?=:|\s*$):? ?"
)
"""The beginning of an exception or a warning: "a.py:3: UserWarning: ", "[W a.cpp:1] Warning: "."""
_FRAME = re.compile(r'Traceback|During handling|The above exception|  File "')
_PREFIX = re.compile(r"(?:\[rank\d+\]:|E  |\(\w+ pid=[^)]*\)|> ) ?")
"""Of a line of a rank, of pytest, of a worker."""
_SHAPE = re.compile(r"[\[(][\d\s,.-]*\d[\d\s,.-]*[\])]|0x[\da-f]+")
_NUMBER = re.compile(r"-?\b\d[\d.]*(?:e[-+]?\d+)?")
_QUOTED = re.compile(
    r"(?<!no attribute )(?<!argument )(?<!argument: )(?<!\w)'(?!nonetype)[^'\n]{1,60}'(?!\w)"
)
_DTYPE = re.compile(
    r"\b(?:(?:c10|at)::|torch\.)?(?:complex|b?float|u?int|q?u?int)?"
    r"(?:16|32|64|128|8|double|float|half|long|bool)(?:tensor)?\b"
)
_NODE = re.compile(r"\b\w+backward\d*\b")
_FEWEST = 12
"""A message of fewer letters says nothing."""


@dataclass(frozen=True)
class Message:
    """A message of PyTorch. `name`: that of its page in the book; `also`: other wordings; `cause`:
    the cause and the fix, by language; `code` prints `output`, with the message in it."""

    name: str
    text: str
    also: Sequence[str]
    cause: dict[str, str]
    code: str
    output: str


@cache
def known_messages() -> tuple[Message, ...]:
    """All messages, in the order of the book."""
    return tuple(Message(**each) for each in json.loads(MESSAGES.read_text("utf-8")))


def find(pasted: str) -> Message | None:
    """The message of a pasted traceback: of its last exception or warning that is known."""
    found = (_find(text) for text in _raised(pasted))
    return next((message for message in found if message), None)


def _raised(pasted: str) -> list[str]:
    """What was raised or warned of, the last first, without the names of the exceptions; all of the
    text where nothing is named."""
    found: list[list[str]] = []
    inside = False
    for whole in pasted.splitlines():
        line = _PREFIX.sub("", whole, count=1) if _PREFIX.match(whole) else whole
        if start := _START.match(line):
            found.insert(0, [line[start.end() :]])
            inside = True
        elif _FRAME.match(line):
            inside = False
        elif inside:
            found[0].append(line)
    texts = ["\n".join(lines) for lines in found]
    return [text for text in texts if text.strip()] or [pasted]


def _numbers(text: str) -> str:
    """A text in which numbers and shapes are holes."""
    text = re.sub("[‘’]", "'", text.lower())
    return " ".join(_NUMBER.sub("#", _SHAPE.sub("#", text)).split())


def _names(text: str) -> str:
    """A text in which names, dtypes and nodes of the graph are holes, too. What Python says of any
    object keeps the name of what is missing."""
    return _NODE.sub("#", _DTYPE.sub("#", _QUOTED.sub("#", _numbers(text))))


def _find(text: str) -> Message | None:
    for holes in (_numbers, _names):
        said = holes(text)
        for wordings in (lambda m: (m.text,), lambda m: m.also):
            if message := _longest(said, holes, wordings):
                return message
    part = _numbers(text)  # a part of a message
    if part.count(" ") < 3:
        return None
    all_of = ((m, each) for m in known_messages() for each in (m.text, *m.also))
    return next((message for message, each in all_of if part in _numbers(each)), None)


def _longest(
    said: str, holes: Callable[[str], str], wordings: Callable[[Message], Sequence[str]]
) -> Message | None:
    """The message with the longest wording that is in `said`."""
    contained = [
        (len(wording), message)
        for message in known_messages()
        for wording in map(holes, wordings(message))
        if len(wording) >= _FEWEST and wording in said
    ]
    return max(contained, key=lambda each: each[0], default=(0, None))[1]
