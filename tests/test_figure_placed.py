"""What the figures of the book's own pages show: the parts that were found wanting there."""

from __future__ import annotations

from pathlib import Path

import pytest
from gradtrace.graph.build import build_graph
from gradtrace.graph.passes import select_passes
from gradtrace.narrate.steps import list_steps
from gradtrace.render.figure import draw_figure
from gradtrace.trace import Trace, parse_trace

pytestmark = pytest.mark.upgrade

ROOT = Path(__file__).resolve().parents[1]


def recorded(name: str) -> Trace:
    return parse_trace((ROOT / f"snippets/{name}.trace").read_text(encoding="utf-8"))


def sentences(trace: Trace, language: str) -> list[str]:
    return [step.sentence for step in list_steps(trace, language)]


@pytest.mark.parametrize(
    ("name", "passes", "last"),
    [
        ("sharing/stop_one_branch", (1, 2), "right branch detached, w.grad: tensor(30.)"),
        ("freezing/through", (1, 1), "b frozen: a.grad = tensor(15.) c.grad = tensor(6.)"),
        ("freezing/detach_kinds", (1, 1), "y * cut, w.grad: tensor(18.)"),
        ("accumulate/without_zero_grad", (4, 6), "step 2: w.grad=2.5 w=-0.875"),
    ],
)
def test_some_passes_end_where_the_next_begins(name, passes, last):
    assert sentences(select_passes(recorded(name), *passes), "en")[-1].endswith(f"`{last}`")


def test_the_branch_that_was_cut_off_is_drawn():
    graph = build_graph(select_passes(recorded("sharing/stop_one_branch"), 1, 2))
    cut = [(graph.boxes[e.source].title, graph.boxes[e.target].title) for e in graph.edges]
    assert ("w * x2", "(w * x2).detach()") in cut
    assert [e.kind for e in graph.edges].count("cut") == 1


def test_the_hook_that_raises_is_told_before_the_error():
    told = sentences(recorded("module_hooks/raise_inside"), "en")
    assert [one.split(":")[0] for one in told[-4:-1]] == [
        "BackwardHookFunctionBackward at the entrance of `fc2` receives [[3]].",
        "Full backward hook `check` on module `fc2` is called",
        "Error",
    ]


def test_a_label_leaves_the_shape_to_its_card():
    drawn = draw_figure(recorded("sharing/input_sees_sum"), "f", "en")
    assert ">norm 0.0514</text>" in drawn
    assert ">1×1×40×40 (norm 0.0514)</text>" not in drawn


def test_a_printed_matrix_is_one_text():
    told = sentences(recorded("sharing/tied_once"), "zh")
    assert told[-1].endswith("、`tensor([[2., 4.], [0., 0.], [0., 0.]])`")


def test_a_step_that_moves_nothing_says_so():
    told = sentences(recorded("updates/who_does_what"), "en")
    skips = "skips `w`, which has no gradient; it stays −1"
    assert f"Optimizer `SGD` makes a step: {skips}." in told


def test_one_gradient_for_two_is_told_once():
    told = sentences(recorded("tensor_hooks/double_upstream"), "zh")
    assert any(one.endswith("传给 `x` 的 AccumulateGrad、`y` 的 AccumulateGrad。") for one in told)


def test_passes_that_are_shown_are_numbered_from_one():
    drawn = draw_figure(recorded("accumulate/without_zero_grad"), "f", "zh", (4, 6))
    assert "<b>①–③</b> 第几次反向传播" in drawn
