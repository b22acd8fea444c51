"""The layout of graphs, the text of values, the languages, and figures of a small script."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from gradtrace import PLAYER_ASSETS, Trace, asset_path, draw_figure, format_trace
from gradtrace.layout.layered import LayoutEdge, layered_layout
from gradtrace.layout.packing import MAX_WIDTH, packed_layout
from gradtrace.narrate.languages import LANGUAGES, language_of_locale
from gradtrace.narrate.steps import list_steps
from gradtrace.narrate.value_format import format_number, format_value
from gradtrace.testing import invented_numbers, layout_faults
from recording import recorded

SCRIPT = """
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    net = nn.Linear(2, 1)
    net.register_full_backward_hook(lambda module, grad_input, grad_output: None)
    opt = torch.optim.SGD([w], lr=0.1)
    for _ in range(2):
        y = w * 3
        y.register_hook(lambda grad: grad * 2)
        loss = net(y).sum() + w.sum() * y.detach().sum()
        loss.backward()
    opt.step()
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory) -> Trace:
    return recorded(SCRIPT, tmp_path_factory.mktemp("drawing"))


# Layout


def test_a_box_is_below_all_it_depends_on_and_a_leaf_just_above_its_use():
    edges = [("1", "a", "b"), ("2", "b", "c"), ("3", "a", "c"), ("4", "late", "c")]
    sizes = {key: (60, 40) for key in ("a", "late", "b", "c")}
    layout = layered_layout(sizes, [LayoutEdge(*edge) for edge in edges])
    height = {key: y for key, (_, y) in layout.centres.items()}
    assert height["a"] < height["b"] == height["late"] < height["c"]


def test_edges_do_not_cross_where_they_need_not():
    edges = [("1", "a", "y"), ("2", "b", "x"), ("3", "x", "z"), ("4", "y", "z")]
    sizes = {key: (60, 40) for key in ("a", "b", "x", "y", "z")}
    layout = layered_layout(sizes, [LayoutEdge(*edge) for edge in edges])
    x = {key: at for key, (at, _) in layout.centres.items()}
    assert (x["a"] < x["b"]) == (x["y"] < x["x"])


def test_components_stand_beside_and_below_one_another():
    edges = [LayoutEdge("1", "a", "b"), LayoutEdge("2", "c", "d")]
    layout = packed_layout({key: (300, 40) for key in "abcdef"}, edges)
    centres = layout.centres
    assert centres["a"][1] == centres["c"][1] < centres["b"][1] == centres["d"][1]
    assert centres["a"][0] == centres["e"][0] < centres["c"][0] == centres["f"][0]
    assert centres["b"][1] < centres["e"][1] and layout.width <= MAX_WIDTH


def test_a_cycle_is_refused():
    edges = [LayoutEdge("1", "a", "b"), LayoutEdge("2", "b", "a")]
    with pytest.raises(ValueError, match="cycle"):
        layered_layout({"a": (9, 9), "b": (9, 9)}, edges)


# Text


@pytest.mark.parametrize(
    ("value", "zh"),
    [
        (None, "None"),
        ({"s": [], "v": -0.75}, "−0.75"),
        ({"s": [2, 2], "v": [[1, 2], [3, 4]]}, "[[1, 2], [3, 4]]"),
        ({"s": [2, 3], "v": [[1.25, 2.5, 3.75]] * 2}, "[[1.25, 2.5, 3.75],\n [1.25, 2.5, 3.75]]"),
        ({"s": [5, 5], "v": 0.01, "c": 1}, "5×5（全是 0.01）"),
        ({"s": [1, 4, 5, 5], "u": [[0.01, 75], [0.05, 25]]}, "1×4×5×5（75 个 0.01，25 个 0.05）"),
        ({"s": [40, 40], "m": [-3.1, 0.1, 4.2, 41.1078]}, "40×40（范数 41.1078）"),
        ({"s": [2, 1, 1], "v": [[[1]], [["nan"]]]}, "2×1×1（1, nan）"),
        ({"s": [30], "v": [n / 7 for n in range(30)]}, f"30（0 到 {format_number(29 / 7)}）"),
        ({"s": [4, 4], "layout": "meta"}, "4×4"),
    ],
)
def test_values_are_shown_in_full_or_summed_up(value, zh):
    assert format_value(value, "zh") == zh


