"""The names that the script gives to modules and tensors, and the calls of its modules."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import torch
from torch import nn
from torch.nn.modules.module import (
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from torch.nn.parameter import is_lazy

from gradtrace.recording.log import EventLog, OwnHandleIds
from gradtrace.recording.position import ScriptPosition
from gradtrace.recording.script import entries_of
from gradtrace.trace import Call

_LONGEST = 16
"""Modules and tensors in a list or dict no longer than this have names, as "nets[1]"."""
_WRAPPERS = {
    "DataParallel": "module",
    "DistributedDataParallel": "module",
    "OptimizedModule": "_orig_mod",
}
"""Wrapper modules of torch, and the attributes that hold the wrapped module."""


@dataclass(frozen=True)
class _Known:
    """The path of a module. `code` is the code of the function in which it was found, if no lasting
    name leads to it: another function may have a better name."""

    module: weakref.ref[nn.Module]
    path: str
    code: CodeType | None


class ModuleNames:
    """The script's names of its modules: each has one path, from the outermost named module that
    contains it. Global names come first, then local ones, then attributes of other objects."""

    def __init__(self, script: ScriptPosition) -> None:
        self.globals: Mapping[str, Any] = {}
        """The global names of the script, once it runs."""
        self._script = script
        self._known: dict[int, _Known] = {}

    def of_module(self, module: nn.Module, outer: nn.Module | None = None) -> str:
        """ "net.0", or the name of its class where no name leads to it. `outer`: the outermost
        module that is being called."""
        known = self._lookup(module)
        if known is not None and (outer is not None or known.code is None):
            return known.path
        if outer is not None:
            self._remember(self._known[id(outer)].path, outer, self._known[id(outer)].code)
            if known := self._lookup(module):
                return known.path
        frames = self._script.frames()
        code = frames[0].f_code if frames else None
        if known is not None and known.code is code:
            return known.path
        functions = (frame for frame in reversed(frames) if frame.f_locals is not frame.f_globals)
        namespaces = [self.globals, *(frame.f_locals for frame in functions)]
        for namespace, is_lasting in _preferred(namespaces):
            if found := _outermost(namespace, module):
                self._remember(*found, None if is_lasting else code)
                break
        else:
            self._remember(type(module).__name__, module, code)
        return self._known[id(module)].path

    def give_name(self, module: nn.Module, name: str) -> str:
        """Give a module this name, unless a lasting name of the script leads to it; returns its
        current name."""
        self.of_module(module)
        if self._known[id(module)].code is not None:
            self._remember(name, module, None)
        return self._known[id(module)].path

    def _lookup(self, module: nn.Module) -> _Known | None:
        known = self._known.get(id(module))
        return known if known is not None and known.module() is module else None

    def _remember(self, name: str, outer: nn.Module, code: CodeType | None) -> None:
        """Record a path for each module in this one, unless it has a better one."""
        for path, part in parts(name, outer):
            known = self._lookup(part)
            if known is None or known.code or path.count(".") > known.path.count("."):
                self._known[id(part)] = _Known(weakref.ref(part), path, code)


def parts(name: str, module: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The module and all modules in it, each once, with their paths, like `named_modules` (which
    may be overridden by the script), but without the names inside of wrappers."""
    waiting, seen = [(name, module)], set()
    while waiting:
        path, part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield path, part
        children = part.__dict__.get("_modules", {})  # none yet before nn.Module.__init__
        waiting += [
            (path if child is _wrapped(part) else f"{path}.{key}", child)
            for key, child in reversed(children.items())
            if child is not None
        ]


def unwrapped(module: nn.Module) -> nn.Module:
    """The module that a wrapper of torch wraps; any other module itself."""
    while type(module).__name__ in _WRAPPERS and (inner := _wrapped(module)) is not None:
        module = inner
    return module


def _wrapped(module: nn.Module) -> nn.Module | None:
    kind = type(module)
    attribute = _WRAPPERS.get(kind.__name__) if kind.__module__.startswith("torch.") else None
    return module.__dict__.get("_modules", {}).get(attribute) if attribute else None


