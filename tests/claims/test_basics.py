"""What the pages of basics say in general."""

import math
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from threading import Thread

import pytest
import torch
import torch.distributed as dist
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

from claims.cases import DTYPES, EDITS, MODULES, REAL, output
from claims.optimizers import OPTIMIZERS
from claims.ranks import on_two_ranks, one_weight

pytestmark = [
    pytest.mark.upgrade,
    pytest.mark.filterwarnings("ignore:To copy construct from a tensor"),
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf"),
    pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled"),
    pytest.mark.filterwarnings("ignore:Error detected in"),
]

QUIET = (torch.no_grad, torch.inference_mode)
SHAPES = st.sampled_from([(), (1,), (3,), (2, 3), (2, 1, 3), (0,)])
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"


def ones(shape: tuple[int, ...], dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.ones(shape, dtype=dtype, requires_grad=True)


def random(shape: tuple[int, ...], seed: int = 0) -> torch.Tensor:
    """Numbers of float64 from 1 to 2."""
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(shape, generator=generator, dtype=torch.float64) + 1


MAPS = {
    "3 * x": lambda x: 3 * x,
    "x ** 2": lambda x: x**2,
    "sin": torch.sin,
    "cumsum": lambda x: x.flatten().cumsum(0),
    "x * mean": lambda x: x * x.mean(),
    "clone": torch.clone,
    "view": lambda x: x.view(-1),
}


@attacks(
    "basics/index#basics",
    "basics/leaf#leaf",
    "basics/leaf#why-these",
    "basics/leaf#retain-grad",
    "basics/review#remember",
    "basics/first-gradient#first-gradient",
    "basics/first-gradient#why-2",
    "glossary/index#graph",
    zh="一到四个运算的链，四种浮点 dtype，六种形状；用到的、没用到的、冻结的叶子，数据；有无 retain_grad()",
    en="chains of one to four operations, four floating-point dtypes, six shapes; leaves that are used, unused, frozen, and data; with and without retain_grad()",
)
@given(
    st.lists(st.sampled_from(sorted(MAPS)), min_size=1, max_size=4),
    SHAPES,
    st.sampled_from(REAL),
    st.booleans(),
)
def test_which_tensors_get_a_gradient(names, shape, dtype, retained):
    """A leaf that requires one, once it is called; an intermediate tensor only if it is asked to.
    A gradient is as large as its tensor."""
    w, unused, frozen = (ones(shape, dtype) for _ in range(3))
    frozen.requires_grad_(False)
    data = torch.ones(shape, dtype=dtype)
    made = [w * frozen + data]
    for name in names:
        made.append(MAPS[name](made[-1]))
    made.append(made[-1].sum())
    for x in made if retained else ():
        x.retain_grad()
    leaves = (w, unused, frozen, data)
    assert [x.is_leaf for x in (*leaves, *made)] == [True] * 4 + [False] * len(made)
    assert [x.grad for x in leaves] == [None] * 4
    made[-1].backward()
    assert [x.grad for x in (unused, frozen, data)] == [None] * 3
    for x in (w, *made):
        if x is w or retained:
            assert (x.grad.shape, x.grad.dtype, x.grad.nbytes) == (x.shape, dtype, x.nbytes)
        else:
            assert x.grad is None


@attacks(
    "basics/first-gradient#the-seed",
    "basics/vector#vector",
    "basics/review#remember",
    zh="零到三维的形状，包括空的；浮点和复数 dtype；Python 的各种数作起点",
    en="shapes of no to three dimensions, empty ones too; floating-point and complex dtypes; numbers of Python as a start",
)
@given(st.lists(st.integers(0, 3), max_size=3), st.sampled_from(DTYPES))
def test_only_a_single_real_number_has_a_start_by_default(shape, dtype):
    w = ones(tuple(shape), dtype)
    if math.prod(shape) == 1 and dtype in REAL:
        (2 * w).backward()
        assert torch.equal(w.grad, 2 * torch.ones_like(w))
    else:
        with pytest.raises(RuntimeError, match="grad can be implicitly created only for"):
            (2 * w).backward()
    for number in (1, 10, 1.0, True, 1j):
        with pytest.raises(TypeError):
            (2 * w).backward(number)


@attacks(
    "basics/vector#shape", zh="成对的零到三维的形状", en="pairs of shapes of 0 to 3 dimensions"
)
@given(*[st.lists(st.integers(0, 2), max_size=3).map(tuple)] * 2, st.sampled_from(REAL))
def test_the_start_has_the_shape_of_the_output(output, start, dtype):
    y = ones(output, dtype) * 2
    if start == output:
        y.backward(torch.ones(start, dtype=dtype))
    else:
        with pytest.raises(RuntimeError, match="Mismatch in shape"):
            y.backward(torch.ones(start, dtype=dtype))


@attacks(
    "basics/leaf#ask-for-one",
    zh="retain_grad() 和 torch.autograd.grad；叶子、中间张量、数据和分离出来的张量；浮点和复数 dtype，六种形状",
    en="retain_grad() and torch.autograd.grad; leaves, intermediate tensors, data and what is detached; floating-point and complex dtypes, six shapes",
)
@given(SHAPES, st.sampled_from(DTYPES), st.booleans())
def test_retain_grad_is_for_intermediate_tensors(shape, dtype, retained):
    """And only there does torch.autograd.grad write what it returns."""
    w, data = ones(shape, dtype), torch.ones(shape, dtype=dtype)
    middle = w * 3
    z = middle * 2
    for constant in (data, data * 2, w.detach(), z.detach()):
        with pytest.raises(RuntimeError, match="can't retain_grad"):
            constant.retain_grad()
    for x in (w, middle, z) if retained else ():
        x.retain_grad()
    assert [x.retains_grad for x in (w, middle, z)] == [False, retained, retained]
    y = z * 5
    for asked, expected in ((z, 5), (middle, 10), (w, 30)):
        found = torch.autograd.grad(y, asked, data, retain_graph=True)
        assert isinstance(found, tuple) and torch.equal(found[0], expected * data)
    assert [x.grad is not None for x in (w, middle, z)] == [False, retained, retained]
    middle.grad = z.grad = None
    y.backward(data)
    assert torch.equal(w.grad, 30 * data) and (z.grad is None or torch.equal(z.grad, 5 * data))


@attacks(
    "basics/leaf#ask-for-one", zh="一到四个叶子，有的没用到", en="one to four leaves, some unused"
)
@given(st.lists(st.booleans(), min_size=1, max_size=4), SHAPES)
def test_what_an_unused_tensor_gets(used, shape):
    leaves = [ones(shape) for _ in used]
    loss = sum((x * 2).sum() for x, takes_part in zip(leaves, used, strict=True) if takes_part)
    loss = loss + ones(())
    if not all(used):
        with pytest.raises(RuntimeError, match=f"Tensor at index {used.index(False)} appears"):
            torch.autograd.grad(loss, leaves, retain_graph=True)
    for options, absent in (({"allow_unused": True}, None), ({"materialize_grads": True}, 0)):
        found = torch.autograd.grad(loss, leaves, retain_graph=True, **options)
        for grad, takes_part in zip(found, used, strict=True):
            if takes_part or absent is not None:
                assert torch.equal(grad, torch.full(shape, 2.0 if takes_part else 0.0))
            else:
                assert grad is None


RESULTS = {
    "w + data": (lambda w, data: w + data, True),
    "data @ w": (lambda w, data: data @ w, True),
    "cat": (lambda w, data: torch.cat([data, w]), True),
    "a view": (lambda w, data: w[:1], True),
    "detach": (lambda w, data: w.detach(), False),
    "data": (lambda w, data: w.data, False),
    "equal": (lambda w, data: w == data, False),
    "isnan": (lambda w, data: w.isnan(), False),
    "long": (lambda w, data: w.real.long(), False),
    "argmax": (lambda w, data: w.real.argmax(), False),
    "indices of sort": (lambda w, data: w.real.sort().indices, False),
    "zeros_like": (lambda w, data: torch.zeros_like(w), False),
    "rand_like": (lambda w, data: torch.rand_like(w), False),
    "tensor of numbers": (lambda w, data: torch.tensor(w.tolist()), False),
    "tensor of w": (lambda w, data: torch.tensor(w), False),
    "linspace": (lambda w, data: torch.linspace(w.real[0], w.real[1], 3), False),
}


@attacks(
    "basics/requires-grad#limits",
    "basics/requires-grad#requires-grad",
    "basics/requires-grad#nothing-to-do",
    "basics/review#remember",
    "accumulate/running-loss#retain-graph",
    "freezing/computed-weight#see",
    "freezing/encoder#where-it-ends",
    "glossary/index#passes",
    zh="十六种运算；浮点和复数 dtype；no_grad 里、inference_mode 里、no_grad 内的 enable_grad 里",
    en="sixteen operations; floating-point and complex dtypes; in no_grad, in inference_mode, in enable_grad inside no_grad",
)
@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_requires_a_gradient(name, dtype):
    compute, spreads = RESULTS[name]
    data = torch.tensor([1.0, 2.0], dtype=dtype)
    w = data.clone().requires_grad_()
    results = [compute(w, data), compute(data, data)]
    assert [result.requires_grad for result in results] == [spreads, False]
    for quiet in QUIET:
        with quiet():
            results.append(compute(w, data))
            assert name == "a view" or not results[-1].requires_grad
    with torch.no_grad(), torch.enable_grad():
        results.append(compute(w, data))
    assert results[-1].requires_grad is spreads
    for result in results:
        if not result.requires_grad:
            with pytest.raises(RuntimeError, match=NO_GRAPH):
                result.clone().sum().backward()
        elif result.dtype in REAL:
            result.sum().backward()


@attacks(
    "basics/requires-grad#flag",
    zh="浮点、复数、整数和布尔；在 inference_mode 里建立、在里面复制、在外面复制",
    en="floating-point, complex, integer and bool; made in inference_mode, copied there and copied outside",
)
@pytest.mark.parametrize("dtype", [*DTYPES, torch.int64, torch.bool], ids=str)
def test_which_leaves_take_the_flag(dtype):
    with torch.inference_mode():
        made_inside = torch.ones(2, dtype=dtype)
        copied_inside = torch.ones(2, dtype=dtype).clone()
    refused = not (dtype.is_floating_point or dtype.is_complex)
    for leaf, refuses in (
        (torch.ones(2, dtype=dtype), refused),
        (made_inside.clone(), refused),
        (made_inside, True),
        (copied_inside, True),
    ):
        assert leaf.is_leaf
        if refuses:
            with pytest.raises(RuntimeError):
                leaf.requires_grad_()
        else:
            assert leaf.requires_grad_().requires_grad
    with pytest.raises(TypeError) if dtype == torch.bfloat16 else nullcontext():
        torch.ones(2, dtype=dtype).numpy()


INTERMEDIATE = {
    "a ** 2": lambda a: a**2,
    "clone": lambda a: a.clone(),
    "a view": lambda a: a.view(-1),
    "a view of one": lambda a: (2 * a).view(-1),
    "a part": lambda a: a.flatten().split(1)[0],
    "changed in place": lambda a: torch.zeros_like(a).add_(a),
    "stack": lambda a: torch.stack([a, a]),
}


@attacks("basics/requires-grad#flag", zh="七种中间张量", en="seven intermediate tensors")
@given(st.sampled_from(sorted(INTERMEDIATE)), st.sampled_from(DTYPES))
def test_the_flag_of_an_intermediate_tensor(name, dtype):
    b = INTERMEDIATE[name](ones((2,), dtype))
    for refused in (
        lambda: setattr(b, "requires_grad", True),
        lambda: setattr(b, "requires_grad", False),
        lambda: b.requires_grad_(False),
    ):
        with pytest.raises(RuntimeError, match="can only change requires_grad flags of leaf"):
            refused()
    assert b.requires_grad_(True).requires_grad and not b.is_leaf


VIEWS = {
    "part": lambda w: w[:1],
    "view": lambda w: w.view(2, 1),
    "expand": lambda w: w.expand(3, 2),
    "reshape": lambda w: w.reshape(2, 1),
}


@attacks("basics/requires-grad#limits", zh="四种视图", en="four kinds of views")
@pytest.mark.parametrize("of", ["a leaf", "an intermediate tensor"])
@pytest.mark.parametrize("quiet", QUIET)
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_made_where_nothing_is_recorded_loses_the_gradient(name, quiet, of):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    base = w if of == "a leaf" else 2 * w
    with quiet():
        view = VIEWS[name](base)
    assert view.requires_grad and view.grad_fn is None
    (3 * view).sum().backward()
    assert w.grad is None


def still_waits(rank: int, model: nn.Module, x: torch.Tensor) -> bool:
    """Whether a backward pass of rank 0 alone waits, until rank 1 runs one too."""
    apart, waits = dist.new_group(), False
    passing = Thread(target=model(x).sum().backward)
    if rank == 0:
        passing.start()
        passing.join(0.5)
        waits = passing.is_alive()
    dist.barrier(apart)
    if rank == 1:
        passing.start()
    passing.join()
    return waits


@attacks(
    "basics/requires-grad#flag",
    zh="gloo 的两个进程，其中一个的第一批里没有目标",
    en="two gloo ranks, of which one has no target in the first batch",
)
@pytest.mark.parametrize("way", ["output * 0", "skipped", "parameters * 0"])
@on_two_ranks
def test_a_batch_without_a_target_in_one_of_two_processes(rank, way):
    """2 in rank 0 and 6 in rank 1, where the first batch has no target: (2 + 0) / 2 is right.

    If rank 1 skips it, or doesn't run the model, the first batch of rank 0 meets its second.
    """
    model, weight = one_weight()
    x, grads = torch.full((1, 1), (2.0, 6.0)[rank]), []
    for batch in range(2 if rank == 1 or way == "output * 0" else 1):
        weight.grad = None
        if (rank, batch) == (1, 0):
            if way == "skipped":
                continue
            (weight * 0 if way == "parameters * 0" else model(x) * 0).sum().backward()
        else:
            model(x).sum().backward()
        grads.append(weight.grad.item())
    right, mixed = [1.0, 4.0], (2.0 + 6.0) / 2
    if way == "output * 0":
        assert grads == right
    else:
        assert grads == ([0.0, mixed] if rank == 1 and way != "skipped" else [mixed])
    if way == "skipped":
        assert still_waits(rank, model, x) == (rank == 0), "its second batch has none to meet"


@attacks(
    "basics/lost-leaf#refused",
    "basics/lost-leaf#why",
    zh="torch.optim 的所有优化器",
    en="all optimizers of torch.optim",
)
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_what_every_optimizer_refuses(kind):
    w = torch.eye(2).requires_grad_()
    with pytest.raises(TypeError, match="should be an iterable of Tensors or dicts"):
        kind(w, lr=1)
    with pytest.raises(ValueError, match="optimizer got an empty parameter list"):
        kind([], lr=1)
    with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
        kind([w * 0.1], lr=1)
    with pytest.raises(ValueError, match="some parameters appear in more than one"):
        kind([{"params": [w]}, {"params": [w]}], lr=1)


@attacks(
    "basics/lost-leaf#lost-leaf",
    "basics/review#remember",
    zh="对数据和参数的七种运算；四种 dtype；六种形状",
    en="seven operations on data and on parameters; four dtypes; six shapes",
)
@given(st.sampled_from(sorted(MAPS)), SHAPES, st.sampled_from(REAL))
def test_requires_grad_called_last_makes_a_leaf(name, shape, dtype):
    """Of a value from data, or of a detached one; not of one from a parameter."""
    parameter, data = ones(shape, dtype), torch.ones(shape, dtype=dtype)
    for value, is_leaf in (
        (MAPS[name](data), True),
        (MAPS[name](parameter), False),
        (MAPS[name](parameter).detach(), True),
    ):
        variable = value.requires_grad_()
        assert variable.is_leaf is is_leaf
        (3 * variable).sum().backward()
        assert (variable.grad is not None) is is_leaf


CONVERSIONS = {
    "to('cpu')": lambda w: w.to("cpu"),
    "to(float32)": lambda w: w.to(torch.float32),
    "to(other)": lambda w: w.to(torch.ones(1)),
    "float": lambda w: w.float(),
    "double": lambda w: w.double(),
    "half": lambda w: w.half(),
    "to(float64)": lambda w: w.to(torch.float64),
    "to('meta')": lambda w: w.to("meta"),
    "channels_last": lambda w: w.to(memory_format=torch.channels_last),
    "copy": lambda w: w.to("cpu", copy=True),
    "clone": lambda w: w.clone(),
    "reshape": lambda w: w.reshape(w.shape),
}


@attacks(
    "basics/lost-leaf#why",
    zh="十二种转换，转到 CPU 和 meta；四种 dtype；两种内存格式",
    en="twelve conversions, to CPU and meta; four dtypes; both memory formats",
)
@given(st.sampled_from(sorted(CONVERSIONS)), st.sampled_from(REAL), st.booleans())
def test_a_tensor_that_is_moved_is_itself_or_an_intermediate_one(name, dtype, channels_last):
    layout = torch.channels_last if channels_last else torch.contiguous_format
    w = torch.ones(2, 2, 3, 3, dtype=dtype).to(memory_format=layout).requires_grad_()
    result = CONVERSIONS[name](w)
    changes = (result.dtype, result.device, result.stride()) != (w.dtype, w.device, w.stride())
    if changes or name in ("copy", "clone", "reshape"):
        assert result is not w and not result.is_leaf and result.requires_grad
    else:
        assert result is w


MOVES = {
    "double": lambda module: module.double(),
    "half": lambda module: module.half(),
    "to(bfloat16)": lambda module: module.to(torch.bfloat16),
    "channels_last": lambda module: module.to(memory_format=torch.channels_last),
}


@attacks("basics/lost-leaf#why", zh="14 种模块，各种转换", en="14 modules, chains of conversions")
@given(st.sampled_from(sorted(MODULES)), st.lists(st.sampled_from(sorted(MOVES)), min_size=1))
def test_a_module_that_is_converted_keeps_its_leaves(name, moves):
    module = MODULES[name][0]()
    before = list(module.parameters())
    for move in moves:
        MOVES[move](module)
    for old, new in zip(before, module.parameters(), strict=True):
        assert old is new and new.is_leaf and new.requires_grad


@attacks(
    "basics/lost-leaf#input",
    zh="14 种模块；图像在 inference_mode 里面和外面建立",
    en="14 modules; images made inside and outside inference_mode",
)
@given(st.sampled_from(sorted(MODULES)), st.booleans())
def test_only_inference_mode_false_ends_inference_mode(name, made_inside):
    module, image = MODULES[name][0](), torch.ones(MODULES[name][1])
    with torch.inference_mode():
        seen = image.clone() if made_inside else image
        for switched_on in (torch.enable_grad(), torch.set_grad_enabled(True)):
            with switched_on:
                assert not output(module, seen.detach().requires_grad_()).requires_grad
        with torch.inference_mode(False):
            x = seen.clone().requires_grad_()
            output(module, x).sum().backward()
    assert x.grad.shape == image.shape


STEPS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "a * b": lambda a, b: a * b,
    "a - b": lambda a, b: a - b,
    "a / b": lambda a, b: a / b,
    "a @ b": lambda a, b: a @ b,
    "maximum": torch.maximum,
    "atan2": torch.atan2,
    "where": lambda a, b: torch.where(a > b, a, b),
    "cat": lambda a, b: torch.cat([a, b]),
    "stack": lambda a, b: torch.stack([a, b]),
    "cdist": torch.cdist,
}
KINDS = ("leaf", "intermediate", "constant")


