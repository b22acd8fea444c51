"""What a doctor says in English (en): of each kind what was found, and what to do.

A sentence whose facts were not found is left out.
"""

from __future__ import annotations

from gradtrace.doctor.languages import en_failures as failures

WORDS = {
    "error": "error",
    "warning": "warning",
    "note": "note",
    "errors": "1 error|{n} errors",
    "warnings": "1 warning|{n} warnings",
    "notes": "1 note|{n} notes",
    "nothing": "nothing found",
    "looked": "{passes}, {steps}",
    "passes": "1 backward pass|{n} backward passes",
    "steps": "1 step|{n} steps",
    "summary": "{script}: {counts} ({looked})",
    "between": ", ",
    "line": "line {line}",
    "line_of": "line {line} of {file}",
    "nowhere": "-",
    "comma": ", ",
    "more": "{names} and {n} more",
    "mend": "Do",
    "book": "See",
    "fine": "fine",
    "got": "{n} of {total} parameters got a gradient",
    "frozen": "{n} of {total} parameters are frozen, {got} of the other {others} got a gradient",
    "finite": "no nan and no inf in any loss, gradient or parameter",
    "moved": "the steps moved {n} of {total} parameters",
    "cleared": "each step used new gradients",
    "layers": "layer",
    "gradient": "gradient",
    "update": "update",
    "columns": "(gradient: median of its norm; update: how far a step moves the weight,"
    " as a part of its norm)",
    "stop": " ",
    # what the command says besides
    "began": "Looked at from step {step} of the optimizer on.",
    "never_step": "Step {first} did not come: the script made {steps} steps of an optimizer.",
    "never_error": "The script did not fail.",
}

