"""The first `nan` or `inf` that reached the loss, a gradient, or a parameter."""

from __future__ import annotations

from collections.abc import Iterator

from gradtrace.doctor.finding import Finding, Kind
from gradtrace.doctor.run import Run
from gradtrace.trace import Event
from gradtrace.values import oddity

_FILLING = {"masked_fill", "where", "full", "full_like", "fill", "triu", "tril", "new_full"}
"""Operations that fill a tensor with a given number."""
_ENOUGH_STEPS = 3
"""With fewer steps, each may be skipped while the scale is still falling."""

NAN_IN_FORWARD = Kind("nan-in-forward", "error", "basics/nan#find-it").says(
    en="The first {what} on the way to the loss: `{source}` gives it, and its inputs are finite.\n"
    "-> look at what goes in: `log(0)`, `0 / 0`, `sqrt` of a negative number, `exp` of a large one",
    zh="通往损失的路上，第一个 {what} 出自 `{source}`，它的输入都是有限的数。\n"
    "-> 看看输入：`log(0)`、`0 / 0`、负数的 `sqrt`、很大的数的 `exp`",
)

NAN_IN_BACKWARD = Kind("nan-in-backward", "error", "basics/nan#why").says(
    en="The loss is finite; the backward of `{source}` (`{node}`) makes the first {what}, in the"
    " pass at {pass}.\n"
    "-> keep the input away from where the derivative is infinite (`sqrt` or `norm` at 0); mask"
    " the input, not the result",
    zh="损失是有限的；`{source}` 的反向（`{node}`）最先算出 {what}，在{pass}的反向传播里。\n"
    "-> 避开导数为无穷的输入（0 处的 `sqrt`、`norm`）；要遮的是输入，不是结果",
)

NAN_IN_DATA = Kind("nan-in-data", "error", "basics/nan#find-it").says(
    en="`{tensor}` holds {what} already when it comes in.\n"
    "-> check the data: `assert x.isfinite().all()`",
    zh="`{tensor}` 进来时就已经含有 {what}。\n-> 检查数据：`assert x.isfinite().all()`",
)

NAN_AFTER_STEP = Kind("nan-after-step", "error", "updates/clipping#not-finite").says(
    en="`{optimizer}` put {what} into `{tensor}`, which was finite before.\n"
    "-> lower the learning rate, or check its settings (`eps`, `betas`)",
    zh="`{tensor}` 原来是有限的，`{optimizer}` 更新之后含有 {what}。\n"
    "-> 调小学习率，或检查优化器的设置（`eps`、`betas`）",
)

STEPS_SKIPPED = Kind("steps-skipped", "warning", "mixed-precision/scaler").says(
    en="The GradScaler skipped {skipped} of {steps:step|steps}: a gradient held inf or nan. The"
    " scale was {first} at the first of these steps, and {last} at the last.\n"
    "-> a few skips are normal until the scale has fallen; if they go on, look for inf and nan in"
    " the forward pass, or use bfloat16",
    zh="GradScaler 在 {steps} 步里跳过了 {skipped} 步：梯度里有 inf 或 nan。放大的倍数第一步是"
    " {first}，最后一步是 {last}。\n"
    "-> 倍数降下来之前，跳过几步是正常的；一直跳过，就查前向传播里哪里出了 inf 或 nan，或者改用"
    " bfloat16",
)


def first_nan(run: Run) -> Iterator[Finding]:
    """Where the first number that isn't finite comes from.

    Infinities may be meant (a mask of -inf), so only what reaches a loss, a gradient or a parameter
    counts. A GradScaler skips a step whose gradients aren't finite: there the parameters count, and
    the loss before it is multiplied.
    """
    scaled = {sign["at"] for sign in run.signs("scale")}
    for index, event in enumerate(run.events):
        found = None
        if event["k"] == "backward":
            found = _of_loss(run, index, event, {id(run.events[at]) for at in scaled})
        elif event["k"] == "node" and not scaled:
            found = _of_node(run, event)
        elif event["k"] == "step":
            found = _of_step(run, event)
        if found is not None:
            yield found
            return


