"""Changes of leaves, and of their `.grad`, that no operation tells: `w.grad = None`."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.utils.weak import TensorWeakRef

from gradtrace.model import Value
from gradtrace.record.event_log import Log
from gradtrace.record.registry import Graph, is_leaf
from gradtrace.record.values import fingerprint, value_of


@dataclass
class _Known:
    """What the recording has told of a leaf; the prints tell cheaply whether it still holds."""

    leaf: TensorWeakRef
    value: Value | None = None
    value_print: object = None
    grad: Value | None = None
    grad_print: object = None


class Changes:
    """Watches every leaf that requires a gradient, from the first time it is seen."""

    def __init__(self, log: Log, graph: Graph) -> None:
        self._log, self._graph = log, graph
        self._known: dict[str, _Known] = {}

    def watch(self, tensor: torch.Tensor) -> None:
        """Look at a leaf from now on; what it holds now is no change."""
        if tensor.requires_grad and is_leaf(tensor):
            name = self._graph.tensor(tensor)
            if name not in self._known:
                grad = tensor.grad
                self._known[name] = _Known(
                    TensorWeakRef(tensor), grad=value_of(grad), grad_print=fingerprint(grad)
                )

    def look(self, line: int | None = None, by: str | None = None) -> None:
        """Tell all that has changed since it was told; at `line`, if that is not where we are."""
        for name, known in list(self._known.items()):
            leaf = known.leaf()
            if leaf is None:
                del self._known[name]
            elif is_leaf(leaf):
                self._look_at_grad(name, known, leaf, line, by)
                self._look_at_value(name, known, leaf, line, by)

    def told_grad(self, name: str, leaf: torch.Tensor) -> Value | None:
        """Another event tells the present gradient of a leaf; gives it."""
        if (known := self._known.get(name)) is None:
            return value_of(leaf.grad)
        self._update_grad(known, leaf.grad)
        return known.grad

    def told_value(self, name: str, leaf: torch.Tensor) -> Value | None:
        """Another event tells the present value of a leaf; gives it."""
        if (known := self._known.get(name)) is None:
            return value_of(leaf)
        self._update_value(known, leaf)
        return known.value

    def owner_of_grad(self, tensor: torch.Tensor) -> str | None:
        """The leaf whose `.grad` a tensor is."""
        for name, known in self._known.items():
            leaf = known.leaf()
            if leaf is not None and is_leaf(leaf) and leaf.grad is tensor:
                return name
        return None

    def _look_at_grad(self, name, known: _Known, leaf: torch.Tensor, line, by) -> None:
        before = known.grad
        if self._update_grad(known, leaf.grad):
            self._tell("grad_set", name, before, known.grad, line, by)

    def _look_at_value(self, name, known: _Known, leaf: torch.Tensor, line, by) -> None:
        if self._graph.unwritten(leaf):
            return
        before = known.value
        if not self._update_value(known, leaf):
            return
        if before is None:
            self._graph.first_value(name, known.value)
        else:
            self._tell("set", name, before, known.value, line, by)

    def _update_grad(self, known: _Known, grad: torch.Tensor | None) -> bool:
        before, now = known.grad, fingerprint(grad)
        if now != known.grad_print:
            known.grad, known.grad_print = value_of(grad), now
        return known.grad != before

    def _update_value(self, known: _Known, leaf: torch.Tensor) -> bool:
        before, now = known.value, fingerprint(leaf)
        if now != known.value_print:
            known.value, known.value_print = value_of(leaf), now
        return known.value != before

    def _tell(self, k: str, name: str, before, after, line, by) -> None:
        event = self._log.event(k, t=name, before=before, after=after)
        event["line"] = line or event["line"]
        if by:
            event["by"] = by
