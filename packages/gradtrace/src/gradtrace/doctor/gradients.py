"""Which parameters got no gradient and why, and how large the others' gradients are."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise, product
from statistics import median

from gradtrace.doctor.finding import Finding, Place
from gradtrace.doctor.run import Run
from gradtrace.graph.cuts import Cut
from gradtrace.graph.parameters import Parameter
from gradtrace.trace import Tensor
from gradtrace.values import is_zero, rms

_ENOUGH_PASSES = 3
"""Gradients that are zero in this many passes count as always zero; in the first few it may be
meant."""
_LAYERS = 5
"""With fewer layers no trend is reported."""
_RANGE = 1e4
"""Gradients of the first and the last layer differ by more than this factor."""
_DEAD = 0.9
_BATCH = 8
"""A unit that is zero for fewer inputs may be alive."""


def parameters_without(run: Run) -> Iterator[Finding]:
    """Parameters that got no gradient, by the reason why; not where each pass failed."""
    if run.passes and all(each.failed for each in run.passes):
        return
    by_cut: dict[tuple, list[Parameter]] = defaultdict(list)
    others: dict[str, list[Parameter]] = defaultdict(list)
    own = _cuts_before_steps(run)
    for parameter in run.outcomes:
        if parameter.outcome == "detached" and parameter.cut is not None:
            cut = own.get(parameter.tensor, parameter.cut)
            by_cut[Place(cut.line, cut.file), cut.source or cut.op, cut.how].append(parameter)
        else:
            others[parameter.outcome].append(parameter)
    for (place, source, how), found in by_cut.items():
        if found := _meant_to_learn(run, found):
            key = "off" if how == "no_grad" else "source"
            facts = {"names": _names(run, found), key: source}
            yield Finding("parameter-detached", place, facts, mild=not run.optimizes)
    replaced = run.replaced
    for outcome, kind in (("unused", "parameter-unused"), ("not_on_path", "parameter-off-path")):
        found = [each for each in others[outcome] if each.tensor not in replaced]
        if outcome == "unused":
            found = [each for each in found if not _ran(each) and not _is_gone(run, each)]
        if found := _meant_to_learn(run, found):
            facts = {"names": _names(run, found)} | _graph_ends(run, found[0].tensor)
            yield Finding(kind, _made(run, found), facts, mild=not run.optimizes)
    if found := others["frozen"]:
        yield Finding("frozen", Place(None), {"names": _names(run, found)})
    found = [each for each in others["not_in_optimizer"] if each.tensor not in replaced.values()]
    if found:
        roots = {_root(run.name(t)) for t in run.optimized}
        same = any("." in each.name and _root(each.name) in roots for each in found)
        same = same or any(_within(run, each.tensor, roots) for each in found)
        facts = {"names": _names(run, found)}
        yield Finding("not-in-optimizer", _made(run, found), facts, mild=not same)


def _cuts_before_steps(run: Run) -> dict[str, Cut]:
    """What cuts off a parameter from the loss that its own optimizer steps with; that of another
    network may be cut on purpose."""
    detached = {each.tensor for each in run.outcomes if each.outcome == "detached"}
    found: dict[str, Cut] = {}
    for step in reversed(run.steps) if len(run.passes) > 1 else ():
        if wanted := detached & step.tensors:
            before = (each for each in reversed(run.passes) if each.begin < step.at)
            given = next(before, None)
            if given is not None and given.whole:
                detached -= wanted
                cuts = run.cuts_of(given)
                found |= {t: cuts[t][1] for t in wanted if t in cuts}
    return found


def zero_gradient(run: Run) -> Iterator[Finding]:
    """Parameters whose gradient was zero everywhere in each pass."""
    found = [each for each in run.outcomes if each.outcome == "zero"]
    found = [p for p in found if p.tensor in run.gradients and not _cancels(run, p.tensor)]
    if not found:
        return
    times = [len(run.gradients[each.tensor]) for each in found]
    facts: dict[str, object] = {"names": _names(run, found), "passes": max(times)}
    roots = {t for each in run.passes if each.writes for t in each.event["roots"] if t}
    if all(is_zero(run.trace.tensors[t].get("value")) for t in roots):
        facts["loss"] = 0
    owners = Counter(each.name.rpartition(".")[0] for each in found if _stays_zero(run, each))
    zeros = [p for p in found if _stays_zero(run, p) and owners[p.name.rpartition(".")[0]] > 1]
    if zeros:
        facts["zeros"] = _names(run, zeros)
    place = run.place(run.gradients[found[0].tensor][0][1])
    yield Finding("zero-gradient", place, facts, mild=max(times) < _ENOUGH_PASSES)


def dead_relu(run: Run) -> Iterator[Finding]:
    """A ReLU, most of whose units are zero for every input of the batch in each call."""
    calls: dict[tuple, list[dict]] = defaultdict(list)
    for _, event in run.all("op"):
        if "dead" in event:
            calls[run.module_path(event), run.place(event)].append(event)
    for (path, place), events in calls.items():
        counts = [event["dead"] for event in events if event["dead"][2] >= _BATCH]
        trained = any("n" in out for event in events for out in event["out"])
        if counts and trained and all(dead >= _DEAD * units for dead, units, _ in counts):
            dead, units, _ = counts[-1]
            facts = {"dead": dead, "units": units, "calls": len(counts)}
            facts["source"] = path or run.source(events[-1])
            yield Finding("dead-relu", place, facts)


def saturated_tanh(run: Run) -> Iterator[Finding]:
    """A tanh, nearly all of whose outputs are where it is flat, in each call of a training step."""
    calls: dict[tuple, list[dict]] = defaultdict(list)
    for _, event in run.all("op"):
        if event["op"].strip("_") == "tanh" and any("n" in out for out in event["out"]):
            calls[run.module_path(event), run.place(event)].append(event)
    for (path, place), events in calls.items():
        parts = [event.get("flat", 0.0) for event in events]
        if len(parts) >= _ENOUGH_PASSES and min(parts) >= _DEAD:
            facts = {"part": min(parts), "calls": len(parts)}
            facts["source"] = path or run.source(events[0])
            yield Finding("saturated-tanh", place, facts)


def trend(run: Run) -> Iterator[Finding]:
    """Gradients that shrink, or grow, from layer to layer toward the input."""
    sizes = []
    for t in _layers(run):
        found = [rms(event["gin"][0]) for _, event in run.gradients[t]]
        found = [size for size in found if size and math.isfinite(size)]
        if found:
            sizes.append((t, median(found)))
    if len(sizes) < _LAYERS:
        return
    (first, near_input), (last, near_loss) = sizes[0], sizes[-1]
    shrinks = [a < b for (_, a), (_, b) in pairwise(sizes)]
    facts = {"first": run.name(first), "last": run.name(last), "layers": len(sizes)}
    facts |= {"near_input": near_input, "near_loss": near_loss}
    place = run.place(run.gradients[first][0][1])
    if near_loss > _RANGE * near_input and sum(shrinks) >= 0.7 * len(shrinks):
        yield Finding("vanishing", place, facts | {"times": near_loss / near_input})
    elif near_input > _RANGE * near_loss and sum(shrinks) <= 0.3 * len(shrinks):
        yield Finding("exploding", place, facts | {"times": near_input / near_loss})


def shared(run: Run) -> Iterator[Finding]:
    """Parameters that two modules use: each use sends a gradient, and they add up."""
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for t in run.gradients:
        if run.trace.tensors[t].get("param"):
            uses = [event for _, event in run.uses(t)]
            uses = [e for e in uses if any(o.get("n") in run.pass_of_node for o in e["out"])]
            paths = {run.module_path(event) for event in uses} - {""}
            # A module may itself read the weight of a module in it.
            paths = {p for p in paths if not any(q.startswith(f"{p}.") for q in paths)}
            if len(paths) > 1:
                found[tuple(sorted(paths))].append(t)
    for paths, tensors in found.items():
        yield Finding("shared", Place(None), {"names": run.names(tensors), "modules": list(paths)})


def tie_lost(run: Run) -> Iterator[Finding]:
    """An embedding and another layer learn apart, although they hold the same numbers at first, or
    were one parameter, of whose names one has got another parameter since."""
    tensors = run.trace.tensors
    learn = [t for t in run.gradients if tensors[t].get("param") and len(tensors[t]["shape"]) == 2]
    embed = {t for t in learn if any("embedding" in e["op"] for _, e in run.uses(t))}
    for one, other in product(embed, learn):
        first, second = tensors[one], tensors[other]
        if other in embed or first["shape"] != second["shape"]:
            continue
        if (value := first.get("value")) and value == second.get("value") and not is_zero(value):
            yield Finding("tie-lost", Place(None), {"equal": [run.name(one), run.name(other)]})
        elif names := _names_of_both(first, second):
            yield Finding("tie-lost", Place(None), {"names": names})


def _names_of_both(first: Tensor, second: Tensor) -> list[str]:
    """The names that one of two parameters had in a module or in the script, if one of them belongs
    to the other by now. A variable of a loop is a name of both, and each has its own besides."""
    groups: list[dict[str, set[str]]] = []
    for entry in (first, second):
        groups.append(defaultdict(set))
        for name in entry.get("names", ()):
            if "." in name:
                groups[-1][_root(name) if name.count(".") > 1 else ""].add(name)
    for root in groups[0].keys() & groups[1].keys():
        smaller, larger = sorted((groups[0][root], groups[1][root]), key=len)
        if smaller < larger:
            return sorted(larger)
    return []


def forgotten_leaf(run: Run) -> Iterator[Finding]:
    """A leaf that is no nn.Parameter collects gradients in each pass, which nobody reads or clears,
    while an optimizer steps. Data may do so too: it meets parameters, or nothing that learns."""
    asked = {t for each in run.passes for t in each.event.get("inputs", ())}
    asked |= {t for _, event in run.all("reg") for t in (event["on"] or "") if t}
    texts = (run.trace.source, *run.trace.sources.values())
    found = []
    for t, grads in run.gradients.items():
        entry = run.trace.tensors[t]
        steps = [step for step in run.steps if grads[0][0] < step.at < grads[-1][0]]
        if entry.get("param") or run.is_held(t) or len(steps) < _ENOUGH_PASSES or t in asked:
            continue
        touched = run.clearings.get(t) or run.writes.get(t) or t in run.used_gradients
        names = entry.get("names", ())
        read = any(re.search(rf"\b{re.escape(n)}\.grad\b", text) for n in names for text in texts)
        if names and not touched and not read and _meets_activations(run, t):
            found.append(t)
    if found:
        place = run.place(run.uses(found[0])[0][1])
        yield Finding("not-in-optimizer", place, {"names": run.names(found)})


def _meets_activations(run: Run, tensor: str) -> bool:
    """Whether each operation that uses a tensor has another input that was computed from what
    learns, and none that is a parameter."""
    tensors, uses = run.trace.tensors, [event for _, event in run.uses(tensor)]
    others = [[tensors[t] for t in event["ins"] if t != tensor] for event in uses]
    return bool(uses) and all(
        any("n" in each for each in group) and not any(each.get("param") for each in group)
        for group in others
    )


_FLAG = re.compile(r"require[sd]?_?grad(ient)?s?")


def flag_misspelled(run: Run) -> Iterator[Finding]:
    """An assignment to an attribute that nothing reads, where `requires_grad` of parameters was
    meant: another spelling, or the flag of a module."""
    modules = {call["path"] for call in run.trace.calls.values()}
    for file in ("", *run.trace.sources):
        nodes = [node for node in run.nodes_of(file) if isinstance(node, ast.Attribute)]
        read = {node.attr for node in nodes if isinstance(node.ctx, ast.Load)}
        for node in nodes:
            owner, place = ast.unparse(node.value), Place(node.lineno, file)
            if owner == "self" or not isinstance(node.ctx, ast.Store):
                continue
            text = run.line_text(place).strip()
            if (
                node.attr == "requires_grad"
                and owner in modules
                and "self.requires_grad" not in (ast.unparse(each) for each in nodes)
            ):
                yield Finding("flag-misspelled", place, {"module": owner, "text": text})
            elif node.attr not in {*read, "requires_grad"} and _FLAG.fullmatch(node.attr):
                yield Finding("flag-misspelled", place, {"source": text})


def block_repeated(run: Run) -> Iterator[Finding]:
    """One module stands at several places of a list, as after `[block] * 4`: it is called
    repeatedly within one call of the module around it."""
    times = Counter(
        (call["path"], call["within"])
        for call in run.trace.calls.values()
        if "within" in call and re.search(r"\.\d+$", call["path"])
    )
    for path, number in {path: number for (path, _), number in times.items()}.items():
        place = _assigned(run, f"{path}.")
        if number > 1 and re.search(r"\]\s*\*|\*\s*\[", run.line_text(place)):
            yield Finding("block-repeated", place, {"module": path, "times": number})


def bias_without_effect(run: Run) -> Iterator[Finding]:
    """A bias right before BatchNorm in training mode."""
    if found := run.before_batch_norm:
        place = run.place(next(iter(found.values())))
        yield Finding("bias-without-effect", place, {"names": run.names(found)})


def _layers(run: Run) -> list[str]:
    """The weights with gradients, in the order in which the first forward pass used them.

    Embedding weights are left out: most of their rows are not used.
    """
    first_use = {}
    for t in run.gradients:
        if len(run.trace.tensors[t]["shape"]) < 2 or not run.trace.tensors[t].get("param"):
            continue
        uses = [(i, e) for i, e in run.uses(t) if any("n" in o for o in e["out"])]
        if uses and all("embedding" not in event["op"] for _, event in uses):
            first_use[t] = uses[0][0]
    return sorted(first_use, key=first_use.get)


def _names(run: Run, found: list[Parameter]) -> list[str]:
    return run.names(each.tensor for each in found)


def _made(run: Run, found: list[Parameter]) -> Place:
    """Where one of the parameters was first used; otherwise where its module was made."""
    uses = run.uses(found[0].tensor)
    return run.place(uses[0][1]) if uses else _assigned(run, found[0].name)


def _assigned(run: Run, name: str) -> Place:
    """The one line that assigns the module of a parameter, or the model: for "net.middle.weight"
    the line `self.middle = ...`, otherwise `net = ...`; no line if there are several."""
    path = name.split(".")
    modules = [part for part in path[1:-1] if not part.isdigit()]
    for attribute in (*modules[-1:], path[0]):
        assigns = re.compile(rf"\s*(self\.)?{re.escape(attribute)}\s*(:[^=]*)?=(?!=)")
        places = [
            Place(number, file)
            for file, text in (("", run.trace.source), *run.trace.sources.items())
            for number, line in enumerate(text.split("\n"), 1)
            if assigns.match(line)
        ]
        if len(places) == 1:
            return places[0]
    return Place(None)


def _meant_to_learn(run: Run, found: list[Parameter]) -> list[Parameter]:
    """The parameters given to an optimizer; all parameters if the script has no optimizer."""
    if not run.optimizes:
        return [each for each in found if run.trace.tensors[each.tensor].get("param")]
    return [each for each in found if run.is_held(each.tensor)]


def _cancels(run: Run, tensor: str) -> bool:
    """Whether gradients came from several operations and added up to zero, as they do for the last
    bias of a critic whose scores are subtracted."""
    nodes = run.trace.nodes
    for each in run.passes:
        for event in each.nodes:
            for link, sent in zip(nodes[event["n"]]["next"], event.get("gout", ()), strict=False):
                if link and nodes[link[0]].get("leaf") == tensor and sent and not is_zero(sent):
                    return True
    return False


def _stays_zero(run: Run, parameter: Parameter) -> bool:
    """Whether every number of a parameter is 0, at first and after each step."""
    rows = [row for step in run.steps for row in step.rows if row["t"] == parameter.tensor]
    return bool(rows) and all(is_zero(row["before"]) for row in rows)


def _ran(parameter: Parameter) -> bool:
    """Whether it is the weight of a layer that was called: where no graph is made, the layer's
    operations aren't recorded."""
    return parameter.module_ran and parameter.name.endswith((".weight", ".bias"))


