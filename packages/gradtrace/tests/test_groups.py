"""How a large graph is folded: nothing is lost, every view is small, and none has a cycle or a
clash."""

from __future__ import annotations

import re

import pytest
from figure_checks import clashes, packed_parts
from gradtrace import Trace, build_graph
from gradtrace.drawing import page as standalone
from gradtrace.drawing.page import standalone_page
from gradtrace.drawing.player_data import FoldedFigure, fold
from gradtrace.drawing.svg import draw_svg
from gradtrace.graph.groups import MAX_BOXES, ROOT, group_boxes
from gradtrace.graph.passes import excerpts, first_shown
from gradtrace.story.value_text import format_number
from gradtrace.values import norm
from recording import recorded

SCRIPTS = {
    "deep": """
        layers = [layer for _ in range(60) for layer in (nn.Linear(4, 4), nn.ReLU())]
        net = nn.Sequential(*layers)
        net(torch.ones(2, 4)).sum().backward()
    """,
    "loop": """
        w, u = torch.randn(3, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True)
        h = torch.zeros(3)
        first = w.sum()
        for t in range(70):
            a = h @ w
            h = torch.tanh(a + u.sum(0))
        loss = (h * first).sum()
        loss.backward()
    """,
    "twice": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
            def forward(self, x):
                return x + self.b(torch.relu(self.a(x)))
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.blocks = nn.ModuleList(Block() for _ in range(5))
            def forward(self, x):
                for block in self.blocks:
                    x = block(x)
                return x
        net = Net()
        one, other = net(torch.ones(2, 4)), net(torch.zeros(2, 4))
        (one - other).pow(2).mean().backward()
    """,
    "siamese": """
        net = nn.Sequential(*[nn.Linear(4, 4) for _ in range(12)])
        one, other = net(torch.ones(2, 4)), net(torch.zeros(2, 4))
        far = (one - other).pow(2).sum(1).add(1e-6).sqrt()
        (0.5 * far + 0.5 * (1 - far).clamp(min=0).pow(2)).mean().backward()
    """,
    "straight": "x = w = torch.tensor(1.0, requires_grad=True)\\n"
    + "\\n".join(f"x = x * {n}.0 + w" for n in range(2, 60))
    + "\\nx.backward()\\n",
    "one line": """
        w = [torch.tensor(1.0, requires_grad=True) for _ in range(90)]
        sum(a * b for a, b in zip(w, w[1:])).backward()
    """,
    "penalty": """
        layers = [layer for _ in range(6) for layer in (nn.Linear(3, 3), nn.Tanh())]
        net = nn.Sequential(*layers, nn.Linear(3, 1))
        x = torch.randn(4, 3, requires_grad=True)
        grad, = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        (grad.norm(dim=1) - 1).pow(2).mean().backward()
    """,
    "in place": """
        x = torch.randn(4, requires_grad=True)
        y = x * 2
        for _ in range(30):
            c = y.detach()
            y = y * c
            y += 1
            y[0] = 3.0
        y.sum().backward()
    """,
}


@pytest.fixture(scope="module")
def traces(tmp_path_factory) -> dict[str, Trace]:
    folder = tmp_path_factory.mktemp("groups")
    return {name: recorded(body.replace("\\n", "\n"), folder) for name, body in SCRIPTS.items()}


@pytest.fixture(scope="module")
def figures(traces) -> dict[str, FoldedFigure]:
    return {name: fold(excerpts(trace, None)[0], "en") for name, trace in traces.items()}


each_script = pytest.mark.parametrize("name", SCRIPTS)


def reached(figure: FoldedFigure) -> set[str]:
    """The boxes that a reader comes to by opening whatever can be opened."""
    found, waiting, opened = set(), [ROOT], set()
    while waiting:
        group = waiting.pop()
        opened.add(group)
        for key, box in figure.view(group).boxes.items():
            if box.kind == "group" and key not in opened:
                waiting.append(key)
            elif box.kind not in ("group", "stub"):
                found.add(key)
    return found


@each_script
def test_every_box_is_reached_by_opening_folded_ones(figures, name):
    figure = figures[name]
    assert len(figure.graph.boxes) > MAX_BOXES
    assert reached(figure) == set(figure.graph.boxes)


@each_script
def test_no_view_is_large_and_nothing_in_it_clashes(figures, name):
    figure = figures[name]
    for group in figure.groups.by_key:
        graph = figure.view(group)
        uses = {edge.key for edge in graph.edges}  # of a parameter that is used often: small stubs
        assert 1 <= len(graph.boxes.keys() - uses) <= MAX_BOXES
        assert clashes(graph, figure.texts) == []


@each_script
def test_whatever_gradients_flow_along_is_in_a_view(figures, name):
    figure = figures[name]
    views = [figure.view(group) for group in figure.groups.by_key]
    ends = {edge.key: edge.source for edge in figure.graph.edges}
    drawn = set()
    for edge in (edge for view in views for edge in view.edges):
        of_stub = ends.get(edge.key, edge.key.partition(">")[0])  # of a parameter used often
        drawn.add((of_stub if edge.source == edge.key else edge.source, edge.target))
    for edge in figure.graph.edges:
        if edge.kind == "gradient":
            one, other = figure.groups.path(edge.source), figure.groups.path(edge.target)
            shared = sum(a == b for a, b in zip(one, other, strict=False))
            assert (one[shared], other[shared]) in drawn


def test_a_small_graph_is_not_folded(tmp_path):
    trace = recorded("w = torch.ones(2, requires_grad=True)\n(w * 2).sum().backward()", tmp_path)
    graph = build_graph(trace)
    assert group_boxes(trace, graph).by_key.keys() == {ROOT}
    assert fold(excerpts(trace, None)[0], "en").view(ROOT) == graph


def test_a_parameter_that_is_used_often_has_a_stub_at_each_use(figures):
    figure = figures["loop"]
    used = [key for key, box in figure.graph.boxes.items() if box.title == "w"]
    view = figure.view(ROOT)
    assert view.boxes[used[0]].kind == "leaf"
    assert not [edge for edge in view.edges if edge.source == used[0]]
    loops = [key for key, box in view.boxes.items() if box.title.startswith("iterations")]
    stubs = {(e.target, view.boxes[e.key].title) for e in view.edges if e.source == e.key}
    assert stubs >= {(key, name) for key in loops for name in ("w", "u")}
    assert {view.boxes[e.key].kind for e in view.edges if e.source == e.key} == {"stub"}
    inside = figure.view(loops[0])
    assert used[0] not in inside.boxes
    assert [box.title for box in inside.boxes.values() if box.kind == "stub"].count("w") == 5
    drawn = draw_svg(view, {}, "figure", "en", "")
    assert all(
        "transform=" in tag
        for tag in re.findall(r'<g class="card stub" data-k="[^"]+" [^>]*', drawn)
    )


def titles(figure: FoldedFigure) -> list[str]:
    return [box.title for box in figure.view(ROOT).boxes.values()]


def test_the_opening_view_is_the_children_of_the_model(figures):
    figure = figures["twice"]
    assert titles(figure)[-5:-3] == ["net", "net (2)"]
    members = figure.groups.by_key[figure.groups.by_key[ROOT].members[-4]].members
    assert [figure.titles[key] for key in members] == [f"blocks.{n}" for n in range(5)]


def test_a_view_of_a_model_and_its_loss_opens_at_the_layers(tmp_path):
    trace = recorded(
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.Sequential(*(nn.Linear(4, 4) for _ in range(24)))
            def forward(self, x):
                return self.layers(x * 2)
        class Loss(nn.Module):
            def forward(self, x):
                return x.exp().log().sqrt().mean()
        net, criterion = Net(), Loss()
        criterion(net(torch.ones(2, 4)).abs()).backward()
        """,
        tmp_path,
    )
    figure = fold(excerpts(trace, None)[0], "en")
    outermost = [box.title for box in figure.view(ROOT).boxes.values() if box.kind == "group"]
    assert outermost == ["net.layers", "criterion"]
    shown = figure.view(figure.first_view).boxes.values()
    layers = [box for box in shown if box.kind == "group"]
    assert [box.title for box in layers] == [f"{n}" for n in range(24)]
    assert all("weight.grad‖" in figure.texts[f"{box.key}g"][-1] for box in layers)
    assert figure.titles[figure.groups.parent[figure.first_view]] == "the whole graph"


