"""Figures of traces: laid out without a clash, told step by step, no number but the run's own."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from figure_checks import FigureParser, invented_numbers, layout_faults
from gradtrace import record_script
from gradtrace.drawing.figure import draw_figure
from gradtrace.graph.build import build_graph
from gradtrace.graph.passes import select_passes
from gradtrace.story.steps import list_steps, texts_of_slots
from gradtrace.trace import Trace
from gradtrace.words import LANGUAGES

pytestmark = pytest.mark.upgrade

SNIPPETS = Path(__file__).resolve().parents[3] / "snippets"
NAMES = [
    "accumulate/two_losses",
    "accumulate/second_time",
    "accumulate/without_zero_grad",
    "basics/broadcast_sum",
    "basics/second_derivative",
    "convolution/logits_to_image",
    "freezing/detach_kinds",
    "freezing/one_path_cut",
    "module_hooks/full_hook",
    "module_hooks/nested",
    "sharing/called_twice",
    "sharing/one_after_another",
    "tensor_hooks/all_or_any",
    "tensor_hooks/half_gradient",
    "updates/by_hand",
]
"""Snippets whose figures are tried: several passes, errors, loops, hooks of every kind, large
tensors, cuts."""
each_trace = pytest.mark.parametrize("name", NAMES)
each_language = pytest.mark.parametrize("language", LANGUAGES)


@cache
def recorded(name: str) -> Trace:
    """What the recorder writes about a snippet of the book."""
    return record_script(SNIPPETS / f"{name}.py")


@pytest.fixture(scope="module")
def two_losses() -> Trace:
    return recorded("accumulate/two_losses")


# Where things stand


@each_trace
@each_language
def test_nothing_in_a_picture_touches_anything_else(name, language):
    assert layout_faults(recorded(name), language) == []


# What happened


def sentences(trace: Trace, language: str) -> list[str]:
    return [step.sentence for step in list_steps(trace, language)]


def test_steps_tell_the_run_in_both_languages(two_losses):
    chinese, english = (sentences(two_losses, language) for language in LANGUAGES)
    assert "AddBackward0（`y1`）收到 24，把 24 × 1 = 24 传给 MulBackward0（`2 * w`）。" in chinese
    told = "AddBackward0 (`y1`) receives 24 and passes 24 × 1 = 24 to MulBackward0 (`2 * w`)."
    assert told in english
    assert "`w` 的 AccumulateGrad 收到 12，`w.grad` 从 48 变成 60。" in chinese
    assert "AccumulateGrad of `w` receives 12; `w.grad` goes from 48 to 60." in english
    assert len(chinese) == len(english)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("sharing/one_after_another", "`w` 的 AccumulateGrad 收到 6 + 6 = 12，"),
        (
            "tensor_hooks/half_gradient",
            "张量钩子 `lambda grad: 0.5 * grad` 收到 12，返回 6：梯度换成了 6。",
        ),
        ("accumulate/second_time", "MulBackward0（`2 * w`）收到 6，在这里出错。"),
        ("freezing/detach_kinds", "`cut = y.detach()` 得到 6，它不在图上"),
        (
            "module_hooks/full_hook",
            "`grad_input` 是 (30, 20)，`grad_output` 是 10，打印 `grad_output",
        ),
        (
            "module_hooks/full_hook",
            "把 10 × 3 = 30、10 × 2 = 20 传给 `product` 入口的 BackwardHook",
        ),
        ("accumulate/without_zero_grad", "PowBackward0（`w**2`）收到 1，把 1 × 1 = 1 传给 `w` 的"),
        ("tensor_hooks/all_or_any", "收到 7，打印 `any: tensor(7.)`。它的返回值不起作用。"),
        ("updates/by_hand", "优化器 `SGD` 更新一步：`sgd` 从 1 变成 −7（梯度是 8）。"),
    ],
)
def test_what_a_sentence_says_of(name, told):
    assert any(told in sentence for sentence in sentences(recorded(name), "zh"))


@each_trace
def test_each_language_has_only_its_own_words(name):
    chinese = re.compile(r"[一-鿿，。；：（）、]")
    html = draw_figure(recorded(name), "f", "en")
    assert not chinese.search(html)
    for sentence in sentences(recorded(name), "zh"):
        assert chinese.search(sentence)
        assert not re.search(
            r" [，。；：（）、]|[，。；：（）、] ", re.sub("`[^`]*`", "x", sentence)
        )


def test_cards_keep_the_history_of_grad_and_tell_passes_apart(two_losses):
    graph = build_graph(two_losses)
    texts = texts_of_slots(list_steps(two_losses, "zh", graph))
    last = {slot: shown[-1] for slot, shown in texts.items()}
    by_title = {card.title: key for key, card in graph.boxes.items()}
    assert last[by_title["w"] + "v"] == "1 → −59"
    assert last[by_title["w"] + "g"] == "48 → 60"
    assert last[by_title["y1"] + "g"] == "① 24  ② 6"
    beside = {last[edge.key] for edge in graph.edges if edge.key in last}
    assert beside == {"① 24", "② 6"}


def test_passes_choose_what_is_drawn():
    trace = recorded("accumulate/without_zero_grad")
    whole, first, later = (trace, select_passes(trace, 1, 1), select_passes(trace, 2, 3))
    walked = [{e["n"] for e in t.events if e["k"] == "node"} for t in (whole, first, later)]
    assert walked[1] and walked[2] and walked[1] | walked[2] < walked[0]
    assert not walked[1] & walked[2]
    for selected, asked in ((first, {1}), (later, {2, 3})):
        assert {e["p"] for e in selected.events if e["k"] == "backward"} == asked
        assert layout_faults(selected) == []
    assert len(sentences(first, "zh")) < len(sentences(later, "zh")) < len(sentences(whole, "zh"))


# No number but those of the run


@each_trace
@each_language
def test_every_number_of_a_figure_is_in_its_trace(name, language):
    assert invented_numbers(recorded(name), draw_figure(recorded(name), "f", language)) == set()


def test_a_sum_in_a_sentence_is_right():
    found = 0
    for trace in map(recorded, NAMES):
        for sentence in sentences(trace, "en"):
            for terms, total in re.findall(r"receives (\S+(?: [+−] \S+)+) = ([^ ;.]+)", sentence):
                parts = terms.replace("− ", "+ −").replace("−", "-").split(" + ")
                assert sum(map(float, parts)) == pytest.approx(float(total.replace("−", "-")))
                found += 1
    assert found


# The fragment


@each_trace
@each_language
def test_a_figure_is_whole_html_of_little_weight(name, language):
    html = draw_figure(recorded(name), "trace-x", language)
    seen = FigureParser(html)
    heavy = {"module_hooks/nested"}  # two passes through two modules and three hooks on each
    assert len(html.encode()) < (24_800 if name in heavy else 20_000)
    assert "\n\n" not in html and "<script" not in html and "<style" not in html
    named = [a["id"] for _, a in seen.elements if "id" in a]
    assert len(named) == len(set(named)) and all(i.startswith("trace-x") for i in named)
    slots = {a["data-k"] for _, a in seen.elements if "data-k" in a}
    for _, attributes in seen.elements:
        assert set((attributes.get("data-t") or "").split()) <= slots
        assert set(json.loads(attributes.get("data-s") or "{}")) <= slots
    svg = next(a for tag, a in seen.elements if tag == "svg")
    assert svg["role"] == "img" and set(svg["aria-labelledby"].split()) <= set(named)


# What was found wanting


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
