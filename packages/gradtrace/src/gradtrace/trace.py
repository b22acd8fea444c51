"""The trace of one run of a script, format 1: its contents, and how it is written to a file.

A trace lists what happened in the order in which it happened (`events`) and describes each tensor
and each autograd node once (`tensors`, `nodes`). It is written as JSON with one tensor, node or
event a line, so that two traces can be compared line by line. This module does not import torch.

What must be known to read the events:

- Numbers are those that PyTorch prints (see `Value`), not the shortest ones that round-trip.
- `acc.after` is `.grad` right after the addition, before any post-accumulate hook; a change by such
  a hook follows as a `grad_set`.
- A caught error is an event as well; `error.p` names the backward pass that raised it.
- There is one `print` for each printed line or block.
- `step` stands before the step_post hooks of the script, as it happens before them.
- `tensors` holds only tensors that an event or a name of the script refers to.
- Versions are without a build: "2.13.0", not "2.13.0+cpu"; "3.11".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypedDict

FORMAT = 1
"""The number of the format; it is increased when old code cannot read a new trace."""

Number = int | float | str
"""As PyTorch prints it: 0.0367, 60 (a float without a fraction), -2.5e-05, "nan", "inf", "-inf";
a complex number is a string, "1+2j"."""


class Value(TypedDict):
    """The numbers of a tensor when it was looked at. A value never changes.

    There is one of `v`, `u` and `m`; none if the numbers cannot be read (see `layout`).
    All numbers of a tensor are rounded together, as `print(tensor)` does: four decimals, in
    scientific notation where they are far apart.
    """

    s: list[int]
    """The shape."""
    d: NotRequired[str]
    """The dtype, without "torch."; absent for float32."""
    v: NotRequired[Any]
    """Every number, in nested lists of that shape. With `c` a single number."""
    c: NotRequired[Literal[1]]
    """There are several elements, and all of them are `v`."""
    u: NotRequired[list[list[Number]]]
    """For a large tensor with few different numbers: each, and its count; in ascending order."""
    m: NotRequired[list[Number]]
    """For any other large tensor: the minimum, the mean, the maximum, the Euclidean norm."""
    layout: NotRequired[str]
    """Why there are no numbers: "torch.sparse_coo", "meta", "vmap", a class of its own."""


class Tensor(TypedDict):
    """A tensor. Its key is "t0", "t1", ... in the order in which the recorder first saw them."""

    names: NotRequired[list[str]]
    """Its names in the script: "w", "net.0.weight", "pair[1]". Global names first. For a tensor
    that an operation added to the graph, without the names of function arguments."""
    shape: list[int]
    dtype: NotRequired[str]
    """Absent for float32."""
    leaf: bool
    rg: bool
    """Whether it requires a gradient, when the recorder last saw it."""
    param: NotRequired[Literal[True]]
    """It is an nn.Parameter."""
    opt: NotRequired[str]
    """The class of an optimizer that holds it."""
    gone: NotRequired[Literal[True]]
    """It no longer existed when the first pass began; recorded for the doctor."""
    n: NotRequired[str]
    """The node that made it (its grad_fn); the last one, if it was changed in place."""
    value: NotRequired[Value]
    """Its first value."""


class Node(TypedDict):
    """An autograd node. Its key is "n0", "n1", ... in the order in which they were first seen."""

    op: str
    """Its name: "MulBackward0", "AccumulateGrad"."""
    next: list[list | None]
    """For each input of the operation: [the node to which its gradient goes, the slot there]."""
    leaf: NotRequired[str]
    """The tensor whose .grad an AccumulateGrad adds to."""
    out: NotRequired[dict[str, str]]
    """The tensors that it made, by slot: {"0": "t3"}."""
    value: NotRequired[Value | None]
    """The forward value of its first output, even if no tensor of the script holds it."""
    call: NotRequired[int]
    """The index of the event, an `op`, that made it."""


class Call(TypedDict):
    """A call of a module. Its key is "c0", "c1", ... in the order in which the calls began."""

    path: str
    """The path of the module, from the script's name of the outermost module that contains it:
    "net.layer1.0.conv1"; the name of its class if no name leads to it."""
    kind: str
    """The name of its class."""
    line: int | None
    file: NotRequired[str]
    """As in an event."""
    within: NotRequired[str]
    """The call of another module that contains it."""
    p: NotRequired[int]
    """The backward pass in which it was made: a checkpoint runs its modules again."""
    eval: NotRequired[bool]
    """It is in evaluation mode; recorded for the doctor, and not of a Dropout with p = 0."""


class LocalDerivative(TypedDict):
    """The factor by which a node multiplied the gradient that it received, for one input."""

    how: Literal["times", "dot", "placed", "right", "left", "matrix"]
    """times: element by element, or each element by the only one received. dot: element by element,
    and added up. placed: every element times one number, moved to its original place. right, left:
    as matrices, the gradient first (gradient @ by) or second (by @ gradient). matrix: the flattened
    gradient times a matrix."""
    by: Value


class Event(TypedDict, total=False):
    """One event. Every event has `k` and `line`; the other fields depend on `k`."""

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
        "read",
        "print",
        "error",
    ]
    line: int | None
    """The line of the script that was running; None outside. For `hook` and `call`: where
    the function is defined."""
    file: str
    """The key in `Trace.sources` of the file of the line, if it isn't the script."""

    # backward
    outline: Literal[True]
    """Its nodes, and the operations since the pass before, were not recorded."""

    # op: a function of torch was called and returned a tensor
    op: str
    """Its name: "mul", "cross_entropy"; of a custom Function the name of its class."""
    src: str
    """The source text that was evaluated: "2 * w"; for an op inside a module the call of the
    outermost module in the script."""
    args: list
    """[positional arguments, keyword arguments (if any)]; "@t3" stands for a tensor and "@t3.grad"
    for its gradient; other objects are named by their type."""
    ins: list[str]
    """The input tensors."""
    out: list[dict]
    """The outputs: {t: tensor, value: Value, n: its node, inplace: true}; `n` and `inplace` where
    they apply, `value` not where memory is uninitialised (torch.empty)."""
    module: str
    """The modules in whose forward it was called: "Sequential/Linear"."""
    within: str
    """The innermost call of a module that was running: a key of `Trace.calls`."""
    custom: bool
    """It is a torch.autograd.Function of the script."""
    dead: list[int]
    """For a rectifier, only for the doctor: the number of units that are zero for the whole batch,
    of all units, and of values per unit."""
    flat: float
    """For a tanh, only for the doctor: the part of its outputs beyond 0.99."""
    lib: bool
    """It is a torch.autograd.Function of torch: a module boundary of a full backward hook."""
    mod: str
    """With `lib`: the module whose boundary it is."""
    no_grad: Literal[True]
    """Gradients were off (torch.no_grad, torch.inference_mode) while an input required one."""

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
    call: {name of the argument: value}. read: the value."""
    ret: Any
    """The returned value, if it isn't None."""
    at: str
    """hook: the node that was running."""

    # backward, backward_end: a pass of backward() or grad()
    p: int
    """The number of the pass, from 1. Also in `node`, `acc`, and `error` where a pass raised."""
    api: Literal["backward", "grad"]
    roots: list[str | None]
    seed: list[Value | None]
    """The gradients that the pass began with."""
    retain: bool
    create: bool
    inputs: list[str]
    """The tensors whose gradients are requested, if they are named."""

    # node: a node ran; acc: an AccumulateGrad ran
    n: str
    """Also in `call`: the node that was running."""
    gin: list[Value | None]
    """The received gradients, one for each output of the operation, after tensor hooks."""
    gout: list[Value | None]
    """The sent gradients, one for each of `next`; absent if the pass ended there."""
    local: list[LocalDerivative | None]
    """The local derivatives, one for each of `next`: those that the node itself returned, called
    with unit vectors before it ran, and that map `gin` to `gout`. For nodes with few elements, on
    the CPU, and not a torch.autograd.Function; absent if there are none, and in older
    recordings."""
    t: str
    """acc, grad_set, set: the leaf. read: the tensor."""
    before: Value | None
    """acc, grad_set: .grad before; set: the value before."""
    after: Value | None
    """Absent if the pass ended there."""

    # step: an optimizer made a step
    opt: str
    lr: float
    params: list[dict]
    """{t: tensor, before: value, grad: .grad before the step, after: value, moved: the norm of the
    change over the norm before, on some of the elements; lr: where it is another than that of the
    step; decay: the part of it that weight decay takes}; the last three only for the doctor."""
    closure: Literal[True]
    """A pass began during it; recorded for the doctor."""

    # grad_set: .grad of a leaf changed outside of passes and steps; set: its value did
    by: str
    """The call that changed it, if known: "zero_grad"."""

    # read: a Python number was made of a tensor that requires a gradient; `op`: by what, "item"

    text: str
    """print: the printed text."""
    msg: str
    """error: "RuntimeError: ...". Where a function of torch raised it in the forward pass, `op`,
    `src`, `ins` and `within` are as for an op."""


