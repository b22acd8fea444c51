"""Changes of leaves and gradients are seen in the step in which they happen, through whatever door,
however often the line has run before."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from gradtrace.trace import Value
from recording import recorded

pytestmark = pytest.mark.upgrade

STEPS = 12
"""More than the times that a line is looked at in any case."""

VALUE = {
    "data": "w.data.mul_(2)",
    "data of a part": "w.data[0].add_(1)",
    "an alias of data made before": "alias.mul_(2)",
    "a view of an alias": "part.add_(1)",
    "an alias made before it was a leaf": "early.add_(1)",
    "detach": "w.detach().add_(1)",
    "no_grad": "with torch.no_grad(): w.mul_(2)",
    "a view in no_grad": "with torch.no_grad(): w[1:].mul_(2)",
    "item assignment": "with torch.no_grad(): w[:] = w + 1",
    "a view of a NumPy array": "w.detach().numpy()[:] += 1",
    "an array that is kept": "array[:] += 1",
    "an array through __array__": "other[:] += 1",
    "an array of data": "w.data.numpy()[0] += 1",
    "DLPack": "np.from_dlpack(w.detach()); torch.from_dlpack(w.detach()).add_(1)",
    "another data": "w.data = w.data * 2",
    "set_": "with torch.no_grad(): w.set_((w * 2).detach())",
    "foreach": "with torch.no_grad(): torch._foreach_add_([v, w], 1.0)",
    "out=": "with torch.no_grad(): torch.add(w.detach(), 1, out=w.data)",
    "copy_": "with torch.no_grad(): w.copy_(w * 2)",
    "swap_tensors": "torch.utils.swap_tensors(w, nn.Parameter(w.detach() * 2))",
    "vector_to_parameters": "nn.utils.vector_to_parameters(torch.full((40,), step + 5.0), [w])",
    "init": "nn.init.constant_(w, step + 5)",
    "a function": "edit(w)",
    "a comprehension": "[p.data.add_(1) for p in [w]]",
    "another thread": "in_thread(lambda: edit_counted(w))",
}
LATER = "set_"
"""PyTorch shows no function mode that it is called: it is told when the next pass begins."""
GRADIENT = {
    "data of grad": "w.grad.data.zero_()",
    "item assignment of grad": "w.grad[...] = step",
    "a part": "w.grad[1:].fill_(step)",
    "mul_": "w.grad.mul_(3)",
    "None": "w.grad = None",
    "delete": "del w.grad",
    "another": "w.grad = torch.full_like(w, step)",
    "NumPy": "w.grad.numpy()[:] = step",
    "clipped": "nn.utils.clip_grad_norm_([w], 0.1 * (step + 1))",
    "foreach of grad": "torch._foreach_zero_([w.grad])",
    "unscaled": "torch._amp_foreach_non_finite_check_and_unscale_("
    "[w.grad], torch.zeros(1), torch.full((1,), 0.5))",
    "another thread of grad": "in_thread(lambda: w.grad.zero_())",
    "a function of grad": "edit(w.grad)",
}

SCRIPT = """
    import threading
    import numpy as np

    def edit(tensor):
        tensor.data.add_(1)

    def edit_counted(tensor):
        with torch.no_grad():
            tensor.add_(1)

    def in_thread(f):
        thread = threading.Thread(target=f)
        thread.start()
        thread.join()

    def norm(tensor):
        return 0.0 if tensor is None else torch.linalg.vector_norm(tensor).item()

    early = torch.ones(40)
    w = nn.Parameter({made})
    v = nn.Parameter(torch.ones(40))
    alias = w.data
    part = w.data[3:5]
    array, other = w.detach().numpy(), np.asarray(w.detach())
    for step in range({steps}):
        w.grad = None
        ((w + v) ** 2 / 100).sum().backward()
        {edit}
        print("now", norm(w), norm(w.grad))
"""


def norm_of(value: Value | None) -> float:
    """The Euclidean norm of what was recorded of forty numbers."""
    if value is None:
        return 0.0
    if "m" in value:
        return value["m"][3]
    counted = value.get("u") or [[value["v"], 40]]
    return math.sqrt(sum(count * number**2 for number, count in counted))


def last_told(edit: str, made: str, folder: Path) -> list[tuple[list[float], list[float]]]:
    """For each step of a script with this edit: the norms of the leaf and of its gradient as they
    were told last, and as they were."""
    trace = recorded(SCRIPT.format(edit=edit, steps=STEPS, made=made), folder)
    leaf = next(t for t, entry in trace.tensors.items() if "w" in entry.get("names", ()))
    told, steps = {"set": trace.tensors[leaf].get("value"), "grad_set": None}, []
    at_begin: list[float] = []
    for event in trace.events:
        if event["k"] in told and event["t"] == leaf:
            told[event["k"]] = event["after"]
        elif event["k"] == "acc" and event["t"] == leaf:
            told["grad_set"] = event["after"]
        elif event["k"] == "op":
            values = [out["value"] for out in event["out"] if out["t"] == leaf and "value" in out]
            told["set"] = values[0] if values else told["set"]
        elif event["k"] == "backward":
            at_begin.append(norm_of(told["set"]))
        elif event["k"] == "print" and event["text"].startswith("now"):
            norms = [norm_of(value) for value in told.values()]
            steps.append((norms, [float(number) for number in event["text"].split()[1:]]))
    assert len(steps) == STEPS
    if edit == VALUE[LATER]:
        later = zip(at_begin[1:], steps, strict=False)
        return [([begun, norms[1]], true) for begun, (norms, true) in later]
    return steps


@pytest.mark.parametrize("door", [*VALUE, *GRADIENT])
def test_an_edit_is_told_in_its_step(door, tmp_path):
    made = "early" if door == "an alias made before it was a leaf" else "early.clone()"
    for told, true in last_told({**VALUE, **GRADIENT}[door], made, tmp_path):
        assert told == pytest.approx(true, rel=1e-3, abs=1e-4)


def test_an_edit_in_a_hook_is_told_at_the_hook(tmp_path):
    trace = recorded(
        """
        w = torch.ones(40, requires_grad=True)

        def halve(leaf):
            leaf.grad.data.mul_(0.5)
            leaf.data.sub_(leaf.grad)

        w.register_post_accumulate_grad_hook(halve)
        (w * 4).sum().backward()
        """,
        tmp_path,
    )
    told = [(e["k"], e["line"], e["after"]["u"]) for e in trace.events if "set" in e["k"]]
    assert told == [("grad_set", 5, [[2, 40]]), ("set", 5, [[-1, 40]])]
