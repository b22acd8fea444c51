"""What optimizers did with the gradients, and where gradients are clipped."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, pairwise
from statistics import median

from gradtrace.doctor.finding import Finding, Kind
from gradtrace.doctor.run import Run, Step, is_cleared
from gradtrace.trace import Sign
from gradtrace.values import count, is_zero, norm, scalar

ENOUGH_STEPS = 3
"""The number of steps of one optimizer that shows a pattern."""
_TOO_LARGE = 0.5
"""A weight that mostly moves this far in a step, relative to its norm, is replaced, not
adjusted."""
_TOO_SMALL = 1e-7
"""About the relative distance of two adjacent numbers in float32."""
_FEW = 32
"""For a weight with fewer elements, how far it moves means little."""
_GROWTH = 1000.0

NEVER_CLEARED = Kind("never-cleared", "warning", "accumulate/zero-grad").says(
    en="All {steps} steps of `{optimizer}` used the sum of every gradient so far: nothing clears"
    " `.grad` between {pass} and the step before ({names}).\n"
    "All {updates} updates by hand used the sum of every gradient so far: nothing clears the"
    " `.grad` of {names}.\n"
    "-> call `optimizer.zero_grad()` once for each step",
    zh="`{optimizer}` 的 {steps} 步，用的都是从头累加到现在的梯度：两步之间没有清零（{names}），"
    "{pass}又往上加。\n"
    "手动更新了 {updates} 次，用的都是从头累加到现在的梯度：{names} 的 `.grad` 一直没有清零。\n"
    "-> 每更新一步，调用一次 `optimizer.zero_grad()`",
)

NEVER_STEPPED = Kind("never-stepped", "warning", "updates/by-hand#who-does-what").says(
    en="`.grad` was computed and cleared {times} times, and `{optimizer}` made no step: nothing"
    " changes {names}.\n"
    "-> call `optimizer.step()` after `backward()`; look for missing parentheses",
    zh="梯度算出来又清零，一共 {times} 次，`{optimizer}` 却一步也没有更新：{names} 一直不变。\n"
    "-> `backward()` 之后调用 `optimizer.step()`，看看是不是漏了括号",
)

NO_BACKWARD = Kind("no-backward", "warning", "updates/by-hand#who-does-what").says(
    en="`{optimizer}` made {steps} steps, and there was no backward pass: it found no gradient.\n"
    "-> call `loss.backward()` before `step()`",
    zh="`{optimizer}` 更新了 {steps} 步，却没有反向传播：它一个梯度也没拿到。\n"
    "-> `step()` 之前调用 `loss.backward()`",
)

EMPTY_STEP = Kind("empty-step", "warning", "accumulate/zero-grad#none-or-zero").says(
    en="In {steps:step|steps}, `{optimizer}` found no gradient at all; {pass} gave some.\n"
    "They were cleared at {cleared}.\n"
    "-> in this order: `zero_grad()`, `backward()`, `step()`",
    zh="`{optimizer}` 更新了 {steps} 步，一个梯度也没拿到；{pass}算出过梯度。\n"
    "这些梯度在{cleared}被清掉了。\n"
    "-> 按这个次序：`zero_grad()`、`backward()`、`step()`",
)

STEPPED_TWICE = Kind("stepped-twice", "warning", "updates/by-hand#who-does-what").says(
    en="{times} times, this step used the gradients that the step at {first} had used: no backward"
    " pass came between.\n"
    "-> call one of the two steps only; `scaler.step(optimizer)` makes the step itself",
    zh="有 {times} 次，这一步用的还是{first}那一步用过的梯度：中间没有反向传播。\n"
    "-> 两步只留一步；`scaler.step(optimizer)` 自己会更新",
)

OPTIMIZER_HOLDS_OLD = Kind("optimizer-holds-old", "warning", "updates/what-to-pass").says(
    en="`{optimizer}` holds parameters that the model has no more: {names} were replaced after it"
    " was made, and the new ones stay as they are.\n"
    "-> make the optimizer after the last change of the model",
    zh="`{optimizer}` 手里的 {names} 已经不在模型里：优化器建好以后它们被换掉了，新的不会更新。\n"
    "-> 模型改完以后再建优化器",
)

CLIP_WITHOUT_GRADIENT = Kind("clip-without-gradient", "warning", "updates/clipping#when").says(
    en="Clipped {times:time|times}, and each time nothing had been added to `.grad` since the last"
    " step: the gradients come at {pass}.\n"
    "-> clip after `backward()`, before `step()`",
    zh="裁剪了 {times} 次，每次都是上一步之后还没有新的梯度：梯度要到{pass}才算出来。\n"
    "-> 在 `backward()` 之后、`step()` 之前裁剪",
)

CLIP_BEFORE_UNSCALE = Kind("clip-before-unscale", "warning", "updates/clipping#grad-scaler").says(
    en="Clipped {times:time|times} while the gradients were still multiplied by the scale; {step}"
    " unscales them afterwards.\n"
    "-> call `scaler.unscale_(optimizer)` before clipping",
    zh="裁剪了 {times} 次，那时梯度还乘着放大倍数；{step}才把倍数除掉。\n"
    "-> 裁剪之前先调用 `scaler.unscale_(optimizer)`",
)

LEARNING_RATE_ZERO = Kind("learning-rate-zero", "warning", "updates/by-hand").says(
    en="All {steps} steps of `{optimizer}` had the learning rate 0.\n"
    "-> check `lr` and the schedule",
    zh="`{optimizer}` 的 {steps} 步，学习率都是 0。\n-> 检查 `lr` 和学习率调度",
)

STANDS_STILL = Kind("stands-still", "warning", "labs/flow#update").says(
    en="{names}: a gradient in each of {steps} steps with lr = {lr}, and not one number changed"
    " ({dtype}).\n"
    "-> the update is rounded away: keep the weights in float32, or raise the learning rate",
    zh="{names}：{steps} 步里都有梯度（lr = {lr}），却一个数也没有变（{dtype}）。\n"
    "-> 更新量被舍入掉了：权重用 float32 保存，或调大学习率",
)

UPDATE_TOO_LARGE = Kind("update-too-large", "warning", "labs/flow#update").says(
    en="Each step moves weights by {ratio} of their norm (median of {steps} steps; lr = {lr}):"
    " {names}. About 0.001 is usual.\n"
    "-> lower the learning rate",
    zh="每一步都让权重变动自身范数的 {ratio} 倍（{steps} 步的中位数，lr = {lr}）：{names}。通常是"
    " 0.001 左右。\n"
    "-> 调小学习率",
)

UPDATE_TOO_SMALL = Kind("update-too-small", "warning", "labs/flow#update").says(
    en="Each step moves weights by {ratio} of their norm (lr = {lr}): {names}. Below 1e-7, float32"
    " rounds most of it away.\n"
    "-> raise the learning rate",
    zh="每一步只让权重变动自身范数的 {ratio} 倍（lr = {lr}）：{names}。小于 1e-7 时，float32 大多"
    "会舍入掉。\n"
    "-> 调大学习率",
)

LOSS_GROWS = Kind("loss-grows", "warning", "updates/optimizers").says(
    en="The loss rose in each of {passes} passes, from {first} to {last}.\n"
    "-> lower the learning rate, or check the sign of the loss",
    zh="{passes} 次反向传播，损失一次比一次大，从 {first} 到 {last}。\n"
    "-> 调小学习率，或检查损失的正负号",
)

MOVES_WITHOUT_GRADIENT = Kind("moves-without-gradient", "note", "freezing/still-moves").says(
    en="{names} moved in a step of `{optimizer}` although the gradient was 0: momentum or weight"
    " decay does that.\n"
    "-> to freeze it, set `.grad` to None or leave it out of the optimizer",
    zh="`{optimizer}` 更新时，{names} 的梯度是 0，值却变了：那是动量或权重衰减。\n"
    "-> 要冻结它，就把 `.grad` 设为 None，或不交给优化器",
)

CLIPPED_HARD = Kind("clipped-hard", "note", "updates/clipping").says(
    en="In each of {times} steps clipping made the gradients much smaller, by a factor of {factor}"
    " (median): the size of a step no longer depends on the loss.\n"
    "-> raise the limit, or find out why the gradients are so large",
    zh="{times} 步里，每一步裁剪都把梯度缩小了很多（倍数的中位数 {factor}）：步长不再随损失变化。\n"
    "-> 放宽裁剪的上限，或查清梯度为什么这么大",
)

TWO_OPTIMIZERS = Kind("two-optimizers", "note", "updates/what-to-pass#twice").says(
    en="Several optimizers hold {names}: {optimizers}.\n"
    "-> give each parameter to one optimizer, unless that is meant",
    zh="{names} 同时交给了几个优化器：{optimizers}。\n-> 每个参数只交给一个优化器，除非是有意的",
)


def never_cleared(run: Run) -> Iterator[Finding]:
    """Each step uses the gradients of all steps before: none is cleared in between."""
    for steps in _by_optimizer(run):
        habits = [_kept(run, *pair) for pair in pairwise(steps)]
        kept = set.intersection(*habits) if habits else set()
        if kept:
            facts = {
                "names": run.names(sorted(kept, key=_number)),
                "steps": len(steps),
                "of": len(steps[0].tensors),
            }
            facts["optimizer"] = steps[0].event["opt"]
            facts["pass"] = run.place(_pass_before(run, steps[-1].at))
            few = len(steps) < ENOUGH_STEPS
            yield Finding(NEVER_CLEARED, run.place(steps[0].event), facts, mild=few)


def uses_new_gradients(run: Run) -> bool:
    """Whether there is more than one step, and none reused gradients of the step before."""
    pairs = [pair for steps in _by_optimizer(run) for pair in pairwise(steps)]
    return bool(pairs) and not any(_kept(run, *pair) for pair in pairs)


def never_cleared_by_hand(run: Run) -> Iterator[Finding]:
    """The same for parameters that the script updates by hand, after each pass."""
    found: dict[str, list[int]] = {}
    for t, grads in run.gradients.items():
        if t in run.optimized or run.clearings.get(t):
            continue
        updates = [i for i in run.writes.get(t, ()) if i > grads[0][0]]
        kept = not any(is_cleared(event["before"]) for _, event in grads[1:])
        alternate = all(
            sum(first < i < second for i in updates) == 1
            for (first, _), (second, _) in pairwise(grads)
        )
        if len(grads) >= ENOUGH_STEPS and kept and alternate:
            found[t] = updates
    if found:
        updates = next(iter(found.values()))
        facts = {"names": run.names(found), "updates": len(updates)}
        yield Finding(NEVER_CLEARED, run.place(run.events[updates[0]]), facts)


def two_optimizers(run: Run) -> Iterator[Finding]:
    """Two optimizers move the same parameters in turn, not one after the other has finished."""
    for first, second in combinations(_by_optimizer(run), 2):
        in_turn = first[0].at < second[-1].at and second[0].at < first[-1].at
        if in_turn and (both := first[0].tensors & second[0].tensors):
            kinds = [steps[0].event["opt"] for steps in (first, second)]
            facts = {"names": run.names(sorted(both, key=_number)), "optimizers": kinds}
            yield Finding(TWO_OPTIMIZERS, run.place(second[0].event), facts)


def empty_step(run: Run) -> Iterator[Finding]:
    """No parameter has a gradient at any step, although backward passes gave them some."""
    for steps in _by_optimizer(run):
        rows = [row for step in steps for row in step.rows]
        if any(map(_moves, steps)) or any(not is_cleared(row["grad"]) for row in rows):
            continue
        given = [
            (index, event)
            for t in steps[0].tensors
            for index, event in run.gradients.get(t, ())
            if index < steps[-1].at and not is_cleared(event["after"])
        ]
        if not given or (len(steps) == 1 and not _cleared_between(run, given, steps[0])):
            continue
        facts = {"optimizer": steps[0].event["opt"], "steps": len(steps)}
        facts["pass"] = run.place(min(given, key=lambda pair: pair[0])[1])
        cleared = [pair for t in steps[0].tensors for pair in run.clearings.get(t, ())]
        if cleared:
            facts["cleared"] = run.place(min(cleared, key=lambda pair: pair[0])[1])
        yield Finding(EMPTY_STEP, run.place(steps[0].event), facts)


def no_backward(run: Run) -> Iterator[Finding]:
    """Steps, and no backward pass at all."""
    for steps in () if run.passes else _by_optimizer(run):
        if len(steps) > 1 and all(row["grad"] is None for step in steps for row in step.rows):
            facts = {"optimizer": steps[0].event["opt"], "steps": len(steps)}
            yield Finding(NO_BACKWARD, run.place(steps[0].event), facts)


def never_stepped(run: Run) -> Iterator[Finding]:
    """Gradients of an optimizer's parameters are computed and cleared repeatedly, and nothing uses
    them. With a GradScaler a step may be skipped on purpose."""
    if run.steps or run.signs("scaler_step"):
        return
    times = {
        t: sum(index > grads[0][0] for index, _ in run.clearings.get(t, ()))
        for t, grads in run.gradients.items()
        if run.is_held(t) and not run.writes.get(t)
    }
    if found := [t for t, often in times.items() if often >= ENOUGH_STEPS]:
        facts = {"names": run.names(found), "times": times[found[0]]}
        facts["optimizer"] = run.trace.tensors[found[0]]["opt"]
        yield Finding(NEVER_STEPPED, run.place(run.gradients[found[0]][0][1]), facts)


def stepped_twice(run: Run) -> Iterator[Finding]:
    """Two steps with the same gradients: no backward pass came between."""
    found: dict[tuple, list[Step]] = defaultdict(list)
    for first, second in pairwise(run.steps):
        between = run.events[first.at : second.at]
        if any(event["k"] in ("backward", "grad_set") for event in between):
            continue
        held = {row["t"] for row in second.rows if not is_cleared(row["grad"])}
        if first.tensors & held & run.gradients.keys():
            found[first.event.get("line"), second.event.get("line")].append(second)
    for (line, _), steps in found.items():
        if len(steps) >= ENOUGH_STEPS - 1:
            facts = {"times": len(steps), "names": run.names(sorted(steps[0].tensors, key=_number))}
            facts["first"] = run.place({"line": line})
            yield Finding(STEPPED_TWICE, run.place(steps[0].event), facts)


def learning_rate_zero(run: Run) -> Iterator[Finding]:
    """Every step has the learning rate 0, and nothing moves."""
    for steps in _by_optimizer(run):
        if len(steps) >= 2 and all(step.event["lr"] == 0 and not _moves(step) for step in steps):
            facts = {"optimizer": steps[0].event["opt"], "steps": len(steps)}
            yield Finding(LEARNING_RATE_ZERO, run.place(steps[0].event), facts)


def stands_still(run: Run) -> Iterator[Finding]:
    """A parameter has a gradient at each step, and none of its numbers changes."""
    for steps in _by_optimizer(run):
        if len(steps) < ENOUGH_STEPS or any(step.event["lr"] == 0 for step in steps):
            continue
        if run.skipped:  # an optimizer that supports scaling may skip a step itself
            continue
        still = [rows for rows in _rows(steps).values() if all(map(_is_still, rows))]
        if still:
            names = run.names(rows[0]["t"] for rows in still)
            facts = {"names": names, "steps": len(steps), "lr": steps[-1].event["lr"]}
            facts["dtype"] = run.trace.tensors[still[0][0]["t"]].get("dtype", "float32")
            yield Finding(STANDS_STILL, run.place(steps[-1].event), facts)


def update_size(run: Run) -> Iterator[Finding]:
    """Weights that move by their own size in each step, or by less than float32 can represent."""
    for steps in _by_optimizer(run):
        if len(steps) < ENOUGH_STEPS:
            continue
        ratios = {t: _ratios(rows) for t, rows in _rows(steps).items()}
        ratios = {t: found for t, found in ratios.items() if len(found) >= ENOUGH_STEPS}
        large = [t for t, found in ratios.items() if median(found) > _TOO_LARGE]
        small = [t for t, found in ratios.items() if 0 < max(found) < _TOO_SMALL]
        constant = len({step.event["lr"] for step in steps}) == 1  # and no warm-up
        for kind, tensors in ((UPDATE_TOO_LARGE, large), (UPDATE_TOO_SMALL, small)):
            if tensors and 2 * len(tensors) > len(ratios) and constant:
                ratio = median(ratio for t in tensors for ratio in ratios[t])
                facts = {"names": run.names(tensors), "ratio": ratio, "steps": len(steps)}
                facts |= {"lr": steps[-1].event["lr"], "optimizer": steps[0].event["opt"]}
                yield Finding(kind, run.place(steps[0].event), facts)


def optimizer_holds_old(run: Run) -> Iterator[Finding]:
    """An optimizer holds a parameter that never gets a gradient, while no optimizer holds the newer
    one of the same name, which gets one."""
    if old := run.replaced:
        step = next(step for step in run.steps if step.tensors & set(old))
        facts = {"names": run.names(old), "optimizer": step.event["opt"]}
        yield Finding(OPTIMIZER_HOLDS_OLD, run.place(step.event), facts)


def moves_without_gradient(run: Run) -> Iterator[Finding]:
    """A parameter moves in a step although its gradient is zero: momentum, or weight decay."""
    for steps in _by_optimizer(run):
        moving = [
            row
            for step in steps
            for row in step.rows
            if row["grad"] is not None and is_zero(row["grad"]) and row["before"] != row["after"]
        ]
        if moving:
            names = run.names(row["t"] for row in moving)
            facts = {"names": names, "optimizer": steps[0].event["opt"]}
            yield Finding(MOVES_WITHOUT_GRADIENT, run.place(steps[0].event), facts)


def loss_grows(run: Run) -> Iterator[Finding]:
    """The loss of one line grows from pass to pass, a thousandfold."""
    losses: dict[tuple, list[float]] = defaultdict(list)
    events: dict[tuple, dict] = {}
    for each in run.passes:
        root = each.event["roots"][0]
        value = scalar(run.trace.tensors[root].get("value")) if root else None
        if value is not None and each.writes and len(each.event["roots"]) == 1:
            key = run.place(each.event)
            losses[key].append(value)
            events[key] = each.event
    for key, found in losses.items():
        grows = all(0 < a < b for a, b in pairwise(found))
        if len(found) > ENOUGH_STEPS and run.steps and grows and found[-1] > _GROWTH * found[0]:
            facts = {"first": found[0], "last": found[-1], "passes": len(found)}
            yield Finding(LOSS_GROWS, run.place(events[key]), facts)


def _by_optimizer(run: Run) -> list[list[Step]]:
    """The steps of each optimizer, identified by its class and its parameters."""
    found: dict[tuple, list[Step]] = defaultdict(list)
    for step in run.steps:
        if step.tensors:
            found[step.event["opt"], step.tensors].append(step)
    return list(found.values())


def _rows(steps: list[Step]) -> dict[str, list[dict]]:
    """The rows of each parameter, one for each step."""
    found = defaultdict(list)
    for step in steps:
        for row in step.rows:
            found[row["t"]].append(row)
    return found


def _kept(run: Run, first: Step, second: Step) -> set[str]:
    """The parameters whose gradient of one step is contained in the gradient of the next."""
    used = {row["t"] for row in first.rows if not is_cleared(row["grad"])}
    kept = set()
    for t in used:
        added = [e for i, e in run.gradients.get(t, ()) if first.at < i < second.at]
        changed = any(first.at < i < second.at for i, _ in run.clearings.get(t, ()))
        if added and not changed and not any(is_cleared(event["before"]) for event in added):
            kept.add(t)
    return kept


def _cleared_between(run: Run, given: list, step: Step) -> bool:
    """Whether gradients were cleared after they were computed, and before a step."""
    first = min(index for index, _ in given)
    cleared = (index for t in step.tensors for index, _ in run.clearings.get(t, ()))
    return any(first < index < step.at for index in cleared)


def _pass_before(run: Run, at: int) -> dict | None:
    return next((each.event for each in reversed(run.passes) if each.begin < at), None)


def _number(tensor: str) -> int:
    """The number of a tensor's key: "t12" comes after "t2"."""
    return int(tensor[1:])


