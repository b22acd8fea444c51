"""The statements of the script and of other files of the user: names that they assign, lambdas."""

from __future__ import annotations

import ast
from functools import cache

from gradtrace.trace import Trace


class Statements:
    """The statements of the files of a trace. `file` is everywhere as in an event."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._parsed = cache(self._parse)
        self._assigned = cache(self._read_assigned)
        self._functions = cache(self._read_functions)

    def assigned(self, line: int | None, file: str = "") -> set[str]:
        """The names that the statement at a line assigns."""
        return self._assigned(file).get(line, set())

    def lines_of_function(self, line: int | None, file: str = "") -> range:
        """The lines of the function that begins at a line, with its decorators; none without."""
        return self._functions(file).get(line, range(0))

    def lambda_at(self, line: int | None, file: str = "") -> str:
        """The text of the function without a name at a line, if there is one only."""
        nodes = (node for node in self._parsed(file) if isinstance(node, ast.Lambda))
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

    def _read_functions(self, file: str) -> dict[int | None, range]:
        found: dict[int | None, range] = {}
        for node in self._parsed(file):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                found[first] = range(first, node.end_lineno + 1)
            elif isinstance(node, ast.Lambda):
                found.setdefault(node.lineno, range(node.lineno, node.end_lineno + 1))
        return found

    def _read_assigned(self, file: str) -> dict[int | None, set[str]]:
        found: dict[int | None, set[str]] = {}
        for node in self._parsed(file):
            names = {ast.unparse(each) for each in _targets(node)}
            if names:
                for line in range(node.lineno, node.end_lineno + 1):
                    found.setdefault(line, set()).update(names)
        return found


def _targets(node: ast.AST) -> list[ast.expr]:
    """What a statement, or an assignment in an expression, assigns."""
    if isinstance(node, ast.Assign):
        waiting, found = list(node.targets), []
        while waiting:
            target = waiting.pop()
            if isinstance(target, (ast.Tuple, ast.List)):
                waiting += target.elts
            else:
                found.append(target)
        return found
    if isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
        return [node.target]
    return []
