"""Says what is still wrong with a script of the gradient detective.

    python detective.py 7 attempt.py          (in Chinese: python detective.py 7 attempt.py zh)

The script runs once more, from its first line, and what it left behind is examined.
"""

from __future__ import annotations

import contextlib
import io
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

Complaint = tuple[str, str]
"""What is wrong, in Chinese and in English."""


class Attempt:
    """A run of a reader's code.

    `names`: the names that it left; `before`: the parameters by name, as they were before the first
    backward pass; `backwards`, `steps`: how many there were; `stale`: how many backward passes
    added to gradients that a step had used; `in_eval`: how many ran with a module in eval mode;
    `errors`: what ended the run, if it was an error.
    """

    def __init__(self, code: str) -> None:
        self.names: dict = {"__name__": "attempt"}
        self.before: dict[str, torch.Tensor] = {}
        self.backwards = self.steps = self.stale = self.in_eval = 0
        self.errors: list[Complaint] = []
        self._stepped = False
        backward = torch.autograd.backward

        def counted(*args, **kwargs):
            self._remember()
            self.backwards += 1
            self.in_eval += not all(m.training for m in self.names.values() if _is_module(m))
            held = {p: p.grad.clone() for p in self.parameters().values() if p.grad is not None}
            backward(*args, **kwargs)
            added = (bool(old.any()) and not p.grad.equal(old) for p, old in held.items())
            self.stale += self._stepped and any(added)
            self._stepped = False

        def step(*_):
            self._remember()
            self._stepped = True
            self.steps += 1

        hook = register_optimizer_step_pre_hook(step)
        torch.autograd.backward = counted
        try:
            with contextlib.redirect_stdout(io.StringIO()), torch.random.fork_rng():
                exec(compile(code, "attempt", "exec"), self.names)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = [f.lineno for f in frames if f.filename == "attempt"]
            line = own[-1] if own else getattr(error, "lineno", "?")
            said = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            self.errors = [(f"第 {line} 行：{said}", f"Line {line}: {said}")]
        finally:
            torch.autograd.backward = backward
            hook.remove()

    def _remember(self) -> None:
        """Copy the parameters when something happens to them for the first time."""
        if not self.before:
            self.before = {n: p.detach().clone() for n, p in self.parameters().items()}

    def parameters(self) -> dict[str, torch.Tensor]:
        """Those of the modules, and the leaf tensors, that have a name in the script."""
        found: dict[str, torch.Tensor] = {}
        for name, value in self.names.items():
            if _is_module(value):
                found |= {f"{name}.{n}": p for n, p in value.named_parameters()}
            elif isinstance(value, torch.Tensor) and value.is_leaf and value.requires_grad:
                found[name] = value
        return found

    def number(self, name: str) -> float:
        """The number with this name; of a list or a tensor, the last."""
        value = self.names.get(name, float("nan"))
        if isinstance(value, (list, tuple)):
            value = value[-1] if value else float("nan")
        return value.reshape(-1)[-1].item() if isinstance(value, torch.Tensor) else float(value)

    def change(self, prefix: str) -> dict[str, float]:
        """How far the parameters with this prefix have moved: max |Δ| of each."""
        return {
            name: (p.detach() - self.before[name]).abs().max().item()
            for name, p in self.parameters().items()
            if name.startswith(prefix) and name in self.before
        }


def _is_module(value: object) -> bool:
    return isinstance(value, torch.nn.Module)


def below(a: Attempt, limit: float, name: str = "loss") -> Iterator[Complaint]:
    """Complains where a number at the end isn't below a limit."""
    value = a.number(name)
    if not value < limit:
        yield (
            f"结束时 `{name}` 是 {value:.3g}，应该小于 {limit:g}。",
            f"`{name}` is {value:.3g} at the end; it should be below {limit:g}.",
        )