@attacks(
    "basics/grad-fn#grad-fn",
    "basics/grad-fn#read-it",
    zh="十种两个输入的运算，每个输入是叶子、中间张量或常数",
    en="ten operations with two inputs, each a leaf, an intermediate tensor or a constant",
)
@given(st.sampled_from(sorted(STEPS)), st.sampled_from(KINDS), st.sampled_from(KINDS))
def test_a_node_differentiates_its_step_and_names_the_next(name, one, other):
    kinds = one, other
    inputs = [
        random((3, 3), seed).requires_grad_(kind == "leaf") for seed, kind in enumerate(kinds)
    ]
    for i, kind in enumerate(kinds):
        if kind == "intermediate":
            inputs[i] = inputs[i].requires_grad_() * 1
    y = STEPS[name](*inputs)
    if kinds == ("constant", "constant"):
        assert y.grad_fn is None
        return
    v = random(y.shape, 2)
    nodes = [node for node, index in y.grad_fn.next_functions]
    passed_on = y.grad_fn(v)
    for x, kind, node, grad in zip(inputs, kinds, nodes, passed_on, strict=True):
        if kind == "constant":
            assert node is None
            continue
        assert node.variable is x if kind == "leaf" else node is x.grad_fn
        assert torch.equal(grad, torch.autograd.grad(y, x, v, retain_graph=True)[0])


