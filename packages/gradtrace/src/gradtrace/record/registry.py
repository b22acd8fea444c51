"""The tensors and the nodes that were met: each gets an id, and is described once."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils.weak import WeakTensorKeyDictionary

from gradtrace.model import Node, Tensor, Trace, Value
from gradtrace.record.values import shape_of, value_of


class Graph:
    """Ids of tensors and nodes. Keeps no tensor and no node alive: tensors are held weakly, nodes
    (which cannot be) are known by their name and their sequence number."""

    def __init__(self, trace: Trace) -> None:
        self._tensors, self._nodes = trace.tensors, trace.nodes
        self._ids = WeakTensorKeyDictionary()
        self._keys: dict[tuple, str] = {}
        self._local: dict[str, list[str]] = {}
        self._unwritten: set[StorageWeakRef] = set()

    def knows(self, tensor: torch.Tensor) -> bool:
        return tensor in self._ids

    def tensor(self, tensor: torch.Tensor) -> str:
        """The id of a tensor, which is described when it is met for the first time."""
        name = self._ids.get(tensor)
        if name is None:
            name = self._ids[tensor] = f"t{len(self._tensors)}"
            entry = Tensor(names=[], shape=shape_of(tensor))
            if tensor.dtype is not torch.float32:
                entry["dtype"] = str(tensor.dtype).removeprefix("torch.")
            if isinstance(tensor, nn.Parameter):
                entry["param"] = True
            self._tensors[name] = entry
        entry = self._tensors[name]
        if not entry["shape"]:  # a lazy parameter has got its own meanwhile
            entry["shape"] = shape_of(tensor)
        entry["leaf"], entry["rg"] = is_leaf(tensor), tensor.requires_grad
        return name

    def named(self, tensor: torch.Tensor, name: str, everywhere: bool) -> None:
        """The script calls a tensor `name`: everywhere, or within one of its functions only."""
        number = self.tensor(tensor)
        names = self._tensors[number]["names"]
        names = names if everywhere else self._local.setdefault(number, [])
        if name not in names:
            names.append(name)

    def finish(self) -> None:
        """Put the names together: global ones first, each once; none where there is none."""
        for number, entry in self._tensors.items():
            names = dict.fromkeys([*entry.pop("names"), *self._local.get(number, [])])
            if names:
                self._tensors[number] = Tensor(names=list(names), **entry)

    def first_value(self, tensor: str, value: Value | None) -> None:
        if value is not None:
            self._tensors[tensor].setdefault("value", value)

    def made(self, tensor: torch.Tensor, value: Value | None) -> str | None:
        """The node that made a tensor, which is now described; None for a leaf."""
        if (fn := grad_fn_of(tensor)) is None:
            return None
        name, node = self.tensor(tensor), self.node(fn)
        self._tensors[name]["n"] = node
        entry = self._nodes[node]
        entry.setdefault("out", {})[str(tensor.output_nr)] = name
        if tensor.output_nr == 0 and value is not None:
            entry["value"] = value
        return node

    def called(self, node: str, event: int) -> None:
        """The event in which a node was made."""
        self._nodes[node].setdefault("call", event)

    def leaf_of(self, node: str) -> str | None:
        return self._nodes[node].get("leaf")

    def node(self, fn: torch.autograd.graph.Node) -> str:
        """The id of a node. It and all that it leads to are described at the first meeting."""
        if (name := self._keys.get(self._key(fn))) is not None:
            return name
        new = [node for node in reachable([fn], self._described) if not self._described(node)]
        for node in new:
            self._keys[self._key(node)] = f"n{len(self._keys)}"
        for node in new:
            self._nodes[self._keys[self._key(node)]] = self._entry(node)
        return self._keys[self._key(fn)]

    def _described(self, fn: torch.autograd.graph.Node) -> bool:
        return self._key(fn) in self._keys

    def _key(self, fn: torch.autograd.graph.Node) -> tuple:
        if (leaf := _leaf(fn)) is not None:
            return "leaf", self.tensor(leaf)
        return fn.name(), fn._sequence_nr()

    def _entry(self, fn: torch.autograd.graph.Node) -> Node:
        entry = Node(op=_short(fn.name()), next=[])
        if (leaf := _leaf(fn)) is not None:
            entry["leaf"] = self.tensor(leaf)
        elif (value := _saved_result(fn)) is not None:
            entry["value"] = value
        entry["next"] = [
            None if to is None else [self._keys[self._key(to)], slot]
            for to, slot in fn.next_functions
        ]
        return entry

    # Memory that nobody has written to yet holds what was there before, another thing in each run.

    def unwritten(self, tensor: torch.Tensor) -> bool:
        return bool(self._unwritten) and StorageWeakRef(tensor.untyped_storage()) in self._unwritten

    def allocated(self, tensor: torch.Tensor) -> None:
        if tensor.layout is torch.strided:
            self._unwritten.add(StorageWeakRef(tensor.untyped_storage()))

    def written(self, tensor: torch.Tensor) -> None:
        if self._unwritten:
            self._unwritten.discard(StorageWeakRef(tensor.untyped_storage()))


def grad_fn_of(tensor: torch.Tensor) -> torch.autograd.graph.Node | None:
    """The node that made a tensor. A view of what was changed in place may refuse to tell: who
    uses it gets an error, and so would we."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def is_leaf(tensor: torch.Tensor) -> bool:
    """Whether it is a leaf; the same views refuse to tell, and are none."""
    try:
        return tensor.is_leaf
    except RuntimeError:
        return False


def reachable(roots: Iterable, stop=lambda node: False) -> list[torch.autograd.graph.Node]:
    """The nodes from which `roots` get their gradients sent on, without what lies behind `stop`."""
    found: dict = {}
    waiting = [root for root in roots if root is not None]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            if not stop(node):
                waiting += [to for to, _ in reversed(node.next_functions) if to is not None]
    return list(found)


def _leaf(fn: torch.autograd.graph.Node) -> torch.Tensor | None:
    return fn.variable if fn.name().endswith("AccumulateGrad") else None


def _short(name: str) -> str:
    return name.split("::")[-1]


def _saved_result(fn: torch.autograd.graph.Node) -> Value | None:
    """The forward value of a node that no tensor of the script holds, where the node keeps it.

    Not while hooks for saved tensors are set: to look would run the script's code. `hasattr` on the
    class, for on the node it would look.
    """
    if torch._C._autograd._top_saved_tensors_default_hooks(True) is not None:
        return None
    if not hasattr(type(fn), "_saved_result"):
        return None
    try:
        saved = fn._saved_result
    except RuntimeError:  # freed, or changed in place since
        return None
    return value_of(saved) if isinstance(saved, torch.Tensor) else None
