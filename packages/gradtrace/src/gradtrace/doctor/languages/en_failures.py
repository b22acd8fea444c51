"""What a doctor says in English (en) where the script has failed."""

from __future__ import annotations

ADVICE = {
    "backward-twice": (
        "`{node}` runs again.",
        "It is of {made}.",
        "The pass at {freed} freed what it had saved.",
    ),
    "stepped-before-backward": (
        "{culprit} updated a weight with `{optimizer}.step()`; {made}, `{source}`, had saved its"
        " old value for this pass.",
    ),
    "edited-in-place": (
        "`{node}` needs a value that was changed after {made} (`{source}`) saved it.",
        "{culprit} changed it in place: `{edit}`.",
    ),
    "graph-is-cut": ("`{loss}` has no graph: `{source}` at {cut} cut it off.",),
    "nothing-requires-grad": (
        "Nothing that `{loss}` was computed from requires a gradient, so it has no graph.",
    ),
    "loss-is-no-tensor": ("What `backward` is called on is a Python number: {message}.",),
    "not-a-scalar": ("What `backward` is called on has several elements.",),
    "wrong-seed-shape": ("The gradient given to `backward` has another shape than the output.",),
    "leaf-edited": (
        "A leaf that requires a gradient was changed in place while autograd watched.",
    ),
    "view-edited": ("A view that autograd guards was changed in place: {message}.",),
    "flag-on-non-leaf": ("`requires_grad` was set on a tensor that was computed: no leaf.",),
    "not-in-graph": ("A gradient was asked for with respect to a tensor that was not used.",),
    "inference-tensor": ("A tensor made in `inference_mode` was used for training.",),
    "non-leaf-optimized": ("The optimizer was given a tensor that was computed: no leaf.",),
    "nothing-to-optimize": ("The optimizer was given no parameters.",),
    "parameter-twice": ("One parameter was given to the optimizer more than once.",),
    "closure-missing": ("This optimizer computes the loss several times in a step.",),
    "wrong-hook-return": ("A hook returned what it must not: {message}.",),
    "grad-is-none": ("`.grad` is still None here: {message}.",),
    "numpy-of-graph": ("NumPy was asked for the numbers of a tensor that has a graph.",),
    "copy-of-graph": ("A tensor that was computed cannot be deep-copied: only leaves can.",),
    "wrong-grad-assigned": ("`.grad` was given something that doesn't fit: {message}.",),
    "integers-need-no-grad": ("A gradient was asked for integers: {message}.",),
    "batch-of-one": ("BatchNorm in training mode got one value per channel: a batch of one.",),
    "dtypes-differ": ("Two dtypes meet that don't mix: {message}.",),
    "shapes-differ": ("Two shapes meet that don't fit: {message}.",),
    "carried-over": (
        "This pass runs back into the graph of an earlier one, through `{tensor}` of {made}.",
        "The pass at {freed} freed what that graph had saved.",
    ),
    "leaf-replaced": (
        "`{name}` is no longer the leaf that it was: {made} put the result of `{source}` in its"
        " place, and a computed tensor gets no `.grad`.",
    ),
    "gradient-without-graph": (
        "`{name}` is what the `grad()` at {made} gave; without `create_graph=True` it is a constant"
        " to later passes.",
    ),
    "scaler-out-of-order": ("The GradScaler was called out of order: {message}.",),
    "half-gradients": ("The parameters are float16, and so are their gradients: {message}.",),
    "function-wrong-return": (
        "The backward of a custom Function gives what doesn't fit its inputs: {message}.",
    ),
    "hook-refused": ("This tensor cannot have such a hook: {message}.",),
    "resumed-otherwise": ("The saved state is that of another set of parameters: {message}.",),
    "script-failed": ("The script failed: {message}.",),
}

MEND = {
    "backward-twice": "add the losses and call `backward()` once, compute the forward pass anew, or"
    " pass `retain_graph=True` to the earlier call",
    "stepped-before-backward": "call `step()` after all backward passes that use this weight, or"
    " compute the output again after the step",
    "edited-in-place": "use the operation that isn't in place (`x = x + 1`), or `clone()` first",
    "graph-is-cut": "take that call out of the way to the loss",
    "nothing-requires-grad": "train parameters with `requires_grad=True`, outside of `no_grad()`",
    "loss-is-no-tensor": "call `backward()` on the loss itself, before `.item()` or `float()`; a"
    " loop that adds up losses may not have run",
    "not-a-scalar": "take the mean or the sum first, or pass `gradient=` in the shape of the"
    " output",
    "wrong-seed-shape": "pass a gradient in the shape of the output",
    "leaf-edited": "change it inside `with torch.no_grad():`, or change a `clone()`",
    "view-edited": "set `inplace=False`, or `clone()` before the change",
    "flag-on-non-leaf": "set it on the leaf before it is used, or `detach()` first",
    "not-in-graph": "pass `allow_unused=True`, or see why the loss doesn't depend on it",
    "inference-tensor": "make it under `no_grad()` instead, or `clone()` it outside",
    "non-leaf-optimized": "make the tensor first and set `requires_grad_()` last, or use"
    " `nn.Parameter`",
    "nothing-to-optimize": "pass `model.parameters()`; a module in a plain list is not registered,"
    " use `nn.ModuleList`",
    "parameter-twice": "give each parameter to one group, once",
    "closure-missing": "pass a function that clears gradients, computes the loss, calls"
    " `backward()` and returns it",
    "wrong-hook-return": "return a tensor (or tuple) in the shape of what came in, or nothing",
    "grad-is-none": "call `backward()` first; if it was, see below why this tensor got nothing",
    "numpy-of-graph": "`tensor.detach().cpu().numpy()`",
    "copy-of-graph": "copy before it is used, or copy `tensor.detach()`",
    "wrong-grad-assigned": "assign a tensor with the shape, dtype and device of the parameter",
    "integers-need-no-grad": "use a floating-point dtype: `torch.tensor(2.0)`",
    "batch-of-one": "drop the last small batch (`drop_last=True`), or `eval()` to predict",
    "dtypes-differ": "convert one of them, with `.float()` or `.to(other.dtype)`",
    "shapes-differ": "print both shapes on the line before",
    "carried-over": "compute it anew for this pass; or, if no gradient is to go back to the earlier"
    " one (the hidden state of an RNN), carry over `tensor.detach()`",
    "leaf-replaced": "keep the leaf and change it in place: `with torch.no_grad(): w -= lr *"
    " w.grad`",
    "gradient-without-graph": "pass `create_graph=True` if the gradient is to be differentiated",
    "scaler-out-of-order": "once each, in this order: `scaler.scale(loss).backward()`,"
    " `scaler.unscale_(optimizer)` if you clip, `scaler.step(optimizer)`, `scaler.update()`",
    "half-gradients": "keep the parameters in float32, and compute under `torch.autocast`",
    "function-wrong-return": "return one gradient for each argument of `forward`, in its shape;"
    " None for what isn't a tensor",
    "hook-refused": "register it on a tensor that requires a gradient; a post-accumulate hook on a"
    " leaf",
    "resumed-otherwise": "build model and optimizer as they were when the state was saved",
    "script-failed": "see the traceback above",
}