def moves(a: Attempt, prefix: str) -> Iterator[Complaint]:
    """Complains of parameters that the training didn't change."""
    for name, change in a.change(prefix).items():
        if change == 0:
            yield f"`{name}` 没有变：max |Δ| = 0。", f"`{name}` did not change: max |Δ| = 0."


def stays(a: Attempt, prefix: str) -> Iterator[Complaint]:
    """Complains of parameters that should not have changed."""
    for name, change in a.change(prefix).items():
        if change > 0:
            yield (
                f"`{name}` 不该动，却动了：max |Δ| = {change:.2g}。",
                f"`{name}` should stay, but it moved: max |Δ| = {change:.2g}.",
            )


def clears(a: Attempt) -> Iterator[Complaint]:
    """Complains of gradients that were added to those of an earlier step."""
    if a.stale:
        yield (
            f"{a.backwards} 次 `backward()` 里有 {a.stale} 次，新的梯度加在了上一步用过的梯度上。",
            f"In {a.stale} of {a.backwards} calls of `backward()` the new gradient was added to one"
            " that an earlier step had used.",
        )


def case_1(a: Attempt) -> Iterator[Complaint]:
    yield from clears(a)
    yield from below(a, 0.01)


def case_2(a: Attempt) -> Iterator[Complaint]:
    yield from moves(a, "model")
    yield from below(a, 0.01)


def case_3(a: Attempt) -> Iterator[Complaint]:
    yield from clears(a)
    yield from below(a, 0.01)


def case_4(a: Attempt) -> Iterator[Complaint]:
    yield from moves(a, "")
    yield from below(a, 0.01, "price_loss")
    yield from below(a, 0.01, "rooms_loss")


def case_5(a: Attempt) -> Iterator[Complaint]:
    yield from moves(a, "")
    yield from below(a, 0.05)


def case_6(a: Attempt) -> Iterator[Complaint]:
    yield from below(a, 0.1)


def case_7(a: Attempt) -> Iterator[Complaint]:
    ours, theirs = (tuple(a.names[name].shape) for name in ("prediction", "fare"))
    if ours != theirs:
        yield (
            f"`prediction` 的形状是 {ours}，`fare` 的形状是 {theirs}。",
            f"`prediction` has the shape {ours}, `fare` the shape {theirs}.",
        )
    yield from below(a, 0.01)


def case_8(a: Attempt) -> Iterator[Complaint]:
    away = abs(a.number("w") - 10)
    if away > 0.01:
        yield (
            f"结束时 `w` 离 10 还有 {away:.3g}，应该不到 0.01。",
            f"At the end `w` is {away:.3g} away from 10; it should be closer than 0.01.",
        )


def case_9(a: Attempt) -> Iterator[Complaint]:
    yield from moves(a, "model")
    yield from below(a, 0.01)


def case_10(a: Attempt) -> Iterator[Complaint]:
    rate = a.names["optimizer"].param_groups[0]["lr"]
    if rate < 1e-4:
        yield (
            f"结束时学习率是 {rate:.1g}，从这里起什么也学不动。",
            f"The learning rate is {rate:.1g} at the end: nothing moves anymore.",
        )
    yield from below(a, 0.01)


def case_11(a: Attempt) -> Iterator[Complaint]:
    known = len(list(a.names["model"].parameters()))
    if known != 8:
        yield (
            f"四层有 8 个参数张量，`model.parameters()` 里只有 {known} 个。",
            f"Four layers have 8 parameter tensors; `model.parameters()` has {known}.",
        )
    yield from below(a, 0.05)


def case_12(a: Attempt) -> Iterator[Complaint]:
    yield from moves(a, "model")
    yield from below(a, 0.2)


def case_13(a: Attempt) -> Iterator[Complaint]:
    yield from moves(a, "model.")
    yield from below(a, 0.01)
    if a.names["model"].features.requires_grad:
        yield (
            "`model.features` 还连着计算图，画图的那一行要的是切断的。",
            "`model.features` is still part of the graph; the plot needs it detached.",
        )


