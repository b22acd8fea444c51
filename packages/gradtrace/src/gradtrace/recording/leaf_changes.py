"""Records changes of leaves and of their `.grad` made without an operation, as `w.grad = None`.

A leaf is read again only where something can have changed it:

- a call of torch wrote to its memory, through whatever tensor (`note_written`), or set its `.grad`
  or `.data` (`note_set`);
- its version or its address has changed; all leaves are checked for this at the beginning
  and end of a pass and of a step, and at each line of the script the first few times;
- its memory is shared with code that counts no versions: NumPy (`note_lent`), or
  the library that allocated it.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch.utils.weak import TensorWeakRef

from gradtrace.recording.log import EventLog
from gradtrace.recording.position import Place
from gradtrace.recording.registry import GraphRegistry, is_leaf
from gradtrace.recording.tensor_values import (
    ValueReader,
    fingerprint,
    is_foreign,
    memory_of,
    stamp_of,
)
from gradtrace.trace import Value


@dataclass
class _Seen:
    """The last value read of a leaf or its gradient, and the marks that show a change."""

    of: str
    """The name of the leaf."""
    value: Value | None = None
    stamp: object = None
    memory: int | None = None
    foreign: bool = False
    """Whether its memory was not allocated by torch."""
    fingerprint: object = None
    """For memory that is shared with other code."""
    due: bool = True
    """Whether it must be read again in any case."""


@dataclass
class _Leaf:
    """A leaf that is watched; `order`: the number of leaves before it."""

    tensor: Callable[[], torch.Tensor | None]
    order: int
    value: _Seen
    grad: _Seen


class LeafChanges:
    """Watches every leaf that requires a gradient, from the first time it is seen."""

    def __init__(self, log: EventLog, registry: GraphRegistry, values: ValueReader) -> None:
        self._log, self._registry, self._values = log, registry, values
        self._known: dict[str, _Leaf] = {}
        self._watched = 0
        self._due: set[str] = set()
        """The leaves that must be read again."""
        self._in_memory: dict[int, list[_Seen]] = {}
        """The tensors in each piece of memory."""
        self._lent: dict[int, Callable[[], object]] = {}
        """For each piece of shared memory a function that returns whether it is still shared,"""
        self._in_other_hands: set[int] = set()
        """... and the pieces that contain a watched tensor."""
        self._grads: dict[int, str] = {}
        """The leaf of a gradient, by the id of the gradient."""

    def watch(self, tensor: torch.Tensor) -> None:
        """Compare a leaf from now on; its current value is not a change."""
        if tensor.requires_grad and is_leaf(tensor):
            name = self._registry.tensor(tensor)
            if name not in self._known:
                leaf = _Leaf(TensorWeakRef(tensor), self._watched, _Seen(name), _Seen(name))
                self._known[name] = leaf
                self._watched += 1
                self._read_grad(leaf, tensor.grad)
                self._place(leaf.value, tensor)
                self._due.add(name)

    def note_written(self, tensor: torch.Tensor) -> None:
        """A call of torch has written to a tensor."""
        if self._in_memory:
            self._mark_due(self._in_memory.get(memory_of(tensor), ()))

    def wrap_swap_tensors(self, original: Callable) -> Callable:
        """`torch.utils.swap_tensors`, which rejects tensors with weak references, which all watched
        tensors have."""

        @functools.wraps(original)
        def swap_tensors(*tensors):
            if not self._log.is_recording:
                return original(*tensors)
            names: list[str] = []
            with self._log.suspended:
                for tensor in tensors:
                    names.append(self._registry.let_go(tensor))
                    if (known := self._known.get(names[-1])) is not None:
                        known.tensor = lambda: None
            try:
                return original(*tensors)
            finally:
                with self._log.suspended:
                    for tensor, name in zip(tensors, names, strict=True):
                        self._registry.take_up(tensor, name)
                        if (known := self._known.get(name)) is not None:
                            known.tensor = TensorWeakRef(tensor)
                            self._mark_due([known.value, known.grad])

        return swap_tensors

    def note_set(self, tensor: torch.Tensor, attribute: str, to: object) -> None:
        """An attribute of a tensor is about to be set or deleted."""
        if attribute == "data":
            self.note_written(tensor)
        elif attribute == "grad" and (name := self._registry.tensor(tensor)) in self._known:
            self._mark_due([self._known[name].grad])
            if isinstance(to, torch.Tensor):
                self._grads[id(to)] = name

    def note_given(self, leaf: torch.Tensor) -> None:
        """A leaf was passed to a hook, in which writes to it are not observed."""
        if (known := self._known.get(self._registry.tensor(leaf))) is not None:
            self._mark_due([known.value, known.grad])

    def note_lent(self, tensor: torch.Tensor, to: object) -> None:
        """The memory of a tensor was shared with a NumPy array, or with another object through
        which no version is counted."""
        memory = memory_of(tensor)
        try:
            self._lent[memory] = weakref.ref(to)
        except TypeError:
            self._lent[memory] = lambda: to
        if memory in self._in_memory:
            self._in_other_hands.add(memory)

    def record_changes(self, place: Place | None = None, by: str | None = None) -> None:
        """Add an event for each change since the last look; at `place`, if it isn't the current
        one. `by`: the call that made the changes."""
        self._mark_lent()
        self._record(list(self._known), place, by)

    @property
    def any_due(self) -> bool:
        """Whether there is anything that `record_due` would look at."""
        return bool(self._due or self._in_other_hands)

    def record_due(self, place: Place | None = None) -> None:
        """The same only for tensors that were written to or set since, and for shared memory."""
        self._mark_lent()
        known = (name for name in self._due if name in self._known)
        self._record(sorted(known, key=lambda name: self._known[name].order), place, None)

    def finish(self) -> None:
        """At the end: record whether the leaves require a gradient now."""
        for known in self._known.values():
            if (leaf := known.tensor()) is not None:
                self._registry.tensor(leaf)

    def note_grad(self, name: str, leaf: torch.Tensor) -> Value | None:
        """The current gradient of a leaf, for another event: no separate change is reported."""
        if (known := self._known.get(name)) is None:
            return self._values.value_of(leaf.grad)
        self._read_grad(known, leaf.grad)
        return known.grad.value

    def note_value(self, name: str, leaf: torch.Tensor, written: bool = False) -> Value | None:
        """The current value of a leaf, for another event: it is not reported as a separate change.

        `written`: it has probably changed, even if its version has not.
        """
        if (known := self._known.get(name)) is None:
            return self._values.value_of(leaf)
        if written:
            self._mark_due([known.value])
        self._read(known.value, leaf)
        return known.value.value

    def owner_of_grad(self, tensor: torch.Tensor) -> str | None:
        """The leaf whose `.grad` a tensor is."""
        name = self._grads.get(id(tensor), "")
        known = self._known.get(name)
        leaf = None if known is None else known.tensor()
        return name if leaf is not None and is_leaf(leaf) and leaf.grad is tensor else None

    def _mark_lent(self) -> None:
        """Mark shared memory to be read again; one last time once it is no longer shared."""
        for memory in list(self._in_other_hands):
            self._mark_due(self._in_memory[memory])
            if self._lent[memory]() is None:
                self._in_other_hands.remove(memory)

    def _mark_due(self, parts: Iterable[_Seen]) -> None:
        self._values.forget()
        for seen in parts:
            seen.due = True
            self._due.add(seen.of)

    def _record(self, names: Iterable[str], place: Place | None, by: str | None) -> None:
        for name in names:
            known = self._known[name]
            leaf = known.tensor()
            if leaf is None:
                del self._known[name]
                self._leave(known.value)
                self._leave(known.grad)
            elif is_leaf(leaf):
                more = {"by": by} if by else {}
                change = {"t": name, "before": known.grad.value}
                if self._read_grad(known, leaf.grad):
                    self._log.add("grad_set", place, **change, after=known.grad.value, **more)
                change["before"] = known.value.value
                if self._read(known.value, leaf):
                    after = known.value.value
                    if change["before"] is None:
                        self._registry.note_first_value(name, after)
                    else:
                        self._log.add("set", place, **change, after=after, **more)
        self._due.clear()

    def _read_grad(self, known: _Leaf, grad: torch.Tensor | None) -> bool:
        if grad is not None:
            self._grads[id(grad)] = known.grad.of
        return self._read(known.grad, grad)

    def _read(self, seen: _Seen, tensor: torch.Tensor | None) -> bool:
        """Read a tensor again if it may have changed; returns whether its value has."""
        stamp, before = stamp_of(tensor), seen.value
        if stamp == seen.stamp and not seen.due and not seen.foreign:
            return False
        if tensor is not None and self._registry.is_uninitialised(tensor):
            return False
        self._place(seen, tensor)
        seen.stamp, seen.due = stamp, False
        if seen.foreign or seen.memory in self._in_other_hands:
            found = fingerprint(tensor)
            if found == seen.fingerprint:
                return False
            seen.fingerprint = found
            self._values.forget()
        found = self._values.value_of(tensor)
        if _numbers(found) == _numbers(before):  # as after net.double()
            return False
        seen.value = found
        return True

    def _place(self, seen: _Seen, tensor: torch.Tensor | None) -> None:
        """Note the current address of a tensor."""
        memory = None if tensor is None else memory_of(tensor)
        if memory != seen.memory:
            self._leave(seen)
            seen.memory, seen.fingerprint = memory, None
            seen.foreign = tensor is not None and is_foreign(tensor)
            if memory is not None:
                self._in_memory.setdefault(memory, []).append(seen)
                if memory in self._lent:
                    self._in_other_hands.add(memory)

    def _leave(self, seen: _Seen) -> None:
        """A tensor is no longer at its previous address."""
        if seen.memory is not None:
            others = [other for other in self._in_memory[seen.memory] if other is not seen]
            self._in_memory[seen.memory] = others
            if not others:
                del self._in_memory[seen.memory]
                self._in_other_hands.discard(seen.memory)


def _numbers(value: Value | None) -> object:
    return value and {key: part for key, part in value.items() if key != "d"}
