"""Groups the boxes of a large graph, so that it can be shown folded: by calls of modules, by
iterations of loops, by lines.

The boxes are put in the order of the forward pass, and every group is a segment of it. So whatever
is folded, the edges between groups lead forward, and the folded graph has no cycle. A parameter or
an input is in the smallest group that holds all of its uses.

The view of an opened group shows its members, and stubs for the linked boxes outside.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from itertools import groupby, pairwise, takewhile

from gradtrace.graph.build import FAILED, Box, Edge, Graph
from gradtrace.trace import Trace, nodes_made, operations


@dataclass(frozen=True)
class Segment:
    """The code that ran from place `start` to `end`, at a line: a single box, a call of a module,
    or several of these (`parts`). `sign` is equal wherever the same code ran; `depth` is the number
    of enclosing calls."""

    start: int
    end: int
    sign: tuple
    line: int
    call: str
    depth: int
    parts: tuple[Segment, ...] = ()
    iterations: tuple[int, int] | None = None

    @property
    def single(self) -> bool:
        """Whether it is one box and no group."""
        return not self.call and not self.parts

    @property
    def kind(self) -> str:
        """The kind of its group."""
        if not self.parts:
            return "call"
        if self.iterations:
            return "iterations"
        return "calls" if all(part.call for part in self.parts) else "lines"

    @property
    def lines(self) -> tuple[int, int] | None:
        """The first and the last line of its code."""
        if not self.parts:
            return None
        inside = [part.lines or (part.line, part.line) for part in self.parts]
        return min(first for first, _ in inside), max(last for _, last in inside)


def split(segments: Sequence[Segment], most: int, first: int = 1) -> list[Segment]:
    """The same in about this many segments at most. `first`: the number of the first iteration."""
    if all(segment.iterations for segment in segments):
        return _chunks(list(segments), most)
    iterations = _iterations(segments)
    if len(iterations) < 3:
        return _equal_parts(segments, most)
    before, after = _around_loop(iterations)
    inside = [segment for one in iterations for segment in one]
    turns = _iterations(inside[len(before) : len(inside) - len(after)])
    loop = [_joined(turn, (n, n)) for n, turn in enumerate(turns, first)]
    around = max(2, most - len(before) - len(after))
    whole = [*before, *_chunks(loop, around), *after]
    return whole if len(whole) <= 2 * most else _equal_parts(whole, most)


def _chunks(loop: list[Segment], most: int) -> list[Segment]:
    """Iterations, or chunks of them so that there are few; a round number in each."""
    if len(loop) <= most:
        return loop
    sizes = (n * 10**power for power in range(9) for n in (2, 5, 10))
    size = next(size for size in sizes if -(-len(loop) // size) <= most)
    chunks = []
    for start in range(0, len(loop), size):
        part = loop[start : start + size]
        chunks.append(_joined(part, (part[0].iterations[0], part[-1].iterations[1])))
    return chunks


def _equal_parts(segments: Sequence[Segment], most: int) -> list[Segment]:
    count = min(most, -(-len(segments) // (most // 2)))
    ends = [len(segments) * n // count for n in range(count + 1)]
    parts = [segments[start:end] for start, end in pairwise(ends)]
    return [_joined(part) if len(part) > 1 else part[0] for part in parts]


def _joined(parts: Sequence[Segment], iterations: tuple[int, int] | None = None) -> Segment:
    first, last = parts[0], parts[-1]
    where = first.start, last.end, first.sign, first.line, "", first.depth
    return Segment(*where, tuple(parts), iterations)


def _iterations(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Another iteration begins where the code goes back to an earlier line; in a loop of one line,
    where the same code runs again."""
    found: list[list[Segment]] = [[]]
    for before, segment in zip([segments[0], *segments], segments, strict=False):
        if segment.line < before.line and segment.sign[0] == before.sign[0]:
            found.append([])
        found[-1].append(segment)
    if len(found) > 2:
        return found
    found, seen = [[]], set()
    for segment in segments:
        if segment.sign in seen:
            found.append([])
            seen = set()
        found[-1].append(segment)
        seen.add(segment.sign)
    return found