def test_a_loop_is_folded_by_its_iterations(figures):
    assert titles(figures["loop"])[2:10] == [
        "first",
        *(f"iterations {n}–{n + 4}" for n in range(1, 35, 5)),
    ]


def test_the_lines_of_one_inner_step_are_one_iteration(tmp_path):
    trace = recorded(
        """
        w, b = torch.ones(3, requires_grad=True), torch.zeros(3, requires_grad=True)
        for task in range(4):
            fast = [w, b]
            for _ in range(3):
                inner = (fast[0] * task + fast[1]).tanh().sum()
                grads = torch.autograd.grad(inner, fast, create_graph=True)
                fast = [p - 0.1 * g for p, g in zip(fast, grads)]
            fast[0].sum().backward(retain_graph=True)
    """,
        tmp_path,
    )
    figure = fold(excerpts(trace, (1, 100))[0], "en")
    loops = [g for g in figure.groups.by_key.values() if g.iterations]
    single = [g.lines for g in loops if g.iterations[0] == g.iterations[1]]
    assert len(single) == 12 and {first for first, _ in single} == {7}
    assert {last for _, last in single} <= {9, 10}


def test_the_norms_of_a_module_are_those_of_its_parameters(traces, figures):
    figure, trace = figures["deep"], traces["deep"]
    grads = {e["t"]: e["after"] for e in trace.events if e["k"] == "acc"}
    for key, group in figure.groups.by_key.items():
        inside = [box for box in figure.groups.boxes(key) if figure.graph.boxes[box].kind == "leaf"]
        if group.kind == "call" and len(inside) == 2:
            for leaf in inside:
                size = norm(grads[trace.nodes[leaf]["leaf"]])
                assert format_number(float(f"{size:.4g}")) in figure.texts[f"{key}g"][-1]


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"s": [2], "v": [3, -4]}, 5),
        ({"s": [2, 2], "v": 2.0, "c": 1}, 4),
        ({"s": [40], "u": [[-2, 9], [0, 31]]}, 6),
        ({"s": [99], "m": [-1, 0, 1, 7.5]}, 7.5),
        ({"s": [1], "v": ["3+4j"]}, 5),
        ({"s": [2], "v": ["inf", 1]}, float("inf")),
        ({"s": [2], "layout": "meta"}, None),
    ],
)
def test_the_norm_of_a_recorded_value(value, size):
    assert norm(value) == size


