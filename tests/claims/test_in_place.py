"""What the pages of in-place say in general."""

import re
import warnings

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.nn import functional as F

from claims.optimizers import OPTIMIZERS

pytestmark = [
    pytest.mark.upgrade,
    pytest.mark.filterwarnings("ignore:Error detected in"),
]

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
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
    kept = [getattr(node, name) for name in dir(node) if name.startswith("_saved_")]
    return any(torch.is_tensor(one) and one.data_ptr() == tensor.data_ptr() for one in kept)


def start(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    return torch.full(shape, 2.0, dtype=dtype, requires_grad=True)


@attacks(
    "in-place/read-message#read-message",
    zh="四种浮点 dtype，五种形状，保存之前改零到三次、之后改一到三次，都有记录；保存的输入和保存的结果；在 CPU 上",
    en="four floating-point dtypes, five shapes, zero to three edits before and one to three after saving, all of them recorded; saved inputs and saved results; on the CPU",
)
@given(
    shape=st.sampled_from(SHAPES),
    dtype=st.sampled_from(FLOATS),
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
    assert kind == NAMED[dtype]
    assert size == ", ".join(map(str, shape))
    assert (int(now), int(expected)) == (edited._version, saved)
    assert edited._version == saved + after
    came_from = last.strip("_") if name in INPUT_SAVED else name
    assert operation.lower().startswith(came_from)


@attacks(
    "in-place/read-message#word-by-word",
    zh="叶子、数据和中间张量；在 no_grad 里改或有记录地改",
    en="leaves, data, and tensors between; edited under no_grad or recorded",
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


EDITS = {
    "+=": lambda x: x.__iadd__(1),
    "*=": lambda x: x.__imul__(2),
    "x[0] = 5": lambda x: x.__setitem__(0, 5),
    "x[:, 0] = 5": lambda x: x.__setitem__((slice(None), 0), 5),
    "x[mask] = 5": lambda x: x.__setitem__(x > 0, 5),
    "add_": lambda x: x.add_(1),
    "mul_": lambda x: x.mul_(2),
    "masked_fill_": lambda x: x.masked_fill_(x > 0, 5),
    "ReLU": lambda x: nn.ReLU(inplace=True)(x),
    "relu_": torch.relu_,
}


@attacks(
    "in-place/read-message#who-edited",
    zh="四种 dtype 的张量的十种改法",
    en="ten edits of tensors of four dtypes",
)
@given(st.sampled_from(sorted(EDITS)), st.sampled_from(FLOATS), st.booleans())
def test_edits_write_to_the_same_memory_and_count(name, dtype, requires_grad):
    """These are in place, and count; an edit of a slice counts twice."""
    x = torch.tensor([[1.0, -1.0], [2.0, -2.0]], dtype=dtype, requires_grad=requires_grad) * 1
    before, version, place = x.detach().clone(), x._version, x.data_ptr()
    EDITS[name](x)
    assert x._version == version + 1
    assert x.data_ptr() == place and not torch.equal(x, before)
    x[0] += 1
    assert x._version == version + 3


@attacks(
    "in-place/read-message#who-edited",
    zh="torch.optim 的所有优化器，默认设置",
    en="all optimizers of torch.optim, with their defaults",
)
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_step_edits_the_parameters_in_place(kind):
    """The same memory, other numbers."""
    w = nn.Parameter(torch.ones(2, 3))
    place, before = w.data_ptr(), w.detach().clone()
    sparse = kind.__name__ == "SparseAdam"
    optimizer = kind([w])

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (w**2).sum()
        loss.backward()
        if sparse:
            w.grad = w.grad.to_sparse()
        return loss

    optimizer.step(closure)
    assert w.data_ptr() == place and not torch.equal(w, before) and w._version > 0


@attacks(
    "in-place/what-is-saved#what-is-saved",
    zh="对一个张量的三十二种运算，包括激活函数和归约；两种形状；float32 和 float64",
    en="thirty-two operations on one tensor, among them activations and reductions; two shapes; float32 and float64",
)
@given(
    name=st.sampled_from(sorted(OPERATIONS)),
    edited=st.sampled_from(["input", "result"]),
    shape=st.sampled_from([(3,), (2, 3)]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_an_edit_raises_where_the_node_saved_what_is_edited(name, edited, shape, dtype):
    """No more and no less than what the node holds."""
    x = start(shape, dtype) * 1
    y = OPERATIONS[name](x)
    tensor = x if edited == "input" else y
    saved = saved_by(y.grad_fn, tensor)
    loss = y.sum()
    tensor += 1
    if saved:
        with pytest.raises(RuntimeError, match=MODIFIED):
            loss.backward()
    else:
        loss.backward()


PASSING_ON = {
    "view": lambda x: x.view(-1),
    "Flatten": nn.Flatten(0),
    "Dropout": nn.Dropout().eval(),
}
"""These save nothing, and what they return has the memory of what they got."""


@attacks(
    "in-place/what-is-saved#ask",
    zh="对一个张量的三十二种运算，在什么也不保存的运算之前和旁边",
    en="thirty-two operations on one tensor, before and beside operations that save nothing",
)
@given(
    name=st.sampled_from(sorted(OPERATIONS)),
    passing_on=st.sampled_from(sorted(PASSING_ON)),
    other=st.booleans(),
    shape=st.sampled_from([(3,), (2, 3)]),
)
def test_another_operation_may_have_saved_the_same_memory(name, passing_on, other, shape):
    """An operation before, whose result is handed on, or one beside."""
    x = start(shape, torch.float32) * 1
    if other:
        y = OPERATIONS[name](x)
        edited, loss = x, y.sum() + (-x).sum()
    else:
        y = OPERATIONS[name](x)
        edited = PASSING_ON[passing_on](y)
        assert edited.data_ptr() == y.data_ptr()
        loss = edited.sum()
    saved = saved_by(y.grad_fn, x if other else y)
    edited += 1
    if saved:
        with pytest.raises(RuntimeError, match=MODIFIED):
            loss.backward()
    else:
        loss.backward()


@attacks(
    "in-place/find-the-line#who-edited",
    zh="对一个张量的三十二种运算，改输入和改结果；有记录的改动，不是经过 .data 的",
    en="thirty-two operations on one tensor, edits of input and of result; edits that are recorded; not with an edit through .data",
)
@given(
    name=st.sampled_from(sorted(OPERATIONS)),
    edited=st.sampled_from(["input", "result"]),
    shape=st.sampled_from([(3,), (2, 3)]),
)
def test_allowed_edits_leave_the_gradient_right(name, edited, shape):
    """What is saved is copied before it is edited."""
    w = start(shape, torch.float64)
    OPERATIONS[name](w * 1).sum().backward()
    expected, w.grad = w.grad, None
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        x = w * 1
        y = OPERATIONS[name](x)
        loss = y.sum()
        tensor = x if edited == "input" else y
        tensor += 1
        loss.backward()
    torch.testing.assert_close(w.grad, expected)


@attacks(
    "in-place/what-is-saved#ask",
    zh="张量和数；四种 dtype，五种形状",
    en="tensors and numbers; four dtypes, five shapes",
)
@given(
    shape=st.sampled_from(SHAPES),
    dtype=st.sampled_from(FLOATS),
    number=st.booleans(),
    edited=st.sampled_from(["left", "right", "result"]),
)
def test_both_sides_of_an_addition_may_be_edited(shape, dtype, number, edited):
    """Addition saves no tensor."""
    w = start(shape, dtype)
    left, right = w * 1, 3.0 if number else w * 1
    result = left + right
    tensor = {"left": left, "right": left if number else right, "result": result}[edited]
    loss = result.sum()
    tensor *= 5
    loss.backward()
    assert torch.equal(w.grad, torch.full_like(w, 1 if number else 2))


@attacks(
    "in-place/find-the-line#find-the-line",
    zh="六种保存结果或输入的运算，再做一到三步运算之后改它；二到四轮的循环，下一轮在更前面改",
    en="six operations that save their result or their input, each edited after one to three further operations; a loop of two to four rounds whose next round edits further up",
)
@attacks(
    "in-place/find-the-line#which-line",
    zh="六种保存结果或输入的运算，再做一到三步运算之后改它",
    en="six operations that save their result or their input, each edited after one to three further operations",
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


@attacks(
    "in-place/find-the-line#forward-too",
    zh="一个是 nan 的梯度，有无 check_nan；没有量它慢多少",
    en="a gradient that is nan, with and without check_nan; its slowness was not measured",
)
@pytest.mark.parametrize("check_nan", [True, False])
def test_anomaly_detection_stops_at_nan_unless_told(check_nan):
    """find-the-line."""
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
    zh="保存结果或输入的运算；默认后端 inductor 和它下面的 aot_eager；用 eager 时报错的是 backward()",
    en="operations that save their result or their input; the default backend inductor and aot_eager, which it builds on; with eager it is backward() that raises",
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
@given(steps=STEPS, row=ROWS, dim=st.integers(0, 1), dtype=st.sampled_from(FLOATS), data=st.data())
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
    en="two to five steps; four dtypes; numbers and rows; an h that is new, and one that an operation has saved",
)
@given(
    steps=STEPS,
    row=ROWS,
    dtype=st.sampled_from(FLOATS),
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
    zh="split、chunk、unbind、逐行循环，以及每个视图各有节点、可以改的 tensor_split；需要和不需要梯度；两种改法，有记录和在 no_grad 里",
    en="split, chunk, unbind, a loop over rows, and tensor_split, whose views have a node each and may be edited; with and without a gradient required; two edits, recorded and under no_grad",
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
    if not recorded:
        with torch.no_grad():
            getattr(views[0], edit)(5)
    elif requires_grad and name != "tensor_split":
        with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
            getattr(views[0], edit)(5)
        getattr(views[0].clone(), edit)(5)
        getattr(x[:2], edit)(5)
    else:
        getattr(views[0], edit)(5)


@attacks(
    "in-place/views#one-memory",
    zh="expand 出来的内存和错开一格的内存；需要和不需要梯度；四种 dtype",
    en="expanded memory and memory one place apart; with and without a gradient required; four dtypes",
)
@given(st.booleans(), st.sampled_from(FLOATS))
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


@attacks(
    "in-place/review#ways-out",
    zh="保存结果或输入的运算；改之前反向一到三次",
    en="operations that save their result or their input; one to three passes before the edit",
)
@given(st.sampled_from(INPUT_SAVED + RESULT_SAVED), st.integers(1, 3))
def test_a_retained_graph_goes_stale(name, passes):
    """retain_graph keeps the graph, and the check with it."""
    h = torch.ones(3, requires_grad=True) * 1
    y = getattr(torch, name)(h)
    loss = y.sum()
    for _ in range(passes):
        loss.backward(retain_graph=True)
    (h if name in INPUT_SAVED else y).add_(1)
    with pytest.raises(RuntimeError, match=MODIFIED):
        loss.backward(retain_graph=True)


@attacks(
    "in-place/read-message#read-message",
    "in-place/find-the-line#find-the-line",
    zh="改平方的结果；改 sigmoid 和 tanh 的结果",
    en="edits of the result of a square, and of the results of sigmoid and tanh",
)
def test_what_the_boxes_suppose():
    """The square's result is edited; find-the-line: two are edited, one raises."""
    w = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
    h = 2 * w
    y = h**2
    y -= 1
    y.sum().backward()
    assert w.grad.tolist() == [0, 8, 16]

    h = 2 * w
    gate, value = torch.sigmoid(h), torch.tanh(h)
    gate += 1
    value *= 2
    with pytest.raises(RuntimeError, match=r"output 0 of (Sigmoid|Tanh)"):
        (gate + value).sum().backward()
