"""What optimizers did with the gradients, and where gradients are clipped."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, dropwhile, pairwise, takewhile
from statistics import median

from gradtrace.doctor.finding import Finding, Place
from gradtrace.doctor.run import Pass, Run, Step, argument, is_cleared
from gradtrace.trace import Sign
from gradtrace.values import count, is_zero, norm, scalar

ENOUGH_STEPS = 3
"""The number of steps of one optimizer that shows a pattern."""
_PATIENCE = 6
"""So many steps of one optimizer may come before the first of another."""
_TOO_LARGE = 0.5
"""A weight that mostly moves this far in a step, relative to its norm, is replaced."""
_TOO_SMALL = 1e-7
"""About the relative distance of two adjacent numbers in float32."""
_FADED = 1e-4
"""A learning rate that has fallen below this part of the largest."""
_DECAYED = 0.1
"""Weight decay that takes this part of a weight in each step."""
_FEW = 32
"""For a weight with fewer elements, how far it moves means little."""
_WORSE = 3
_GROWTH = 1000.0
_MEANS = {"mse_loss", "l1_loss", "cross_entropy", "nll_loss", "binary_cross_entropy_with_logits"}
"""Losses that are means, if nothing else was asked for."""


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
            yield Finding("never-cleared", run.place(steps[0].event), facts, mild=few)


def uses_new_gradients(run: Run) -> bool:
    """Whether there is more than one step, and none reused gradients of the step before."""
    pairs = [pair for steps in _by_optimizer(run) for pair in pairwise(steps)]
    return bool(pairs) and not any(_kept(run, *pair) for pair in pairs)


def never_cleared_by_hand(run: Run) -> Iterator[Finding]:
    """The same for parameters that the script updates by hand, after each pass."""
    found: dict[str, list[int]] = {}
    for t, grads in run.gradients.items():
        if t in run.optimized or run.clearings.get(t) or t not in run.used_gradients:
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
        yield Finding("never-cleared", run.place(run.events[updates[0]]), facts)


def two_optimizers(run: Run) -> Iterator[Finding]:
    """Two optimizers move the same parameters in turn, not one after the other has finished."""
    for first, second in combinations(_by_optimizer(run), 2):
        in_turn = first[0].at < second[-1].at and second[0].at < first[-1].at
        if in_turn and (both := first[0].tensors & second[0].tensors):
            kinds = [steps[0].event["opt"] for steps in (first, second)]
            facts = {"names": run.names(sorted(both, key=_number)), "optimizers": kinds}
            yield Finding("two-optimizers", run.place(second[0].event), facts)


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
        yield Finding("empty-step", run.place(steps[0].event), facts)


def no_backward(run: Run) -> Iterator[Finding]:
    """Steps, and no backward pass at all."""
    for steps in () if run.passes else _by_optimizer(run):
        if len(steps) > 1 and all(row["grad"] is None for step in steps for row in step.rows):
            facts = {"optimizer": steps[0].event["opt"], "steps": len(steps)}
            yield Finding("no-backward", run.place(steps[0].event), facts)


def never_stepped(run: Run) -> Iterator[Finding]:
    """Gradients of an optimizer's parameters are computed repeatedly, and nothing uses them; where
    no optimizer makes a step, they are also cleared. With a GradScaler a step may be skipped on
    purpose."""
    if run.signs("scaler_step"):
        return
    times = {
        t: len([e for _, e in grads if not is_cleared(e["after"])])
        if run.steps
        else sum(index > grads[0][0] for index, _ in run.clearings.get(t, ()))
        for t, grads in run.gradients.items()
        if run.is_held(t) and t not in run.optimized and not run.writes.get(t)
        if not run.steps or (t not in run.used_gradients and _steps_after(run, grads))
    }
    enough = _PATIENCE if run.steps else ENOUGH_STEPS
    if found := [t for t, often in times.items() if often >= enough]:
        key = "passes" if run.steps else "times"
        facts = {"names": run.names(found), key: times[found[0]]}
        facts["optimizer"] = run.trace.tensors[found[0]]["opt"]
        yield Finding("never-stepped", run.place(run.gradients[found[0]][0][1]), facts)


def _steps_after(run: Run, grads: list[tuple[int, dict]]) -> bool:
    """Whether other optimizers made enough steps since a parameter got its first gradient."""
    return sum(step.at > grads[0][0] for step in run.steps) >= _PATIENCE


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
            yield Finding("stepped-twice", run.place(steps[0].event), facts)


def learning_rate_zero(run: Run) -> Iterator[Finding]:
    """The learning rate is 0 in every step, or in the last ones, and nothing moves; or it is almost
    0 in the last ones. A schedule that ends there is so in its last step or two."""
    for steps in _by_optimizer(run):
        last = list(takewhile(_has_rate_zero, reversed(steps)))
        before = len(steps) - len(last)
        rates = [step.event["lr"] or 0 for step in steps]
        faded = [0 < rate < _FADED * max(rates) for rate in reversed(rates)]
        tiny = [*takewhile(bool, faded)]
        if ENOUGH_STEPS <= len(tiny) < len(steps):
            facts: dict = {"optimizer": steps[0].event["opt"]}
            facts |= {"at_first": len(steps) - len(tiny), "tiny": len(tiny)}
            facts |= {"high": float(max(rates)), "low": float(rates[-1])}
            yield Finding("learning-rate-zero", run.place(steps[-1].event), facts)
        if len(last) >= (ENOUGH_STEPS if before else 2):
            facts = {"optimizer": steps[0].event["opt"]}
            facts |= {"before": before, "last": len(last)} if before else {"steps": len(last)}
            yield Finding("learning-rate-zero", run.place(last[-1].event), facts)


def thrown_away(run: Run) -> Iterator[Finding]:
    """Before each step several passes of one line give gradients, and all but the last of them are
    cleared before anything uses them."""
    for steps in _by_optimizer(run):
        lost = [_thrown_away(run, *pair) for pair in pairwise(steps)]
        if lost and all(lost):
            cleared = run.place(lost[0][0][1])
            facts: dict = {"optimizer": steps[0].event["opt"], "times": len(lost[0])}
            facts["step"] = run.place(steps[0].event)
            yield Finding("thrown-away", cleared, facts)


def undivided(run: Run) -> Iterator[Finding]:
    """The means of several batches add up before each step, and none is divided by their number."""
    for steps in _by_optimizer(run):
        pairs = list(pairwise(steps))
        between = [[p for p in run.passes if a.at < p.begin < b.at and p.writes] for a, b in pairs]
        passes = [each for group in between for each in group]
        times = {len(group) for group in between}
        means = [_mean(run, each) for each in passes if each.whole]
        if len(times) == 1 and len({run.place(each.event) for each in passes}) == 1 < min(times):
            starts = [(group[0].begin, group[-1].begin) for group in between]
            clearings = [i for t in steps[0].tensors for i, _ in run.clearings.get(t, ())]
            lost = any(a < i < b for a, b in starts for i in clearings)
            lost = lost or any(step.has_closure for step in steps)
            if None not in means and len(set(means)) == 1 and not lost:
                facts = {"optimizer": steps[0].event["opt"], "times": min(times)}
                yield Finding("undivided", run.place(passes[0].event), facts)


def copy_with_gradients(run: Run) -> Iterator[Finding]:
    """Gradients pile up in parameters that no optimizer holds, which the script overwrites without
    using these gradients: a target network, or a teacher."""
    found = [
        t
        for t, grads in run.gradients.items()
        if len(grads) >= ENOUGH_STEPS and run.trace.tensors[t].get("param") and not run.is_held(t)
        if not run.clearings.get(t) and any(i > grads[0][0] for i in run.writes.get(t, ()))
    ]
    if found and run.steps and not run.used_gradients.intersection(found):
        facts = {"names": run.names(found), "passes": len(run.gradients[found[0]])}
        facts["pass"] = run.place(run.gradients[found[0]][0][1])
        uses = run.uses(found[0])
        yield Finding("copy-with-gradients", run.place(uses[0][1] if uses else None), facts)


def stands_still(run: Run) -> Iterator[Finding]:
    """A parameter has a gradient at each step, and none of its numbers changes."""
    for steps in _by_optimizer(run):
        if len(steps) < ENOUGH_STEPS:
            continue
        if run.skipped:  # an optimizer that supports scaling may skip a step itself
            continue
        still = [rows for rows in _rows(steps).values() if all(map(_is_still, rows))]
        still = [rows for rows in still if rows[0]["t"] not in run.before_batch_norm]
        off = [rows for rows in still if all(row["lr"] == 0 for row in rows)]
        rounded = [rows for rows in still if all(row["lr"] != 0 for row in rows)]
        if off and any(map(_moves, steps)):
            facts = {"names": run.names(rows[0]["t"] for rows in off), "in_all": len(steps)}
            facts["optimizer"] = steps[0].event["opt"]
            yield Finding("learning-rate-zero", run.place(steps[-1].event), facts)
        if rounded:
            names = run.names(rows[0]["t"] for rows in rounded)
            facts = {"names": names, "steps": len(steps), "lr": rounded[0][-1]["lr"]}
            facts["dtype"] = run.trace.tensors[rounded[0][0]["t"]].get("dtype", "float32")
            yield Finding("stands-still", run.place(steps[-1].event), facts)


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
        for kind, tensors in (("update-too-large", large), ("update-too-small", small)):
            if tensors and 2 * len(tensors) > len(ratios) and constant:
                ratio = median(ratio for t in tensors for ratio in ratios[t])
                facts = {"names": run.names(tensors), "ratio": ratio, "steps": len(steps)}
                facts |= {"lr": steps[-1].event["lr"], "optimizer": steps[0].event["opt"]}
                yield Finding(kind, run.place(steps[0].event), facts)
        first = [t for t, found in ratios.items() if found[0] > 1 and t not in large]
        if 2 * len(first) > len(ratios) and constant and (losses := _never_back(run)):
            facts = {"names": run.names(first), "first": median(ratios[t][0] for t in first)}
            facts |= {"lr": steps[-1].event["lr"], "loss": losses[0], "later": median(losses[1:])}
            yield Finding("update-too-large", run.place(steps[0].event), facts)


def _never_back(run: Run) -> list[float]:
    """The losses of the line with most passes, if after the first step all were larger, and most of
    them several times as large."""
    found = max((losses for losses, _ in _losses(run).values()), key=len, default=[])
    worse = len(found) > _PATIENCE and min(found[1:]) > found[0] > 0
    return found if worse and median(found[1:]) > _WORSE * found[0] else []


def weight_decay_large(run: Run) -> Iterator[Finding]:
    """Weight decay takes a large part of a weight in each step."""
    for steps in _by_optimizer(run):
        parts = {
            t: [row.get("decay", 0) for row in rows if row["grad"] is not None]
            for t, rows in _rows(steps).items()
        }
        found = [t for t, each in parts.items() if len(each) >= ENOUGH_STEPS]
        if found := [t for t in found if min(parts[t]) >= _DECAYED]:
            facts = {"names": run.names(found), "part": float(median(parts[found[0]]))}
            facts["optimizer"] = steps[0].event["opt"]
            yield Finding("weight-decay-large", run.place(steps[0].event), facts)


def optimizer_holds_old(run: Run) -> Iterator[Finding]:
    """An optimizer holds a parameter that never gets a gradient, while no optimizer holds the newer
    one of the same name, which gets one."""
    if old := run.replaced:
        step = next(step for step in run.steps if step.tensors & set(old))
        facts = {"names": run.names(old), "optimizer": step.event["opt"]}
        yield Finding("optimizer-holds-old", run.place(step.event), facts)


def moves_without_gradient(run: Run) -> Iterator[Finding]:
    """A parameter moves in a step although its gradient is zero: momentum, or weight decay. Not if
    its gradient is zero in the first steps alone, as where a factor begins at 0 (LoRA)."""
    for steps in _by_optimizer(run):
        moving = [t for t, rows in _rows(steps).items() if any(map(_drifts, _learning(rows)))]
        if moving:
            facts = {"names": run.names(moving), "optimizer": steps[0].event["opt"]}
            yield Finding("moves-without-gradient", run.place(steps[0].event), facts)


def loss_grows(run: Run) -> Iterator[Finding]:
    """The loss of one line grows from pass to pass, a thousandfold."""
    for found, event in _losses(run).values():
        grows = all(0 < a < b for a, b in pairwise(found))
        if len(found) > ENOUGH_STEPS and run.steps and grows and found[-1] > _GROWTH * found[0]:
            facts = {"first": found[0], "last": found[-1], "passes": len(found)}
            yield Finding("loss-grows", run.place(event), facts)


def _losses(run: Run) -> dict[Place, tuple[list[float], dict]]:
    """The losses at which the passes of each line began, and the last of these passes."""
    found: dict[Place, tuple[list[float], dict]] = {}
    for each in run.passes:
        root = each.event["roots"][0]
        value = scalar(run.trace.tensors[root].get("value")) if root else None
        if value is not None and each.writes and len(each.event["roots"]) == 1:
            place = run.place(each.event)
            found[place] = [*found.get(place, ([],))[0], value], each.event
    return found


def _by_optimizer(run: Run) -> list[list[Step]]:
    """The steps of each optimizer, identified by its class and its parameters."""
    found: dict[tuple, list[Step]] = defaultdict(list)
    for step in run.steps:
        if step.tensors:
            found[step.event["opt"], step.tensors].append(step)
    return list(found.values())


def _rows(steps: list[Step]) -> dict[str, list[dict]]:
    """The rows of each parameter, one for each step, with its learning rate."""
    found = defaultdict(list)
    for step in steps:
        for row in step.rows:
            found[row["t"]].append({"lr": step.event["lr"]} | row)
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


def _thrown_away(run: Run, first: Step, second: Step) -> list[tuple[int, dict]]:
    """The clearings between two steps of gradients that came from the line of the last pass, and
    that nothing had used, if those of the last pass reach the step."""
    last = _pass_before(run, second.at)
    t = next((t for t in second.tensors if t in run.gradients), None)
    if last is None or t is None or second.has_closure or run.used_gradients & second.tensors:
        return []
    marks = [mark for mark in (*run.gradients[t], *run.clearings.get(t, ())) if mark[0] > first.at]
    marks = sorted((mark for mark in marks if mark[0] < second.at), key=lambda mark: mark[0])
    if not marks or marks[-1][1]["k"] != "acc":
        return []
    lines = [
        (event["k"], run.place(run.pass_number[event["p"]].event) if "p" in event else None)
        for _, event in marks
    ]
    return [
        clearing
        for (kind, line), (then, _), clearing in zip(lines, lines[1:], marks[1:], strict=False)
        if kind == "acc" and then != "acc" and line == run.place(last)
    ]


def _mean(run: Run, each: Pass) -> Place | None:
    """Where the loss at which a pass begins was computed, if it is a mean over a batch and nothing
    that was computed of one."""
    (root, *others) = each.event["roots"]
    made = run.maker(root, each.begin) if root and not others else None
    is_mean = made and (made["op"] == "mean" or made["op"] in _MEANS)
    given = argument(made, 99, "reduction") if is_mean else ""
    return run.place(made) if given in (None, "mean") else None


def _has_rate_zero(step: Step) -> bool:
    return step.event["lr"] == 0 and not _moves(step)


def _moves(step: Step) -> bool:
    return any(row["before"] != row["after"] for row in step.rows)


def _is_still(row: dict) -> bool:
    still = row.get("moved") == 0 and row["before"] == row["after"]
    return still and not is_cleared(row["grad"])


def _drifts(row: dict) -> bool:
    return row["grad"] is not None and is_zero(row["grad"]) and row["before"] != row["after"]


def _learning(rows: list[dict]) -> list[dict]:
    """The rows from the first gradient on that isn't zero; all of them if there is none."""
    return [*dropwhile(lambda row: is_cleared(row["grad"]), rows)] or rows


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
            yield Finding("clip-without-gradient", run.place(signs[0]), facts)


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
        yield Finding("clip-before-unscale", run.place(found[0]), facts)


