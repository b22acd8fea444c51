"""What boxes are called: the name of a tensor in the script, else the expression that made it."""

from __future__ import annotations

from gradtrace.graph.module_calls import inner_name, is_inside_call
from gradtrace.trace import Event, Trace, operations

LONGEST_EXPRESSION = 22
"""Characters of an expression that a box shows in place of a name."""


def tensor_title(trace: Trace, tensor: str) -> str:
    """The name of a tensor in the script, else the expression that made it, else nothing."""
    names = trace.tensors[tensor].get("names", [])
    outer = [name for name in names if not name.startswith("self.")]
    if names:
        return (outer or names)[0]
    for event in operations(trace):
        if any(out["t"] == tensor for out in event["out"]):
            inside = is_inside_call(trace, event)
            return inner_name(trace, event) if inside else short_expression(event)
    return ""


def short_expression(event: Event) -> str:
    """The source text of an operation; the name of the operation where the text is long."""
    source = event.get("src") or ""
    return source if 0 < len(source) <= LONGEST_EXPRESSION else f"{event['op']}(…)"


def is_module_boundary(trace: Trace, key: str) -> bool:
    """Whether a node was put at the boundary of a module by a full backward hook."""
    return trace.nodes[key]["op"].startswith("BackwardHookFunction")