def case_14(a: Attempt) -> Iterator[Complaint]:
    yield from moves(a, "adapter")
    yield from moves(a, "head")
    yield from stays(a, "large")
    yield from below(a, 0.1)


def case_15(a: Attempt) -> Iterator[Complaint]:
    moved = (a.names["encoder"].weight - a.names["frozen"]).abs().max().item()
    if moved > 0:
        yield (
            f"冻结以后，`encoder.weight` 又走了 {moved:.2g}。",
            f"After it was frozen, `encoder.weight` moved by {moved:.2g}.",
        )
    yield from moves(a, "head")


def case_16(a: Attempt) -> Iterator[Complaint]:
    ratio = a.number("ratio")
    if abs(ratio - 1) > 0.01:
        yield (
            f"几份合起来的梯度是整批的 {ratio:.3g} 倍，应该是 1 倍。",
            f"Together the parts give {ratio:.3g} times the gradient of the batch; it should be 1.",
        )
    yield from below(a, 0.01)


def case_17(a: Attempt) -> Iterator[Complaint]:
    if a.in_eval:
        yield (
            f"{a.backwards} 次反向传播里有 {a.in_eval} 次，模型处于 `eval()` 模式。",
            f"In {a.in_eval} of {a.backwards} backward passes the model was in `eval()` mode.",
        )
    away = (a.names["model"][0].running_mean - a.names["x"].mean(dim=0)).abs().max().item()
    if away > 1:
        yield (
            f"BatchNorm 记下的平均，离数据的平均有 {away:.3g}。",
            f"The mean that BatchNorm keeps is {away:.3g} away from that of the data.",
        )


def case_18(a: Attempt) -> Iterator[Complaint]:
    away = (a.names["conv"].weight - a.names["edge"]).abs().max().item()
    if away > 0:
        yield (
            f"`conv` 的核不是 `edge`：最大相差 {away:.2g}。",
            f"The kernel of `conv` isn't `edge`: they differ by {away:.2g} at most.",
        )
    yield from below(a, 0.01)


def case_19(a: Attempt) -> Iterator[Complaint]:
    model = a.names["model"]
    dead = int((model[:2](a.names["size"]) == 0).all(dim=0).sum())
    if dead > 8:
        yield (
            f"隐藏层的 16 个单元里，有 {dead} 个对所有样本都输出 0。",
            f"Of the 16 hidden units, {dead} return 0 for every sample.",
        )
    yield from below(a, 0.01)


def case_20(a: Attempt) -> Iterator[Complaint]:
    photo = a.names["photo"]
    apart = a.names["distance"](photo, photo).mean().item()
    if apart > 1e-6:
        yield (
            f"同一张照片送进两个分支，距离是 {apart:.2g}，应该是 0。",
            f"The same photo in both branches: the distance is {apart:.2g}, it should be 0.",
        )
    yield from moves(a, "left_branch.weight")
    yield from moves(a, "right_branch.weight")


def case_21(a: Attempt) -> Iterator[Complaint]:
    yield from moves(a, "model")
    yield from below(a, 0.1)


def case_22(a: Attempt) -> Iterator[Complaint]:
    slope = a.names["critic"].weight.abs().item()
    if abs(slope - 1) > 0.5:
        yield (
            f"`critic` 的斜率是 {slope:.2g}，应该在 0.5 和 1.5 之间。",
            f"The slope of `critic` is {slope:.2g}; it should be between 0.5 and 1.5.",
        )
    if not a.names["penalty"].requires_grad:
        yield "`penalty` 不需要梯度：它是常数。", "`penalty` is a constant: no gradient."


def case_23(a: Attempt) -> Iterator[Complaint]:
    away = abs(a.number("mean") - 3)
    if away > 0.2:
        yield (
            f"`mean` 离 3 还有 {away:.2g}，应该不到 0.2。",
            f"`mean` is {away:.2g} away from 3; it should be closer than 0.2.",
        )
    if not a.names["data_loss"].requires_grad:
        yield "`data_loss` 不需要梯度。", "`data_loss` requires no gradient."


