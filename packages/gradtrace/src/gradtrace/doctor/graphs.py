"""Graphs that grow from pass to pass, or that are retained for nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from gradtrace.doctor.finding import Finding, Kind
from gradtrace.doctor.run import Pass, Run

_ENOUGH = 3
"""The number of passes from one line that shows whether its graph grows."""

LOSS_IS_LEAF = Kind("loss-is-leaf", "warning", "basics/lost-leaf#why").says(
    en="The pass begins at `{loss}`, which is a leaf: a new tensor without a graph. No gradient"
    " goes back to anything else.\n"
    "-> call `backward()` on what was computed from the parameters; wrapping it anew (`Variable`,"
    " `torch.tensor`, `requires_grad_()`) gives no graph back",
    zh="反向传播从 `{loss}` 开始，而它是叶子：一个没有计算图的新张量，梯度到不了别处。\n"
    "-> 对由参数算出的张量调用 `backward()`；重新包装（`Variable`、`torch.tensor`、"
    "`requires_grad_()`）不会带来计算图",
)

GRAPH_GROWS = Kind("graph-grows", "warning", "accumulate/running-loss#retain-graph").says(
    en="Each pass runs through the graphs of the passes before it: {first} nodes in the first,"
    " {last} after {passes} passes.\n"
    "-> `detach()` what one iteration hands to the next",
    zh="每次反向传播都要再走一遍以前的计算图：第一次 {first} 个节点，第 {passes} 次 {last} 个。\n"
    "-> 把一次迭代交给下一次的张量 `detach()`",
)

RUNNING_LOSS = Kind("running-loss", "warning", "accumulate/running-loss").says(
    en="`{name}` adds up {times} losses with their graphs, and no pass begins at it: memory"
    " grows.\n"
    "-> add `loss.item()` or `loss.detach()`",
    zh="`{name}` 把 {times} 个损失连同计算图加在一起，却没有从它开始反向传播：内存会一直涨。\n"
    "-> 累加 `loss.item()` 或 `loss.detach()`",
)

RETAINED_FOR_NOTHING = Kind(
    "retained-for-nothing", "note", "accumulate/running-loss#retain-graph"
).says(
    en="`retain_graph=True` in {passes} passes, and nothing ran through these graphs again.\n"
    "-> leave `retain_graph=True` out: it keeps memory",
    zh="{passes} 次反向传播都用了 `retain_graph=True`，之后却没有再走这些图。\n"
    "-> 去掉 `retain_graph=True`，它会占着内存",
)


def graph_grows(run: Run) -> Iterator[Finding]:
    """Each pass of a line runs through the graph of all passes before it, and further."""
    for passes in _by_line(run).values():
        sizes = [len(each.nodes) for each in passes]
        again = [_shares(a, b) for a, b in pairwise(passes)]
        grows = all(a < b for a, b in pairwise(sizes))
        if len(passes) >= _ENOUGH and grows and all(again):
            facts = {"first": sizes[0], "last": sizes[-1], "passes": len(passes)}
            yield Finding(GRAPH_GROWS, run.place(passes[0].event), facts)


def retained_for_nothing(run: Run) -> Iterator[Finding]:
    """`retain_graph=True` in each pass of a line, and nothing runs through these graphs again."""
    for passes in _by_line(run).values():
        kept = [p for p in passes if p.event["retain"] and not p.event["create"] and not p.failed]
        later = [[q for q in run.passes if q.begin > p.begin] for p in kept]
        used = any(_shares(p, q) for p, after in zip(kept, later, strict=True) for q in after)
        if len(kept) >= _ENOUGH and len(kept) == len(passes) and not used:
            facts = {"passes": len(kept)}
            yield Finding(RETAINED_FOR_NOTHING, run.place(kept[0].event), facts)


def running_loss(run: Run) -> Iterator[Finding]:
    """A running sum of losses retains the graphs of all of them, though no pass begins at it."""
    chains: dict[tuple, list[tuple[int, dict]]] = defaultdict(list)
    for index, event in run.all("op"):
        nodes = [out["n"] for out in event["out"] if "n" in out]
        if event["op"].strip("_") in ("add", "iadd", "radd") and nodes:
            chains[run.place(event)].append((index, event))
    for place, events in chains.items():
        links = [_continues(a, b) for (_, a), (_, b) in pairwise(events)]
        nodes = {out["n"] for _, event in events for out in event["out"] if "n" in out}
        if len(events) < _ENOUGH or not all(links) or nodes & run.pass_of_node.keys():
            continue
        if all(_adds_a_loss(run, event) for _, event in events[1:]):
            total = events[-1][1]["out"][0]["t"]
            facts = {"name": run.name(total), "times": len(events)}
            yield Finding(RUNNING_LOSS, place, facts)


def loss_is_leaf(run: Run) -> Iterator[Finding]:
    """A pass begins at a leaf that is not a parameter: nothing else gets a gradient."""
    seen = set()
    for each in run.passes:
        place = run.place(each.event)
        for root in each.event["roots"]:
            entry = run.trace.tensors.get(root)
            if not entry or not each.writes or place in seen or run.is_held(root):
                continue
            if entry["leaf"] and entry["rg"] and not entry["shape"]:
                seen.add(place)
                facts = {"loss": run.name(root)}
                yield Finding(LOSS_IS_LEAF, place, facts, mild=not run.optimizes)


def _by_line(run: Run) -> dict[tuple, list[Pass]]:
    """The passes of each line that write `.grad`."""
    found: dict[tuple, list[Pass]] = defaultdict(list)
    for each in run.passes:
        if each.writes:
            found[run.place(each.event)].append(each)
    return found


def _shares(first: Pass, second: Pass) -> bool:
    """Whether a pass runs through a part of another pass's graph; leaves don't count."""
    ran = {event["n"] for event in first.nodes}
    return any(event["n"] in ran for event in second.nodes)


def _continues(first: dict, second: dict) -> bool:
    return bool({out["t"] for out in first["out"]} & set(second["ins"]))


def _adds_a_loss(run: Run, event: dict) -> bool:
    """Whether a pass began at one of the numbers that are added, or ran through it."""
    made = {run.trace.tensors[t].get("n") for t in event["ins"]}
    return (
        bool(made & run.pass_of_node.keys())
        and not run.trace.tensors[event["out"][0]["t"]]["shape"]
    )


CHECKS = (
    loss_is_leaf,
    graph_grows,
    running_loss,
    retained_for_nothing,
)