SPLITS = {
    "unbind": lambda x: x.unbind(0),
    "split": lambda x: x.split([1, 2], 1),
    "sort": lambda x: (x.sort().values,),
    "qr": torch.linalg.qr,
    "eigh": lambda x: torch.linalg.eigh(x + x.mT),
    "exp": lambda x: (x.exp(),),
    "sum": lambda x: (x.sum(),),
}


@attacks(
    "basics/vector#vjp", zh="七种运算，一到三个输出", en="seven operations, one to three outputs"
)
@given(st.sampled_from(sorted(SPLITS)))
def test_what_arrives_at_a_node_is_as_large_as_its_outputs(name):
    outputs = SPLITS[name](random((3, 3)).requires_grad_() * 1)
    seen = []
    outputs[0].grad_fn.register_prehook(seen.append)
    sum((out * out).sum() for out in outputs).backward()
    (grads,) = seen
    arrived = [grad for grad in grads if grad is not None]  # of the indices of sort, None
    assert [grad.shape for grad in arrived] == [out.shape for out in outputs]


FROM_3 = {
    "x ** 2": lambda x: x**2,
    "x[0] * x": lambda x: x[0] * x,
    "outer": lambda x: torch.outer(x, x),
    "cumprod": lambda x: x.cumprod(0),
    "sum": lambda x: x.sum(),
    "softmax": lambda x: x.softmax(0),
}


