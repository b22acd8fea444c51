"""What PyTorch itself warned of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradtrace.doctor.finding import Finding
from gradtrace.doctor.run import Run

_WARNINGS = {
    r"`lr_scheduler\.step\(\)` before `optimizer\.step\(\)`": "schedule-before-step",
    r"\.grad attribute of a Tensor that is not a leaf": "grad-of-non-leaf",
    r"backward hook is firing when gradients are computed with respect to module": (
        "hook-sees-no-input"
    ),
    r"Using (a )?non-full backward hooks?": "old-hook",
    r"To copy construct from a tensor": "copied-tensor",
    r"`parameters` is an empty generator": "clip-nothing",
    r"For backward hooks to be called, module output should be": "hook-needs-tensor",
    r"None of the inputs have requires_grad=True": "checkpoint-without-grad",
    r"parameter group with duplicate parameters": "parameter-twice",
}
"""What tells a warning: a part of its text, and the kind of the finding."""


def warned(run: Run) -> Iterator[Finding]:
    """The warnings that say something of gradients, each line once."""
    seen = set()
    for sign in run.signs("warning"):
        kinds = (kind for pattern, kind in _WARNINGS.items() if re.search(pattern, sign["text"]))
        kind, place = next(kinds, None), run.place(sign)
        # A GradScaler skips its first steps at times, which PyTorch takes for the wrong order.
        if kind == "schedule-before-step" and run.signs("scale"):
            continue
        facts = {"message": sign["text"].split(". ")[0].rstrip(".")}
        names = [name for t in sign["ts"] for name in run.computed_from(t)]
        if kind == "grad-of-non-leaf" and names:
            kind, facts["names"] = "grad-of-parametrized", names
        if kind and (kind, place) not in seen:
            seen.add((kind, place))
            yield Finding(kind, place, facts)