def _preferred(
    namespaces: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[Iterable[tuple[str, nn.Module]], bool]]:
    """The modules that have names, the best names first, and whether these names last: `self` is
    another object in another function."""
    own = [{k: v for k, v in names.items() if k != "self"} for names in namespaces]
    selves = [{"self": names["self"]} for names in namespaces if "self" in names]
    for find, wanted, is_lasting in (
        (_modules, own, True),
        (_modules_of_attributes, own, True),
        (_modules, selves, False),
        (_modules_of_attributes, selves, False),
    ):
        for names in wanted:
            yield list(find(names)), is_lasting


def _modules(names: Mapping[str, Any]) -> Iterator[tuple[str, nn.Module]]:
    for name, thing in list(names.items()):
        if issubclass(type(thing), nn.Module):
            yield name, thing
        elif not name.startswith("__") and name != "_":
            yield from _items(name, thing)


def _items(name: str, thing: object) -> Iterator[tuple[str, nn.Module]]:
    kind = type(thing)
    if kind not in (list, tuple, dict) or len(thing) > _LONGEST:
        return
    for key, item in list(thing.items() if kind is dict else enumerate(thing)):
        if type(key) in (str, int) and issubclass(type(item), nn.Module):
            yield f"{name}[{key!r}]".replace("'", '"'), item


def _modules_of_attributes(names: Mapping[str, Any]) -> Iterator[tuple[str, nn.Module]]:
    for name, thing in list(names.items()):
        if issubclass(type(thing), (type, ModuleType)):
            continue
        try:
            attributes = object.__getattribute__(thing, "__dict__")
        except AttributeError:
            continue
        attributes = {key: part for key, part in attributes.items() if key != "_modules"}
        yield from ((f"{name}.{key}", part) for key, part in _modules(attributes))


def _outermost(
    named: Iterable[tuple[str, nn.Module]], module: nn.Module
) -> tuple[str, nn.Module] | None:
    """The named module in which this one is nested deepest."""
    found = [
        (path.count("."), name, outer)
        for name, outer in named
        for path, part in parts(name, outer)
        if part is module
    ]
    return max(found, key=lambda each: each[0])[1:] if found else None


_GROWTH = 8
"""A module is searched repeatedly only if it may have grown by one part in this many."""
_HOLD_NO_TENSOR = frozenset([type(None), bool, int, float, str, type, FunctionType, ModuleType])

Named = Iterator[tuple[str, torch.Tensor]]
"""Tensors with their names."""


class TensorNames:
    """Finds tensors by the names that refer to them.

    A module is searched again only after a module or a parameter was registered somewhere.
    """

    def __init__(self, ids: OwnHandleIds) -> None:
        self._ids = ids
        self._registered = 0
        self._searched: dict[tuple[str, bool, int], tuple[weakref.ref, int, int]] = {}
        """The modules that were searched, with the counts of registrations and of their parameters
        at that time."""
        self._is_global = self._often = False

    def observe(self, until: ExitStack) -> None:
        """Count module and parameter registrations, until the stack is closed."""

        def count(*_: object) -> None:
            self._registered += 1

        with self._ids:
            until.callback(register_module_module_registration_hook(count).remove)
            until.callback(register_module_parameter_registration_hook(count).remove)

    def search_again(self) -> None:
        """From now on search all modules again: not every change is a registration."""
        self._searched.clear()

    def new(self, namespace: Mapping[str, Any], is_global: bool, often: bool) -> Named:
        """Every tensor that a namespace refers to: "w", "net.weight", "pair[1]"; in a module only
        those that may be new. `often`: this line of the script is examined repeatedly.

        Compares types instead of calling `isinstance`, which may run code of the script.
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
            elif kind in (list, tuple, dict) and len(thing) <= _LONGEST:
                yield from self._items(name, thing.items() if kind is dict else enumerate(thing))
            elif kind.__module__ == "__main__":
                yield from self._attributes(name, thing)

    def _parameters(self, name: str, module: nn.Module) -> Named:
        """The parameters of a module; one shared by two modules is under both names. Doesn't call
        `named_parameters`, which may be overridden and includes wrappers.

        Before `nn.Module.__init__` has run, there are none yet.
        """
        key = name, self._is_global, id(module)
        known, registered, size = self._searched.get(key, (lambda: None, 0, 0))
        new = self._registered - registered
        if known() is module and new <= (size // _GROWTH if self._often else 0):
            return
        found = [
            (f"{path}.{key}", parameter)
            for path, part in parts(name, module)
            for key, parameter in list(part.__dict__.get("_parameters", {}).items())
            if parameter is not None
        ]
        shaped = [(path, parameter) for path, parameter in found if not is_lazy(parameter)]
        if len(shaped) == len(found):  # a lazy parameter is replaced without a registration
            self._searched[key] = weakref.ref(module), self._registered, len(found)
        yield from shaped

    def _attributes(self, name: str, thing: object) -> Named:
        """The attributes of a script's object, such as the model of a trainer."""
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
            # A number that is not an index may be an address, which differs in each run.
            known = type(key) is str or (type(key) is int and 0 <= key < _LONGEST)
            path = f"{name}[{key!r}]".replace("'", '"') if known else ""
            if known and issubclass(type(item), torch.Tensor):
                yield path, item
            elif known and issubclass(type(item), nn.Module):
                yield from self._parameters(path, item)


