"""What other versions of PyTorch print for a snippet, in a folded box below its output."""

from __future__ import annotations

from proofbook.content.version_differences import OtherOutput, Reason, reason_in
from proofbook.model.config import in_language

_TITLES = {
    "zh": {
        "since": "PyTorch {since} 起：输出不同",
        "before": "PyTorch {before} 之前：输出不同",
        "both": "PyTorch {since} 起、{before} 之前：输出不同",
        "neither": "PyTorch {versions}：输出不同",
    },
    "en": {
        "since": "Since PyTorch {since}: another output",
        "before": "Before PyTorch {before}: another output",
        "both": "Since PyTorch {since} and before {before}: another output",
        "neither": "PyTorch {versions}: another output",
    },
}
_REASON = {"zh": "{text}（[出处]({source})）。", "en": "{text} ([source]({source}))."}


def folded(other: OtherOutput, own: str, language: str, ticks: str) -> list[str]:
    """The lines of Markdown of the box: what was printed, and why it isn't the book's output.

    `own`: the output that the page shows; lines that it does not have are highlighted. `ticks`:
    what encloses the output.
    """
    lines, known = other.output.rstrip("\n").split("\n"), set(own.split("\n"))
    new = [str(number) for number, line in enumerate(lines, 1) if line not in known]
    highlighted = f' hl_lines="{" ".join(new)}"' if new else ""
    head = f'.text .output .then title="PyTorch {", ".join(other.versions)}"{highlighted}'
    inside = [f"{ticks}{{ {head} }}", *lines, ticks]
    inside += [line for reason in other.reasons for line in ("", reason_text(reason, language))]
    box = [f'??? then "{title(other, language)}"', ""]
    return box + [f"    {line}" if line else "" for line in inside]


def title(other: OtherOutput, language: str) -> str:
    """Which versions these are, in words."""
    known = "both" if other.since and other.before else ""
    kind = known or ("since" if other.since else "before" if other.before else "neither")
    return in_language(_TITLES, language)[kind].format(
        since=other.since, before=other.before, versions=", ".join(other.versions)
    )


def reason_text(reason: Reason, language: str) -> str:
    """A reason with the link to its source, as Markdown."""
    text = reason_in(reason, language).rstrip("。.")
    return in_language(_REASON, language).format(text=text, source=reason.source)