class Sign(TypedDict):
    """An observation made only for the doctor, and never drawn."""

    k: Literal["warning", "clip", "scale", "unscale", "scaler_step", "failure"]
    """A warning; gradients were clipped; a GradScaler scaled a loss, unscaled gradients, made a
    step; an error ended the script."""
    at: int
    """The number of events before it."""
    line: int | None
    file: NotRequired[str]
    """As in an event."""
    text: NotRequired[str]
    """The text of a warning, the message of a failure."""
    kind: NotRequired[str]
    """The class of a warning."""
    scale: NotRequired[float]
    """The factor of a GradScaler."""
    skipped: NotRequired[bool]
    """Whether a GradScaler skipped a step."""
    ts: NotRequired[list[str]]
    """clip: the tensors that have a gradient; warning: those among the call's arguments."""
    total: NotRequired[int]
    """clip: the number of tensors given."""


class LeftOut(TypedDict):
    """Where recording stopped, at `events` events, although the script continued."""

    events: int
    line: int | None


@dataclass
class Trace:
    """The record of one run of one script."""

    torch: str
    python: str
    source: str
    stdout: str = ""
    tensors: dict[str, Tensor] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    left_out: LeftOut | None = None
    calls: dict[str, Call] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    """The texts of other files of the user that were run, by their paths from the script's folder:
    "model.py"."""
    health: list[Sign] = field(default_factory=list)
    """Observations made on request, for the doctor."""
    eager: bool = False
    """Whether the script used torch.compile; its compiled code ran eagerly instead."""
    format: int = FORMAT


