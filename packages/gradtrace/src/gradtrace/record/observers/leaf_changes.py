"""Records changes of leaves and of their `.grad` that no operation makes, as `w.grad = None`."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.utils.weak import TensorWeakRef

from gradtrace.record.event_log import EventLog
from gradtrace.record.registry import GraphRegistry, is_leaf
from gradtrace.record.tensor_values import fingerprint, value_of
from gradtrace.trace import Value


@dataclass
class _LastSeen:
    """What was last recorded of a leaf, with fingerprints to see cheaply whether it has changed."""

    leaf: TensorWeakRef
    value: Value | None = None
    value_fingerprint: object = None
    grad: Value | None = None
    grad_fingerprint: object = None


class LeafChanges:
    """Watches every leaf that requires a gradient, from the first time it is seen."""

    def __init__(self, log: EventLog, registry: GraphRegistry) -> None:
        self._log, self._registry = log, registry
        self._known: dict[str, _LastSeen] = {}

    def watch(self, tensor: torch.Tensor) -> None:
        """Compare a leaf from now on; what it holds now is no change."""
        if tensor.requires_grad and is_leaf(tensor):
            name = self._registry.tensor(tensor)
            if name not in self._known:
                grad = tensor.grad
                self._known[name] = _LastSeen(
                    TensorWeakRef(tensor), grad=value_of(grad), grad_fingerprint=fingerprint(grad)
                )

    def record_changes(self, line: int | None = None, by: str | None = None) -> None:
        """Add an event for all that has changed since it was last seen; at `line`, if that is not
        the present one. `by`: the call that made the changes."""
        for name, known in list(self._known.items()):
            leaf = known.leaf()
            if leaf is None:
                del self._known[name]
            elif is_leaf(leaf):
                self._compare_grad(name, known, leaf, line, by)
                self._compare_value(name, known, leaf, line, by)

    def note_grad(self, name: str, leaf: torch.Tensor) -> Value | None:
        """The present gradient of a leaf, for another event: it is no change of its own then."""
        if (known := self._known.get(name)) is None:
            return value_of(leaf.grad)
        self._update_grad(known, leaf.grad)
        return known.grad

    def note_value(self, name: str, leaf: torch.Tensor) -> Value | None:
        """The present value of a leaf, for another event: it is no change of its own then."""
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

    def _compare_grad(self, name, known: _LastSeen, leaf: torch.Tensor, line, by) -> None:
        before = known.grad
        if self._update_grad(known, leaf.grad):
            self._add("grad_set", name, before, known.grad, line, by)

    def _compare_value(self, name, known: _LastSeen, leaf: torch.Tensor, line, by) -> None:
        if self._registry.is_uninitialised(leaf):
            return
        before = known.value
        if not self._update_value(known, leaf):
            return
        if before is None:
            self._registry.note_first_value(name, known.value)
        else:
            self._add("set", name, before, known.value, line, by)

    def _update_grad(self, known: _LastSeen, grad: torch.Tensor | None) -> bool:
        before, now = known.grad, fingerprint(grad)
        if now != known.grad_fingerprint:
            known.grad, known.grad_fingerprint = value_of(grad), now
        return known.grad != before

    def _update_value(self, known: _LastSeen, leaf: torch.Tensor) -> bool:
        before, now = known.value, fingerprint(leaf)
        if now != known.value_fingerprint:
            known.value, known.value_fingerprint = value_of(leaf), now
        return known.value != before

    def _add(self, k: str, name: str, before, after, line, by) -> None:
        event = self._log.add(k, t=name, before=before, after=after)
        event["line"] = line or event["line"]
        if by:
            event["by"] = by
