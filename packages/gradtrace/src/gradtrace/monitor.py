"""Watches a training at almost no cost: `gradtrace.watch(model, optimizer)`.

The norms of gradients are read now and then. Where something is wrong with them, the next step is
recorded, and the doctor's report of it is printed.
"""

from __future__ import annotations

import atexit
import math
import sys
from collections import Counter, deque
from collections.abc import Callable
from statistics import median

import torch
from torch import nn
from torch.optim import Optimizer

from gradtrace.api import RecordedBlock, known_language
from gradtrace.doctor.report import names_in_words
from gradtrace.recording.optimizers import parameters_of
from gradtrace.recording.position import after_return, running_ipython
from gradtrace.recording.recorder import is_recording
from gradtrace.words import REPORT_WORDS

FIRST = 5
"""So many steps at the beginning are all looked at."""
IN_A_ROW = 3
"""A gradient that is missing or zero is reported when that many looks in a row found it so."""
JUMP = 100
"""A norm of all gradients is reported when it is so many times the median of the looks before."""
REMEMBERED = 100
"""So many looks are the looks before."""


def watch(
    model: nn.Module,
    optimizer: Optimizer,
    every: int = 20,
    log: object = None,
    language: str | None = None,
) -> Monitor:
    """Watch a training: one line before any loop that calls `optimizer.step()`.

    At the first steps and then at each step that `every` divides, the norms of the gradients are
    read. It is reported on stderr if a gradient is nan or infinite, missing or zero for several
    looks, or if all together are suddenly much larger. Where a gradient is missing or zero the next
    step is recorded, and the doctor's report of it is printed.

    `log` gets the norms, over the whole run: a `SummaryWriter` of TensorBoard, or a function of a
    dictionary and the number of the step, as `wandb.log` is.
    """
    return Monitor(model, optimizer, every, log, language)


class Monitor:
    """What `watch` returns. `steps`: how many were made; `recorded`: the recordings by their step,
    which can be saved (`monitor.recorded[4].save("step.html")`)."""

    def __init__(
        self, model: nn.Module, optimizer: Optimizer, every: int, log: object, language: str | None
    ) -> None:
        self._model, self._optimizer = model, getattr(optimizer, "optimizer", optimizer)
        self._every, self._log = every, _function_of(log)
        self._language = known_language(language)
        names = {parameter: name for name, parameter in model.named_parameters()}
        held = [p for p in parameters_of(self._optimizer) if p.requires_grad]
        self._parameters = {names.get(p, f"parameter {i}"): p for i, p in enumerate(held)}
        self._in_a_row: dict[str, Counter[str]] = {"none": Counter(), "zero": Counter()}
        self._sizes: deque[float] = deque(maxlen=REMEMBERED)
        self._told: set[str] = set()
        self._wanted = False
        self._running: RecordedBlock | None = None
        self.steps = 0
        self.recorded: dict[int, RecordedBlock] = {}
        self._hooks = (
            self._optimizer.register_step_pre_hook(self._before_step),
            self._optimizer.register_step_post_hook(self._after_step),
        )

    def stop(self) -> None:
        """Watch no longer."""
        for hook in self._hooks:
            hook.remove()
        if self._running is not None:
            self._end()

    def _before_step(self, *_: object) -> None:
        self.steps += 1
        looks = self.steps <= FIRST or self.steps % self._every == 0
        if self._running is None and looks:
            self._look()

    @torch.no_grad()
    def _look(self) -> None:
        """Read the norms, which waits once for a GPU, and judge them."""
        given = {name: p.grad for name, p in self._parameters.items() if p.grad is not None}
        grads = [g.coalesce().values() if g.is_sparse else g for g in given.values()]
        sizes: list[float] = []
        if grads:
            norms = torch._foreach_norm(grads)
            sizes = torch.stack([norm.float().to(norms[0].device) for norm in norms]).tolist()
        of = dict(zip(given, sizes, strict=True))
        total = math.hypot(*sizes)
        if self._log is not None:
            shown = {f"gradtrace/{name}": size for name, size in of.items()}
            self._log({"gradtrace/norm of all gradients": total, **shown}, self.steps)
        if bad := [name for name, size in of.items() if not math.isfinite(size)]:
            return self._found("nan", bad)
        absent = [name for name in self._parameters if name not in of]
        zero = [name for name, size in of.items() if size == 0]
        for kind, names in (("none", absent), ("zero", zero)):
            row = self._in_a_row[kind]
            row.update(names)
            for name in row.keys() - set(names):
                del row[name]
            if since := [name for name in names if row[name] == IN_A_ROW]:
                self._found(kind, since)
        if len(self._sizes) >= FIRST and total > JUMP * median(self._sizes):
            self._found("jump", [])
        self._sizes.append(total)

    def _found(self, kind: str, names: list[str]) -> None:
        """Report this once."""
        if kind in self._told:
            return
        self._told.add(kind)
        self._wanted |= kind in self._in_a_row
        words = REPORT_WORDS[self._language]
        facts = {"step": self.steps, "names": names_in_words(words, names), "jump": JUMP}
        key = "watch_nan_cell" if kind == "nan" and running_ipython() else f"watch_{kind}"
        said = words[key].format(**facts)
        print(f"gradtrace: {said}", file=sys.stderr)

    def _after_step(self, *_: object) -> None:
        # Not while the optimizer iterates over its hooks, to which the recorder adds some.
        if self._running is not None:
            after_return(sys._getframe(1), self._end)
        elif self._wanted and not is_recording():
            after_return(sys._getframe(1), self._begin)

    def _begin(self) -> None:
        self._wanted = False
        self._running = RecordedBlock(self._model, self._optimizer)
        self._running.__enter__()
        atexit.register(self.stop)  # there may be no next step

    def _end(self) -> None:
        recorded, self._running = self._running, None
        recorded.__exit__(None, None, None)
        atexit.unregister(self.stop)
        if not recorded.is_empty:
            self.recorded[self.steps] = recorded
            print(recorded.report(self._language), file=sys.stderr)


def _function_of(log: object) -> Callable[[dict[str, float], int], object] | None:
    """What gets the numbers of a step."""
    if not hasattr(log, "add_scalar"):
        return log
    return lambda numbers, step: [log.add_scalar(*each, step) for each in numbers.items()]
