"""The layout of graphs, the text of values, the languages, and figures of a small script."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import pairwise

import pytest
from figure_checks import texts_of
from gradtrace import Trace, draw_figure, format_trace
from gradtrace.drawing.layout import LayoutEdge, layered_layout
from gradtrace.drawing.player_data import as_templates
from gradtrace.drawing.svg import arrange, arrange_alike, draw_svg
from gradtrace.graph.build import Box, Edge, Graph, build_graph
from gradtrace.graph.flows import flow_widths
from gradtrace.story.steps import list_steps
from gradtrace.story.value_text import format_number, format_value
from gradtrace.words import LANGUAGES, language_of_locale
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


def test_a_long_chain_is_straight_whatever_leads_to_it_from_the_side():
    chain = [f"c{n}" for n in range(25)]
    edges = [LayoutEdge(f"e{b}", a, b) for a, b in pairwise(chain)]
    for box in chain[1:]:
        edges += [LayoutEdge(f"{kind}>{box}", f"{kind}{box}", box) for kind in "uvw"]
    sizes = {end: (60, 40) for edge in edges for end in (edge.source, edge.target)}
    layout = layered_layout({**sizes, **dict.fromkeys(chain, (150, 40))}, edges)
    across = [layout.centres[box][0] for box in chain[1:]]
    assert max(across) - min(across) < 10 * len(chain) and layout.width < 800


def test_a_graph_across_has_each_box_to_the_right_of_all_it_depends_on_and_is_the_lower_one():
    edges = [LayoutEdge(*edge, end_width=22) for edge in (("1", "a", "b"), ("2", "b", "c"))]
    sizes = dict.fromkeys("abc", (100, 60))
    down, across = (layered_layout(sizes, edges, way) for way in (False, True))
    assert [x for x, _ in across.centres.values()] == sorted(x for x, _ in across.centres.values())
    assert len({y for _, y in across.centres.values()}) == 1
    assert across.height < 80 < 270 < down.height and down.width < 120 < 370 < across.width


def test_a_picture_says_where_its_parts_are_when_it_goes_the_other_way(trace):
    small = graph_of("a", "b", "c")
    texts = {"na g": ["1"], "ena": ["2"]}
    fixed = draw_svg(small, texts, "f", "en", "")
    first = draw_svg(small, texts, "f", "en", "", turns=True)
    assert 'class="across"' in first and "data-turn" not in fixed
    # Each part and the picture itself: turned back, it is the one that goes down.
    back = re.sub('(d|transform)="[^"]*" data-turn="([^"]*)"', r'\1="\2"', first)
    assert re.findall(' (?:d|transform)="[^"]*"', back) == re.findall(
        ' (?:d|transform)="[^"]*"', fixed
    )
    wide = draw_svg(graph_of(*(f"box {n}" for n in range(7))), {}, "f", "en", "", turns=True)
    assert "across" not in wide.partition(">")[0]


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


# Figures


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


STREAMS = """
    w = torch.tensor(1.0, requires_grad=True)
    y = w * 2
    (y * -4).backward(retain_graph=True)
    (y * 16).backward()
    v = torch.tensor([3.0, 1.0], requires_grad=True)
    k = torch.tensor([1.0, -2.0])
    (v * k).sum().backward()
