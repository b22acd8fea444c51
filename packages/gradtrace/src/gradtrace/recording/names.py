"""The names that the script gives to tensors."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.modules.module import (
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from torch.nn.parameter import is_lazy

from gradtrace.recording.module_names import parts
from gradtrace.recording.suspended import OwnHandleIds

_LONGEST = 16
"""The tensors in a list or dict that is no longer than this have names: "pair[1]"."""
_GROWTH = 8
"""A module is searched again and again only where it may have grown by a part of this."""
_HOLD_NO_TENSOR = frozenset([type(None), bool, int, float, str, type, FunctionType, ModuleType])

Named = Iterator[tuple[str, torch.Tensor]]
"""Tensors with their names."""


class _Searched(NamedTuple):
    """A module that was searched, after so many registrations; it had so many parameters."""

    module: weakref.ref
    registered: int
    size: int


class TensorNames:
    """Finds tensors by the names that lead to them.

    A module is searched again only after a module or a parameter was registered somewhere.
    """

    def __init__(self, ids: OwnHandleIds) -> None:
        self._ids = ids
        self._registered = 0
        self._searched: dict[tuple[str, bool, int], _Searched] = {}
        self._is_global = self._often = False

    def observe(self, until: ExitStack) -> None:
        """Count the modules and parameters that are registered, until the stack is closed."""

        def count(*_: object) -> None:
            self._registered += 1

        with self._ids:
            until.callback(register_module_module_registration_hook(count).remove)
            until.callback(register_module_parameter_registration_hook(count).remove)

    def search_again(self) -> None:
        """From now on search all modules again: not each change of one is a registration."""
        self._searched.clear()

    def new(self, namespace: Mapping[str, Any], is_global: bool, often: bool) -> Named:
        """Every tensor that a namespace leads to: "w", "net.weight", "pair[1]"; of a module those
        that may be new. `often`: this line of the script is looked at again and again.

        Asks for types and not with `isinstance`, which may run code of the script.
        """
        self._is_global, self._often = is_global, often
        for name, thing in list(namespace.items()):
            kind = type(thing)
            if kind in _HOLD_NO_TENSOR or name.startswith("__") or name == "_":
                continue
            if issubclass(kind, torch.Tensor):
                yield name, thing
            elif issubclass(kind, nn.Module):
                yield from self._parameters(name, thing)
            elif kind in (list, tuple) and len(thing) <= _LONGEST:
                yield from self._items(name, enumerate(thing))
            elif kind is dict and len(thing) <= _LONGEST:
                yield from self._items(name, thing.items())
            elif kind.__module__ == "__main__":
                yield from self._attributes(name, thing)

    def _parameters(self, name: str, module: nn.Module) -> Named:
        """One that two modules share under both its names; not by `named_parameters`, which may be
        code of the script, and tells of wrappers.

        In the `__init__` of a module, before that of nn.Module, there are none yet.
        """
        if not self._is_to_be_searched(name, module):
            return
        found = [
            (f"{path}.{key}", parameter)
            for path, part in parts(name, module)
            for key, parameter in list(part.__dict__.get("_parameters", {}).items())
            if parameter is not None
        ]
        shaped = [(path, parameter) for path, parameter in found if not is_lazy(parameter)]
        if len(shaped) == len(found):  # a lazy parameter becomes another without a registration
            searched = _Searched(weakref.ref(module), self._registered, len(found))
            self._searched[name, self._is_global, id(module)] = searched
        yield from shaped

    def _is_to_be_searched(self, name: str, module: nn.Module) -> bool:
        known = self._searched.get((name, self._is_global, id(module)))
        if known is None or known.module() is not module:
            return True
        new = self._registered - known.registered
        return new > (known.size // _GROWTH if self._often else 0)

    def _attributes(self, name: str, thing: object) -> Named:
        """What an object of the script holds itself, as a trainer holds its model."""
        try:
            attributes = object.__getattribute__(thing, "__dict__")
        except AttributeError:  # it has slots
            return
        for key, item in list(attributes.items()):
            if issubclass(type(item), nn.Module):
                yield from self._parameters(f"{name}.{key}", item)
            elif issubclass(type(item), torch.Tensor):
                yield f"{name}.{key}", item

    def _items(self, name: str, items) -> Named:
        for key, item in list(items):
            # A number that is no index may be an address, another one in each run.
            known = type(key) is str or (type(key) is int and 0 <= key < _LONGEST)
            if known and issubclass(type(item), (torch.Tensor, nn.Module)):
                path = f"{name}[{key!r}]".replace("'", '"')
                if issubclass(type(item), torch.Tensor):
                    yield path, item
                else:
                    yield from self._parameters(path, item)
