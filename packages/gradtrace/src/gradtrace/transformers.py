"""Callbacks for the Trainer of Hugging Face: `Trainer(..., callbacks=[Watch()])`."""

from __future__ import annotations

from transformers import TrainerCallback, TrainerState, TrainingArguments

import gradtrace


class Watch(TrainerCallback):
    """`gradtrace.watch` for the model and its optimizer; takes the same options."""

    def __init__(self, **options: object) -> None:
        self._options, self.monitor = options, None

    def on_train_begin(self, *_: object, model, optimizer, **__: object) -> None:
        self.monitor = gradtrace.watch(model, optimizer, **self._options)

    def on_train_end(self, *_: object, **__: object) -> None:
        self.monitor.stop()


class RecordStep(TrainerCallback):
    """Records a step of the optimizer, the first being 0, with all of its batches, and writes its
    `page`; `recorded`: what `gradtrace.record` returns."""

    def __init__(self, step: int, page: str) -> None:
        self._step, self._page, self.recorded = step, page, None

    def on_step_begin(
        self,
        _: TrainingArguments,
        state: TrainerState,
        *__: object,
        model,
        optimizer,
        **___: object,
    ) -> None:
        if state.global_step == self._step:
            self.recorded = gradtrace.record(model, optimizer)
            self.recorded.__enter__()

    def on_step_end(
        self, _: TrainingArguments, state: TrainerState, *__: object, **___: object
    ) -> None:
        if state.global_step == self._step + 1:
            self.recorded.__exit__(None, None, None)
            self.recorded.save(self._page)