def format_trace(trace: Trace) -> str:
    """The text of a trace: JSON, one tensor, node or event a line."""
    fields = vars(trace)
    heads = ["format", "torch", "python", "source", "stdout"]
    heads += [key for key in ("left_out", "sources", "eager", "health") if fields[key]]
    parts = [f'"{key}": {_json(fields[key])}' for key in heads]
    for key in ("tensors", "nodes", *(["calls"] if trace.calls else [])):
        rows = [f'"{name}": {_json(row)}' for name, row in fields[key].items()]
        parts.append(_block(key, "{", rows, "}"))
    parts.append(_block("events", "[", [_json(event) for event in trace.events], "]"))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def parse_trace(text: str) -> Trace:
    """Parse the text of a trace; raises `ValueError` if it isn't one, or has another format."""
    try:
        fields = json.loads(text)
        if fields["format"] == FORMAT:
            return Trace(**fields)
    except (KeyError, TypeError) as error:
        raise ValueError("this is not a recording") from error
    raise ValueError(f"the recording has format {fields['format']}, and {FORMAT} is known")


def operations(trace: Trace) -> Iterator[Event]:
    """The events of operations, in order."""
    return (event for event in trace.events if event["k"] == "op")


def nodes_made(event: Event) -> set[str]:
    """The autograd nodes that an operation made; none for other events."""
    return {out["n"] for out in event.get("out", ()) if "n" in out}


def tensors_made(event: Event) -> set[str]:
    """The tensors that an operation returned."""
    return {out["t"] for out in event["out"]}


def _block(key: str, opening: str, rows: list[str], closing: str) -> str:
    inside = "\n" + ",\n".join(rows) + "\n" if rows else ""
    return f'"{key}": {opening}{inside}{closing}'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)
