"""Hooks of the script that changed a gradient, or that were never called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from gradtrace.doctor.finding import Finding, Kind
from gradtrace.doctor.run import Run
from gradtrace.trace import Value
from gradtrace.values import norm

_BACKWARD = {"tensor", "post_accumulate", "multi_grad", "full_backward", "full_backward_pre"}

HOOK_NEVER_CALLED = Kind("hook-never-called", "warning", "module-hooks/not-firing").says(
    en="Hook `{fn}` on {names} was never called, in {passes:backward pass|backward passes} after"
    " it.\n"
    "-> see that the tensor or module is on the way from the loss",
    zh="{names} 上的钩子 `{fn}` 注册之后有 {passes} 次反向传播，一次也没有调用它。\n"
    "-> 检查这个张量或模块在不在从损失往回的路上",
)

HOOK_CHANGED = Kind("hook-changed", "note", "tensor-hooks/return-value").says(
    en="Hook `{fn}` on `{name}` changed the gradient {times:time|times}; the first time its norm"
    " went from {before} to {after}.",
    zh="`{name}` 上的钩子 `{fn}` 改了 {times} 次梯度，第一次范数从 {before} 变成 {after}。",
)


def hook_never_called(run: Run) -> Iterator[Finding]:
    """A backward hook was registered, a pass ran, and the hook was not called.

    A script that removes hooks may have removed it: then it is only a note.
    """
    called = {_key(event) for _, event in run.all("hook")}
    # If one line registers several, the others may wait for a later pass.
    alive = {run.place(event) for _, event in run.all("reg") if _key(event) in called}
    failed = any(True for _ in run.all("error"))
    removes = any(".remove()" in text for text in (run.trace.source, *run.trace.sources.values()))
    seen = set(alive)
    for index, event in run.all("reg"):
        place = run.place(event)
        if event["hook"] not in _BACKWARD or place in seen or _may_wait(run, event):
            continue
        later = [p for p in run.passes if p.begin > index and p.writes and not p.failed]
        if later:
            seen.add(place)
            on = event["on"] if isinstance(event["on"], list) else [event["on"]]
            names = [run.name(each) if each in run.trace.tensors else each for each in on]
            facts = {"fn": event["fn"], "hook": event["hook"], "names": names}
            facts["passes"] = len(later)
            yield Finding(HOOK_NEVER_CALLED, place, facts, mild=removes or failed)


def hook_changed(run: Run) -> Iterator[Finding]:
    """What a hook returned in place of a gradient."""
    changes: dict[tuple, list[tuple[float, float]]] = defaultdict(list)
    places = {}
    for _, event in run.all("hook"):
        if event["hook"] in ("tensor", "full_backward", "full_backward_pre") and "ret" in event:
            pairs = zip(_values(event["got"]), _values(event["ret"]), strict=False)
            for got, ret in pairs:
                if got != ret and norm(got) is not None and norm(ret) is not None:
                    on = event["on"] if isinstance(event["on"], str) else event["on"][0]
                    name = run.name(on) if on in run.trace.tensors else on
                    changes[event["fn"], name].append((norm(got), norm(ret)))
                    places[event["fn"], name] = run.place(event)
                    break
    for (fn, name), sizes in changes.items():
        facts = {"fn": fn, "name": name, "times": len(sizes)}
        facts |= {"before": sizes[0][0], "after": sizes[0][1]}
        yield Finding(HOOK_CHANGED, places[fn, name], facts)


def _key(event: dict) -> tuple:
    """What identifies a hook; a module may get its name only after its hooks."""
    on = "" if event["hook"].startswith("full_") else str(event["on"])
    return event["hook"], on, event.get("fn")


def _may_wait(run: Run, event: dict) -> bool:
    """Whether there is a good reason why a hook isn't called: its module ran but may have failed,
    no called module has such a name, or PyTorch rejects the hook, as it does a post-accumulate hook
    on a non-leaf."""
    if event["hook"].startswith("full_"):
        paths = {call["path"] for call in run.trace.calls.values()}
        root = event["on"].partition(".")[0]
        return event["on"] in paths or root not in {path.partition(".")[0] for path in paths}
    return event["hook"] == "post_accumulate" and not run.trace.tensors[event["on"]]["leaf"]


def _values(nested: object) -> list[Value]:
    """The values in nested lists."""
    if isinstance(nested, dict):
        return [nested]
    if isinstance(nested, list):
        return [value for part in nested for value in _values(part)]
    return []


CHECKS = (hook_never_called, hook_changed)
