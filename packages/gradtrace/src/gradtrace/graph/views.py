"""The view of an opened group: its members, and stubs for the linked boxes outside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from gradtrace.graph.build import Box, Edge, Graph
from gradtrace.graph.groups import MAX_BOXES, Groups

FIRST, LAST = "before", "after"
"""The stubs for several boxes that don't fit: gradients flow to the first, and from the last."""
SEVERAL = "several"
"""The title of a stub for one use of several parameters or inputs has this key."""
MAX_NAMED = 3
"""The number of parameters that a stub names."""
MANY_USES = 4
"""A parameter or an input used at least this often in a view gets a stub at each use: long edges to
all of them would hide the rest."""


class Views:
    """The views of a folded graph. `titles`: of groups, and of the stubs for several others and for
    `{count}` parameters; `notes`: the texts below the titles of groups."""

    def __init__(
        self, graph: Graph, groups: Groups, titles: Mapping[str, str], notes: Mapping[str, str]
    ) -> None:
        self._graph, self._groups = graph, groups
        self._titles, self._notes = titles, notes
        self._path = {key: groups.path(key) for key in (*graph.boxes, *groups.by_key)}
        self._edges: dict[str, list[Edge]] = {key: [] for key in groups.by_key}
        for edge in graph.edges:
            for group in dict.fromkeys(self._path[edge.source][:-1] + self._path[edge.target][:-1]):
                self._edges[group].append(edge)

    def view(self, opened: str) -> Graph:
        """The graph of an open group.

        An edge has its own key if both its ends are visible; between folded groups its key names
        its ends, "g3>n5". A stub for one use of a parameter has the key of its edge.
        """
        if len(self._groups.by_key) == 1:
            return self._graph
        members = self._groups.by_key[opened].members
        seen = self._seen_from(opened, members)
        boxes = {key: self._box(key, members) for key in dict.fromkeys([*members, *seen.values()])}
        drawn: dict[str, Edge] = {}
        stand_for: dict[str, list[Edge]] = {}
        for edge in self._edges[opened]:
            source, target = seen[edge.source], seen[edge.target]
            if source == target or self._place(source) > self._place(target):
                continue
            key = f"{source}>{target}"
            if (source, target) == (edge.source, edge.target):
                key = edge.key
                drawn[key] = edge
            else:
                kinds = {edge.kind, drawn[key].kind} if key in drawn else {edge.kind}
                kind = next(kind for kind in ("gradient", "cut", "constant") if kind in kinds)
                drawn[key] = Edge(key, source, target, kind)
            stand_for.setdefault(key, []).append(edge)
        often = self._used_often(drawn)
        uses = {
            key: Box(key, "stub", self._used(stand_for[key]))
            for key, edge in drawn.items()
            if edge.source in often
        }
        kept = {key: box for key, box in boxes.items() if key in members or key not in often}
        edges = (replace(e, source=key) if key in uses else e for key, e in drawn.items())
        return Graph(kept | uses, tuple(edges), {})

    def _box(self, key: str, members: tuple[str, ...]) -> Box:
        box = self._graph.boxes.get(key)
        if key not in members:
            return Box(key, "stub", (box.title or box.node) if box else self._titles[key])
        return box or Box(key, "group", self._titles.get(key, ""), self._notes.get(key, ""))

    def _used_often(self, drawn: Mapping[str, Edge]) -> set[str]:
        """The parameters, inputs and groups of them from which many edges of a view come."""
        uses = Counter(edge.source for edge in drawn.values())
        return {key for key, count in uses.items() if count >= MANY_USES and self._is_given(key)}

    def _is_given(self, key: str) -> bool:
        """Whether it is a parameter, an input or a group of them, not the result of an
        operation."""
        return key not in (FIRST, LAST) and self._groups.place[key] < 0

    def _used(self, edges: list[Edge]) -> str:
        """The title of a stub for one use: the names of the parameters and inputs that are used."""
        names = [self._graph.boxes[key].title for key in dict.fromkeys(e.source for e in edges)]
        if len(names) == 1:
            return names[0]
        if len(names) <= MAX_NAMED:
            return ", ".join(name.rpartition(".")[2] for name in names)
        return self._titles[SEVERAL].format(count=len(names))

    def _seen_from(self, opened: str, members: tuple[str, ...]) -> dict[str, str]:
        """For each box at an end of the edges the visible box that stands for it."""
        way = self._path[opened]
        ends = dict.fromkeys(end for e in self._edges[opened] for end in (e.source, e.target))
        seen = {end: self._nearest(way, end) for end in ends}
        stubs = [key for key in dict.fromkeys(seen.values()) if key not in members]
        room = MAX_BOXES - len(members)
        if len(stubs) > room:
            start = self._place(opened)
            kept = set(stubs[: max(0, room - 2)])
            for end, key in seen.items():
                if key in stubs and key not in kept:
                    seen[end] = FIRST if self._place(key) < start else LAST
        return seen

    def _nearest(self, way: list[str], box: str) -> str:
        """The outermost group between the view and a box, or the box itself."""
        path = self._path[box]
        shared = sum(1 for one, other in zip(path, way, strict=False) if one == other)
        return path[shared]

    def _place(self, key: str) -> float:
        outside = {FIRST: -2.0, LAST: float("inf")}
        return outside[key] if key in outside else self._groups.place[key]