def clipped_hard(run: Run) -> Iterator[Finding]:
    """Each clipping shrinks the gradients by a large factor."""
    if run.signs("scale"):  # while gradients are scaled, their size means nothing
        return
    for signs in _by_line(run.signs("clip")).values():
        signs = [sign for sign in signs if not _is_in_vain(run, sign)]
        norms = [pair for sign in signs if (pair := _norms(run, sign)) is not None]
        factors = [before / after for before, after in norms if after]
        if len(factors) >= _OFTEN and len(factors) == len(signs) and min(factors) > _HARD:
            facts = {"times": len(factors), "factor": median(factors)}
            facts |= {"before": norms[0][0], "after": norms[0][1]}
            yield Finding("clipped-hard", run.place(signs[0]), facts)


def _norms(run: Run, sign: Sign) -> tuple[float, float] | None:
    """The norm of all gradients that a clipping changed, before and after it; None if unknown."""
    changes = []
    for event in run.events[sign["at"] :]:
        if event["k"] != "grad_set" or run.place(event) != run.place(sign):
            break
        changes.append((norm(event["before"]), norm(event["after"])))
    if any(None in change for change in changes):
        return None
    before, after = zip(*changes, strict=True) if changes else ((), ())
    return math.hypot(*before), math.hypot(*after)


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
    thrown_away,
    undivided,
    copy_with_gradients,
    learning_rate_zero,
    stands_still,
    update_size,
    weight_decay_large,
    optimizer_holds_old,
    moves_without_gradient,
    loss_grows,
    clip_without_gradient,
    clip_before_unscale,
    clipped_hard,
)