def _moves(step: Step) -> bool:
    return any(row["before"] != row["after"] for row in step.rows)


def _is_still(row: dict) -> bool:
    still = row.get("moved") == 0 and row["before"] == row["after"]
    return still and not is_cleared(row["grad"])


def _ratios(rows: list[dict]) -> list[float]:
    """How far a weight moved in each step, relative to its norm; nothing for a small one."""
    if count(rows[0]["before"]) < _FEW or len(rows[0]["before"]["s"]) < 2:
        return []
    found = [row["moved"] for row in rows if not is_cleared(row["grad"]) and "moved" in row]
    return [ratio for ratio in found if ratio > 0]


_OFTEN = 3
_HARD = 100.0
"""A factor above which clipping does more than limit rare outliers."""


def clip_without_gradient(run: Run) -> Iterator[Finding]:
    """Clipping finds no gradient, or only gradients that a step has already used."""
    for signs in _by_line(run.signs("clip")).values():
        if run.passes and len(signs) >= 2 and all(_is_in_vain(run, sign) for sign in signs):
            passes = (each.event for each in run.passes if each.begin >= signs[0]["at"])
            facts = {"times": len(signs), "pass": run.place(next(passes, None))}
            yield Finding(CLIP_WITHOUT_GRADIENT, run.place(signs[0]), facts)


