"""The kinds of findings: how grave each is, and which page of the book explains it.

Their order is that of a report, within a level: what ended the script comes first.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    level: str
    page: str
    """The path of a page, with a section: "accumulate/second-time#mend"."""


KINDS = {
    # the script failed
    "backward-twice": Kind("error", "accumulate/second-time#mend"),
    "stepped-before-backward": Kind("error", "accumulate/second-time#in-a-loop"),
    "edited-in-place": Kind("error", "tensor-hooks/edited-after-hook"),
    "graph-is-cut": Kind("error", "freezing/detach#which-end"),
    "nothing-requires-grad": Kind("error", "basics/requires-grad#nothing-to-do"),
    "loss-is-no-tensor": Kind("error", "basics/requires-grad#nothing-to-do"),
    "not-a-scalar": Kind("error", "basics/vector"),
    "wrong-seed-shape": Kind("error", "basics/vector#shape"),
    "leaf-edited": Kind("error", "basics/edit-leaf#no-grad-or-clone"),
    "view-edited": Kind("error", "module-hooks/in-place#mend"),
    "flag-on-non-leaf": Kind("error", "basics/requires-grad#flag"),
    "not-in-graph": Kind("error", "basics/leaf#ask-for-one"),
    "inference-tensor": Kind("error", "freezing/inference"),
    "non-leaf-optimized": Kind("error", "basics/lost-leaf#refused"),
    "nothing-to-optimize": Kind("error", "updates/what-to-pass"),
    "parameter-twice": Kind("error", "updates/what-to-pass#twice"),
    "closure-missing": Kind("error", "updates/optimizers#lbfgs"),
    "wrong-hook-return": Kind("error", "module-hooks/wrong-return"),
    "grad-is-none": Kind("error", "basics/first-gradient"),
    "numpy-of-graph": Kind("error", "freezing/detach"),
    "copy-of-graph": Kind("error", "basics/lost-leaf"),
    "wrong-grad-assigned": Kind("error", "updates/by-hand#own-gradient"),
    "integers-need-no-grad": Kind("error", "basics/requires-grad"),
    "batch-of-one": Kind("error", "accumulate/micro-batches#batch-norm"),
    "dtypes-differ": Kind("error", "basics/first-gradient"),
    "shapes-differ": Kind("error", "basics/broadcast"),
    "carried-over": Kind("error", "accumulate/second-time#in-a-loop"),
    "leaf-replaced": Kind("error", "updates/by-hand#without-no-grad"),
    "gradient-without-graph": Kind("error", "basics/second-derivative"),
    "scaler-out-of-order": Kind("error", "updates/clipping#grad-scaler"),
    "half-gradients": Kind("error", "updates/clipping#grad-scaler"),
    "function-wrong-return": Kind("error", "questions#messages"),
    "hook-refused": Kind("error", "tensor-hooks/index"),
    "resumed-otherwise": Kind("error", "updates/what-to-pass#resume"),
    "script-failed": Kind("error", "questions#messages"),
    # numbers
    "nan-in-forward": Kind("error", "basics/nan#find-it"),
    "nan-in-backward": Kind("error", "basics/nan#why"),
    "nan-in-data": Kind("error", "basics/nan#find-it"),
    "nan-after-step": Kind("error", "updates/clipping#not-finite"),
    "steps-skipped": Kind("warning", "mixed-precision/scaler"),
    # updates
    "never-cleared": Kind("warning", "accumulate/zero-grad"),
    "never-stepped": Kind("warning", "updates/by-hand#who-does-what"),
    "no-backward": Kind("warning", "updates/by-hand#who-does-what"),
    "empty-step": Kind("warning", "accumulate/zero-grad#none-or-zero"),
    "stepped-twice": Kind("warning", "updates/by-hand#who-does-what"),
    "optimizer-holds-old": Kind("warning", "updates/what-to-pass"),
    "clip-without-gradient": Kind("warning", "updates/clipping#when"),
    "clip-nothing": Kind("warning", "updates/clipping#when"),
    "clip-before-unscale": Kind("warning", "updates/clipping#grad-scaler"),
    "schedule-before-step": Kind("warning", "updates/index"),
    "learning-rate-zero": Kind("warning", "updates/by-hand"),
    "stands-still": Kind("warning", "labs/flow#update"),
    "update-too-large": Kind("warning", "labs/flow#update"),
    "update-too-small": Kind("warning", "labs/flow#update"),
    "loss-grows": Kind("warning", "updates/optimizers"),
    # gradients
    "loss-is-leaf": Kind("warning", "basics/lost-leaf#why"),
    "parameter-detached": Kind("warning", "freezing/detach#still-a-parameter"),
    "parameter-unused": Kind("warning", "accumulate/zero-grad#none-or-zero"),
    "parameter-off-path": Kind("warning", "freezing/five-ways"),
    "not-in-optimizer": Kind("warning", "updates/what-to-pass"),
    "zero-gradient": Kind("warning", "labs/flow#dead"),
    "dead-relu": Kind("warning", "labs/flow#dead"),
    "vanishing": Kind("warning", "labs/depth"),
    "exploding": Kind("warning", "labs/depth#factor"),
    # losses and modes
    "softmax-before-loss": Kind("warning", "convolution/image-gradient#logits"),
    "no-log-before-nll": Kind("warning", "convolution/image-gradient#logits"),
    "sigmoid-before-loss": Kind("warning", "convolution/image-gradient#logits"),
    "target-broadcast": Kind("warning", "basics/broadcast#mse-shapes"),
    "eval-left-on": Kind("warning", "freezing/eval-or-no-grad"),
    # graphs
    "graph-grows": Kind("warning", "accumulate/running-loss#retain-graph"),
    "running-loss": Kind("warning", "accumulate/running-loss"),
    # hooks
    "hook-never-called": Kind("warning", "module-hooks/not-firing"),
    "hook-sees-no-input": Kind("warning", "module-hooks/not-firing"),
    "hook-needs-tensor": Kind("warning", "module-hooks/not-firing"),
    "old-hook": Kind("warning", "module-hooks/old-warning"),
    "grad-of-non-leaf": Kind("warning", "basics/leaf#retain-grad"),
    "grad-of-parametrized": Kind("warning", "freezing/computed-weight"),
    "copied-tensor": Kind("warning", "basics/lost-leaf#why"),
    "checkpoint-without-grad": Kind("warning", "freezing/middle#engine-stops"),
    # worth knowing
    "hook-changed": Kind("note", "tensor-hooks/return-value"),
    "moves-without-gradient": Kind("note", "freezing/still-moves"),
    "clipped-hard": Kind("note", "updates/clipping"),
    "two-optimizers": Kind("note", "updates/what-to-pass#twice"),
    "bias-without-effect": Kind("note", "labs/depth#normalization"),
    "retained-for-nothing": Kind("note", "accumulate/running-loss#retain-graph"),
    "frozen": Kind("note", "freezing/encoder"),
    "shared": Kind("note", "sharing/weight-tying"),
}