def _around_loop(iterations: list[list[Segment]]) -> tuple[list[Segment], list[Segment]]:
    """The code that ran before the first line of a loop, and after its last one."""
    begins = min(one[0].line for one in iterations[1:])
    ends = max(one[-1].line for one in iterations[:-1])
    before = takewhile(lambda segment: segment.line < begins, iterations[0])
    after = takewhile(lambda segment: segment.line > ends, reversed(iterations[-1]))
    return list(before), list(after)[::-1]


MAX_WHOLE = 24
"""A graph with up to this many boxes is shown whole; larger ones are hard to read at a glance."""
MAX_BOXES = 40
"""The maximum number of boxes in one view of a folded graph."""
MAX_MEMBERS = 30
"""The maximum size of a group, which is shown with its neighbours."""
ROOT = "g0"


@dataclass(frozen=True)
class Group:
    """A part of a graph. `kind` is "whole", "call" (of a module), "iterations", "lines", "calls"
    (of several modules, one after another) or "parameters"; `members` are keys of groups and of
    boxes, in the order of the forward pass."""

    key: str
    kind: str
    members: tuple[str, ...]
    call: str = ""
    lines: tuple[int, int] | None = None
    iterations: tuple[int, int] | None = None


@dataclass(frozen=True)
class Groups:
    """All groups of a graph by their keys, the outermost first, and what each member is in."""

    by_key: Mapping[str, Group]
    parent: Mapping[str, str]
    place: Mapping[str, int]
    """The place of a box in the order of the forward pass, or of a group's first box; below 0 for
    boxes without predecessors."""

    def path(self, key: str) -> list[str]:
        """The groups that a box or a group is in, from the outermost on, and itself."""
        found = [key]
        while found[-1] in self.parent:
            found.append(self.parent[found[-1]])
        return found[::-1]

    def boxes(self, key: str) -> Iterator[str]:
        """The boxes in a group, and in the groups within it."""
        for member in self.by_key[key].members:
            if member in self.by_key:
                yield from self.boxes(member)
            else:
                yield member


@dataclass(frozen=True)
class _Item:
    """A box that an operation made: its place, its line, and the enclosing calls."""

    box: str
    sign: tuple
    line: int
    calls: tuple[str, ...]


def group_boxes(trace: Trace, graph: Graph) -> Groups:
    """The groups of a graph; the outermost alone where the graph is small."""
    return _Grouping(trace, graph).groups()


def outermost_with_layers(groups: Groups) -> str:
    """The outermost group in which more than two are folded, such as the layers of a model; if a
    group holds one or two, such as a model and its loss, the larger one is searched, unless they
    are of similar size, such as two layers."""
    key = ROOT
    while folded := _folded(groups, key, but=("parameters",)):
        sizes = {inner: sum(1 for _ in groups.boxes(inner)) for inner in folded}
        larger = max(folded, key=sizes.__getitem__)
        alike = len(folded) == 2 and 2 * min(sizes.values()) > sizes[larger]
        few = len(_folded(groups, larger, but=("parameters", "lines"))) < 2
        if len(folded) > 2 or alike or few:
            break
        key = larger
    return key


def _folded(groups: Groups, key: str, but: tuple[str, ...]) -> list[str]:
    """The groups in a group, without those of some kinds."""
    members = groups.by_key[key].members
    return [m for m in members if m in groups.by_key and groups.by_key[m].kind not in but]