@attacks(
    "basics/vector#vector",
    "basics/vector#why-weights",
    zh="六个三元函数，一、三、九个输出；随机权重；与差分比较",
    en="six functions of three numbers with one, three or nine outputs; random weights; against differences",
)
@given(st.sampled_from(sorted(FROM_3)), st.integers(0, 99))
def test_backward_computes_the_gradient_of_a_weighted_sum(name, seed):
    """Against differences; with weights of 1 that of the sum, and with 1/n that of the mean."""
    compute, x = FROM_3[name], random((3,), seed)

    def gradient(loss: Callable[[torch.Tensor], torch.Tensor], *start: torch.Tensor):
        leaf = x.clone().requires_grad_()
        loss(leaf).backward(*start)
        return leaf.grad

    v = random(compute(x).shape, seed + 1)
    small = 1e-6 * torch.eye(3, dtype=x.dtype)
    slopes = [((compute(x + d) - compute(x - d)) * v).sum() / 2e-6 for d in small]
    assert torch.allclose(gradient(compute, v), torch.stack(slopes), atol=1e-7)
    same = torch.ones_like(v)
    assert torch.equal(gradient(compute, same), gradient(lambda x: compute(x).sum()))
    mean = gradient(lambda x: compute(x).mean())
    assert torch.equal(gradient(compute, same / v.numel()), mean)


