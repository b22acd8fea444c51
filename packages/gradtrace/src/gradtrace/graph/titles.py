"""The titles of boxes: a name of the script, a module, or the evaluated expression."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache, cached_property

from gradtrace.graph.index import TraceIndex
from gradtrace.trace import Event, Trace, nodes_made, tensors_made


class Statements:
    """The statements of the files of a trace. `file` is everywhere as in an event."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.nodes = cache(self._parse)
        """The nodes of the syntax tree of a file."""
        self._tables = cache(self._read)

    def assigned(self, line: int | None, file: str = "") -> set[str]:
        """The names that the statement at a line assigns."""
        return self._tables(file)[0].get(line, set())

    def lines_of_function(self, line: int | None, file: str = "") -> range:
        """The lines of the function that begins at a line, with its decorators; none if there is no
        function."""
        return self._tables(file)[1].get(line, range(0))

    def lambda_at(self, line: int | None, file: str = "") -> str:
        """The text of the lambda at a line, if there is only one."""
        nodes = (node for node in self.nodes(file) if isinstance(node, ast.Lambda))
        found = [node for node in nodes if node.lineno == line]
        text = ast.get_source_segment(self._text(file), found[0]) if len(found) == 1 else ""
        return " ".join(text.split())

    def _text(self, file: str) -> str:
        return self._trace.sources.get(file, "") if file else self._trace.source

    def _parse(self, file: str) -> list[ast.AST]:
        try:
            return list(ast.walk(ast.parse(self._text(file))))
        except (SyntaxError, ValueError):
            return []

    def _read(self, file: str) -> tuple[dict[int, set[str]], dict[int, range]]:
        """By line: the names that its statement assigns, and the lines of the function there."""
        assigned: dict[int, set[str]] = {}
        functions: dict[int, range] = {}
        for node in self.nodes(file):
            targets: list[ast.expr] = []
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                functions[first] = range(first, node.end_lineno + 1)
            elif isinstance(node, ast.Lambda):
                functions.setdefault(node.lineno, range(node.lineno, node.end_lineno + 1))
            elif isinstance(node, ast.Assign):
                targets = list(node.targets)
            elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
                targets = [node.target]
            while targets:
                target = targets.pop()
                if isinstance(target, ast.Tuple | ast.List):
                    targets += target.elts
                    continue
                for line in range(node.lineno, node.end_lineno + 1):
                    assigned.setdefault(line, set()).add(ast.unparse(target))
        return assigned, functions


BOUNDARY = "BackwardHookFunction"
"""The node that a full backward hook adds at each boundary of its module."""


def boundary_sides(index: TraceIndex) -> dict[int, str]:
    """For each boundary of a module whether it is its "entrance" or its "exit".

    A module whose inputs need no gradient has only an exit. An entrance is followed by operations
    of the same call, deeper in modules, and by an exit that uses their results.
    """
    sides: dict[int, str] = {}
    entrances: dict[str | None, int] = {}
    for position, place in enumerate(index.operations):
        event = index.event(place)
        if event["op"] != BOUNDARY:
            continue
        sides[place], module = "exit", event.get("mod")
        entrance = entrances.pop(module, None)
        if entrance is not None and _encloses_call(index, entrance, position):
            sides[index.operations[entrance]] = "entrance"
        else:
            entrances[module] = position
    return sides


def insides_of_calls(index: TraceIndex) -> set[int]:
    """The operations that ran within a call whose last operation is a later one.

    Such a call is one expression on its line, and the next operation of that line is in the same
    expression and uses the result of this one.
    """
    next_of_line: dict[int | None, int] = {}
    found = set()
    for position in range(len(index.operations) - 1, -1, -1):
        place = index.operations[position]
        event = index.event(place)
        if event["op"] == BOUNDARY:
            continue
        later = next_of_line.get(event.get("line"))
        next_of_line[event.get("line")] = position
        if later is None or not event.get("src"):
            continue
        named = index.trace.tensors[event["out"][0]["t"]].get("names")
        end = index.event(index.operations[later])
        if not named and end.get("src") == event["src"] and _uses(index, position, later):
            found.add(place)
    return found


def _encloses_call(index: TraceIndex, start: int, end: int) -> bool:
    """Whether two boundaries of a module are before and after one call of it."""
    entrance, *inner, leaving = map(index.event, index.operations[start : end + 1])
    if any(entrance.get(key) != leaving.get(key) for key in ("line", "src", "module")):
        return False
    above = entrance.get("module", "")
    inner = [one.get("module", "") for one in inner if one["op"] != BOUNDARY]
    within = all(path != above and path.startswith(above) for path in inner)
    return bool(inner) and within and _uses(index, start, end)