# Parts of a recording

TRAINING = """
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(3):
        for _ in range(2):
            net(torch.ones(4, 2)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
"""


def test_passes_of_one_step_of_an_optimizer_are_shown_together(tmp_path):
    parts = excerpts(recorded(TRAINING, tmp_path), None)
    assert [(part.first, part.last) for part in parts] == [(1, 2), (3, 4), (5, 6)]
    assert first_shown(parts, None) == 0
    for part in parts:
        assert [e["k"] for e in part.trace.events].count("step") == 1


def test_passes_that_are_asked_for_are_one_part(tmp_path):
    parts = excerpts(recorded(TRAINING, tmp_path), (2, 3))
    assert [(part.first, part.last) for part in parts] == [(1, 1), (2, 3), (4, 4), (5, 6)]
    assert first_shown(parts, (2, 3)) == 1


def test_a_page_of_a_very_long_recording_has_its_limit(tmp_path, monkeypatch):
    trace = recorded(SCRIPTS["loop"], tmp_path)
    whole = standalone_page("loop.py", trace, "en")
    monkeypatch.setattr(standalone, "MAX_SIZE", len(whole.encode()) - 1000)
    page = standalone_page("loop.py", trace, "en")
    assert len(page.encode()) <= standalone.MAX_SIZE
    (part,), (all_of_it,) = packed_parts(page), packed_parts(whole)
    sentences = part["sentences"]
    assert "has no room for the first" in sentences[0]
    assert sentences[1:] == all_of_it["sentences"][1 - len(sentences) :] != []
    assert part["views"] == all_of_it["views"]


def test_a_page_that_code_and_pictures_fill_says_so(tmp_path, monkeypatch):
    trace = recorded(SCRIPTS["deep"], tmp_path)
    monkeypatch.setattr(standalone, "MAX_SIZE", 20_000)
    page = standalone_page("deep.py", trace, "en")
    size = int(re.search(r"This page has (\d+) kB, more than the usual 20:", page)[1])
    assert 0 <= size - len(page.encode()) // 1000 <= 5
    assert len(packed_parts(page)[0]["sentences"]) == 1