@attacks(
    "basics/edit-leaf#edit-leaf",
    "basics/edit-leaf#why",
    zh="十种改法，改整个张量和改视图；四种 dtype；no_grad 和 inference_mode",
    en="ten ways to edit, of the whole and of views; four dtypes; no_grad and inference_mode",
)
@given(st.sampled_from(sorted(EDITS)), st.sampled_from(REAL), st.sampled_from(QUIET))
def test_an_edit_is_refused_where_it_is_recorded(name, dtype, quiet):
    w = torch.tensor([1.0, -1.0, 2.0], dtype=dtype).requires_grad_()
    before, version = w.detach().clone(), w._version
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an"):
        EDITS[name](w)
    assert torch.equal(w, before)
    with quiet():
        EDITS[name](w)
    assert not torch.equal(w, before) and w._version > version
    assert w.is_leaf and w.requires_grad and w.grad_fn is None
    (w**2).sum().backward()
    assert torch.equal(w.grad, 2 * w.detach()), "at the new value"


@attacks(
    "basics/edit-leaf#data",
    "basics/requires-grad#limits",
    "in-place/read-message#counts",
    "in-place/review#ways-out",
    "freezing/detach#still-a-parameter",
    "glossary/index#graph",
    zh="叶子的平方，经过 .data 或 NumPy 的十种改法；四种 dtype",
    en="the square of a leaf, edited in ten ways through .data or NumPy; four dtypes",
)
@given(st.sampled_from(sorted(EDITS)), st.sampled_from(REAL), st.booleans())
def test_data_bypasses_the_version_counter(name, dtype, by_numpy):
    """And so does NumPy's memory; detach() shares the counter."""
    w = torch.tensor([1.0, -1.0, 2.0], dtype=dtype).requires_grad_()
    y, version = (w**2).sum(), w._version
    by_numpy = by_numpy and dtype != torch.bfloat16
    EDITS[name](torch.from_numpy(w.detach().numpy()) if by_numpy else w.data)
    assert w._version == version
    y.backward()
    assert torch.equal(w.grad, 2 * w.detach()), "wrong in silence: y was computed before"
    for edited in (w.detach(), w):
        y = (w**2).sum()
        with torch.no_grad():
            edited.mul_(2)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()


