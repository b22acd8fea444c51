"""Figures of traces: laid out without a clash, told step by step, no number but the run's own."""

from __future__ import annotations

import copy
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from gradtrace.graph.build import build_graph
from gradtrace.graph.passes import select_passes
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.narrate.steps import list_steps, states
from gradtrace.render.figure import draw_figure
from gradtrace.testing import FigureParser, invented_numbers, layout_faults, numbers_in
from gradtrace.trace import Trace, format_trace, parse_trace
from proofbook.content.glossary import read_terms
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.tiny_book import Book

pytestmark = pytest.mark.upgrade

ROOT = Path(__file__).resolve().parents[1]
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


@pytest.fixture(scope="session")
def traces(runner) -> dict[str, Trace]:
    """What the recorder writes about snippets of the book."""
    runs = {name: runner.trace(ROOT / f"snippets/{name}.py") for name in NAMES}
    return {name: parse_trace(run.result(PATIENCE).trace) for name, run in runs.items()}


@pytest.fixture(scope="session")
def two_losses(traces) -> Trace:
    return traces["accumulate/two_losses"]


# Where things stand


@each_trace
@each_language
def test_nothing_in_a_picture_touches_anything_else(traces, name, language):
    assert layout_faults(traces[name], language) == []


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
def test_what_a_sentence_says_of(traces, name, told):
    assert any(told in sentence for sentence in sentences(traces[name], "zh"))


@each_trace
def test_each_language_has_only_its_own_words(traces, name):
    chinese = re.compile(r"[一-鿿，。；：（）、]")
    html = draw_figure(traces[name], "f", "en")
    assert not chinese.search(html)
    for sentence in sentences(traces[name], "zh"):
        assert chinese.search(sentence)
        assert not re.search(
            r" [，。；：（）、]|[，。；：（）、] ", re.sub("`[^`]*`", "x", sentence)
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_those_of_the_glossary(language):
    terms = read_terms(read_book(ROOT)).all
    right = {name.lower() for term in terms for name in term.names(language)}
    wrong = "|".join(re.escape(n) for t in terms for n in t.wrong if n.lower() not in right)
    for text in LANGUAGES[language].values():
        told = re.sub("`[^`]*`|{[^}]*}", "", text)
        assert not re.search(rf"(?i)(?<![a-z])(?:{wrong})(?![a-z])", told), text


@each_trace
@each_language
def test_the_state_of_a_step_is_what_its_past_left(traces, name, language):
    steps = list_steps(traces[name], language)
    reached = list(states(steps))
    for count in range(1, len(steps) + 1):
        assert list(states(steps[:count]))[-1] == reached[count - 1]
    for before, after in pairwise(reached):
        assert before.keys() <= after.keys()


def test_cards_keep_the_history_of_grad_and_tell_passes_apart(two_losses):
    graph = build_graph(two_losses)
    last = list(states(list_steps(two_losses, "zh", graph)))[-1]
    by_title = {card.title: key for key, card in graph.boxes.items()}
    assert last[by_title["w"] + "v"] == "1 → −59"
    assert last[by_title["w"] + "g"] == "48 → 60"
    assert last[by_title["y1"] + "g"] == "① 24  ② 6"
    beside = {last[edge.key] for edge in graph.edges if edge.key in last}
    assert beside == {"① 24", "② 6"}


def test_a_leaf_says_from_the_start_that_it_has_no_gradient(traces):
    for trace in traces.values():
        graph = build_graph(trace)
        leaves = [key for key, card in graph.boxes.items() if card.kind == "leaf"]
        for state in states(list_steps(trace, "en", graph)):
            assert all(state.get(f"{key}g") for key in leaves if f"{key}v" in state)


def test_the_message_of_an_error_is_told_in_full(traces):
    trace = traces["accumulate/second_time"]
    (message,) = [event["msg"] for event in trace.events if event["k"] == "error"]
    errors = [one for one in sentences(trace, "en") if one.startswith("Error: ")]
    assert errors == ["Error: `" + message.split("\n")[0] + "`"]


def test_kinds_of_cards_differ_in_shape_and_line(traces):
    trace = traces["freezing/detach_kinds"]
    kinds = {card.title: card.kind for card in build_graph(trace).boxes.values()}
    assert kinds == {"w": "leaf", "y": "node", "y * cut": "node", "cut": "constant"}
    assert {e.kind for e in build_graph(trace).edges} == {"gradient", "cut", "constant"}
    modules = [c for c in build_graph(traces["module_hooks/full_hook"]).boxes.values()]
    assert [c.title for c in modules if c.kind == "module"] == ["product", "product"]


def test_passes_choose_what_is_drawn(traces):
    trace = traces["accumulate/without_zero_grad"]
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
def test_every_number_of_a_figure_is_in_its_trace(traces, name, language):
    assert invented_numbers(traces[name], draw_figure(traces[name], "f", language)) == set()


@each_trace
def test_the_numbers_of_a_step_are_those_of_its_event(traces, name):
    trace = traces[name]
    graph = build_graph(trace)
    for event in trace.events:
        alone = copy.copy(trace)
        alone.events = [event]
        for step in list_steps(alone, "en", graph):
            told = re.sub(r"`[^`]*`", "", step.sentence)
            named = {
                number for tensor in trace.tensors.values() for number in numbers_in(str(tensor))
            }
            assert numbers_in(told) <= numbers_in(json.dumps(event)) | named


def test_a_sum_in_a_sentence_is_right(traces):
    found = 0
    for trace in traces.values():
        for sentence in sentences(trace, "en"):
            for terms, total in re.findall(r"receives (\S+(?: [+−] \S+)+) = ([^ ;.]+)", sentence):
                parts = terms.replace("− ", "+ −").replace("−", "-").split(" + ")
                assert sum(map(float, parts)) == pytest.approx(float(total.replace("−", "-")))
                found += 1
    assert found


def test_a_changed_number_in_the_trace_changes_the_figure(two_losses):
    html = draw_figure(two_losses, "f", "zh")
    other = parse_trace(format_trace(two_losses).replace('"v": 24', '"v": 25'))
    assert "收到 25" in draw_figure(other, "f", "zh") and "收到 25" not in html
    assert 25.0 in invented_numbers(two_losses, draw_figure(other, "f", "zh"))


# The fragment


@each_trace
@each_language
def test_a_figure_is_whole_html_of_little_weight(traces, name, language):
    html = draw_figure(traces[name], "trace-x", language)
    seen = FigureParser(html)
    heavy = {"module_hooks/nested"}  # two passes through two modules and three hooks on each
    assert len(html.encode()) < (24_500 if name in heavy else 20_000)
    assert "\n\n" not in html and "<script" not in html and "<style" not in html
    named = [a["id"] for _, a in seen.elements if "id" in a]
    assert len(named) == len(set(named)) and all(i.startswith("trace-x") for i in named)
    slots = {a["data-k"] for _, a in seen.elements if "data-k" in a}
    for _, attributes in seen.elements:
        assert set((attributes.get("data-t") or "").split()) <= slots
        assert set(json.loads(attributes.get("data-s") or "{}")) <= slots
    svg = next(a for tag, a in seen.elements if tag == "svg")
    assert svg["role"] == "img" and set(svg["aria-labelledby"].split()) <= set(named)


def test_the_caption_says_which_pytorch_ran(two_losses):
    ran = f"PyTorch {two_losses.torch}"
    assert f"{ran} 运行时的记录。" in draw_figure(two_losses, "f", "zh")
    assert f"Recorded with {ran}." in draw_figure(two_losses, "f", "en")


# The page that asks for it

PAGE = "::: snippets/t/s.py\n    figure: trace\n"


@pytest.fixture
def traced(book: Book, two_losses: Trace) -> Book:
    for ending in ("py", "out"):
        text = (ROOT / f"snippets/accumulate/two_losses.{ending}").read_text("utf-8")
        book.write(f"snippets/t/s.{ending}", text)
    book.write("snippets/t/s.trace", format_trace(two_losses))
    return book


@each_language
def test_the_figure_stands_after_the_output(traced, two_losses, language):
    told = expand(parse(f"t/p.{language}.md", PAGE), read_book(traced.root))
    before, figure = told.split("```\n\n<figure")
    assert before.endswith("after step, w: tensor(-59., requires_grad=True)\n")
    assert f"<figure{figure}" == draw_figure(two_losses, "trace-t-s", language) + "\n"


def test_passes_are_asked_for_on_the_page(traced, two_losses):
    told = expand(parse("t/p.en.md", PAGE + "    passes: 2\n"), read_book(traced.root))
    assert draw_figure(two_losses, "trace-t-s-passes-2", "en", (2, 2)) in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PAGE + "    passes: 3\n", "the trace has no such passes"),
        (PAGE + "    passes: 2-1\n", "the trace has no such passes"),
        (PAGE + "    passes: first\n", "passes from 1 to 2"),
        (PAGE + "    captions: a\n", "the figure cannot be drawn"),
        ("::: snippets/t/s.py\n    passes: 1\n", "the figure cannot be drawn"),
        (PAGE + "    figure: trace\n", "the option stands twice"),
    ],
)
def test_what_cannot_be_drawn_is_refused(traced, text, told):
    with pytest.raises(Unproved, match=told):
        expand(parse("docs/t/p.zh.md", text), read_book(traced.root))


