"""Where two runs of one script differ, and what sort of difference it is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradtrace import comparable_lines, same_but_for_rounding

from proofbook.check.numbers import NAME
from proofbook.model.snippet import NUMBER, spaced

OUTPUT, RECORDING = "output", "recording"
KINDS = {
    "removed": "gone from PyTorch",
    "raises": "raises an error, or raises it no longer",
    "warning": "warns, or warns no longer",
    "message": "says it in other words",
    "node": "names a node of the graph otherwise",
    "format": "prints the same numbers in another format",
    "behaviour": "computes or does something else",
}
"""The kinds of differences, the gravest first, in the words of the report."""

_WORDS = re.compile(r"[\w.]+|\S")
_REMOVED = re.compile(r"has no attribute|cannot import name|No module named|unexpected keyword")
_ERROR = re.compile(r"\b[A-Z]\w*Error\b")
_WARNING = re.compile(r"\b[A-Z]\w*Warning\b")
_NODE = re.compile(r"[A-Z]\w*Backward\d*|AccumulateGrad")
_PROSE = re.compile(r"(?:[A-Za-z'`]{2,}[,.:;]? ){3}")


@dataclass(frozen=True)
class Difference:
    """Lines of what a script printed, or of its recording, that another PyTorch has otherwise.

    `line`: the first of them with the old one, from 1; `old` or `new` may be empty. `kind`: a key
    of `KINDS`. `cause`: the words that differ, the same wherever one change of PyTorch shows.
    """

    script: str
    part: str
    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    kind: str
    cause: tuple[tuple[str, str], ...]


def differences(
    script: str, part: str, old: str, new: str, dtype: str = "float32"
) -> Iterator[Difference]:
    """The differences of two outputs or recordings of a script, but for rounding."""
    if same_but_for_rounding(old, new, dtype):
        return
    split = comparable_lines if part == RECORDING else str.splitlines
    ours, theirs = split(old), split(new)
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag == "equal":
            continue
        parts = [(first, ours[first:last], theirs[start:end])]
        if last - first == end - start:  # line by line, so that each has its own cause
            pairs = zip(ours[first:last], theirs[start:end], strict=True)
            parts = [(first + n, [before], [after]) for n, (before, after) in enumerate(pairs)]
        for at, before, after in parts:
            if not same_but_for_rounding("\n".join(before), "\n".join(after), dtype):
                kind, cause = _cause(" ".join(before), " ".join(after))
                yield Difference(script, part, at + 1, tuple(before), tuple(after), kind, cause)


def _cause(old: str, new: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """What sort of difference it is, and the words by which it is told from others."""
    pieces = tuple(dict.fromkeys(_differing_words(old, new)))
    if bool(_ERROR.search(old)) != bool(_ERROR.search(new)):
        kind = "removed" if _REMOVED.search(new) else "raises"
        return kind, ((_message(old, _ERROR), _message(new, _ERROR)),)
    if bool(_WARNING.search(old)) != bool(_WARNING.search(new)):
        return "warning", ((_message(old, _WARNING), _message(new, _WARNING)),)
    if pieces and all(_is_node(a) and _is_node(b) for a, b in pieces):
        return "node", pieces
    if old and new and _bare(old) == _bare(new):
        return "format", pieces
    if any(_PROSE.search(f"{text} ") for piece in pieces for text in piece) or (
        NAME.search(old) and NAME.search(new)
    ):
        return "message", pieces
    return "behaviour", ((old.strip(), new.strip()),)


def _differing_words(old: str, new: str) -> Iterator[tuple[str, str]]:
    one, other = _WORDS.findall(old), _WORDS.findall(new)
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag != "equal":
            yield " ".join(one[first:last]), " ".join(other[start:end])


def _is_node(words: str) -> bool:
    return _NODE.fullmatch(words) is not None


def _message(text: str, name: re.Pattern[str]) -> str:
    """What stands from the name of the error or warning on."""
    found = name.search(text)
    return text[found.start() :].strip() if found else ""


def _bare(text: str) -> Sequence[float | str]:
    """The words and the values of the numbers of a text, without signs that only set them."""
    words = re.findall(r"[A-Za-z_]\w*", text)
    return [*words, *(float(number["digits"]) for number in NUMBER.finditer(spaced(text)))]