@attacks(
    "basics/edit-leaf#no-grad-or-clone",
    zh="改副本的五个元素中的任意几个；四种 dtype",
    en="any of five elements of a clone edited; four dtypes",
)
@given(st.sets(st.integers(0, 4), max_size=5), st.sampled_from(REAL))
def test_an_edited_clone_makes_the_edit_a_step_of_the_function(places, dtype):
    w = ones((5,), dtype)
    edited = w.clone()
    for place in places:
        edited[place] = 5
    (edited**2).sum().backward()
    assert w.tolist() == [1] * 5
    assert edited.tolist() == [5 if i in places else 1 for i in range(5)]
    assert w.grad.tolist() == [0 if i in places else 2 for i in range(5)]


@attacks("basics/edit-leaf#no-grad-or-clone", zh="gloo 的两个进程", en="two gloo ranks")
@on_two_ranks
def test_an_edit_in_one_process_stays_there(rank):
    """What each rank sets before the model is wrapped is overwritten by rank 0."""
    layer = nn.Linear(1, 1, bias=False)
    nn.init.constant_(layer.weight, 3.0 + rank)
    model = DistributedDataParallel(layer)
    weights, optimizer = [layer.weight.item()], optim.SGD(layer.parameters(), lr=0.25)
    if rank == 0:
        with torch.no_grad():
            layer.weight.fill_(5)
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(1, 1)).sum().backward()
        optimizer.step()
        weights.append(layer.weight.item())
    assert weights == ([3.0, 4.75, 4.5], [3.0, 2.75, 2.5])[rank]


BINARY = {
    "p + x": lambda p, x: p + x,
    "p * x": lambda p, x: p * x,
    "x / p": lambda p, x: x / p,
    "where": lambda p, x: torch.where(x > 1.5, p, x),
    "maximum": torch.maximum,
    "lerp": lambda p, x: torch.lerp(p, x, 0.25),
}