@pytest.mark.parametrize("text", [None, "{", '{"format": 2}'])
def test_a_trace_that_is_missing_or_none_is_told(traced, text):
    if text is None:
        traced.remove("snippets/t/s.trace")
    else:
        traced.write("snippets/t/s.trace", text)
    with pytest.raises(Unproved, match="the snippet has no recorded trace"):
        expand(parse("docs/t/p.zh.md", PAGE), read_book(traced.root))


@pytest.mark.parametrize("lost", ["n0", "t0"])
def test_a_trace_that_lost_a_line_is_told(traced, two_losses, lost):
    kept = format_trace(two_losses).splitlines(keepends=True)
    text = "".join(line for line in kept if not line.startswith(f'"{lost}": '))
    assert len(text.splitlines()) == len(kept) - 1
    traced.write("snippets/t/s.trace", text)
    with pytest.raises(Unproved, match=f"a trace that tells of '{lost}' without describing it"):
        expand(parse("docs/t/p.zh.md", PAGE), read_book(traced.root))


def test_a_trace_without_a_backward_pass_is_no_figure(traced, two_losses):
    kept = [event for event in two_losses.events if event["k"] == "print"]
    nothing = copy.copy(two_losses)
    nothing.events = kept
    traced.write("snippets/t/s.trace", format_trace(nothing))
    with pytest.raises(Unproved, match="no backward pass ran"):
        expand(parse("docs/t/p.zh.md", PAGE), read_book(traced.root))
