"""Local derivatives: what a node multiplies by, asked of the node itself while the script runs."""

from __future__ import annotations

import subprocess
import sys

import pytest
from gradtrace.story.steps import list_steps
from gradtrace.story.value_text import edge_label, format_product
from gradtrace.trace import Trace
from recording import HEAD, recorded, write

W = "w = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)\n"
V = "v = torch.tensor([1., 2., 3.], requires_grad=True)\n"
S = "s = torch.tensor(2., requires_grad=True)\n"


def local(trace: Trace, op: str) -> list[list]:
    """The local derivatives of each run of the nodes of this name: how, and the numbers."""
    return [
        [each and (each["how"], each["by"]["v"]) for each in event.get("local", ())]
        for event in trace.events
        if event["k"] == "node" and trace.nodes[event["n"]]["op"] == op
    ]


@pytest.mark.parametrize(
    ("body", "op", "expected"),
    [
        (S + "(s * 3).backward()", "MulBackward0", [("times", 3), None]),
        (S + "(s * s).backward()", "MulBackward0", [("times", 2), ("times", 2)]),
        (S + "(s - 5).backward()", "SubBackward0", [("times", 1), None]),
        (S + "(5 - s).backward()", "RsubBackward1", [("times", -1)]),
        (S + "(-s).relu().backward()", "ReluBackward0", [("times", 0)]),
        (V + "(v ** 2).sum().backward()", "PowBackward0", [("times", [2, 4, 6])]),
        (V + "v.sum().backward()", "SumBackward0", [("times", 1)]),
        (V + "v[1].backward()", "SelectBackward0", [("times", [0, 1, 0])]),
        (V + "v[1:].sum().backward()", "SliceBackward0", [("placed", 1)]),
        (V + S + "(s * v).sum().backward()", "MulBackward0", [("dot", [1, 2, 3]), ("times", 2)]),
        (V + W + "(w @ v).sum().backward()", "MvBackward0", [
            ("matrix", [[1, 2, 3, 0, 0, 0], [0, 0, 0, 1, 2, 3]]),
            ("right", [[1, 2, 3], [4, 5, 6]]),
        ]),
        (W + "b = torch.zeros(2, requires_grad=True)\n"
         "x = torch.tensor([[1., 0., 2.], [3., 1., 1.]], requires_grad=True)\n"
         "nn.functional.linear(x, w, b).sum().backward()", "AddmmBackward0", [
             ("left", 1), ("right", [[1, 2, 3], [4, 5, 6]]), ("left", [[1, 3], [0, 1], [2, 1]])]),
        (W + "w.t().sum().backward()", "TBackward0", [("placed", 1)]),
        (V + "nn.functional.mse_loss(v, torch.zeros(3)).backward()", "MseLossBackward0",
         [("times", [0.6667, 1.3333, 2]), None]),
        (V + "torch.cat([v, 2 * v]).sum().backward()", "CatBackward0",
         [("placed", 1), ("placed", 1)]),
    ],
)  # fmt: skip
def test_the_node_tells_by_what_it_multiplies(tmp_path, body, op, expected):
    assert local(recorded(body, tmp_path), op) == [expected]


def test_second_derivatives_have_theirs(tmp_path):
    body = S + "g, = torch.autograd.grad(s ** 3, s, create_graph=True)\ng.backward()\nprint(s.grad)"
    trace = recorded(body, tmp_path)
    assert local(trace, "PowBackward0") == [[("times", 12)], [("times", 4)]]
    assert local(trace, "MulBackward1") == [[("times", 3)]]
    assert "tensor(12.)" in trace.stdout


UNTOUCHED = """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        print("backward of Double")
        return 2 * g

def unpack(tensor):
    print("unpack")
    return tensor

v = torch.tensor([1., 2., 3.], requires_grad=True)
Double.apply(v).sum().backward()
with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
    y = v * v
y.sum().backward()
z = (v * 1).exp()
z.grad_fn._raw_saved_result.register_hooks(lambda tensor: tensor, unpack)
z.sum().backward()
torch.utils.checkpoint.checkpoint(lambda x: (print("inside"), x.exp())[1], v, use_reentrant=False)\
    .sum().backward()
nn.functional.dropout(v).sum().backward()
print(torch.rand(2))
y = v.clone()
y[0] = 7.
(y * y).sum().backward()
e = (v * 1).exp()
r = e * 1
e += 1
try:
    r.sum().backward()
except RuntimeError as error:
    print(error)
f = (v * v).sum()
f.backward()
try:
    f.backward()
except RuntimeError as error:
    print(error)
print(v.grad)
"""


def test_nothing_of_the_script_runs_twice_and_its_random_numbers_stay(tmp_path):
    trace = recorded(UNTOUCHED, tmp_path)
    plain = write(
        tmp_path / "plain.py", HEAD + "torch.manual_seed(0)\n" + UNTOUCHED + 'print("end")\n'
    )
    expected = subprocess.run(
        [sys.executable, str(plain)], capture_output=True, text=True, check=True
    ).stdout
    assert trace.stdout == expected
    assert expected.count("backward of Double") == 1
    assert local(trace, "DoubleBackward") == [[]]
    assert [] in local(trace, "MulBackward0")  # what has a hook for its saved tensors
    assert local(trace, "CopySlices") == [[]]


