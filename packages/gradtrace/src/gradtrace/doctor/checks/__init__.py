"""All that a doctor looks for: one function a matter, each given a `Run`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gradtrace.doctor.checks import (
    clipping,
    failures,
    gradients,
    graphs,
    hooks,
    losses,
    numbers,
    steps,
    warned,
)
from gradtrace.doctor.finding import Finding
from gradtrace.doctor.run import Run

CHECKS: tuple[Callable[[Run], Iterator[Finding]], ...] = (
    failures.failure,
    numbers.first_nan,
    numbers.steps_skipped,
    gradients.parameters_without,
    gradients.zero_gradient,
    gradients.dead_relu,
    gradients.trend,
    gradients.shared,
    gradients.bias_without_effect,
    steps.never_cleared,
    steps.never_cleared_by_hand,
    steps.two_optimizers,
    steps.empty_step,
    steps.no_backward,
    steps.never_stepped,
    steps.stepped_twice,
    steps.learning_rate_zero,
    steps.stands_still,
    steps.update_size,
    steps.optimizer_holds_old,
    steps.moves_without_gradient,
    steps.loss_grows,
    clipping.clip_without_gradient,
    clipping.clip_before_unscale,
    clipping.clipped_hard,
    losses.activation_before_loss,
    losses.target_broadcast,
    losses.eval_left_on,
    graphs.loss_is_leaf,
    graphs.graph_grows,
    graphs.running_loss,
    graphs.retained_for_nothing,
    hooks.hook_never_called,
    hooks.hook_changed,
    warned.warned,
)
