"""Values that go into the graph from outside: constants, and what was cut from the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradtrace.graph.cuts import cut_inputs, uses_values
from gradtrace.graph.index import TraceIndex
from gradtrace.trace import nodes_made


def nodes_behind(index: TraceIndex, places: Iterable[int], met: set[int]) -> list[str]:
    """The nodes whose values these operations use, although no gradient goes back to them: through
    operations outside of the graph, any number of them. Those in `met` are passed over; all that
    are found are added to it."""
    found = []
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        for tensor in index.event(place)["ins"]:
            maker = index.maker_before(tensor, place)
            if maker is None or maker in met or index.node_before(tensor, place):
                continue
            met.add(maker)
            if uses_values(index.event(maker)):
                waiting.append(maker)
                nodes = (index.node_before(t, maker) for t in index.event(maker)["ins"])
                found += [node for node in nodes if node]
    return found


class Outside:
    """The constants of a figure. `shown`: the nodes that are drawn; `box_of`: the boxes of tensors
    that require a gradient."""

    def __init__(self, index: TraceIndex, shown: set[str], box_of: dict[str, str]) -> None:
        self._index, self._shown, self._box_of = index, shown, box_of
        tensors = index.trace.tensors
        used = dict.fromkeys(
            tensor
            for place in index.operations
            if not shown.isdisjoint(nodes_made(index.event(place)))
            for tensor in index.event(place)["ins"]
            if not tensors[tensor]["rg"]
        )
        self._inputs_cut = cut_inputs(index)
        self._cut = self._derived()
        used = [t for t in used if tensors[t].get("names") or t in self._cut]
        self.constants = [*used, *self._between(used)]
        """Tensors without a gradient that shown nodes use: those with a name, or computed from
        tensors in the graph; and what the script has named in between."""
        self._is_constant = set(self.constants)

    def edges(self) -> Iterator[tuple[str, str, str]]:
        """The edges at constants: source, target and kind.

        A constant that is changed in place, after it was used, has no edge from what changed it:
        that may be a result of the use.
        """
        used: set[str] = set()
        for place in self._index.operations:
            event = self._index.event(place)
            inputs = [t for t in dict.fromkeys(event["ins"]) if t in self._is_constant]
            for target in sorted(nodes_made(event) & self._shown):
                yield from ((tensor, target, "constant") for tensor in inputs)
                used.update(inputs)
            for out in event["out"]:
                target = out["t"]
                if target in self._is_constant and target not in used:
                    for source, kind in self._sources(place, target):
                        yield source, target, kind
                        used.add(source)

    def _derived(self) -> set[str]:
        """The tensors without a gradient that were computed from tensors in the graph."""
        found: set[str] = set()
        for place in self._index.operations:
            event, cut = self._index.event(place), self._inputs_cut.get(place, ())
            derived = uses_values(event) and any(t in found for t in event["ins"])
            if derived or any(t in self._box_of for t in cut):
                found.update(out["t"] for out in event["out"] if "n" not in out)
        return found

    def _between(self, used: list[str]) -> list[str]:
        """The tensors with a name, but for those inside of modules, that were computed from the
        graph, and from which these were computed."""
        met, waiting, found = set(used), [t for t in used if t in self._cut], []
        while waiting:
            for place in self._index.makers.get(waiting.pop(), ()):
                for tensor in self._index.event(place)["ins"]:
                    if tensor not in met and tensor in self._cut:
                        met.add(tensor)
                        waiting.append(tensor)
                        if self._is_named(tensor):
                            found.append(tensor)
        return found

    def _is_named(self, tensor: str) -> bool:
        """Whether the script, outside of modules, has a name for it."""
        made = self._index.event(self._index.makers[tensor][0])
        entry = self._index.trace.tensors[tensor]
        return "names" in entry and not entry["rg"] and "within" not in made

    def _sources(self, place: int, target: str) -> Iterator[tuple[str, str]]:
        """The boxes that a constant was computed from by the operation at this place: constants of
        its own inputs, and the tensors in the graph from which its value was cut."""
        if not uses_values(self._index.event(place)):
            return
        waiting, met = [(place, True)], {target}
        while waiting:
            place, is_last = waiting.pop()
            for tensor in dict.fromkeys(self._index.event(place)["ins"]):
                if tensor in met:
                    continue
                met.add(tensor)
                if tensor in self._is_constant:
                    if is_last or tensor in self._cut:
                        yield tensor, "constant"
                elif tensor in self._inputs_cut.get(place, ()):
                    if box := self._box(tensor, place):
                        yield box, "cut"
                elif (maker := self._index.maker_before(tensor, place)) is not None and uses_values(
                    self._index.event(maker)
                ):
                    waiting.append((maker, False))

    def _box(self, tensor: str, place: int) -> str | None:
        """The box of a tensor in the graph, as it was before this place."""
        if self._index.maker_before(tensor, place) is None:
            return self._box_of.get(tensor)
        node = self._index.node_before(tensor, place)
        if node is None and self._index.trace.tensors[tensor]["rg"]:
            return self._box_of.get(tensor)  # a leaf
        return node if node in self._shown else None