@attacks(
    "basics/broadcast#broadcast",
    "basics/broadcast#why",
    "glossary/index#mathematics",
    zh="六种运算，用一到三次；一到三维的形状配更小的形状",
    en="six operations, one to three uses; shapes of one to three dimensions against smaller ones",
)
@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=3),
    st.data(),
    st.lists(st.sampled_from(sorted(BINARY)), min_size=1, max_size=3),
)
def test_the_gradient_of_a_broadcast_parameter_is_a_sum(shape, data, names):
    """One summand for each place it is copied to, in each of its uses; in its own shape."""
    cut = data.draw(st.integers(0, len(shape)))
    small = tuple(data.draw(st.sampled_from([1, size])) for size in shape[cut:])
    p, x = random(small).requires_grad_(), random(tuple(shape), 1)
    v = random(tuple(shape), 2)
    copies = [p.detach().expand(shape).clone().requires_grad_() for _ in names]
    torch.autograd.backward([BINARY[name](p, x) for name in names], [v] * len(names))
    torch.autograd.backward(
        [BINARY[name](copy, x) for name, copy in zip(names, copies, strict=True)],
        [v] * len(names),
    )
    summed = torch.zeros_like(p)
    for copy in copies:
        for place in torch.cartesian_prod(*map(torch.arange, shape)).view(-1, len(shape)):
            own = [int(i) % size for i, size in zip(place[cut:], small, strict=True)]
            summed[tuple(own)] += copy.grad[tuple(place)]
    assert p.grad.shape == p.shape
    assert torch.allclose(p.grad, summed, rtol=1e-12)


@attacks(
    "basics/broadcast#mse-shapes",
    zh="成对的一到三维的形状",
    en="pairs of shapes of 1 to 3 dimensions",
)
@given(*[st.lists(st.sampled_from([1, 3]), min_size=1, max_size=3).map(tuple)] * 2)
def test_mse_loss_warns_of_shapes_that_differ(shape, target):
    with warnings.catch_warnings(record=True) as by_function:
        warnings.simplefilter("always")
        loss = F.mse_loss(torch.ones(shape), torch.zeros(target))
    with warnings.catch_warnings(record=True) as by_hand:
        warnings.simplefilter("always")
        assert ((torch.ones(shape) - torch.zeros(target)) ** 2).mean() == loss
    assert len(by_function) == (shape != target) and not by_hand


INFINITE = {
    "sqrt": (torch.sqrt, 0.0, "SqrtBackward0"),
    "log": (torch.log, 0.0, "LogBackward0"),
    "x ** 0.5": (lambda x: x**0.5, 0.0, "PowBackward0"),
    "1 / x": (torch.reciprocal, 0.0, "ReciprocalBackward0"),
    "rsqrt": (torch.rsqrt, 0.0, "RsqrtBackward0"),
    "asin": (torch.asin, 1.0, "AsinBackward0"),
    "atanh": (torch.atanh, 1.0, "AtanhBackward0"),
    "log1p": (torch.log1p, -1.0, "Log1PBackward0"),
    "sin": (torch.sin, 0.0, ""),
    "tanh": (torch.tanh, 1.0, ""),
}
"""Functions, a place where the derivative is infinite, and the node; or neither."""


@attacks(
    "nan-and-inf/where#find-it",
    "nan-and-inf/where#nan",
    "nan-and-inf/where#why",
    zh="十个函数，其中八个的导数是无穷；四种 dtype；外面再套零到两层 `where`",
    en="ten functions, eight with an infinite derivative; four dtypes; none to two more `where` around it",
)
@given(st.sampled_from(sorted(INFINITE)), st.sampled_from(REAL), st.integers(0, 2))
def test_a_branch_left_out_gives_nan_where_its_derivative_is_infinite(name, dtype, more):
    compute, place, node = INFINITE[name]
    x = torch.tensor([place, 0.5], dtype=dtype).requires_grad_()
    taken = torch.tensor([False, True])
    (own,) = torch.autograd.grad(compute(x).sum(), x)
    assert math.isinf(own[0]) == bool(node)

    def masked(x: torch.Tensor) -> torch.Tensor:
        y = torch.where(taken, compute(x * 1), 0.0)
        for _ in range(more):
            y = torch.where(taken, y * 1, 0.0)
        return y.sum()

    (outside,) = torch.autograd.grad(masked(x), x)
    assert math.isnan(outside[0]) == bool(node), "another `where` around it doesn't help"
    (inside,) = torch.autograd.grad(masked(torch.where(taken, x, 0.5)), x)
    assert inside.tolist() == [0, own[1].item()]
    loss = masked(x)
    with torch.autograd.detect_anomaly():
        if node:
            with pytest.raises(RuntimeError, match=f"'{node}' returned nan values"):
                loss.backward()
        else:
            loss.backward()


