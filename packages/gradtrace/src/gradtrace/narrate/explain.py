"""Sentences about parameters without a gradient, or whose gradient nobody uses: why that is so."""

from __future__ import annotations

from collections.abc import Sequence

from gradtrace.graph.cuts import Cut
from gradtrace.graph.parameters import Parameter
from gradtrace.narrate.narrator import Narration, Narrator
from gradtrace.trace import Event

MAX_NAMES = 3
"""Parameters that a sentence names; further ones are counted."""


def pass_ended(narrator: Narrator, event: Event) -> Narration:
    """A backward pass ended; after the last one it is told what became of the parameters."""
    if narrator.index != narrator.last_pass_end or not narrator.graph.explained:
        return None
    alike: dict[tuple, list[Parameter]] = {}
    for parameter in narrator.graph.explained:
        why = parameter.outcome, parameter.cut, _is_of_idle_module(parameter)
        alike.setdefault(why, []).append(parameter)
    boxes = []
    for parameter in narrator.graph.explained:
        box = narrator.graph.box_of(parameter.tensor)
        if box is not None:
            word = narrator.phrase(f"why_{parameter.outcome}")
            narrator.state.explain(box, narrator.phrase("grad_why", grad="{grad}", why=word))
            boxes.append(box)
    sentences = (_sentence(narrator, parameters) for parameters in alike.values())
    return narrator.join("sentences", sentences), boxes


def _sentence(narrator: Narrator, alike: Sequence[Parameter]) -> str:
    """What is told of parameters for which the reason is the same."""
    names, first = _enumerated(narrator, [each.name for each in alike], "parameter"), alike[0]
    if first.outcome == "detached":
        cut = _cut(narrator, first.cut) if first.cut else narrator.phrase("cut_unknown")
        return narrator.phrase("told_detached", names=names, cut=cut)
    if first.outcome == "unused" and _is_of_idle_module(first):
        modules = dict.fromkeys(each.name.rpartition(".")[0] for each in alike)
        called = _enumerated(narrator, list(modules), "module")
        return narrator.phrase("told_not_called", names=names, modules=called)
    return narrator.phrase(f"told_{first.outcome}", names=names)


def _enumerated(narrator: Narrator, names: Sequence[str], kind: str) -> str:
    """Names as they are enumerated; of many the first, and how many others there are."""
    texts = [narrator.phrase("tensor", name=name or "?").strip() for name in names]
    if len(texts) > MAX_NAMES + 1:
        shown = narrator.join("and", texts[:MAX_NAMES])
        count = len(texts) - MAX_NAMES
        return narrator.phrase(f"and_other_{kind}s", names=shown, count=count)
    return narrator.enumeration(texts)


def _cut(narrator: Narrator, cut: Cut) -> str:
    """What cut them off, and where."""
    source = " ".join(cut.source.split()) or cut.op
    place = "place_in" if cut.file else "place"
    where = narrator.phrase(place, line=cut.line or "?", **({"file": cut.file} if cut.file else {}))
    return narrator.phrase(f"cut_{cut.how}", source=source, op=cut.op, where=where)


def _is_of_idle_module(parameter: Parameter) -> bool:
    return "." in parameter.name and not parameter.module_ran