ADVICE = {
    **failures.ADVICE,
    "nan-in-forward": (
        "The first {what} on the way to the loss: `{source}` gives it, and its inputs are finite.",
    ),
    "nan-in-backward": (
        "The loss is finite; the backward of `{source}` (`{node}`) makes the first {what}, in the"
        " pass at {pass}.",
    ),
    "nan-in-data": ("`{tensor}` holds {what} already when it comes in.",),
    "nan-after-step": ("`{optimizer}` put {what} into `{tensor}`, which was finite before.",),
    "steps-skipped": (
        "The GradScaler skipped {skipped} of {steps:step|steps}: a gradient held inf or nan. The"
        " scale was {first} at the first of these steps, and {last} at the last.",
    ),
    "never-cleared": (
        "All {steps} steps of `{optimizer}` used the sum of every gradient so far: nothing clears"
        " `.grad` between {pass} and the step before ({names}).",
        "All {updates} updates by hand used the sum of every gradient so far: nothing clears the"
        " `.grad` of {names}.",
    ),
    "empty-step": (
        "In {steps:step|steps}, `{optimizer}` found no gradient at all; {pass} gave some.",
        "They were cleared at {cleared}.",
    ),
    "stepped-twice": (
        "{times} times, this step used the gradients that the step at {first} had used: no"
        " backward pass came between.",
    ),
    "optimizer-holds-old": (
        "`{optimizer}` holds parameters that the model has no more: {names} were replaced after it"
        " was made, and the new ones stay as they are.",
    ),
    "clip-without-gradient": (
        "Clipped {times:time|times}, and each time nothing had been added to `.grad` since the last"
        " step: the gradients come at {pass}.",
    ),
    "clip-before-unscale": (
        "Clipped {times:time|times} while the gradients were still multiplied by the scale;"
        " {step} unscales them afterwards.",
    ),
    "schedule-before-step": ("The schedule went on before the optimizer's first step.",),
    "learning-rate-zero": ("All {steps} steps of `{optimizer}` had the learning rate 0.",),
    "stands-still": (
        "{names}: a gradient in each of {steps} steps with lr = {lr}, and not one number"
        " changed ({dtype}).",
    ),
    "update-too-large": (
        "Each step moves weights by {ratio} of their norm (median of {steps} steps; lr = {lr}):"
        " {names}. About 0.001 is usual.",
    ),
    "update-too-small": (
        "Each step moves weights by {ratio} of their norm (lr = {lr}): {names}. Below 1e-7,"
        " float32 rounds most of it away.",
    ),
    "loss-grows": ("The loss rose in each of {passes} passes, from {first} to {last}.",),
    "loss-is-leaf": (
        "The pass begins at `{loss}`, which is a leaf: a new tensor without a graph. No gradient"
        " goes back to anything else.",
    ),
    "never-stepped": (
        "`.grad` was computed and cleared {times} times, and `{optimizer}` made no step: nothing"
        " changes {names}.",
    ),
    "no-backward": (
        "`{optimizer}` made {steps} steps, and there was no backward pass: it found no gradient.",
    ),
    "clip-nothing": ("Clipping was given no parameters: the generator was used up.",),
    "hook-needs-tensor": (
        "The module returns neither a tensor nor a tuple of tensors, so its backward hook is not"
        " called.",
    ),
    "parameter-detached": ("`{source}` cuts off {names}: no gradient goes back through it.",),
    "parameter-unused": ("No operation used {names}.",),
    "parameter-off-path": (
        "{names}: used, but no backward pass began at anything computed from it.",
        "`{source}` at {left} takes it out of the graph.",
        "What is computed from it ends with `{source}` at {ended}.",
    ),
    "not-in-optimizer": ("{names} got a gradient, and no optimizer was given it.",),
    "zero-gradient": ("The gradient of {names} was 0 everywhere, in {passes:pass|passes}.",),
    "dead-relu": (
        "{dead} of {units} units of `{source}` are 0 for the whole batch (looked at"
        " {calls:time|times}): no gradient passes them.",
    ),
    "vanishing": (
        "From `{last}` back to `{first}`, over {layers} layers, the gradient of an element falls"
        " from {near_loss} to {near_input}.",
    ),
    "exploding": (
        "From `{last}` back to `{first}`, over {layers} layers, the gradient of an element grows"
        " from {near_loss} to {near_input}.",
    ),
    "softmax-before-loss": (
        "`{loss}` takes logits, and gets what `{activation}` at {made} gave: softmax is applied"
        " twice, and gradients get small.",
    ),
    "no-log-before-nll": ("`{loss}` takes log-probabilities, which are never above 0; these are.",),
    "sigmoid-before-loss": ("`{loss}` takes logits, and gets what `{activation}` at {made} gave.",),
    "target-broadcast": (
        "`{loss}` compares shape {input} with {target}: they are broadcast, and each prediction is"
        " compared with every target.",
    ),
    "eval-left-on": (
        "`{module}` ran in training mode at first, and in evaluation mode in the last {steps}"
        " training passes.",
    ),
    "graph-grows": (
        "Each pass runs through the graphs of the passes before it: {first} nodes in the first,"
        " {last} after {passes} passes.",
    ),
    "running-loss": (
        "`{name}` adds up {times} losses with their graphs, and no pass begins at it: memory"
        " grows.",
    ),
    "hook-never-called": (
        "Hook `{fn}` on {names} was never called, in {passes:backward pass|backward passes} after"
        " it.",
    ),
    "hook-sees-no-input": (
        "No input of the module requires a gradient, so its full backward hook gets no"
        " `grad_input`.",
    ),
    "old-hook": ("This kind of backward hook may get a wrong `grad_input`.",),
    "grad-of-non-leaf": ("`.grad` of a tensor that was computed is None after any pass.",),
    "grad-of-parametrized": (
        "The layer computes this weight from other parameters, so it is not a leaf and its `.grad`"
        " is None. The gradient is in the `.grad` of {names}.",
    ),
    "copied-tensor": ("`torch.tensor` of a tensor makes a copy without a graph.",),
    "checkpoint-without-grad": (
        "No input of the checkpoint requires a gradient, so nothing inside of it gets one.",
    ),
    "hook-changed": (
        "Hook `{fn}` on `{name}` changed the gradient {times:time|times}; the first time its norm"
        " went from {before} to {after}.",
    ),
    "moves-without-gradient": (
        "{names} moved in a step of `{optimizer}` although the gradient was 0: momentum or weight"
        " decay does that.",
    ),
    "clipped-hard": (
        "In each of {times} steps clipping made the gradients much smaller, by a factor of {factor}"
        " (median): the size of a step no longer depends on the loss.",
    ),
    "two-optimizers": ("Several optimizers hold {names}: {optimizers}.",),
    "bias-without-effect": (
        "BatchNorm subtracts the mean of each channel, and with it what {names} added: their"
        " gradient is 0 but for rounding.",
    ),
    "retained-for-nothing": (
        "`retain_graph=True` in {passes} passes, and nothing ran through these graphs again.",
    ),
    "frozen": ("{names}: no gradient required, as was asked.",),
    "shared": ("`{name}` is used by several modules ({names}): their gradients add up.",),
}