class _Grouping:
    """Builds the groups from the outermost inward."""

    def __init__(self, trace: Trace, graph: Graph) -> None:
        self._trace, self._graph = trace, graph
        self._found: dict[str, Group] = {}
        self._parent: dict[str, str] = {}
        self._items = _items(trace, graph)
        place = {item.box: index for index, item in enumerate(self._items)}
        self._place = {key: place.get(key, -1) for key in graph.boxes}
        self._range = _ranges_of_use(graph, self._place)

    def groups(self) -> Groups:
        """All groups, with their places."""
        free = [key for key, place in self._place.items() if place < 0]
        if len(self._place) <= MAX_WHOLE:
            self._found[ROOT] = Group(ROOT, "whole", tuple(self._graph.boxes))
        else:
            self._add("whole", self._segments(0, len(self._items), 0), free)
            self._open_only_call()
        for group in self._found.values():
            self._parent.update(dict.fromkeys(group.members, group.key))
        groups = Groups(self._found, self._parent, self._place)
        for key in self._found:
            inside = [self._place[box] for box in groups.boxes(key)]
            self._place[key] = min((at for at in inside if at >= 0), default=-1)
        return groups

    def _segments(self, start: int, end: int, depth: int) -> list[Segment]:
        """The code that ran between two places: boxes, and calls of modules at this depth."""
        found, at = [], start
        items = self._items[start:end]
        for call, run in groupby(items, lambda i: i.calls[depth] if len(i.calls) > depth else ""):
            run = list(run)
            if call:
                row = self._trace.calls[call]
                sign = (row.get("file"), row["line"], row["path"])
                found.append(Segment(at, at + len(run), sign, row["line"] or 0, call, depth + 1))
                at += len(run)
            else:
                for item in run:
                    found.append(Segment(at, at + 1, item.sign, item.line, "", depth))
                    at += 1
        return found

    def _add(self, kind: str, segments: Sequence[Segment], free: list[str], **more: object) -> str:
        """Add a group of segments and of boxes without predecessors, and the groups within it."""
        key = self._new_key(kind)
        inner, here = self._shared_out(free, segments)
        if len(segments) + len(here) > MAX_MEMBERS and len(segments) > MAX_MEMBERS // 2:
            number, _ = more.get("iterations") or (1, 1)
            segments = split(segments, MAX_MEMBERS, number)
            inner, here = self._shared_out(free, segments)
        room = max(MAX_MEMBERS - len(segments), MAX_MEMBERS // 3)
        members = here if len(here) <= room else [self._parameters(here)]
        members += [
            self._member(segment, own) for segment, own in zip(segments, inner, strict=True)
        ]
        self._found[key] = Group(key, kind, tuple(members), **more)
        return key

    def _new_key(self, kind: str) -> str:
        """The key of a group that is not yet filled: outer groups come before inner ones."""
        key = f"g{len(self._found)}"
        self._found[key] = Group(key, kind, ())
        return key

    def _member(self, segment: Segment, free: list[str]) -> str:
        """The key of a group for a segment; the key of the box if the segment is a single one."""
        if segment.end - segment.start == 1 and not free:
            return self._items[segment.start].box
        inner = segment.parts or self._segments(segment.start, segment.end, segment.depth)
        if len(inner) == 1 and inner[0].call:  # a module that only calls another one
            return self._member(inner[0], free)
        more = {"lines": segment.lines, "iterations": segment.iterations}
        return self._add(segment.kind, inner, free, call=segment.call, **more)

    def _shared_out(
        self, free: list[str], segments: Sequence[Segment]
    ) -> tuple[list[list[str]], list[str]]:
        """For each segment the parameters and inputs used only in it, and the others."""
        inner: list[list[str]] = [[] for _ in segments]
        here = []
        starts = [segment.start for segment in segments]
        for box in free:
            first, last = self._range[box]
            at = bisect_right(starts, first) - 1
            if at >= 0 and not segments[at].single and last < segments[at].end:
                inner[at].append(box)
            else:
                here.append(box)
        return inner, here

    def _parameters(self, free: list[str]) -> str:
        """Add a group of parameters and inputs; nested groups if there are very many."""
        key = self._new_key("parameters")
        members = free
        if len(free) > MAX_BOXES:
            count = min(MAX_MEMBERS, -(-len(free) // MAX_MEMBERS))
            ends = [len(free) * n // count for n in range(count + 1)]
            members = [self._parameters(free[start:end]) for start, end in pairwise(ends)]
        self._found[key] = Group(key, "parameters", tuple(members))
        return key

    def _open_only_call(self) -> None:
        """Replace the only call of the outermost group by its contents, if there is room."""
        while True:
            whole = self._found[ROOT]
            calls = [key for key in whole.members if key in self._found]
            inside = self._found[calls[0]].members if len(calls) == 1 else ()
            if not inside or len(whole.members) + len(inside) > MAX_BOXES + 1:
                return
            at = whole.members.index(calls[0])
            members = (*whole.members[:at], *inside, *whole.members[at + 1 :])
            self._found[ROOT] = Group(ROOT, "whole", members, self._found.pop(calls[0]).call)


def _items(trace: Trace, graph: Graph) -> list[_Item]:
    """The boxes that an operation made, in the order of the forward pass.

    A node without an operation of its own is placed with the first one that uses it.
    """
    constants = {key for key, box in graph.boxes.items() if box.kind == "constant"}
    made_from = {edge.target for edge in graph.edges}
    at: dict[str, int] = {}
    for index, event in enumerate(trace.events):
        waiting = [key for key in nodes_made(event) if key in graph.boxes]
        waiting += [out["t"] for out in event.get("out", ()) if out["t"] in constants & made_from]
        waiting += [FAILED] if event["k"] == "error" and FAILED in graph.boxes else []
        while waiting:
            key = waiting.pop()
            if key in at or graph.boxes[key].kind == "leaf":
                continue
            at[key] = index
            links = trace.nodes[key]["next"] if key in trace.nodes else ()
            waiting += [link[0] for link in links if link and link[0] in graph.boxes]
    sorter = TopologicalSorter({key: [] for key in graph.boxes})
    for edge in graph.edges:
        sorter.add(edge.target, edge.source)
    rank = {key: place for place, key in enumerate(sorter.static_order())}
    leaves = {key for key, box in graph.boxes.items() if box.kind == "leaf"}
    free = leaves | (constants - made_from)
    boxes = sorted(graph.boxes.keys() - free, key=lambda k: (at.get(k, len(trace.events)), rank[k]))
    made = {key for event in operations(trace) for key in nodes_made(event)}
    return [_item(trace, box, at.get(box), box in made) for box in boxes]


def _item(trace: Trace, box: str, index: int | None, named: bool) -> _Item:
    if index is None:
        return _Item(box, ("", 0, None, box), 0, ())  # of no line that is known
    event, calls = trace.events[index], []
    call = event.get("within")
    while call:
        calls.append(call)
        call = trace.calls[call].get("within")
    what = trace.nodes[box]["op"] if named else box
    sign = (event.get("file"), event["line"], event.get("src"), what)
    return _Item(box, sign, event["line"] or 0, tuple(reversed(calls)))


def _ranges_of_use(graph: Graph, place: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """The first and the last place at which each box without predecessors is used."""
    found: dict[str, tuple[int, int]] = {key: (-1, -1) for key, at in place.items() if at < 0}
    for edge in graph.edges:
        at = place[edge.target]
        if edge.source in found and at >= 0:
            first, last = found[edge.source]
            found[edge.source] = (min(first, at) if first >= 0 else at, max(last, at))
    return found


def module_paths(trace: Trace) -> list[str]:
    """The paths of all modules that were called, in the order of their first calls."""
    return list(dict.fromkeys(call["path"] for call in trace.calls.values()))


def group_of_module(trace: Trace, groups: Groups, path: str) -> str:
    """The innermost group that holds all boxes of a module's first call; the outermost group if it
    made none."""
    made: dict[str, list[list[str]]] = {}
    for event in operations(trace):
        call, within = "", event.get("within")
        while within:  # the outermost call of this module, if there is one
            call = within if trace.calls[within]["path"] == path else call
            within = trace.calls[within].get("within")
        boxes = [node for node in nodes_made(event) if node in groups.parent]
        made.setdefault(call, []).extend(groups.path(box)[:-1] for box in boxes)
    ways = next((ways for call, ways in made.items() if call and ways), [[ROOT]])
    return [group for group in ways[0] if all(group in way for way in ways)][-1]


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
        # The parameters, inputs and groups of them from which many edges come.
        counts = Counter(edge.source for edge in drawn.values())
        often = {
            key
            for key, count in counts.items()
            if count >= MANY_USES and key not in (FIRST, LAST) and self._groups.place[key] < 0
        }
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
        return -2.0 if key == FIRST else self._groups.place.get(key, float("inf"))