@dataclass
class _Running:
    """A running call. `by_wrapper`: a wrapper was called, which has not called its module yet."""

    key: str
    module: nn.Module
    by_wrapper: bool


class ModuleCalls:
    """Records each call of a module, which all go through `nn.Module.__call__`.

    A wrapper (DataParallel, what torch.compile returns) stands for the module in it: both together
    are one call. `modes`: also which ones are in evaluation mode.
    """

    def __init__(self, log: EventLog, names: ModuleNames, modes: bool = False) -> None:
        self._log, self._names, self._modes = log, names, modes
        self._running: list[_Running] = []
        self._numbers = itertools.count()
        self._wrapper: CodeType | None = None

    def keep(self, keys: set[str]) -> None:
        """Discard all calls except these, the running ones, and their callers."""
        calls, kept = self._log.trace.calls, set()
        waiting = [key for key in keys if key in calls] + [call.key for call in self._running]
        while waiting:
            kept.add(key := waiting.pop())
            if (outer := calls[key].get("within", key)) not in kept:
                waiting.append(outer)
        for key in calls.keys() - kept:
            del calls[key]

    def innermost(self) -> str | None:
        """The key of the innermost call that an error passed through, the last at its depth."""
        return self._running[-1].key if self._running else None

    def wrap_call(
        self, original: Callable, with_hooks: Callable[[nn.Module], AbstractContextManager]
    ) -> Callable:
        """`nn.Module.__call__`, with recording; `with_hooks` has the module's hooks recorded."""

        @functools.wraps(original)
        def call(module: nn.Module, *args, **kwargs):
            if not self._log.is_recording or self._log.outline:
                return original(module, *args, **kwargs)
            with with_hooks(module):
                if self._is_called_by_wrapper(module):
                    return original(module, *args, **kwargs)
                depth = len(self._running)
                with self._log.suspended:
                    self._begin(module)
                try:
                    return original(module, *args, **kwargs)
                finally:
                    del self._running[depth:]

        self._wrapper = call.__code__
        return call

    def failed_call(self, error: BaseException) -> str | None:
        """The key of the innermost call that an error passed through, the last at its depth."""
        depth = None
        for entry in entries_of(error):
            if entry.tb_frame.f_code is self._wrapper:
                depth = entry.tb_frame.f_locals.get("depth", depth)
        calls = self._log.trace.calls
        return next((key for key in reversed(calls) if _call_depth(calls, key) == depth), None)

    def _is_called_by_wrapper(self, module: nn.Module) -> bool:
        last = self._running[-1] if self._running else None
        if last is None or not last.by_wrapper or last.module is not unwrapped(module):
            return False
        last.by_wrapper = module is not last.module  # a wrapper may be in another one
        return True

    def _begin(self, called: nn.Module) -> None:
        module = unwrapped(called)
        calls = self._log.trace.calls
        outer = self._running[0].module if self._running else None
        call = Call(
            path=self._names.of_module(module, outer),
            kind=type(module).__name__,
            **self._log.script.place(),
        )
        if self._log.passes:
            call["p"] = self._log.passes[-1]
        if self._running:
            call["within"] = self._running[-1].key
        own = vars(module)  # a ScriptModule looks up its attributes in code of its own
        if self._modes and not own.get("training", True) and own.get("p", 1):
            call["eval"] = True
        key = f"c{next(self._numbers)}"
        calls[key] = call
        self._running.append(_Running(key, module, module is not called))


def _call_depth(calls: Mapping[str, Call], key: str) -> int:
    """The number of calls around a call."""
    depth = 0
    while "within" in calls[key]:
        key, depth = calls[key]["within"], depth + 1
    return depth