def case_24(a: Attempt) -> Iterator[Complaint]:
    wrong = a.number("wrong_by")
    if wrong > 1e-5:
        yield (
            f"最后一步里，`judge` 的梯度差了 {wrong:.2g}。",
            f"In the last step the gradient of `judge` is off by {wrong:.2g}.",
        )
    yield from moves(a, "maker")
    yield from moves(a, "judge")


def case_25(a: Attempt) -> Iterator[Complaint]:
    yield from stays(a, "teacher")
    yield from moves(a, "student")
    yield from below(a, 0.01)


def case_26(a: Attempt) -> Iterator[Complaint]:
    points = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    square = a.names["Square"].apply
    if not torch.autograd.gradcheck(square, (points,), raise_exception=False):
        yield (
            "`gradcheck`：`Square` 在三个点上的雅可比矩阵不对。",
            "`gradcheck`: the Jacobian of `Square` at three points is wrong.",
        )
    yield from below(a, 0.01)


def case_27(a: Attempt) -> Iterator[Complaint]:
    yield from moves(a, "main")
    yield from stays(a, "extra")
    yield from below(a, 0.01)


def case_28(a: Attempt) -> Iterator[Complaint]:
    apart = (a.names["plain"] - a.names["saving"]).abs().max().item()
    if apart > 1e-5:
        yield (
            f"有检查点和没有检查点，梯度相差 {apart:.2g}。",
            f"With and without the checkpoint, the gradients differ by {apart:.2g}.",
        )


def case_29(a: Attempt) -> Iterator[Complaint]:
    yield from moves(a, "model")
    away = (a.names["model"].weight * 1e7 - 1).abs().max().item()
    if away > 0.1:
        yield (
            f"权重乘以一千万，离 1 还有 {away:.2g}，应该不到 0.1。",
            f"Ten million times the weight is {away:.2g} from 1; it should be closer than 0.1.",
        )


def case_30(a: Attempt) -> Iterator[Complaint]:
    if a.names["head"].weight is not a.names["embedding"].weight:
        yield (
            "`head.weight` 和 `embedding.weight` 是两个张量。",
            "`head.weight` and `embedding.weight` are two tensors.",
        )
    longest = a.number("longest")
    if not longest < 1.01:
        yield (
            f"有一步用的梯度范数是 {longest:.2f}，裁剪以后不该超过 1。",
            f"One step used gradients of norm {longest:.2f}; clipped, it is 1 at most.",
        )
    scores, words = a.names["scores"], a.names["after"][a.names["part"]]
    share = (a.names["loss"] / torch.nn.functional.cross_entropy(scores, words)).item()
    right = len(words) / len(a.names["after"])
    if abs(share - right) > 0.01:
        yield (
            f"第二份占损失的 {share:.2f}，按词数应该占 {right:.2f}。",
            f"The second part counts {share:.2f} of the loss; by its words, {right:.2f} is right.",
        )


CASES: dict[int, Callable[[Attempt], Iterator[Complaint]]] = {
    int(name.removeprefix("case_")): each
    for name, each in list(globals().items())
    if name.startswith("case_")
}


def verdict(case: int, code: str, language: str = "en") -> str:
    """What is still wrong with this code, or that the case is solved."""
    attempt = Attempt(code)
    try:
        found = attempt.errors or list(CASES[case](attempt))
    except KeyError as name:
        found = [(f"脚本里没有 {name} 这个名字了。", f"The script has no name {name} anymore.")]
    solved = (f"案子 {case} 破了。", f"Case {case} is solved.")
    return "\n".join(each[language != "zh"] for each in found or [solved])


if __name__ == "__main__":
    number, file, *language = sys.argv[1:]
    print(verdict(int(number), Path(file).read_text("utf-8"), *language))