def test_a_gradient_that_a_hook_changes_has_none(tmp_path):
    body = (
        V
        + """
y = v * 2
y.grad_fn.register_hook(lambda sent, received: (sent[0] * 10, None))
y.register_hook(lambda gradient: gradient * 5)
y.sum().backward()
print(v.grad)
"""
    )
    trace = recorded(body, tmp_path)
    assert local(trace, "MulBackward0") == [[]]
    assert "100., 100., 100." in trace.stdout
    without = recorded(body.replace("y.grad_fn.register_hook", "str"), tmp_path)
    assert local(without, "MulBackward0") == [[("times", 2), None]]  # of what the hook returned


def test_large_tensors_and_odd_ones_have_none(tmp_path):
    trace = recorded(
        """
        a = torch.ones(100, requires_grad=True)
        (a * 2).sum().backward()
        c = torch.ones(2, dtype=torch.complex64, requires_grad=True)
        (c * 2).abs().sum().backward()
        n = torch.tensor([0., 1.], requires_grad=True)
        (n.sqrt() * n).sum().backward()
        h = torch.ones(2, requires_grad=True)
        torch.func.grad(lambda x: (x * x).sum())(h)
        torch.func.vmap(torch.func.grad(lambda x: x ** 2))(h)
        """,
        tmp_path,
    )
    assert local(trace, "MulBackward0")[:2] == [[], []]
    assert local(trace, "SqrtBackward0") == [[]]  # infinity times zero is no number


def test_a_step_says_the_product_and_the_edge_the_factor(tmp_path):
    body = S + "loss = nn.functional.mse_loss(3 * s, torch.zeros(()))\nloss.backward()"
    trace = recorded(body, tmp_path)
    steps = list_steps(trace, "en")
    told = [step.sentence for step in steps if step.kind == "node"]
    assert told == [
        "MseLossBackward0 (`loss`) receives 1 and passes 1 × 12 = 12 to MulBackward0 (`3 * s`).",
        "MulBackward0 (`3 * s`) receives 12 and passes 12 × 3 = 36 to AccumulateGrad of `s`.",
    ]
    labels = [text for step in steps for slot, text in step.changes.items() if slot[-1] == "d"]
    assert labels == ["×12", "×3"]
    assert "把 12 × 3 = 36 传给" in list_steps(trace, "zh")[-3].sentence


@pytest.mark.parametrize(
    ("how", "received", "by", "sent", "label", "product"),
    [
        ("times", ([], 2), ([], -3), ([], -6), "×(−3)", "2 × (−3) = −6"),
        ("times", ([], 2), ([], 0.3333), ([], 0.6667), "×0.3333", "2 × 0.3333 ≈ 0.6667"),
        ("times", ([2], [1, 2]), ([2], [3, 4]), ([2], [3, 8]),
         "×[3, 4]", "[1, 2] × [3, 4] = [3, 8]"),
        ("times", ([], 1), ([15], [*range(15)]), ([15], [*range(15)]),
         "×[…]", "15 (0 to 14) (the gradient × 15 (0 to 14))"),
        ("dot", ([2], [1, 2]), ([2], [3, 4]), ([], 11), "·[3, 4]", "[1, 2] · [3, 4] = 11"),
        ("right", ([2], [1, 2]), ([2, 2], [[1, 0], [5, 1]]), ([2], [11, 2]),
         "@ [[1, 0], [5, 1]]", "[1, 2] @ [[1, 0], [5, 1]] = [11, 2]"),
        ("right", ([2], [1, 2]), ([2, 2], [[10, 20], [50, 60]]), ([2], [110, 140]),
         "@ 2×2", "[1, 2] @ [[10, 20], [50, 60]] = [110, 140]"),
        ("left", ([2, 1], [[1], [2]]), ([1, 2], [[3, 4]]), ([1, 1], [[11]]),
         "[[3, 4]] @", "[[3, 4]] @ [[1], [2]] = [[11]]"),
        ("placed", ([2], [1, 2]), ([], 1), ([3], [0, 1, 2]),
         "×1", "[0, 1, 2] (each number × 1, in its place)"),
        ("matrix", ([2], [1, 2]), ([2, 2], [[1, 2], [3, 4]]), ([2], [7, 10]),
         "J 2×2", "[7, 10] (through the 2×2 Jacobian matrix)"),
    ],
)  # fmt: skip
def test_products_as_text(how, received, by, sent, label, product):
    received, by, sent = ({"s": shape, "v": numbers} for shape, numbers in (received, by, sent))
    found = {"how": how, "by": by}
    assert edge_label(found, "en") == label
    assert format_product(received, found, sent, "en") == product
