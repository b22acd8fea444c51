"""The tensors and autograd nodes of a trace: each gets an id, and is described once."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils.weak import WeakTensorKeyDictionary

from gradtrace.recording.tensor_values import ValueReader, shape_of, unreadable
from gradtrace.trace import Node, Tensor, Trace, Value


class GraphRegistry:
    """Assigns ids to tensors and nodes, and describes them in the trace.

    Holds no tensor and no node alive: tensors are held weakly, nodes (which cannot be) are known by
    their name and their sequence number.
    """

    def __init__(self, trace: Trace, values: ValueReader) -> None:
        self._values = values
        self._tensors, self._nodes = trace.tensors, trace.nodes
        self._ids = WeakTensorKeyDictionary()
        self._keys: dict[tuple, str] = {}
        self._local_names: dict[str, list[str]] = {}
        self._arguments: set[tuple[str, str]] = set()
        self._uninitialised: set[StorageWeakRef | None] = set()
        self._tensor_numbers, self._node_numbers = itertools.count(), itertools.count()

    def tensor(self, tensor: torch.Tensor) -> str:
        """The id of a tensor, which is described when it is first seen."""
        name = self._ids.get(tensor)
        if name is None:
            name = self._ids[tensor] = f"t{next(self._tensor_numbers)}"
            entry = Tensor(names=[], shape=shape_of(tensor))
            if tensor.dtype is not torch.float32:
                entry["dtype"] = str(tensor.dtype).removeprefix("torch.")
            if isinstance(tensor, nn.Parameter):
                entry["param"] = True
            self._tensors[name] = entry
        entry = self._tensors[name]
        if not entry["shape"]:  # a lazy parameter gets its shape later
            entry["shape"] = shape_of(tensor)
        entry["leaf"], entry["rg"] = is_leaf(tensor), tensor.requires_grad
        return name

    def let_go(self, tensor: torch.Tensor) -> str:
        """The id of a tensor, whose reference is dropped until `take_up`."""
        name = self.tensor(tensor)
        del self._ids[tensor]
        return name

    def take_up(self, tensor: torch.Tensor, name: str) -> None:
        """Give a tensor this id again."""
        self._ids[tensor] = name

    def add_name(self, tensor: torch.Tensor, name: str, is_global: bool) -> None:
        """The script calls a tensor `name`: globally, or only within one of its functions."""
        key = self.tensor(tensor)
        if not is_global and (key, name) in self._arguments:
            return
        names = self._tensors[key]["names"]
        names = names if is_global else self._local_names.setdefault(key, [])
        if name not in names:
            names.append(name)

    def note_argument(self, tensor: torch.Tensor, name: str) -> None:
        """A function of the script got a tensor as an argument. If an operation added the tensor to
        the graph, the argument's name doesn't count."""
        if (key := self._ids.get(tensor)) is not None and "n" in self._tensors[key]:
            self._arguments.add((key, name))

    def note_held(self, tensor: torch.Tensor, optimizer: str) -> None:
        """An optimizer was given a tensor."""
        self._tensors[self.tensor(tensor)]["opt"] = optimizer

    def name_of(self, tensor: torch.Tensor) -> str | None:
        """The script's name of a tensor, if it has been seen and has a name."""
        key = self._ids.get(tensor, "")
        names = [*self._tensors.get(key, {}).get("names", ()), *self._local_names.get(key, ())]
        return next(iter(names), None)

    def keep(self, keys: set[str], forgotten: int) -> None:
        """Discard all tensors and nodes except these, those still alive, and everything that these
        lead to. The number of events discarded before is `forgotten`."""
        kept: set[str | None] = set()
        waiting = [*keys, *self._ids.values()]
        while waiting:
            if (key := waiting.pop()) in kept:
                continue
            kept.add(key)
            waiting.append(self._tensors.get(key, {}).get("n"))
            node = self._nodes.get(key, {})
            waiting += [link[0] for link in node.get("next", ()) if link]
            waiting += [node.get("leaf"), *node.get("out", {}).values()]
        for table in (self._tensors, self._nodes):
            for key in table.keys() - kept:
                del table[key]
        for node in self._nodes.values():
            if "call" in node and (call := node.pop("call") - forgotten) >= 0:
                node["call"] = call
        self._keys = {key: node for key, node in self._keys.items() if node in kept}
        self._local_names = {key: n for key, n in self._local_names.items() if key in kept}
        self._arguments = {(key, name) for key, name in self._arguments if key in kept}
        self._uninitialised = {
            storage for storage in self._uninitialised if storage and not storage.expired()
        }

    def note_gone(self) -> None:
        """Mark the parameters that no longer exist, as those of a layer that was replaced."""
        alive = set(self._ids.values())
        for key, entry in self._tensors.items():
            if entry.get("param") and key not in alive:
                entry["gone"] = True

    def finish(self) -> None:
        """Merge the names: global ones first, each once; no entry where there is none."""
        times = Counter(name for names in self._local_names.values() for name in names)
        for key, entry in self._tensors.items():
            local = self._local_names.get(key, [])
            if entry.get("param"):  # "m.weight", in the function that `apply` is given, is of many
                local = sorted(local, key=lambda name: times[name] > 1)
            names = dict.fromkeys([*entry.pop("names"), *local])
            if names:
                self._tensors[key] = Tensor(names=list(names), **entry)

    def note_first_value(self, tensor: str, value: Value | None) -> None:
        """The value of a tensor, unless it has one already."""
        if value is not None:
            self._tensors[tensor].setdefault("value", value)

    def note_made(self, tensor: torch.Tensor, value: Value | None) -> str | None:
        """The id of the node that made a tensor, which is now described; None for a leaf."""
        if (fn := grad_fn_of(tensor)) is None:
            return None
        name, node = self.tensor(tensor), self.node(fn)
        self._tensors[name]["n"] = node
        entry = self._nodes[node]
        entry.setdefault("out", {})[str(tensor.output_nr)] = name
        if tensor.output_nr == 0 and value is not None:
            entry["value"] = value
        return node

    def note_operation(self, node: str, event: int) -> None:
        """The index of the event in which a node was made."""
        self._nodes[node].setdefault("call", event)

    def leaf_of(self, node: str) -> str | None:
        """The tensor of an AccumulateGrad, by ids; None for other nodes."""
        return self._nodes[node].get("leaf")

    def node(self, fn: torch.autograd.graph.Node) -> str:
        """The id of a node. It and all that it leads to are described when it is first seen."""
        if (name := self._keys.get(self._key(fn))) is not None:
            return name
        found = reachable([fn], lambda node: self._key(node) in self._keys)
        new = {key: node for node in found if (key := self._key(node)) not in self._keys}
        self._keys |= {key: f"n{next(self._node_numbers)}" for key in new}
        self._nodes |= {self._keys[key]: self._entry(node) for key, node in new.items()}
        return self._keys[self._key(fn)]

    def _key(self, fn: torch.autograd.graph.Node) -> tuple:
        if (leaf := leaf_of_node(fn)) is not None:
            return "leaf", self.tensor(leaf)
        return fn.name(), fn._sequence_nr()

    def _entry(self, fn: torch.autograd.graph.Node) -> Node:
        entry = Node(op=fn.name().split("::")[-1], next=[])
        if (leaf := leaf_of_node(fn)) is not None:
            entry["leaf"] = self.tensor(leaf)
        elif (value := self._saved_result(fn)) is not None:
            entry["value"] = value
        entry["next"] = [
            None if to is None else [self._keys[self._key(to)], slot]
            for to, slot in fn.next_functions
        ]
        return entry

    def _saved_result(self, fn: torch.autograd.graph.Node) -> Value | None:
        """The forward value of a node that no tensor of the script holds, if the node has saved it.

        Not while hooks for saved tensors are set: reading would run the script's code. PyTorch 2.6
        does not say whether they are. Nor if the tensor is of a class of its own, which would run
        code of that class. `hasattr` on the class, since on the node it would read.
        """
        hooks = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)
        if hooks is None or hooks(True) is not None or not hasattr(type(fn), "_saved_result"):
            return None
        try:
            kept = fn._raw_saved_result
            if kept.unpack_hook is not None or kept.data is None or unreadable(kept.data):
                return None
            saved = fn._saved_result
        except RuntimeError:  # freed, or changed in place since
            return None
        return self._values.value_of(saved) if isinstance(saved, torch.Tensor) else None

    def is_uninitialised(self, tensor: torch.Tensor) -> bool:
        """Whether the memory of a tensor was never written to: its contents differ in each run."""
        return bool(self._uninitialised) and _storage_of(tensor) in self._uninitialised

    def note_allocated(self, tensor: torch.Tensor) -> None:
        """The memory of a tensor was allocated, but not written to."""
        if tensor.layout is torch.strided:
            self._uninitialised.add(_storage_of(tensor))

    def note_written(self, tensor: torch.Tensor) -> None:
        """The memory of a tensor was written to."""
        if self._uninitialised:
            self._uninitialised.discard(_storage_of(tensor))


def grad_fn_of(tensor: torch.Tensor) -> torch.autograd.graph.Node | None:
    """The node that made a tensor. A view of a tensor changed in place may raise instead."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def is_leaf(tensor: torch.Tensor) -> bool:
    """Whether it is a leaf; the same views raise here too, and are not leaves."""
    try:
        return tensor.is_leaf
    except RuntimeError:
        return False


def reachable(roots: Iterable, stop=lambda node: False) -> list[torch.autograd.graph.Node]:
    """The nodes that can be reached from `roots`, not going beyond nodes where `stop` is true."""
    found: dict = {}
    waiting = [root for root in roots if root is not None]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            if not stop(node):
                waiting += [to for to, _ in reversed(node.next_functions) if to is not None]
    return list(found)


def leaf_of_node(fn: torch.autograd.graph.Node) -> torch.Tensor | None:
    """The tensor to whose `.grad` a node adds; None unless it is an AccumulateGrad."""
    return fn.variable if fn.name().endswith("AccumulateGrad") else None


def _storage_of(tensor: torch.Tensor) -> StorageWeakRef | None:
    try:
        return StorageWeakRef(tensor.untyped_storage())
    except RuntimeError:  # a transform hides it
        return None
