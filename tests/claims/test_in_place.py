"""What the pages of in-place say in general."""

import re
import warnings
from contextlib import nullcontext

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.nn import functional as F

from claims.cases import EDITS, REAL
from claims.graph import saved_tensors

pytestmark = [
    pytest.mark.upgrade,
    pytest.mark.filterwarnings("ignore:Error detected in"),
]

SHAPES = ((), (1,), (3,), (2, 3), (2, 1, 3))
INPUT_SAVED = ("sin", "cos", "square")
RESULT_SAVED = ("exp", "sigmoid", "tanh")
NAMED = {
    torch.float16: "torch.HalfTensor",
    torch.bfloat16: "CPUBFloat16Type",
    torch.float32: "torch.FloatTensor",
    torch.float64: "torch.DoubleTensor",
}
MODIFIED = "modified by an inplace operation"

OPERATIONS = {
    **{
        name: getattr(torch, name)
        for name in (
            *("exp", "sigmoid", "tanh", "relu", "sqrt", "sin", "cos", "log", "square", "neg"),
            *("abs", "reciprocal", "rsqrt", "erf", "log1p", "expm1", "atan"),
        )
    },
    "x + 1": lambda x: x + 1,
    "x * 2": lambda x: x * 2,
    "x * x": lambda x: x * x,
    "x**3": lambda x: x**3,
    "softmax": lambda x: F.softmax(x, dim=-1),
    "log_softmax": lambda x: F.log_softmax(x, dim=-1),
    "gelu": F.gelu,
    "silu": F.silu,
    "leaky_relu": F.leaky_relu,
    "elu": F.elu,
    "softplus": F.softplus,
    "clamp": lambda x: x.clamp(min=1.5),
    "cumprod": lambda x: x.cumprod(dim=-1),
    "prod": lambda x: x.prod(dim=-1, keepdim=True),
    "norm": lambda x: x.norm(dim=-1, keepdim=True),
}
"""All of them have one node, and take one tensor."""


def saved_by(node: torch.autograd.graph.Node, tensor: torch.Tensor) -> bool:
    """Whether a node saved this very memory."""
    return any(one.data_ptr() == tensor.data_ptr() for one in saved_tensors(node))


def raises_if(saved: bool, loss: torch.Tensor) -> None:
    """Whether the backward pass notices the edit."""
    with pytest.raises(RuntimeError, match=MODIFIED) if saved else nullcontext():
        loss.backward()