@attacks(
    "nan-and-inf/where#find-it", zh="0 处的七种范数；六种形状", en="seven norms at 0; six shapes"
)
@given(st.sampled_from([0.5, 1, 1.5, 2, 3, math.inf, "fro"]), SHAPES, st.sampled_from(REAL))
def test_the_norm_has_the_gradient_0_at_0(p, shape, dtype):
    x = torch.zeros(shape, dtype=dtype, requires_grad=True)
    if x.numel():
        x.norm(p).backward()
        assert not x.grad.any()
    (x.square().sum() + 1e-12).sqrt().backward()
    assert dtype != torch.float16 or x.grad.isnan().all()
    assert dtype == torch.float16 or not x.grad.any()


TWICE = {
    "w ** 3": lambda w: (w**3).sum(),
    "prod": torch.prod,
    "norm": torch.norm,
    "softmax": lambda w: w.softmax(0)[0],
    "mixed": lambda w: (w * w.flip(0)).sin().sum(),
    "log": lambda w: w.log().sum(),
}
SEPARATE = {"w ** 3", "log"}
"""Each derivative depends on its own element only."""
LINEAR = {
    "2 * w": lambda w: (2 * w).sum(),
    "mean": torch.mean,
    "max": torch.max,
    "w - 1": lambda w: (w - 1).sum(),
}


@attacks(
    "higher-order/second-derivative#hessian",
    "higher-order/second-derivative#second-derivative",
    zh="六个三元函数，其中两个的黑塞矩阵是对角的；与差分比较；四个梯度为常数的函数",
    en="six functions of three numbers, two with a diagonal Hessian, against differences; four with a constant gradient",
)
@given(st.sampled_from(sorted(TWICE)), st.integers(0, 99))
def test_the_gradient_of_the_summed_gradient_adds_up_the_hessian(name, seed):
    """Against differences of the gradient."""
    w = random((3,), seed).requires_grad_()

    def first(w: torch.Tensor, create_graph: bool = False) -> torch.Tensor:
        return torch.autograd.grad(TWICE[name](w), w, create_graph=create_graph)[0]

    small = 1e-6 * torch.eye(3, dtype=w.dtype)
    hessian = torch.stack([(first(w + d) - first(w - d)) / 2e-6 for d in small])
    (summed,) = torch.autograd.grad(first(w, create_graph=True).sum(), w)
    assert torch.allclose(summed, hessian.sum(0), atol=1e-7)
    assert torch.allclose(summed, hessian.diag(), atol=1e-7) == (name in SEPARATE)
    with pytest.raises(RuntimeError, match=NO_GRAPH):
        torch.autograd.grad(first(w).sum(), w)
    for constant in LINEAR.values():
        (g,) = torch.autograd.grad(constant(w), w, create_graph=True)
        with pytest.raises(RuntimeError, match=NO_GRAPH):
            torch.autograd.grad(g.sum(), w)


@attacks(
    "higher-order/second-derivative#penalty",
    zh="autocast 里的一个线性层；梯度从 2 ** -1 到 2 ** -40；缩放倍数 65536",
    en="a linear layer under autocast; gradients from 2 ** -1 to 2 ** -40; the scale 65536",
)
@given(st.sampled_from([torch.float16, torch.bfloat16]), st.integers(-40, -1))
def test_a_small_gradient_in_float16_needs_the_scale(dtype, power):
    """The gradient at the input of a layer in mixed precision, and of a penalty at its weight."""
    slope, scaler = 2.0**power, torch.amp.GradScaler("cpu")
    layer, x = nn.Linear(2, 1, bias=False), ones((1, 2))
    nn.init.ones_(layer.weight)
    for scale in (1.0, scaler.scale(torch.ones(())).item()):
        with torch.autocast("cpu", dtype=dtype):
            y = layer(x)
        loss = y.float().sum() * slope * scale
        (g,) = torch.autograd.grad(loss, x, create_graph=True)
        g = g.float() / scale
        lost = dtype == torch.float16 and power < -24 and scale == 1
        assert (g == (0 if lost else slope)).all()
        penalty = ((g - 1) ** 2).sum() * scale
        (of_penalty,) = torch.autograd.grad(penalty, layer.weight)
        assert (of_penalty == 0).all() == lost


@attacks(
    "gradient/several#several",
    zh="平方和、指数、正弦和一个四次多项式，二到四个数",
    en="sums of squares, exponentials, sines and a polynomial of degree 4, of two to four numbers",
)
@given(
    st.lists(st.floats(-2, 2), min_size=2, max_size=4),
    st.sampled_from([torch.square, torch.exp, torch.sin, lambda x: (x * x - 1) ** 2]),
)
def test_a_small_step_against_the_gradient_makes_the_loss_smaller(start, f):
    def loss_at(w):
        return f(w * torch.arange(1, len(w) + 1)).sum()

    w = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    loss = loss_at(w)
    loss.backward()
    with torch.no_grad():
        if w.grad.norm() > 1e-3:
            assert loss_at(w - 1e-5 * w.grad) < loss