def clip_before_unscale(run: Run) -> Iterator[Finding]:
    """Gradients are clipped while they are still multiplied by the factor of a GradScaler."""
    signs = run.signs("clip", "scale", "unscale", "scaler_step")
    found, scaled = [], False
    clips = []
    for sign in signs:
        if sign["k"] == "clip":
            clips.append(sign)
            if scaled:
                found.append(sign)
        else:
            scaled = sign["k"] == "scale"
    if found and len(found) == len(clips):
        steps = (sign for sign in signs if sign["k"] == "scaler_step")
        facts = {"times": len(found), "step": run.place(next(steps, None))}
        yield Finding(CLIP_BEFORE_UNSCALE, run.place(found[0]), facts)


def clipped_hard(run: Run) -> Iterator[Finding]:
    """Each clipping shrinks the gradients by a large factor."""
    if run.signs("scale"):  # while gradients are scaled, their size means nothing
        return
    for signs in _by_line(run.signs("clip")).values():
        signs = [sign for sign in signs if not _is_in_vain(run, sign)]
        factors = [factor for sign in signs if (factor := _factor(run, sign)) is not None]
        if len(factors) >= _OFTEN and len(factors) == len(signs) and min(factors) > _HARD:
            facts = {"times": len(factors), "factor": median(factors)}
            yield Finding(CLIPPED_HARD, run.place(signs[0]), facts)