def start(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    return torch.full(shape, 2.0, dtype=dtype, requires_grad=True)


@attacks(
    "in-place/read-message#read-message",
    zh="四种浮点 dtype，五种形状，保存之前改零到三次、之后改一到三次；保存的输入和保存的结果",
    en="four floating-point dtypes, five shapes, zero to three edits before and one to three after saving; saved inputs and saved results",
)
@given(
    shape=st.sampled_from(SHAPES),
    dtype=st.sampled_from(REAL),
    name=st.sampled_from(INPUT_SAVED + RESULT_SAVED),
    before=st.integers(0, 3),
    after=st.integers(1, 3),
    last=st.sampled_from(["add_", "mul_", "sub_"]),
)
def test_the_message_names_shape_operation_and_versions(shape, dtype, name, before, after, last):
    """Shape, operation, version now and when it was saved."""
    h = start(shape, dtype) * 1
    for _ in range(before):
        h += 1
    y = getattr(torch, name)(h)
    edited = h if name in INPUT_SAVED else y
    saved = edited._version
    for _ in range(after - 1):
        edited.neg_()
    getattr(edited, last)(2)
    with pytest.raises(RuntimeError, match=MODIFIED) as caught:
        y.sum().backward()
    found = re.search(
        r"\[([\w.]+) \[([\d, ]*)\]\], which is output 0 of (\w+), "
        r"is at version (\d+); expected version (\d+) instead",
        str(caught.value),
    )
    kind, size, operation, now, expected = found.groups()
    assert (kind, size) == (NAMED[dtype], ", ".join(map(str, shape)))
    assert (int(now), int(expected)) == (saved + after, saved)
    assert operation.lower().startswith(last.strip("_") if name in INPUT_SAVED else name)


@attacks(
    "in-place/read-message#word-by-word",
    zh="叶子、数据和中间张量；在 no_grad 里改或有记录地改",
    en="leaves, data, and intermediate tensors; edited under no_grad or recorded",
)
@given(kind=st.sampled_from(["leaf", "data", "recorded", "between"]), saved=st.booleans())
def test_a_tensor_without_grad_fn_is_not_called_an_output(kind, saved):
    """ "which is output" is missing if and only if there is no grad_fn."""
    x = torch.ones(3, requires_grad=kind != "data")
    if kind in ("recorded", "between"):
        x = x * 1
    y = x * torch.ones(3, requires_grad=True) if saved or kind == "data" else x**2
    with torch.set_grad_enabled(kind == "recorded"):
        x.add_(1)
    with pytest.raises(RuntimeError, match=MODIFIED) as caught:
        y.sum().backward()
    assert ("which is output" in str(caught.value)) == (x.grad_fn is not None)


OTHER_EDITS = {
    "x[:, 0] = 5": lambda x: x.__setitem__((slice(None), 0), 5),
    "relu_": torch.relu_,
    "out=": lambda x: torch.add(x, 1, out=x),
    "foreach": lambda x: torch._foreach_add_([x], 1.0),
    "init": lambda x: nn.init.constant_(x, 5),
}


@attacks(
    "in-place/read-message#who-edited",
    "glossary/index#graph",
    zh="张量和它的视图的十五种改法；四种 dtype；有无 no_grad",
    en="fifteen edits of a tensor and of its view; four dtypes; with and without no_grad",
)
@given(st.sampled_from([*EDITS, *OTHER_EDITS]), st.sampled_from(REAL), st.booleans(), st.booleans())
def test_edits_write_to_the_same_memory_and_count(name, dtype, requires_grad, of_view):
    """These are in place, and count, for the tensor and its views; an edit of a slice twice."""
    x = torch.tensor([[1.0, -1.0], [2.0, -2.0]], dtype=dtype, requires_grad=requires_grad) * 1
    view, before, version, place = x[:], x.detach().clone(), x._version, x.data_ptr()
    with torch.set_grad_enabled(requires_grad and name != "out="):
        (EDITS | OTHER_EDITS)[name](view if of_view else x)
    assert x._version == view._version == version + 1
    assert x.data_ptr() == place and not torch.equal(x, before)
    x[0] += 1
    assert x._version == version + 3


PASSING_ON = {
    "nothing": lambda x: x,
    "view": lambda x: x.view(-1),
    "Flatten": nn.Flatten(0),
    "Dropout": nn.Dropout().eval(),
}
"""These save nothing, and what they return has the memory of what they got."""


@attacks(
    "in-place/what-is-saved#what-is-saved",
    "in-place/what-is-saved#ask",
    "in-place/find-the-line#who-edited",
    "freezing/detach#still-a-parameter",
    zh="三十二种运算，改输入或结果，直接改或经过 detach()；前后和旁边有什么也不保存的运算；float32 和 float64",
    en="thirty-two operations, input or result edited, directly or through detach(); operations that save nothing before, behind and beside; float32 and float64",
)
@given(
    name=st.sampled_from(sorted(OPERATIONS)),
    passing_on=st.sampled_from(sorted(PASSING_ON)),
    of_input=st.booleans(),
    detached=st.booleans(),
    shape=st.sampled_from([(3,), (2, 3)]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_an_edit_raises_where_the_node_saved_what_is_edited(
    name, passing_on, of_input, detached, shape, dtype
):
    """No more and no less than what the node holds, whoever hands that memory on. If edits are
    allowed, what is saved is copied before it is edited."""
    w = start(shape, dtype)

    def edited(detached: bool = False) -> tuple[bool, torch.Tensor]:
        x = w * 1
        y = OPERATIONS[name](x)
        last = PASSING_ON[passing_on](y)
        tensor = x if of_input else last
        saved, loss = saved_by(y.grad_fn, tensor), last.sum() + (-x).sum()
        (tensor.detach() if detached else tensor).add_(1)
        return saved, loss

    raises_if(*edited(detached))
    w.grad = None
    (OPERATIONS[name](w * 1).sum() - w.sum()).backward()
    expected, w.grad = w.grad, None
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        edited()[1].backward()
    torch.testing.assert_close(w.grad, expected)


COMPOSITE = {
    "linear": (lambda x: F.linear(x, torch.ones(2, 3, requires_grad=True)), (2, 4, 3)),
    "einsum": (
        lambda x: torch.einsum("ij,kj->ik", x, torch.ones(2, 3, requires_grad=True)),
        (4, 3),
    ),
    "matmul": (lambda x: x @ torch.ones(3, 2, requires_grad=True), (2, 4, 3)),
    "poisson": (lambda x: F.poisson_nll_loss(x, x, log_input=False), (3,)),
}
"""These record several nodes, of which the last saves no tensor."""


@attacks(
    "in-place/what-is-saved#ask",
    zh="四种由几个运算组成的调用",
    en="four calls that record several operations",
)
@pytest.mark.parametrize("name", COMPOSITE)
def test_the_last_of_several_nodes_does_not_tell(name):
    call, shape = COMPOSITE[name]
    x = start(shape, torch.float32) * 1
    y = call(x)
    assert not saved_tensors(y.grad_fn)
    x += 1
    raises_if(True, y.sum())


@attacks(
    "in-place/find-the-line#find-the-line",
    "in-place/find-the-line#which-line",
    zh="六种保存结果或输入的运算，再做一到三步运算之后改它；一到四轮的循环",
    en="six operations that save their result or their input, edited after one to three further operations; loops of one to four rounds",
)
@given(
    name=st.sampled_from(INPUT_SAVED + RESULT_SAVED),
    more=st.integers(1, 3),
    rounds=st.integers(1, 4),
)
def test_anomaly_detection_prints_the_line_that_saved(name, more, rounds):
    """Not the line that edited. That one runs later: it stands below, or,
    in a loop, above."""
    operation = getattr(torch, name)
    w = torch.ones(3, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autograd.set_detect_anomaly(True):
            h, z = w * 1, 0
            for number in range(rounds):
                if number:
                    edited.add_(1)  # noqa: F821
                y = operation(h)
                edited = h if name in INPUT_SAVED else y
                z = z + y
                for _ in range(more):
                    z = z + 1
            if rounds == 1:
                edited.add_(1)
            with pytest.raises(RuntimeError, match="changed in there or anywhere later"):
                z.sum().backward()
    (told,) = [str(one.message) for one in caught if "Error detected" in str(one.message)]
    source = [line.strip() for line in told.splitlines() if not line.startswith("  File")]
    assert "y = operation(h)" in source and not any("add_" in line for line in source)
    assert "h, z = w * 1, 0" not in source and "z = z + 1" not in source


@attacks("in-place/find-the-line#forward-too", zh="梯度是 nan", en="a gradient that is nan")
@pytest.mark.parametrize("check_nan", [True, False])
def test_anomaly_detection_stops_at_nan_unless_told(check_nan):

    x = torch.zeros(2, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True, check_nan=check_nan):
        loss = (x.sqrt() * 0).sum()
        if check_nan:
            with pytest.raises(RuntimeError, match="returned nan values"):
                loss.backward()
        else:
            loss.backward()
            assert x.grad.isnan().all()


@attacks(
    "in-place/find-the-line#forward-too",
    zh="torch.compile，后端 eager、aot_eager 和 inductor；保存结果或输入的运算",
    en="torch.compile with eager, aot_eager and inductor; operations that save their result or their input",
)
@pytest.mark.filterwarnings("ignore:Error detected in")
@pytest.mark.parametrize("name", INPUT_SAVED + RESULT_SAVED)
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_a_compiled_function_raises_when_it_is_called(name, backend):
    """Autograd traces the backward pass there; the backend eager doesn't."""
    torch.compiler.reset()

    @torch.compile(backend=backend)
    def compiled(w: torch.Tensor) -> torch.Tensor:
        h = w * 1
        y = getattr(torch, name)(h)
        (h if name in INPUT_SAVED else y).add_(1)
        return y.sum()

    w = torch.ones(3, requires_grad=True)
    if backend == "eager":
        loss = compiled(w)
        with pytest.raises(RuntimeError, match=MODIFIED):
            loss.backward()
    else:
        with pytest.raises(Exception, match=MODIFIED):
            compiled(w)


STEPS = st.integers(2, 5)
ROWS = st.sampled_from([(), (3,)])


def empty(steps: int, row: tuple[int, ...], dim: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.ones((row[0], steps) if row and dim else (steps, *row), dtype=dtype)


@attacks(
    "in-place/slices#slices",
    "in-place/review#remember",
    zh="二到五步；四种 dtype；数和行；第一维和第二维",
    en="two to five steps; four dtypes; numbers and rows; the first and the second dimension",
)
@given(steps=STEPS, row=ROWS, dim=st.integers(0, 1), dtype=st.sampled_from(REAL), data=st.data())
def test_slices_in_a_loop_and_four_ways_out(steps, row, dim, dtype, data):
    """The loop raises; a list, a clone, what was kept, a new tensor don't."""
    way = data.draw(st.sampled_from(["slices", "wrong clone", "list", "clone", "last", "where"]))
    w = torch.tensor(2.0, dtype=dtype, requires_grad=True)
    dim = dim if row else 0
    h = empty(steps + 1, row, dim, dtype)

    def at(t: int) -> tuple:
        return (slice(None), t) if dim else (t,)

    states = [h[at(0)].clone()]
    for t in range(1, steps + 1):
        version = h._version
        if way == "slices":
            h[at(t)] = h[at(t - 1)] * w
            assert h._version == version + 1
            h[at(t)] += 0
            assert h._version == version + 3
        elif way == "wrong clone":
            h[at(t)] = (h[at(t - 1)] * w).clone()
        elif way == "clone":
            h[at(t)] = h[at(t - 1)].clone() * w
        elif way == "where":
            place = torch.zeros(h.shape, dtype=torch.bool)
            place[at(t)] = True
            h = torch.where(place, (h[at(t - 1)] * w).unsqueeze(dim), h)
        else:
            states.append(states[-1] * w)
            if way == "last":
                h[at(t)] = states[-1]
    if way == "list":
        h = torch.stack(states, dim=dim)
    assert h.select(dim, -1).flatten()[0].item() == 2**steps
    if way in ("slices", "wrong clone"):
        with pytest.raises(RuntimeError, match=MODIFIED):
            h.sum().backward()
        return
    h.sum().backward()
    assert w.grad.item() == sum(t * 2 ** (t - 1) for t in range(steps + 1)) * (row or (1,))[0]
    assert all(state._version == 0 for state in states)


@attacks(
    "in-place/slices#when-fine",
    zh="二到五步；四种 dtype；数和行；h 是新的，或被某个运算保存过",
    en="two to five steps; four dtypes; numbers and rows; an h that is new, or that an operation has saved",
)
@given(
    steps=STEPS,
    row=ROWS,
    dtype=st.sampled_from(REAL),
    write=st.sampled_from(["never read", "added", "times a number"]),
    saved=st.booleans(),
)
def test_slices_that_are_not_saved_may_be_written(steps, row, dtype, write, saved):
    """Written only; added; multiplied by a number; not if h was saved before."""
    w = torch.tensor(2.0, dtype=dtype, requires_grad=True)
    h = empty(steps + 1, row, 0, dtype)
    if saved:
        h = torch.sigmoid(h * w)
    slope = [0.0]
    for t in range(1, steps + 1):
        if write == "never read":
            h[t] = w * t
            slope.append(t)
        elif write == "added":
            h[t] = h[t - 1] + w
            slope.append(slope[-1] + 1)
        else:
            h[t] = h[t - 1] * 2 + w
            slope.append(2 * slope[-1] + 1)
    if saved:
        with pytest.raises(RuntimeError, match=MODIFIED):
            h.sum().backward()
        return
    h.sum().backward()
    assert w.grad.item() == sum(slope) * (row or (1,))[0]


SEVERAL = {
    "split": lambda x: x.split(2),
    "chunk": lambda x: x.chunk(2),
    "unbind": lambda x: x.unbind(),
    "tensor_split": lambda x: x.tensor_split(2),
    "loop": lambda x: list(x),
}


@attacks(
    "in-place/views#multi-view",
    zh="split、chunk、unbind、逐行循环和 tensor_split；两种改法，有记录和在 no_grad 里",
    en="split, chunk, unbind, a loop over rows and tensor_split; two edits, recorded and under no_grad",
)
@given(
    name=st.sampled_from(sorted(SEVERAL)),
    requires_grad=st.booleans(),
    clone_first=st.booleans(),
    recorded=st.booleans(),
    edit=st.sampled_from(["add_", "fill_"]),
)
def test_one_of_several_views_is_not_edited(name, requires_grad, clone_first, recorded, edit):
    """Nor after a clone before; a clone, an index, no gradient, or no_grad is fine.

    `tensor_split` takes one slice after the other, each with a node of its own.
    """
    x = torch.ones(4, 2, requires_grad=requires_grad) * 1
    views = SEVERAL[name](x.clone() if clone_first else x)
    assert not requires_grad or (views[0].grad_fn is views[1].grad_fn) == (name != "tensor_split")
    refused = recorded and requires_grad and name != "tensor_split"
    view = pytest.raises(RuntimeError, match="is a view and is being modified inplace")
    with torch.set_grad_enabled(recorded), view if refused else nullcontext():
        getattr(views[0], edit)(5)
    if refused:
        getattr(views[0].clone(), edit)(5)
        getattr(x[:2], edit)(5)


@attacks(
    "in-place/views#one-memory",
    zh="expand 出来的内存和错开一格的内存；四种 dtype",
    en="expanded memory and memory one place apart; four dtypes",
)
@given(st.booleans(), st.sampled_from(REAL))
def test_memory_that_is_written_twice_or_read_after_is_refused(requires_grad, dtype):
    """Neither depends on a gradient; repeat and clone have memory of their own."""
    row = torch.ones(1, dtype=dtype, requires_grad=requires_grad) * 1
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        row.expand(3).add_(1)
    row.repeat(3).add_(1)
    row.expand(3).clone().add_(1)
    x = torch.ones(4, dtype=dtype, requires_grad=requires_grad) * 1
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        x[1:] += x[:-1]
    x[1:] += x[:-1].clone()
