"""The trace of one run of a script, format 1: what it holds, and how it is written to a file.

A trace lists what happened in the order in which it happened (`events`) and describes each tensor
and each autograd node once (`tensors`, `nodes`). It is written as JSON with one tensor, node or
event a line, so that two traces can be compared line by line. This module does not import torch.

What must be known to read the events:

- Numbers are those that PyTorch prints (see `Value`), not the shortest ones that round-trip.
- `acc.after` is `.grad` right after the addition, before any post-accumulate hook; what such a hook
  changes follows as a `grad_set`.
- A caught error is an event as well; `error.p` names the backward pass that raised it.
- There is one `print` for each printed line or block.
- `step` stands before the step_post hooks of the script, as it happens before them.
- `tensors` holds what an event or a name of the script leads to, and nothing else.
- Versions are without a build: "2.13.0", not "2.13.0+cpu"; "3.11".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypedDict

FORMAT = 1
"""The number of the format; it changes when old code could not read a new trace."""

Number = int | float | str
"""As PyTorch prints it: 0.0367, 60 (a float without a fraction), -2.5e-05, "nan", "inf", "-inf";
a complex number is a string, "1+2j"."""


class Value(TypedDict):
    """The numbers of a tensor when it was looked at. A value never changes.

    There is one of `v`, `u` and `m`; none where the numbers cannot be read (see `layout`).
    All numbers of a tensor are rounded together, as `print(tensor)` does: four decimals, in
    scientific notation where they are far apart.
    """

    s: list[int]
    """The shape."""
    d: NotRequired[str]
    """The dtype, without "torch."; not given for float32."""
    v: NotRequired[Any]
    """Every number, in nested lists as the shape says. With `c` a single number."""
    c: NotRequired[Literal[1]]
    """There are several elements, and all of them are `v`."""
    u: NotRequired[list[list[Number]]]
    """Of a large tensor with few different numbers: each, and how often; in ascending order."""
    m: NotRequired[list[Number]]
    """Of any other large tensor: the least, the mean, the greatest, the Euclidean norm."""
    layout: NotRequired[str]
    """Why there are no numbers: "torch.sparse_coo", "meta", "vmap", a class of its own."""


class Tensor(TypedDict):
    """A tensor. Its key is "t0", "t1", ... in the order in which the recorder saw them first."""

    names: NotRequired[list[str]]
    """What the script called it: "w", "net.0.weight", "pair[1]". Global names first."""
    shape: list[int]
    dtype: NotRequired[str]
    """Not given for float32."""
    leaf: bool
    rg: bool
    """Whether it requires a gradient, when the recorder last saw it."""
    param: NotRequired[Literal[True]]
    """It is an nn.Parameter."""
    n: NotRequired[str]
    """The node that made it (its grad_fn); the last one, if it was changed in place."""
    value: NotRequired[Value]
    """Its first value."""


class Node(TypedDict):
    """An autograd node. Its key is "n0", "n1", ... in the order in which they were seen first."""

    op: str
    """Its name: "MulBackward0", "AccumulateGrad"."""
    next: list[list | None]
    """For each input of the operation: [the node to which its gradient goes, the slot there]."""
    leaf: NotRequired[str]
    """The tensor whose .grad an AccumulateGrad adds to."""
    out: NotRequired[dict[str, str]]
    """The tensors that it made, by slot: {"0": "t3"}."""
    value: NotRequired[Value | None]
    """The forward value of its first output, also where no tensor of the script holds it."""
    call: NotRequired[int]
    """The index of the event, an `op`, that made it."""


class Event(TypedDict, total=False):
    """One thing that happened. Every event has `k` and `line`; the others depend on `k`."""

    k: Literal[
        "op",
        "reg",
        "backward",
        "node",
        "hook",
        "call",
        "acc",
        "backward_end",
        "step",
        "grad_set",
        "set",
        "print",
        "error",
    ]
    line: int | None
    """The line of the script that was running; None outside of it. For `hook` and `call`: where
    the function is defined."""

    # op: a function of torch was called and gave a tensor
    op: str
    """Its name: "mul", "cross_entropy"; of a custom Function the name of its class."""
    src: str
    """The text of the script that was evaluated: "2 * w"; of an op inside a module the call of the
    outermost module in the script."""
    args: list
    """[positional arguments, keyword arguments (if any)]; "@t3" stands for a tensor and
    "@t3.grad" for its gradient; of other objects there is the name of the type."""
    ins: list[str]
    """The tensors that went in."""
    out: list[dict]
    """What came out: {t: tensor, value: Value, n: its node, inplace: true}; `n` and `inplace`
    where they apply, `value` not where memory is uninitialised (torch.empty)."""
    module: str
    """The modules in whose forward it was called: "Sequential/Linear"."""
    custom: bool
    """It is a torch.autograd.Function of the script."""
    lib: bool
    """It is a torch.autograd.Function of torch: a module boundary of a full backward hook."""
    mod: str
    """With `lib`: the module whose boundary it is."""

    # reg: a hook was registered; hook: it ran
    hook: str
    """"tensor", "post_accumulate", "retain_grad", "multi_grad", "forward", "forward_pre",
    "full_backward", "full_backward_pre", "backward", "step_pre", "step_post"."""
    on: str | list[str]
    """A tensor, several (multi_grad), the name of a module ("every module" for a hook on all at
    once), or the class of an optimizer."""
    fn: str
    """The name of the function; "<lambda>"."""
    got: Any
    """hook: the arguments that are tensors, as values, in lists as they were nested.
    call: {name of the argument: value}."""
    ret: Any
    """What it returned, if that was not None."""
    at: str
    """hook: the node that was running."""

    # backward, backward_end: a pass of backward() or grad()
    p: int
    """The number of the pass, from 1. Also in `node`, `acc`, and `error` where a pass raised."""
    api: Literal["backward", "grad"]
    roots: list[str | None]
    seed: list[Value | None]
    """The gradients it began with."""
    retain: bool
    create: bool
    inputs: list[str]
    """The tensors whose gradients are wanted, where they are named."""

    # node: a node ran; acc: an AccumulateGrad ran
    n: str
    """Also in `call`: the node that was running."""
    gin: list[Value | None]
    """The gradients that came in, one for each output of the operation, after tensor hooks."""
    gout: list[Value | None]
    """The gradients that went out, one for each of `next`; absent where the pass ended there."""
    t: str
    """acc, grad_set, set: the leaf."""
    before: Value | None
    """acc, grad_set: .grad before; set: the value before."""
    after: Value | None
    """Absent where the pass ended there."""

    # step: an optimizer made a step
    opt: str
    lr: float
    params: list[dict]
    """{t: tensor, before: value, grad: .grad before the step, after: value}."""

    # grad_set: .grad of a leaf changed, and no pass or step did it; set: so did its value
    by: str
    """The call that changed it, where that is known: "zero_grad"."""

    text: str
    """print: what was printed."""
    msg: str
    """error: "RuntimeError: ..."."""


class LeftOut(TypedDict):
    """Where recording stopped, at `events` events, although the script went on."""

    events: int
    line: int | None


@dataclass
class Trace:
    """What one run of one script did."""

    torch: str
    python: str
    source: str
    stdout: str = ""
    tensors: dict[str, Tensor] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    left_out: LeftOut | None = None
    format: int = FORMAT


def format_trace(trace: Trace) -> str:
    """The text of a trace: JSON, one tensor, node or event a line."""
    heads = {
        "format": trace.format,
        "torch": trace.torch,
        "python": trace.python,
        "source": trace.source,
        "stdout": trace.stdout,
    }
    if trace.left_out:
        heads["left_out"] = trace.left_out
    parts = [f'"{key}": {_json(value)}' for key, value in heads.items()]
    for key, table in (("tensors", trace.tensors), ("nodes", trace.nodes)):
        rows = [f'"{name}": {_json(row)}' for name, row in table.items()]
        parts.append(_block(key, "{", rows, "}"))
    parts.append(_block("events", "[", [_json(event) for event in trace.events], "]"))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def parse_trace(text: str) -> Trace:
    """The trace in a text; raises `ValueError` where it is none, or of another format."""
    try:
        fields = json.loads(text)
        if fields["format"] == FORMAT:
            return Trace(**fields)
    except (KeyError, TypeError) as error:
        raise ValueError("this is no recording") from error
    raise ValueError(f"the recording has format {fields['format']}, and {FORMAT} is known")


def operations(trace: Trace) -> Iterator[Event]:
    """The events of operations, in order."""
    return (event for event in trace.events if event["k"] == "op")


def nodes_made(event: Event) -> set[str]:
    """The autograd nodes that an operation made; none for other events."""
    return {out["n"] for out in event.get("out", ()) if "n" in out}


def tensors_made(event: Event) -> set[str]:
    """The tensors that an operation gave."""
    return {out["t"] for out in event["out"]}


def _block(key: str, opening: str, rows: list[str], closing: str) -> str:
    inside = "\n" + ",\n".join(rows) + "\n" if rows else ""
    return f'"{key}": {opening}{inside}{closing}'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)