"""


def streams_of(trace: Trace) -> dict[str, list[str]]:
    """What the streams show, by the box from which a gradient comes and the one it goes to."""
    graph, found = build_graph(trace), {}
    shown = [step for step in flow_widths(trace, graph).values() if step]
    for edge in graph.edges:
        ends = f"{graph.boxes[edge.target].title} to {graph.boxes[edge.source].title}"
        found[ends] = [step[f"{edge.key}w"] for step in shown if f"{edge.key}w" in step]
    return found


def test_a_stream_is_as_wide_as_the_square_root_of_what_went_back_in_all_passes(tmp_path):
    streams = streams_of(recorded(STREAMS, tmp_path))
    assert streams["y to w"] == ["6.6px minus", "10.0px plus"]  # 8; 32 - 8 = 24
    assert streams["y * -4 to y"] == ["5.3px minus"]  # 4
    norm = f"{2 + 8 * (5**0.5 / 24) ** 0.5:.1f}px"  # of [1, -2]
    assert streams["v * k to v"] == [f"{norm} mixed"]


def test_streams_of_zero_and_of_nan_are_told_apart(tmp_path):
    body = """
        w = torch.tensor(-1.0, requires_grad=True)
        (torch.relu(w) + torch.sqrt(w)).backward()
    """
    shown = {text for texts in streams_of(recorded(body, tmp_path)).values() for text in texts}
    assert {"2.0px zero", "10.0px odd"} <= shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_legend_explains_what_occurs_and_no_more(tmp_path, trace, language):
    small = recorded("(torch.tensor(1.0, requires_grad=True) * 2).backward()", tmp_path)
    names = {}
    for drawn in (small, trace):
        html = draw_figure(drawn, "f", language)
        caption = html.partition("<figcaption>")[2].partition("</figcaption>")[0]
        assert caption.count("<svg") == caption.count('role="img" aria-label="')
        explained = re.findall("<(?:svg.*?</svg|b>.*?</b)> ([^<]+)</span>", caption)
        assert len(explained) == caption.count('role="listitem"')
        phrases = {key: text.rpartition("|")[2] for key, text in LANGUAGES[language].items()}
        keys = [key for key in phrases if re.match("drawn|sign_", key)]
        names[drawn is trace] = {key for key in keys if phrases[key] in explained}
    assert names[False] == {
        "drawn_leaf", "drawn_node", "drawn_running", "drawn_forward", "drawn_back", "sign_grad",
        "sign_leaf_grad", "sign_local",
    }  # fmt: skip
    more = {"drawn_module", "drawn_constant", "drawn_cut", "drawn_hook", "drawn_back_norm"}
    assert more | {"sign_passes", "sign_history", "sign_summed"} <= names[True]
    assert "drawn_odd" not in names[True] and "drawn_failed" not in names[True]


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
        "Tensor hook `tenfold` on `y` gets 1, prints `tenfold: 1.0`, and returns 10:"
        " the gradient is now 10.",
        "Tensor hook `lambda` on `y` gets 10, prints `seen: 10.0`, and returns nothing.",
        "Tensor hook `lambda grad: None` on `y` gets 10 and returns nothing.",
    ]
    assert steps_of_hooks(PRINTING_HOOKS, tmp_path, "zh") == [
        "`y` 上的张量钩子 `tenfold` 收到 1，打印 `tenfold: 1.0`，返回 10：梯度换成了 10。",
        "`y` 上的张量钩子 `lambda` 收到 10，打印 `seen: 10.0`，没有返回值。",
        "`y` 上的张量钩子 `lambda grad: None` 收到 10，没有返回值。",
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
        "Tensor hook `refuse` on `y` gets 1 and prints `refused`.",
    ]


def test_what_a_forward_hook_returns_is_told_after_what_it_did(tmp_path):
    body = """
        net = nn.Linear(1, 1, bias=False)
        nn.init.ones_(net.weight)
        def doubled(module, args, output):
            print("inside")
            return output * 2
        net.register_forward_hook(doubled)
        y = net(torch.ones(1))
        print("outside")
        y.backward()
        print("end")
    """
    steps = list_steps(recorded(body, tmp_path), "en")
    called = next(place for place, step in enumerate(steps) if step.kind == "hook")
    assert [step.sentence for step in steps[called : called + 3]] == [
        "Forward hook `doubled` on module `net` is called: the input is [1], the output [1];"
        " it prints `inside`.",
        "`y = output * 2` gives [2] and adds MulBackward0 to the graph."
        " Then `doubled` returns [2].",
        "Output: `outside`",
    ]


REPLACED = """
    w = torch.tensor(1.0, requires_grad=True)
    class Triple(nn.Module):
        def forward(self, x):
            return x * 3
    net = Triple()
    net.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 10,))
    w.register_hook(lambda grad: grad + 1)
    (net(w) + 5 * w).backward()
    print(w.grad)