MEND = {
    **failures.MEND,
    "nan-in-forward": "look at what goes in: `log(0)`, `0 / 0`, `sqrt` of a negative number,"
    " `exp` of a large one",
    "nan-in-backward": "keep the input away from where the derivative is infinite (`sqrt` or `norm`"
    " at 0); mask the input, not the result",
    "nan-in-data": "check the data: `assert x.isfinite().all()`",
    "nan-after-step": "lower the learning rate, or check its settings (`eps`, `betas`)",
    "steps-skipped": "a few skips are normal until the scale has fallen; if they go on, look for"
    " inf and nan in the forward pass, or use bfloat16",
    "never-cleared": "call `optimizer.zero_grad()` once for each step",
    "empty-step": "in this order: `zero_grad()`, `backward()`, `step()`",
    "stepped-twice": "call one of the two steps only; `scaler.step(optimizer)` makes the step"
    " itself",
    "optimizer-holds-old": "make the optimizer after the last change of the model",
    "clip-without-gradient": "clip after `backward()`, before `step()`",
    "clip-before-unscale": "call `scaler.unscale_(optimizer)` before clipping",
    "schedule-before-step": "call `scheduler.step()` after `optimizer.step()`",
    "learning-rate-zero": "check `lr` and the schedule",
    "stands-still": "the update is rounded away: keep the weights in float32, or raise the"
    " learning rate",
    "update-too-large": "lower the learning rate",
    "update-too-small": "raise the learning rate",
    "loss-grows": "lower the learning rate, or check the sign of the loss",
    "loss-is-leaf": "call `backward()` on what was computed from the parameters; wrapping it anew"
    " (`Variable`, `torch.tensor`, `requires_grad_()`) gives no graph back",
    "never-stepped": "call `optimizer.step()` after `backward()`; look for missing parentheses",
    "no-backward": "call `loss.backward()` before `step()`",
    "clip-nothing": "call `model.parameters()` anew for each use, or keep a list",
    "hook-needs-tensor": "return a tensor or a tuple, or hook a tensor of the output",
    "parameter-detached": "take the cut out if these should learn",
    "parameter-unused": "use it in `forward`, or take it out of the model",
    "parameter-off-path": "compute the loss from it, without NumPy, `argmax` or a new tensor on"
    " the way",
    "not-in-optimizer": "pass it to the optimizer, or freeze it with `requires_grad_(False)`;"
    " modules in a plain list aren't in `parameters()`: use `nn.ModuleList`",
    "zero-gradient": "look for a dead ReLU, a `clamp`, or a factor 0 between it and the loss",
    "dead-relu": "lower the learning rate, check the bias, or use `LeakyReLU`",
    "vanishing": "use ReLU instead of sigmoid or tanh, residual connections, or normalization",
    "exploding": "use smaller initial weights or normalization; clip the gradients",
    "softmax-before-loss": "pass the logits: leave the activation out",
    "no-log-before-nll": "use `F.cross_entropy` on the logits, or `log_softmax` before",
    "sigmoid-before-loss": "pass the logits: leave the activation out",
    "target-broadcast": "bring both to one shape: `target.view_as(output)`",
    "eval-left-on": "call `model.train()` after each evaluation",
    "graph-grows": "`detach()` what one iteration hands to the next",
    "running-loss": "add `loss.item()` or `loss.detach()`",
    "hook-never-called": "see that the tensor or module is on the way from the loss",
    "hook-sees-no-input": "hook a later module, or its output tensor",
    "old-hook": "use `register_full_backward_hook`",
    "grad-of-non-leaf": "call `retain_grad()` on it before the pass",
    "grad-of-parametrized": "read the `.grad` of these parameters; `retain_grad()` does not help"
    " where the weight is computed again at each access",
    "copied-tensor": "use it as it is, or `tensor.clone()`; `detach()` if no gradient is wanted",
    "checkpoint-without-grad": "pass `use_reentrant=False`",
    "hook-changed": "",
    "moves-without-gradient": "to freeze it, set `.grad` to None or leave it out of the optimizer",
    "clipped-hard": "raise the limit, or find out why the gradients are so large",
    "two-optimizers": "give each parameter to one optimizer, unless that is meant",
    "bias-without-effect": "pass `bias=False` to the layer before BatchNorm",
    "retained-for-nothing": "leave `retain_graph=True` out: it keeps memory",
    "frozen": "",
    "shared": "",
}
