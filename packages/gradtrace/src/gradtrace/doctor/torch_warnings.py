"""Warnings of PyTorch itself."""

from __future__ import annotations

from collections.abc import Iterator

from gradtrace.doctor.failures import PARAMETER_TWICE  # noqa: F401  a warning too, by its message
from gradtrace.doctor.finding import Finding, Kind, kind_of_message
from gradtrace.doctor.run import Run

CLIP_NOTHING = Kind("clip-nothing", "warning", "updates/clipping#when").says(
    r"`parameters` is an empty generator",
    en="Clipping was given no parameters: the generator was used up.\n"
    "-> call `model.parameters()` anew for each use, or keep a list",
    zh="裁剪没有收到任何参数：这个生成器已经用完了。\n"
    "-> 每次都重新调用 `model.parameters()`，或存成列表",
)

SCHEDULE_BEFORE_STEP = Kind("schedule-before-step", "warning", "updates/index").says(
    r"`lr_scheduler\.step\(\)` before `optimizer\.step\(\)`",
    en="The schedule went on before the optimizer's first step.\n"
    "-> call `scheduler.step()` after `optimizer.step()`",
    zh="优化器还没更新过，学习率调度器就先走了一步。\n"
    "-> 先 `optimizer.step()`，再 `scheduler.step()`",
)

HOOK_SEES_NO_INPUT = Kind("hook-sees-no-input", "warning", "module-hooks/not-firing").says(
    r"backward hook is firing when gradients are computed with respect to module",
    en="No input of the module requires a gradient, so its full backward hook gets no"
    " `grad_input`.\n"
    "-> hook a later module, or its output tensor",
    zh="模块的输入都不需要梯度，完整反向钩子拿不到 `grad_input`。\n"
    "-> 把钩子挂到后面的模块，或它的输出张量上",
)

HOOK_NEEDS_TENSOR = Kind("hook-needs-tensor", "warning", "module-hooks/not-firing").says(
    r"For backward hooks to be called, module output should be",
    en="The module returns neither a tensor nor a tuple of tensors, so its backward hook is not"
    " called.\n"
    "-> return a tensor or a tuple, or hook a tensor of the output",
    zh="模块返回的既不是张量，也不是张量的元组，它的反向钩子不会被调用。\n"
    "-> 返回张量或元组，或把钩子注册到输出的张量上",
)

OLD_HOOK = Kind("old-hook", "warning", "module-hooks/old-warning").says(
    r"Using (a )?non-full backward hooks?",
    en="This kind of backward hook may get a wrong `grad_input`.\n"
    "-> use `register_full_backward_hook`",
    zh="这种旧的反向钩子，`grad_input` 可能是错的。\n-> 改用 `register_full_backward_hook`",
)

GRAD_OF_NON_LEAF = Kind("grad-of-non-leaf", "warning", "basics/leaf#retain-grad").says(
    r"\.grad attribute of a Tensor that is not a leaf",
    en="`.grad` of a tensor that was computed is None after any pass.\n"
    "-> call `retain_grad()` on it before the pass",
    zh="读的是计算出来的张量的 `.grad`，反向传播之后它也是 None。\n"
    "-> 反向传播之前对它调用 `retain_grad()`",
)

GRAD_OF_PARAMETRIZED = Kind("grad-of-parametrized", "warning", "freezing/computed-weight").says(
    en="The layer computes this weight from other parameters, so it is not a leaf and its `.grad`"
    " is None. The gradient is in the `.grad` of {names}.\n"
    "-> read the `.grad` of these parameters; `retain_grad()` does not help where the weight is"
    " computed again at each access",
    zh="这个权重是层用别的参数计算出来的，不是叶子，它的 `.grad` 是 None。梯度在 {names} 的"
    " `.grad` 里。\n"
    "-> 读这些参数的 `.grad`；每次访问都重新计算的权重，`retain_grad()` 没有用",
)

COPIED_TENSOR = Kind("copied-tensor", "warning", "basics/lost-leaf#why").says(
    r"To copy construct from a tensor",
    en="`torch.tensor` of a tensor makes a copy without a graph.\n"
    "-> use it as it is, or `tensor.clone()`; `detach()` if no gradient is wanted",
    zh="`torch.tensor(张量)` 得到的副本没有计算图。\n"
    "-> 直接用它，或 `tensor.clone()`；不需要梯度就 `detach()`",
)

CHECKPOINT_WITHOUT_GRAD = Kind(
    "checkpoint-without-grad", "warning", "freezing/middle#engine-stops"
).says(
    r"None of the inputs have requires_grad=True",
    en="No input of the checkpoint requires a gradient, so nothing inside of it gets one.\n"
    "-> pass `use_reentrant=False`",
    zh="激活检查点的输入都不需要梯度，里面的参数得不到梯度。\n-> 传 `use_reentrant=False`",
)


def warned(run: Run) -> Iterator[Finding]:
    """The warnings about gradients, each line once."""
    seen = set()
    for sign in run.signs("warning"):
        kind, place = kind_of_message(globals().values(), sign["text"]), run.place(sign)
        # A GradScaler may skip its first steps, which PyTorch takes for the wrong order.
        if kind == SCHEDULE_BEFORE_STEP and run.signs("scale"):
            continue
        facts = {"message": sign["text"].split(". ")[0].rstrip(".")}
        names = [name for t in sign["ts"] for name in run.computed_from(t)]
        if kind == GRAD_OF_NON_LEAF and names:
            kind, facts["names"] = GRAD_OF_PARAMETRIZED, names
        if kind and (kind, place) not in seen:
            seen.add((kind, place))
            yield Finding(kind, place, facts)


CHECKS = (warned,)