def test_all_languages_have_the_same_phrases():
    english = LANGUAGES["en"]
    for phrases in LANGUAGES.values():
        assert phrases.keys() == english.keys()
        for key, text in phrases.items():
            placeholders = (set(re.findall("{([a-z]+)}", one)) for one in (text, english[key]))
            assert next(placeholders) == next(placeholders), key


@pytest.mark.parametrize(
    ("locale", "language"),
    [("zh_CN.UTF-8", "zh"), ("Chinese (Simplified)_China.936", "zh"), ("en_US", "en"), ("C", "en")],
)
def test_the_language_of_a_locale(locale, language):
    assert language_of_locale(locale) == language


# Figures


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_figure_has_no_clash_and_no_number_of_its_own(trace, language):
    assert layout_faults(trace, language) == []
    assert invented_numbers(trace, draw_figure(trace, "f", language)) == set()


def test_a_figure_is_the_same_in_every_process(tmp_path, trace):
    file = tmp_path / "a.trace"
    file.write_text(format_trace(trace), "utf-8")
    script = (
        "import sys; from gradtrace import draw_figure, parse_trace;"
        "sys.stdout.reconfigure(encoding='utf-8');"
        "print(draw_figure(parse_trace(open(sys.argv[1], encoding='utf-8').read()), 'f', 'zh'))"
    )
    figures = {
        subprocess.run(
            [sys.executable, "-c", script, str(file)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "7", "99")
    }
    assert len(figures) == 1


def test_the_assets_are_small():
    assert all(asset_path(name).stat().st_size < 6200 for name in PLAYER_ASSETS)


# What hooks return is told when they have returned


def steps_of_hooks(body: str, folder, language: str) -> list[str]:
    """What is told of hooks that were called, and of what they print."""
    steps = list_steps(recorded(body, folder), language)
    return [step.sentence for step in steps if step.kind in ("hook", "print")][:-1]


PRINTING_HOOKS = """
    w = torch.tensor(1.0, requires_grad=True)
    y = w * 2
    def tenfold(grad):
        print("tenfold:", grad.item())
        print()
        return grad * 10
    y.register_hook(tenfold)
    y.register_hook(lambda grad: print("seen:", grad.item()))
    y.register_hook(lambda grad: None)
    y.backward()
"""


def test_what_a_hook_returned_is_told_after_what_it_printed(tmp_path):
    assert steps_of_hooks(PRINTING_HOOKS, tmp_path, "en") == [
        "Tensor hook `tenfold` gets 1.",
        "Output: `tenfold: 1.0`; then `tenfold` returns 10: the gradient is now 10.",
        "Tensor hook `lambda` gets 10.",
        "Output: `seen: 10.0`; then `lambda` returns nothing.",
        "Tensor hook `lambda` gets 10 and returns nothing.",
    ]
    assert steps_of_hooks(PRINTING_HOOKS, tmp_path, "zh") == [
        "张量钩子 `tenfold` 收到 1。",
        "输出 `tenfold: 1.0`，然后 `tenfold` 返回 10：梯度换成了 10。",
        "张量钩子 `lambda` 收到 10。",
        "输出 `seen: 10.0`，然后 `lambda` 没有返回值。",
        "张量钩子 `lambda` 收到 10，没有返回值。",
    ]


def test_a_module_hook_that_prints_returns_after_it(tmp_path):
    body = """
        net = nn.Linear(1, 1)
        nn.init.ones_(net.weight)
        x = torch.ones(1, requires_grad=True)
        def doubled(module, grad_input, grad_output):
            print("doubled")
            return (grad_input[0] * 2,)
        net.register_full_backward_hook(doubled)
        net(x).backward()
    """
    assert steps_of_hooks(body, tmp_path, "en") == [
        "Full backward hook `doubled` is called: `grad_input` is [1], `grad_output` is [1].",
        "Output: `doubled`; then `doubled` returns [2], and that goes on.",
    ]


def test_a_hook_that_raises_is_not_said_to_return(tmp_path):
    body = """
        w = torch.tensor(1.0, requires_grad=True)
        y = w * 2
        def refuse(grad):
            print("refused")
            raise ValueError
        y.register_hook(refuse)
        try:
            y.backward()
        except ValueError:
            print("caught")
    """
    assert steps_of_hooks(body, tmp_path, "en") == [
        "Tensor hook `refuse` gets 1.",
        "Output: `refused`",
        "Output: `caught`",
    ]