def _factor(run: Run, sign: Sign) -> float | None:
    """The factor by which a clipping reduced the norm of all gradients; None if it changed
    nothing."""
    changes = []
    for event in run.events[sign["at"] :]:
        if event["k"] != "grad_set" or run.place(event) != run.place(sign):
            break
        changes.append((norm(event["before"]), norm(event["after"])))
    if any(None in change for change in changes):
        return None
    before, after = (
        (math.hypot(*sizes) for sizes in zip(*changes, strict=True)) if changes else (0, 0)
    )
    return before / after if after else None


def _is_in_vain(run: Run, sign: Sign) -> bool:
    """Whether nothing was added to these gradients since they were last used, or skipped."""
    if not sign["total"]:
        return False
    given = set(sign["ts"])
    used = [step.at for step in run.steps if not given or given & step.tensors]
    used += [each["at"] for each in run.skipped]
    since = max((at for at in used if at < sign["at"]), default=-1)
    return not any(since < each.begin < sign["at"] for each in run.passes)


def _by_line(signs: list[Sign]) -> dict[object, list[Sign]]:
    found: dict[object, list[Sign]] = {}
    for sign in signs:
        found.setdefault((sign.get("file"), sign["line"]), []).append(sign)
    return found


CHECKS = (
    never_cleared,
    never_cleared_by_hand,
    two_optimizers,
    empty_step,
    no_backward,
    never_stepped,
    stepped_twice,
    learning_rate_zero,
    stands_still,
    update_size,
    optimizer_holds_old,
    moves_without_gradient,
    loss_grows,
    clip_without_gradient,
    clip_before_unscale,
    clipped_hard,
)
