"""Callbacks for the trainer of Lightning: `L.Trainer(callbacks=[Watch()])`."""

from __future__ import annotations

import lightning as L

import gradtrace


class Watch(L.Callback):
    """`gradtrace.watch` for each optimizer; takes the same options."""

    def __init__(self, **options: object) -> None:
        self._options, self.monitors = options, []

    def on_train_start(self, trainer: L.Trainer, module: L.LightningModule) -> None:
        self.monitors = [
            gradtrace.watch(module, each, **self._options) for each in trainer.optimizers
        ]

    def on_train_end(self, *_: object) -> None:
        for each in self.monitors:
            each.stop()


class RecordStep(L.Callback):
    """Records a step of the optimizer, the first being 0, with all of its batches, and writes its
    `page`; `recorded`: what `gradtrace.record` returns."""

    def __init__(self, step: int, page: str) -> None:
        self._step, self._page, self.recorded = step, page, None
        self._running = False

    def on_train_batch_start(
        self, trainer: L.Trainer, module: L.LightningModule, *_: object
    ) -> None:
        if trainer.global_step >= self._step and self.recorded is None:
            self.recorded, self._running = gradtrace.record(module, trainer.optimizers), True
            self.recorded.__enter__()

    def on_train_batch_end(self, trainer: L.Trainer, *_: object) -> None:
        if self._running and trainer.global_step > self._step:
            self._running = False
            self.recorded.__exit__(None, None, None)
            self.recorded.save(self._page)