def _is_gone(run: Run, parameter: Parameter) -> bool:
    """Whether the script replaced the parameter by another tensor, or computes with it where
    operations can't be observed (vmap)."""
    others = (e for t, e in run.trace.tensors.items() if t != parameter.tensor)
    hidden = (out.get("value", {}) for _, event in run.all("op") for out in event["out"])
    return any(parameter.name in each.get("names", ()) for each in others) or any(
        value.get("layout") == "vmap" for value in hidden
    )


def _graph_ends(run: Run, tensor: str) -> dict[str, object]:
    """Where the graph of a parameter ends: the first operation that leaves the graph, otherwise the
    last operation."""
    waiting, left, inside = [tensor], set(), set()
    while waiting:
        for index, event in run.uses(waiting.pop()):
            results = [out["t"] for out in event["out"] if "n" in out]
            lost = {out["t"] for out in event["out"]} - {*results}
            if index not in inside | left:
                waiting += results
                leaves = not results or any(run.index.users.get(t) for t in lost)
                (left if leaves else inside).add(index)
    if not left | inside:
        return {}
    event = run.events[min(left) if left else max(inside)]
    return {"source": run.source(event), "left" if left else "ended": run.place(event)}


def _within(run: Run, tensor: str, roots: set[str]) -> bool:
    """Whether a module with optimized parameters called the user of this one."""
    for _, event in run.uses(tensor):
        call = run.trace.calls.get(event.get("within", ""))
        while call is not None:
            if _root(call["path"]) in roots:
                return True
            call = run.trace.calls.get(call.get("within", ""))
    return False


def _root(name: str) -> str:
    return name.partition(".")[0]


CHECKS = (
    parameters_without,
    zero_gradient,
    dead_relu,
    saturated_tanh,
    trend,
    shared,
    tie_lost,
    forgotten_leaf,
    flag_misspelled,
    block_repeated,
    bias_without_effect,
)