def _uses(index: TraceIndex, start: int, end: int) -> bool:
    """Whether the last of several consecutive operations uses the result of the first."""
    first, *between, last = map(index.event, index.operations[start : end + 1])
    made = tensors_made(first)
    for event in between:
        if not made.isdisjoint(event["ins"]):
            made |= tensors_made(event)
    return not made.isdisjoint(last["ins"])


LONGEST_EXPRESSION = 22
"""The maximum number of characters of an expression shown in place of a name."""


class Titles:
    """The titles of the tensors and operations of a trace."""

    def __init__(self, index: TraceIndex) -> None:
        self.index = index
        self.statements = Statements(index.trace)
        self._known: dict[str, str] = {}

    def tensor(self, key: str) -> str:
        """The name of a tensor in the script, else the expression that returned it, else the name
        of the operation that made it."""
        if key not in self._known:
            makers = self.index.makers.get(key)
            self._known[key] = self._name(key) or (self._made(makers[0], key) if makers else "")
        return self._known[key]

    def operation(self, place: int, tensor: str) -> str:
        """The title of an operation: the name of the tensor that it returned.

        Inside of a module it is the module, with the inner name where the module does more than one
        thing; but the result of the outermost module may have a name outside.
        """
        event = self.index.event(place)
        if "within" in event:
            return self._name_outside(event, tensor) or self._inside(event, tensor)
        if name := self._name(tensor):
            return name
        return f"{event['op']}(…)" if place in self.insides else short_expression(event)

    @cached_property
    def sides(self) -> dict[int, str]:
        """The side of its module for each boundary."""
        return boundary_sides(self.index)

    @cached_property
    def insides(self) -> set[int]:
        """The operations within a call that a later operation completes."""
        return insides_of_calls(self.index)

    def _made(self, place: int, tensor: str) -> str:
        source = self.index.event(place).get("src", "")
        whole = place not in self.insides and 0 < len(source) <= LONGEST_EXPRESSION
        return source if whole else self.operation(place, tensor)

    def _name(self, tensor: str) -> str:
        names = self.index.trace.tensors[tensor].get("names", [""])
        return next((name for name in names if not name.startswith("self.")), names[0])

    def _name_outside(self, event: Event, tensor: str) -> str:
        """The name that a tensor gets at the line that called the outermost module, if any."""
        names = self.index.trace.tensors[tensor].get("names", ())
        outermost = self._outermost(event)
        uses = (self.index.event(place) for place in self.index.users.get(tensor, ()))
        if not names or any(use is not event and self._outermost(use) == outermost for use in uses):
            return ""
        call = self.index.trace.calls[outermost]
        assigned = self.statements.assigned(call["line"], call.get("file", ""))
        return next((name for name in names if name in assigned), "")

    def _outermost(self, event: Event) -> str | None:
        """The outermost call of a module in which an operation ran."""
        key = event.get("within")
        while key and "within" in self.index.trace.calls[key]:
            key = self.index.trace.calls[key]["within"]
        return key

    def _inside(self, event: Event, tensor: str) -> str:
        key = event["within"]
        call = self.index.trace.calls[key]
        module = self._path(event, call["path"])
        if (number := self._numbers[key]) > 1:
            module += f" #{number}"
        if (event["line"], event.get("file")) != (call["line"], call.get("file")):
            return f"{module}: {self._name(tensor) or short_expression(event)}"
        return module if self._operations_in[key] < 2 else f"{module}: {event['op']}"

    def _path(self, event: Event, path: str) -> str:
        """The path of a module; if it has several, the one in the names of its parameters, unless
        these are shared with another module."""
        root = path.partition(".")[0]
        for tensor in event["ins"]:
            names = self.index.trace.tensors[tensor].get("names", ())
            owners = {name.rpartition(".")[0] for name in names}
            if path in owners and sum(each.partition(".")[0] == root for each in owners) == 1:
                return self._name(tensor).rpartition(".")[0] or path
        return path

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The number of each call among those of the same module, within one call of another."""
        met: Counter = Counter()
        found = {}
        for key, call in self.index.trace.calls.items():
            same = call.get("within", key), call["path"]
            met[same] += 1
            found[key] = met[same]
        return found

    @cached_property
    def _operations_in(self) -> Counter:
        """The number of operations that each call added, without those of inner modules."""
        events = map(self.index.event, self.index.operations)
        return Counter(
            e["within"] for e in events if "within" in e and e["op"] != BOUNDARY and nodes_made(e)
        )


def short_expression(event: Event) -> str:
    """The source text of an operation; the name of the operation where the text is long."""
    source = event.get("src") or ""
    return source if 0 < len(source) <= LONGEST_EXPRESSION else f"{event['op']}(…)"


def is_module_boundary(trace: Trace, key: str) -> bool:
    """Whether a full backward hook put the node at the boundary of a module."""
    return trace.nodes[key]["op"].startswith("BackwardHookFunction")