def steps_skipped(run: Run) -> Iterator[Finding]:
    """A GradScaler skipped steps; a warning if it skipped most of them."""
    if run.skipped:
        steps, skipped = run.signs("scaler_step"), len(run.skipped)
        facts = {"skipped": skipped, "steps": len(steps)}
        for key, scale in (("first", steps[0]["scale"]), ("last", steps[-1]["scale"])):
            facts[key] = int(scale) if scale.is_integer() and scale < 1e9 else scale
        few = len(steps) < _ENOUGH_STEPS or 2 * skipped <= len(steps)
        yield Finding(STEPS_SKIPPED, run.place(run.skipped[0]), facts, mild=few)


def is_finite(run: Run) -> bool:
    """Whether no loss, gradient or parameter contained nan or inf, and a GradScaler skipped no step
    because of one."""
    tensors, found = run.trace.tensors, []
    for each in run.passes:
        found += [tensors[root].get("value") for root in each.event["roots"] if root]
        found += [*each.event["seed"], *(event.get("after") for event in each.accs)]
    for step in run.steps:
        found += [row.get(key) for row in step.rows for key in ("grad", "before", "after")]
    return not run.skipped and not any(map(oddity, found))


def _of_loss(run: Run, index: int, event: Event, scalings: set[int]) -> Finding | None:
    for root in event["roots"]:
        made = run.maker(root, index) if root else None
        if made is None or _odd_output(made) is None:
            continue
        origin, data = _origin(run, made, index)
        if id(origin) in scalings:
            continue
        if data is not None:
            facts = {"tensor": run.name(data), "what": _odd_input(run, data)}
            return Finding(NAN_IN_DATA, run.place(origin), facts)
        facts = {"what": _odd_output(origin), "source": run.source(origin), "op": origin["op"]}
        return Finding(NAN_IN_FORWARD, run.place(origin), facts)
    return None


def _origin(run: Run, made: Event, before: int) -> tuple[Event, str | None]:
    """The operation that computed a non-finite number from finite ones; or, if a tensor of the data
    holds it, that tensor and the first operation that used it."""
    while True:
        at = next(i for i in reversed(range(before)) if run.events[i] is made)
        odd = None
        for tensor in made["ins"]:
            source = run.maker(tensor, at)
            if source is None or not source["ins"]:
                if _odd_input(run, tensor) == "nan":
                    return made, tensor
            elif _odd_output(source) and _computes(source):
                odd = source
        if odd is None:
            return made, None
        made, before = odd, at


def _computes(event: Event) -> bool:
    """Whether an operation computes the non-finite number; a mask of -inf is meant."""
    return event["op"].rstrip("_") not in _FILLING or _odd_output(event) == "nan"


def _of_node(run: Run, event: Event) -> Finding | None:
    if any(map(oddity, event["gin"])):
        return None
    what = next(filter(None, map(oddity, event.get("gout", ()))), None)
    if what is None:
        return None
    entered = run.pass_number[event["p"]]
    if entered.writes and not any(oddity(acc.get("after")) for acc in entered.accs):
        return None
    made = run.op_of(event["n"])
    facts = {"what": what, "node": run.trace.nodes[event["n"]]["op"]}
    facts["source"] = run.source(made) if made else facts["node"]
    facts["pass"] = run.place(entered.event)
    return Finding(NAN_IN_BACKWARD, run.place(made or event), facts)


def _of_step(run: Run, event: Event) -> Finding | None:
    for row in event["params"]:
        what = oddity(row.get("after"))
        if what and not oddity(row["before"]):
            facts = {"what": what, "tensor": run.name(row["t"]), "optimizer": event["opt"]}
            return Finding(NAN_AFTER_STEP, run.place(event), facts)
    return None


def _odd_output(event: Event) -> str | None:
    return next(filter(None, (oddity(out.get("value")) for out in event["out"])), None)


def _odd_input(run: Run, tensor: str) -> str | None:
    return oddity(run.trace.tensors[tensor].get("value"))


CHECKS = (
    first_nan,
    steps_skipped,
)