"""


def test_a_replaced_gradient_is_drawn_once_its_hook_has_returned(tmp_path):
    """In the box at which the hook is, and along the edge that takes it on; of a leaf, beside the
    hook, as `.grad` is another thing."""
    trace = recorded(REPLACED, tmp_path)
    steps = list_steps(trace, "en")
    graph = build_graph(trace)
    entrance = next(box.key for box in graph.boxes.values() if box.side == "entrance")
    leaf = next(box.key for box in graph.boxes.values() if box.kind == "leaf")
    edge = next(edge.key for edge in graph.edges if (edge.source, edge.target) == (leaf, entrance))
    shown = {slot: [] for slot in (f"{entrance}g", edge, f"{leaf}h")}
    for step in steps:
        for slot in shown.keys() & step.changes.keys():
            shown[slot].append((step.kind, step.changes[slot]))
    assert shown[f"{entrance}g"] == [("node", "3"), ("hook", "3 → 30")]
    assert shown[edge] == [("hook", "30")]
    assert shown[f"{leaf}h"][-1] == ("hook", "lambda grad: grad + 1 35 → 36")


def test_short_outputs_in_a_row_are_one_step(tmp_path):
    body = """
        w = torch.ones(2, requires_grad=True)
        (w * 2).sum().backward()
        print("a")
        print("b:", w.grad[0].item())
        print("c")
        print("d")
    """
    told = [s.sentence for s in list_steps(recorded(body, tmp_path), "en") if s.kind == "print"]
    assert told[:2] == ["Output: `a`, `b: 2.0` and `c`", "Output: `d` and `end`"]


def test_hooks_say_on_what_they_are(tmp_path):
    """Two modules of one class by their paths, a hook on all modules, one on an optimizer, and a
    function that only a node knows."""
    body = """
        from torch.nn.modules.module import register_module_full_backward_hook
        net = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
        everywhere = register_module_full_backward_hook(lambda *given: None)
        net[1].register_full_backward_hook(lambda *given: None)
        opt = torch.optim.SGD(net.parameters(), lr=1.0)
        opt.register_step_post_hook(lambda *given: print("stepped"))
        loss = net(torch.ones(1, requires_grad=True)).sum()
        loss.grad_fn.register_hook(lambda *given: print("node"))
        loss.backward()
        everywhere.remove()
        opt.step()
    """
    told = " ".join(step.sentence for step in list_steps(recorded(body, tmp_path), "en"))
    for part in (
        "is registered on every module.",
        "on module `net.1` is called",
        "on module `net.0` is called",
        "is registered on optimizer `SGD`.",
        "on optimizer `SGD` is called; it prints `stepped`.",
        'SumBackward0 (`loss`) calls `lambda *given: print("node")`, which prints `node`.',
    ):
        assert part in told, part
    assert "module `every module`" not in told


def graph_of(*titles: str) -> Graph:
    """Boxes one below the other."""
    boxes = {f"n{title}": Box(f"n{title}", "node", title, "MulBackward0") for title in titles}
    edges = (Edge(f"e{a}", a, b, "gradient") for a, b in pairwise(boxes))
    return Graph(boxes, tuple(edges), {})


def test_graphs_that_are_alike_are_drawn_alike_with_room_for_the_widest():
    graphs = [graph_of("h 1", "h 2"), graph_of("a", "b"), graph_of("h 10", "h 11")]
    texts = {"nh 2g": ["0.5"], "nh 11g": ["[0.125, 0.25, 0.375, 1e-05]"]}
    first, other, second = arrange_alike(graphs, texts, "en")
    assert first == second and first.layout == arrange(graphs[2], texts, "en").layout
    assert first.shapes[1].width > other.shapes[1].width
    assert other.layout == arrange(graphs[1], texts, "en").layout


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["plain", "", "plain"],
        [f"step {n} of 9: −{n / 8} → 1e-0{n}, n-{n}" for n in range(9)],
        ["7 of 7", "8 of 7", "9 of 9", "a text with \x7f 3", "a text with 4 \x7f", "x 1", "1 x"],
    ],
)
def test_texts_are_what_their_templates_say(texts):
    packed = as_templates(texts)
    assert texts_of(json.loads(json.dumps(packed))) == texts


@pytest.mark.parametrize(
    ("locale", "language"),
    [("zh_CN.UTF-8", "zh"), ("Chinese (Simplified)_China.936", "zh"), ("en_US", "en"), ("C", "en")],
)
def test_the_language_of_a_locale(locale, language):
    assert language_of_locale(locale) == language
