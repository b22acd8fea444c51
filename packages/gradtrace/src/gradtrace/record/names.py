"""The names that the script gives to tensors and modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

_LONGEST = 16
"""The tensors in a list or dict that is no longer than this have names: "pair[1]"."""


class ScriptNames:
    """The global names of the script, once it runs."""

    def __init__(self) -> None:
        self.globals: Mapping[str, Any] = {}

    def of_module(self, module: nn.Module) -> str:
        """ "net.0", or the name of its class where no global name leads to it."""
        for name, thing in list(self.globals.items()):
            if issubclass(type(thing), nn.Module) and "_modules" in thing.__dict__:
                for path, part in thing.named_modules(prefix=name):
                    if part is module:
                        return path
        return type(module).__name__


def tensors_by_name(namespace: Mapping[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor that a namespace leads to, with its name: "w", "net.weight", "pair[1]".

    Asks for types and not with `isinstance`, which may run code of the script.
    """
    for name, thing in list(namespace.items()):
        kind = type(thing)
        if name.startswith("__") or name == "_":
            continue
        if issubclass(kind, torch.Tensor):
            yield name, thing
        elif issubclass(kind, nn.Module):
            # In the `__init__` of a module, before that of nn.Module, there are none yet.
            if "_parameters" in thing.__dict__:
                yield from (p for p in thing.named_parameters(prefix=name) if not is_lazy(p[1]))
        elif kind in (list, tuple) and len(thing) <= _LONGEST:
            yield from _items(name, enumerate(thing))
        elif kind is dict and len(thing) <= _LONGEST:
            yield from _items(name, thing.items())


def _items(name: str, items) -> Iterator[tuple[str, torch.Tensor]]:
    for key, item in list(items):
        # A number that is no index may be an address, another one in each run.
        known = type(key) is str or (type(key) is int and 0 <= key < _LONGEST)
        if known and issubclass(type(item), torch.Tensor):
            yield f"{name}[{key!r}]".replace("'", '"'), item
