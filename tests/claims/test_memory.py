"""What the pages of memory say in general."""

import gc
import random
import warnings
import weakref
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import (
    CheckpointError,
    CheckpointPolicy,
    checkpoint,
    checkpoint_sequential,
    create_selective_checkpoint_contexts,
)
from torch.utils.flop_counter import FlopCounterMode

from claims.graph import nodes_behind

pytestmark = pytest.mark.upgrade

DTYPES = (torch.float32, torch.float64)
LAYERS = {
    "Linear": lambda: nn.Linear(8, 8),
    "GELU": nn.GELU,
    "SiLU": nn.SiLU,
    "ReLU": nn.ReLU,
    "Tanh": nn.Tanh,
    "Softmax": lambda: nn.Softmax(dim=1),
    "Dropout": nn.Dropout,
    "LayerNorm": lambda: nn.LayerNorm(8),
    "RMSNorm": lambda: nn.RMSNorm(8),
    "BatchNorm1d": lambda: nn.BatchNorm1d(8),
    "MaxPool1d": lambda: nn.MaxPool1d(2),
    "Transformer": lambda: nn.TransformerEncoderLayer(8, 2, 8),
}
"""Layers that save tensors, for inputs of 4 by 8."""


class Kept:
    """Stands in the graph for a tensor; the hooks that count them live as long as the `with`."""

    def __init__(self, tensor: torch.Tensor, alive: weakref.WeakSet):
        self.tensor = tensor.detach()
        alive.add(self)


def counting() -> tuple[saved_tensors_hooks, weakref.WeakSet]:
    """Hooks that count what graphs hold, and the set of what they hold now."""
    alive: weakref.WeakSet = weakref.WeakSet()
    return saved_tensors_hooks(lambda t: Kept(t, alive), lambda kept: kept.tensor), alive


# saved-bytes


@attacks(
    "memory/saved-bytes#freed",
    "memory/saved-bytes#saved-bytes",
    zh="十二种层，float32 和 float64，两种模式；有无 retain_graph 和 create_graph；CPU",
    en="twelve kinds of layers, float32 and float64, both modes; with and without retain_graph and create_graph; the CPU",
)
@attacks(
    "memory/saved-bytes#validation",
    zh="十二种层，float32 和 float64，两种模式；有无 retain_graph 和 create_graph；CPU；不用 retain_graph 和 create_graph",
    en="twelve kinds of layers, float32 and float64, both modes; with and without retain_graph and create_graph; the CPU; no retain_graph, no create_graph",
)
@attacks(
    "memory/checkpoint#limits",
    "memory/out-of-memory#too-large",
    "memory/out-of-memory#no-help",
    zh="十二种层，float32 和 float64，两种模式；不用 retain_graph 和 create_graph；CPU",
    en="twelve kinds of layers, float32 and float64, both modes; no retain_graph, no create_graph; the CPU",
)
@given(st.sampled_from(list(LAYERS)), st.sampled_from(DTYPES), st.booleans())
def test_what_is_saved_goes_with_backward_or_with_the_graph(name, dtype, training):
    layer = LAYERS[name]().to(dtype).train(training)
    hooks, alive = counting()
    losses = []
    with hooks:
        for count in (1, 2, 3):
            x = torch.randn(4, 8, dtype=dtype, requires_grad=True)
            loss = layer(x).mean()
            assert alive or (name == "Dropout" and not training)
            loss.backward()
            losses.append(loss)
            assert not alive
            assert len(nodes_behind(loss)) > 1
            assert len(losses) == count
        for options in ({"retain_graph": True}, {"create_graph": True}):
            loss = layer(x).mean()
            held = len(alive)
            torch.autograd.grad(loss, x, **options)
            assert len(alive) >= held
            del loss
            assert not alive
        loss = layer(x).mean()
        assert alive or (name == "Dropout" and not training)
        del loss
        assert not alive
        with torch.no_grad():
            loss = layer(x).mean()
        assert loss.grad_fn is None
        assert not alive


SHAPES = st.sampled_from([(1, 8), (4, 8), (2, 3, 8), (2, 1, 2, 8)])


@attacks(
    "memory/saved-bytes#why",
    zh="四种形状的输入，float32 和 float64；权重需要梯度；CPU，没有 autocast",
    en="inputs of four shapes, float32 and float64; a weight that requires a gradient; the CPU, no autocast",
)
@given(SHAPES, st.sampled_from(DTYPES))
def test_what_layers_save(shape, dtype):
    for name, layer in (
        ("Linear", nn.Linear(8, 8).to(dtype)),
        ("GELU", nn.GELU()),
        ("Flatten", nn.Flatten(0)),
    ):
        x = torch.randn(shape, dtype=dtype, requires_grad=True)
        places = []

        def pack(tensor, places=places):
            places.append(tensor.data_ptr())
            return tensor.detach()

        with saved_tensors_hooks(pack, lambda packed: packed):
            layer(x)
        weights = {p.data_ptr() for p in layer.parameters()}
        assert set(places) - weights == (set() if name == "Flatten" else {x.data_ptr()})


class Square(torch.autograd.Function):
    by_save = True

    @staticmethod
    def forward(ctx, x):
        if Square.by_save:
            ctx.save_for_backward(x)
        else:
            ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors[0] if Square.by_save else ctx.x
        return 2 * x * grad


@attacks(
    "memory/saved-bytes#limits",
    zh="用两种办法之一保存输入的 Function；四种形状",
    en="a Function that saves its input in one of the two ways; four shapes",
)
@given(SHAPES)
def test_hooks_do_not_see_what_a_function_stores_on_ctx(shape):
    for by_save in (True, False):
        Square.by_save = by_save
        seen = []
        x = torch.randn(shape, requires_grad=True)

        def pack(tensor, seen=seen):
            seen.append(tensor)
            return tensor.detach()

        with saved_tensors_hooks(pack, lambda packed: packed):
            y = Square.apply(x)
        assert len(seen) == by_save
        y.sum().backward()
        assert torch.equal(x.grad, 2 * x.detach())


# checkpoint


def places_saved(weights, forward):
    """Where the tensors lie that the graph of `forward` saves, but for the weights."""
    places = set()

    def pack(tensor):
        places.add(tensor.data_ptr())
        return tensor.detach()

    with saved_tensors_hooks(pack, lambda packed: packed):
        y = forward()
    return places - {w.data_ptr() for w in weights}, y


@attacks(
    "memory/checkpoint#checkpoint",
    "memory/checkpoint#limits",
    zh="十二种层，两种模式，float32 和 float64；两种检查点；一个需要梯度的输入；CPU 上每一位都相等",
    en="twelve kinds of layers in both modes, float32 and float64; both kinds of checkpoint; one input that requires a gradient; bit by bit on the CPU",
)
@given(st.sampled_from(list(LAYERS)), st.sampled_from(DTYPES), st.booleans(), st.booleans())
def test_a_checkpoint_keeps_the_input_and_computes_again(name, dtype, training, reentrant):
    torch.manual_seed(1)
    layer = LAYERS[name]().to(dtype).train(training)
    calls, gradients = [], []

    def block(x):
        calls.append(x)
        return layer(x)

    for checkpointed in (False, True):
        torch.manual_seed(0)
        calls.clear()
        x = torch.randn(4, 8, dtype=dtype, requires_grad=True)

        def forward(x=x, checkpointed=checkpointed):
            return checkpoint(block, x, use_reentrant=reentrant) if checkpointed else block(x)

        saved, y = places_saved(list(layer.parameters()), forward)
        assert len(calls) == 1
        if checkpointed:
            assert saved == {x.data_ptr()}
        layer.zero_grad()
        (y**2).sum().backward()
        needed = saved and not (name == "Dropout" and not training)
        assert len(calls) == 1 + bool(checkpointed and (reentrant or needed))
        gradients.append([x.grad, *(p.grad for p in layer.parameters())])
        pairs = zip(gradients[-1][1:], layer.parameters(), strict=True)
        assert all(g.nbytes == p.nbytes for g, p in pairs)
    assert all(map(torch.equal, *gradients))


EDITED = {
    "relu": (torch.relu, torch.relu_),
    "sigmoid": (torch.sigmoid, torch.sigmoid_),
    "tanh": (torch.tanh, torch.tanh_),
    "add": (lambda x: x + 1, lambda x: x.add_(1)),
    "double": (lambda x: x * 2, lambda x: x.mul_(2)),
    "square": (torch.square, torch.square_),
    "weight": (None, None),
}
"""Operations out of place and in place; that of the weight has no second form."""
edits = st.lists(
    st.tuples(st.sampled_from(list(EDITED)), st.booleans()), min_size=1, max_size=5
).map(lambda steps: [(name, name != "weight" and in_place) for name, in_place in steps])
MODIFIED = "modified by an inplace operation"


def block_of(steps, w):
    """Does the steps one after the other, the last of them squared."""

    def block(x):
        for name, in_place in steps:
            x = w * x if name == "weight" else EDITED[name][in_place](x)
        return x * x

    return block


def gradients_of(block, w, way, make, dtype):
    """Of the weight and of the input, or what is said of an edit; `way` is None or a kind."""
    w.grad = None
    leaf = torch.tensor([0.3, -0.7], dtype=dtype, requires_grad=True)
    x = make(leaf)
    try:
        y = block(x) if way is None else checkpoint(block, x, use_reentrant=way)
        y.sum().backward()
    except RuntimeError as error:
        return str(error)
    return [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in (w, leaf)]


@attacks(
    "memory/checkpoint#checkpoint",
    "memory/checkpoint#in-place",
    "memory/reentrant#in-place",
    zh="七种运算组成的一到五步的块，每步原地或不原地；float32 和 float64；两种检查点",
    en="blocks of one to five operations of seven kinds, each in place or not; float32 and float64; both kinds of checkpoint",
)
@given(edits, st.sampled_from(DTYPES))
def test_a_block_edits_what_it_has_made_and_not_what_it_was_given(steps, dtype):
    """An edited argument raises in both kinds; what autograd refuses later
    in the block raises without a checkpoint and with True; with False nothing raises."""
    w = torch.tensor([1.5, -0.5], dtype=dtype, requires_grad=True)
    block = block_of(steps, w)
    plain, true, false = (
        gradients_of(block, w, way, lambda leaf: leaf * 1, dtype) for way in (None, True, False)
    )
    if steps[0][1]:
        assert isinstance(true, str) and MODIFIED in false
    elif isinstance(plain, str):
        assert MODIFIED in plain and MODIFIED in true and not isinstance(false, str)
    else:
        assert all(map(torch.equal, plain, true)) and all(map(torch.equal, plain, false))


@attacks(
    "memory/checkpoint#in-place",
    zh="输入放在列表、元组、字典里，作为关键字参数，来自外面的变量，以及复制过的",
    en="an input in a list, a tuple, a dictionary, as a keyword argument, from a variable outside, and copied",
)
@given(st.sampled_from(["list", "tuple", "dictionary", "keyword", "variable", "copy"]))
def test_what_is_edited_twice_goes_unnoticed_but_for_an_argument(place):
    """24 is right; whatever isn't an argument of its own is doubled again."""
    w = torch.tensor(3.0, requires_grad=True)
    x = torch.tensor(1.0)

    def block(x):
        x *= 2
        return (w * x) ** 2

    ways = {
        "list": lambda: checkpoint(lambda xs: block(xs[0]), [x], use_reentrant=False),
        "tuple": lambda: checkpoint(lambda xs: block(xs[0]), (x,), use_reentrant=False),
        "dictionary": lambda: checkpoint(lambda xs: block(xs["x"]), {"x": x}, use_reentrant=False),
        "keyword": lambda: checkpoint(block, x=x, use_reentrant=False),
        "variable": lambda: checkpoint(lambda: block(x), use_reentrant=False),
        "copy": lambda: checkpoint(lambda x: block(x.clone()), x, use_reentrant=False),
    }
    ways[place]().backward()
    assert w.grad == (24 if place == "copy" else 96)


@attacks(
    "memory/checkpoint#in-place",
    zh="与权重相乘再平方，中间 SGD 走一步；两种检查点和不用检查点；float32 和 float64",
    en="a product with the weight, squared, and a step of SGD in between; both kinds of checkpoint, and none; float32 and float64",
)
@given(st.sampled_from([None, True, False]), st.sampled_from(DTYPES))
def test_a_weight_changed_in_between_is_noticed_without_a_checkpoint(way, dtype):
    """Both kinds compute with the new weight."""
    w = torch.tensor([1.5, -0.5], dtype=dtype, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    w.grad = torch.ones_like(w)
    x = torch.ones(2, dtype=dtype, requires_grad=True)
    block = block_of([("weight", False)], w)
    y = block(x) if way is None else checkpoint(block, x, use_reentrant=way)
    optimizer.step()
    if way is None:
        with pytest.raises(RuntimeError, match=MODIFIED):
            y.sum().backward()
    else:
        y.sum().backward()
        assert torch.equal(x.grad, 2 * w.detach() ** 2)


class Operations(TorchDispatchMode):
    """Notes each operation and its result, which it doesn't keep alive."""

    def __init__(self) -> None:
        super().__init__()
        self.ran, self.results = [], []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        self.ran.append(function)
        self.results.append(weakref.ref(result.untyped_storage()))
        return result


STEPS = {
    torch.ops.aten.mm.default: lambda x: x @ x,
    torch.ops.aten.gelu.default: nn.functional.gelu,
    torch.ops.aten.tanh.default: torch.tanh,
    torch.ops.aten.sin.default: torch.sin,
    torch.ops.aten.neg.default: torch.neg,
}
chosen = st.lists(st.sampled_from(list(STEPS)), min_size=1, max_size=5)


@attacks(
    "memory/checkpoint#selective",
    zh="五种运算组成的一到五环的链，任选几环，用列表或函数指定；float32 和 float64",
    en="chains of one to five operations of five kinds, any of them chosen, by a list or a function; float32 and float64",
)
@given(chosen, st.sets(st.sampled_from(list(STEPS))), st.booleans(), st.sampled_from(DTYPES))
def test_chosen_results_are_kept_and_not_computed_again(steps, kept, as_list, dtype):
    def block(x):
        for step in steps:
            x = STEPS[step](x)
        return x

    def policy(context, function, *args, **kwargs):
        return CheckpointPolicy.MUST_SAVE if function in kept else CheckpointPolicy.PREFER_RECOMPUTE

    contexts = partial(create_selective_checkpoint_contexts, list(kept) if as_list else policy)
    torch.manual_seed(0)
    x = torch.randn(4, 4, dtype=dtype, requires_grad=True)
    (plain,) = torch.autograd.grad(block(x).sum(), x)
    with Operations() as forward:
        y = checkpoint(block, x, use_reentrant=False, context_fn=contexts)
    pairs = zip(forward.ran, forward.results, strict=True)
    assert all(result() is not None for function, result in pairs if function in kept)
    with Operations() as backward:
        (gradient,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
    assert torch.equal(gradient, plain)
    again = [function for function in backward.ran if function in STEPS]
    derivatives = {torch.ops.aten.mm.default, torch.ops.aten.neg.default}  # they are their own
    assert not (kept - derivatives) & set(again)
    if kept & set(steps[:-1]) and steps[-1] != torch.ops.aten.neg.default:
        with pytest.raises(RuntimeError, match="only allowed to backward once"):
            torch.autograd.grad(y.sum(), x)


@attacks(
    "memory/checkpoint#bytes",
    "memory/checkpoint#limits",
    "memory/reentrant#default",
    zh="一到五次乘法连着，中间有 tanh 或没有；输入需要梯度；两种检查点，early_stop 开和关",
    en="one to five products in a row with tanh between or nothing; an input that requires a gradient; both kinds of checkpoint, and early_stop on and off",
)
@given(st.integers(1, 5), st.booleans())
def test_products_of_a_step(count, tanh):
    weights = [torch.ones(4, 4, requires_grad=True) for _ in range(count)]

    def block(x):
        for i, w in enumerate(weights):
            x = x @ w
            if tanh and i < count - 1:
                x = x.tanh()
        return x

    def products(**settings):
        x = torch.ones(4, 4, requires_grad=True)
        with FlopCounterMode(display=False) as counter:
            y = checkpoint(block, x, **settings) if settings else block(x)
            y.sum().backward()
        return counter.get_total_flops() // (2 * 4 * 4 * 4)

    assert products() == 3 * count
    assert products(use_reentrant=True) == 4 * count
    assert products(use_reentrant=False, early_stop=False) == 4 * count
    assert products(use_reentrant=False) == 4 * count - 1


class Meter(TorchDispatchMode):
    """The memory of all results alive, at its highest."""

    def __init__(self):
        super().__init__()
        self.alive, self.peak = {}, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor):
            block = result.untyped_storage()
            if block._cdata not in self.alive:
                self.alive[block._cdata] = block.nbytes()
                weakref.finalize(block, self.alive.pop, block._cdata)
        self.peak = max(self.peak, sum(self.alive.values()))
        return result


ONE = 4096 * 4 * 4
"""The bytes of an activation: so large that weights count for nothing."""


def peak(forward, layers):
    """The peak of a step, in activations."""
    layers.zero_grad()
    x = torch.ones(4096, 4, requires_grad=True)
    with Meter() as meter:
        loss = forward(x).mean()
        loss.backward()
    return meter.peak // ONE


def chain(count):
    return nn.Sequential(*(nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(count)))


@attacks(
    "memory/checkpoint#segments",
    zh="2 到 20 个相同的 Linear 加 Tanh；每个运算之后量所有还在的结果占的内存",
    en="2 to 20 equal layers of Linear and Tanh; the memory of all results alive, after each operation",
)
@given(st.integers(2, 20))
def test_one_checkpoint_or_one_for_each_layer_save_nothing_at_the_peak(count):
    layers = chain(count)

    def each(x):
        for layer in layers:
            x = checkpoint(layer, x, use_reentrant=False)
        return x

    plain = peak(layers, layers)
    assert plain == count + 2
    assert peak(lambda x: checkpoint(layers, x, use_reentrant=False), layers) >= plain
    assert peak(each, layers) >= plain - 1
    lowest = min(
        peak(lambda x, k=k: checkpoint_sequential(layers, k, x, use_reentrant=False), layers)
        for k in range(1, count + 1)
    )
    assert lowest < plain or count < 4


@attacks(
    "memory/checkpoint#segments",
    zh="1 到 20 层，分成各种可能的段数；两种检查点",
    en="1 to 20 layers in each possible number of segments; both kinds of checkpoint",
)
@given(st.data(), st.integers(1, 20), st.booleans())
def test_checkpoint_sequential_leaves_the_last_segment_and_the_rest(data, count, reentrant):
    segments = data.draw(st.integers(1, count))
    layers, calls = chain(count), []
    for i, layer in enumerate(layers):
        layer[0].register_forward_hook(lambda *args, i=i: calls.append(i))
    x = torch.ones(2, 4, requires_grad=True)
    y = checkpoint_sequential(layers, segments, x, use_reentrant=reentrant)
    assert calls == list(range(count))
    y.sum().backward()
    size = count // segments
    assert sorted(calls[count:]) == list(range(size * (segments - 1)))


# recomputed


NAMES = st.lists(st.sampled_from(["Linear", "ReLU", "Tanh"]), min_size=1, max_size=5)


@attacks(
    "memory/recomputed#hooks",
    zh="Sequential 里一到五层，三种层；两种检查点",
    en="one to five layers of three kinds in a Sequential; both kinds of checkpoint",
)
@given(NAMES)
def test_forward_hooks_fire_again_where_the_second_run_gets(names):
    for reentrant in (True, False):
        block = nn.Sequential(*(LAYERS[name]() for name in names))
        fired = []
        block.register_forward_hook(lambda *args, fired=fired: fired.append("block"))
        for i, layer in enumerate(block):
            layer.register_forward_hook(lambda *args, i=i, fired=fired: fired.append(i))
        x = torch.ones(2, 8, requires_grad=True)
        y = checkpoint(block, x, use_reentrant=reentrant)
        everything = [*range(len(names)), "block"]
        assert fired == everything
        fired.clear()
        y.sum().backward()
        if reentrant:
            assert fired == everything
        else:
            assert fired == everything[: len(names) - 1]


@attacks(
    "memory/recomputed#batch-norm",
    zh="动量从 0.05 到 0.95；float32 和 float64；两种检查点",
    en="momentum from 0.05 to 0.95; float32 and float64; both kinds of checkpoint",
)
@given(st.floats(0.05, 0.95), st.sampled_from(DTYPES), st.booleans())
def test_batch_norm_moves_twice(momentum, dtype, reentrant):
    torch.manual_seed(0)
    x = torch.randn(5, 3, dtype=dtype) * 2 + 1
    coefficients = torch.randn(5, 3, dtype=dtype)
    plain = nn.BatchNorm1d(3, momentum=1 - (1 - momentum) ** 2, dtype=dtype)
    twice = nn.BatchNorm1d(3, momentum=momentum, dtype=dtype)
    (plain(x) * coefficients).sum().backward()
    argument = x.clone().requires_grad_()
    (checkpoint(twice, argument, use_reentrant=reentrant) * coefficients).sum().backward()
    assert torch.equal(plain.weight.grad, twice.weight.grad)
    assert torch.allclose(plain.running_mean, twice.running_mean)
    assert torch.allclose(plain.running_var, twice.running_var)
    assert (plain.num_batches_tracked, twice.num_batches_tracked) == (1, 2)
    twice.eval()
    before = [b.clone() for b in twice.buffers()]
    checkpoint(twice, argument, use_reentrant=reentrant).sum().backward()
    assert all(map(torch.equal, before, twice.buffers()))


OWN = torch.Generator().manual_seed(0)
DRAWS = {
    "dropout": lambda x: nn.functional.dropout(x, 0.5),
    "rand": lambda x: x * torch.rand(x.shape),
    "bernoulli": lambda x: x * torch.bernoulli(torch.full(x.shape, 0.5)),
    "randperm": lambda x: x * torch.randperm(64),
    "python": lambda x: x * torch.full((64,), random.random()),
    "numpy": lambda x: x * torch.from_numpy(np.random.rand(64)),
    "own generator": lambda x: x * torch.rand(x.shape, generator=OWN),
}


@attacks(
    "memory/recomputed#random",
    zh="PyTorch 的四种抽随机数的办法，其中一种有自己的生成器，Python 和 NumPy 各一种；两种检查点；CPU",
    en="four ways to draw in PyTorch, one with a generator of its own, and one each in Python and NumPy; both kinds of checkpoint; the CPU",
)
@given(st.sampled_from(list(DRAWS)), st.booleans(), st.booleans(), st.integers(0, 99))
def test_whose_random_numbers_are_drawn_alike(name, reentrant, preserve, seed):
    torch.manual_seed(seed)
    x = torch.ones(64, requires_grad=True)
    y = checkpoint(DRAWS[name], x, use_reentrant=reentrant, preserve_rng_state=preserve)
    y.sum().backward()
    restored = preserve and name not in ("python", "numpy", "own generator")
    assert torch.equal(x.grad, y.detach()) is restored


@attacks(
    "memory/recomputed#recomputed",
    zh="CPU 上转成 bfloat16 和 float16 的 autocast；两种检查点",
    en="autocast to bfloat16 and float16 on the CPU; both kinds of checkpoint",
)
@given(st.booleans(), st.sampled_from((torch.bfloat16, torch.float16)))
def test_autocast_is_as_it_was(reentrant, dtype):
    seen = []

    def block(x):
        seen.append(((x @ x).dtype, torch.is_autocast_enabled("cpu")))
        return x @ x

    x = torch.ones(4, 4, requires_grad=True)
    with torch.autocast("cpu", dtype):
        y = checkpoint(block, x, use_reentrant=reentrant)
    y.float().sum().backward()
    assert seen == [(dtype, True)] * 2


class Changes:
    """Saves `first` tensors in the first run, `second` in the next."""

    def __init__(self, first, second, dtype=torch.float64):
        self.counts, self.dtypes = [first, second], [torch.float64, dtype]

    def __call__(self, x):
        x = x.to(self.dtypes.pop(0))
        for _ in range(self.counts.pop(0)):
            x = x.sin()
        return x


@attacks(
    "memory/recomputed#recomputed",
    "memory/recomputed#error",
    zh="两次运行各保存一到四个张量的块，dtype 或值不同；early_stop 开和关",
    en="blocks that save one to four tensors in either run, with another dtype or other values; early_stop on and off",
)
@given(st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_what_the_check_compares(first, second, stop):
    def run(block, **settings):
        x = torch.ones(2, dtype=torch.float64, requires_grad=True)
        checkpoint(block, x, use_reentrant=False, **settings).sum().backward()
        return x.grad

    settings = {"early_stop": stop}
    if second < first:
        with pytest.raises(CheckpointError, match="different number of tensors"):
            run(Changes(first, second), **settings)
    elif second == first or stop:
        run(Changes(first, second), **settings)
    else:
        with pytest.raises(CheckpointError, match="trying to save more tensors"):
            run(Changes(first, second), **settings)
    with pytest.raises(CheckpointError, match="different metadata"):
        run(Changes(first, first, torch.float32))
    run(Changes(first, first, torch.float32), determinism_check="none")


@attacks(
    "memory/recomputed#error",
    zh="一个加上调用次数再平方的块",
    en="a block that adds the number of its calls and squares",
)
@given(st.integers(1, 4))
def test_values_are_not_compared(count):
    calls = []

    def block(x):
        calls.append(x)
        return (x + len(calls)).square()

    x = torch.zeros(count, requires_grad=True)
    checkpoint(block, x, use_reentrant=False).sum().backward()
    assert torch.equal(x.grad, torch.full((count,), 4.0))


@attacks(
    "memory/recomputed#error",
    zh="BatchNorm1d，动量从 0.05 到 0.95",
    en="BatchNorm1d with momentum from 0.05 to 0.95",
)
@given(st.floats(0.05, 0.95))
def test_a_context_tells_the_second_run_apart(momentum):
    norm = nn.BatchNorm1d(3, momentum=momentum)
    x = torch.randn(5, 3, requires_grad=True)
    plain = nn.BatchNorm1d(3, momentum=momentum)
    plain(x)

    @contextmanager
    def still():
        norm.momentum = 0.0
        yield
        norm.momentum = momentum

    y = checkpoint(norm, x, use_reentrant=False, context_fn=lambda: (nullcontext(), still()))
    y.sum().backward()
    assert torch.equal(norm.running_mean, plain.running_mean)
    assert torch.equal(norm.running_var, plain.running_var)


# reentrant


@attacks(
    "memory/reentrant#none",
    "memory/reentrant#reentrant",
    "memory/reentrant#why",
    "memory/review#remember",
    zh="十二种层，冻结或不冻结，输入需要或不需要梯度；backward、autograd.grad 和 inputs=",
    en="twelve kinds of layers, frozen or not, with inputs that need a gradient or don't; backward, autograd.grad and inputs=",
)
@given(st.sampled_from(list(LAYERS)), st.booleans(), st.booleans(), st.booleans())
def test_what_the_reentrant_kind_refuses(name, reentrant, needs, frozen):
    torch.manual_seed(0)
    layer = LAYERS[name]().eval().requires_grad_(not frozen)
    recorded = []

    def block(x):
        recorded.append(torch.is_grad_enabled())
        return layer(x)

    def run():
        x = torch.ones(4, 8, requires_grad=needs)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            y = checkpoint(block, x, use_reentrant=reentrant)
        harm = reentrant and not needs
        assert any("None of the inputs" in str(w.message) for w in caught) is harm
        return x, y

    parameters = [*layer.parameters()] if not frozen else []
    x, y = run()
    assert recorded == [not reentrant]
    if reentrant:
        assert y.requires_grad is needs
        assert type(y.grad_fn).__name__ == ("CheckpointFunctionBackward" if needs else "NoneType")
    else:
        assert y.requires_grad is bool(needs or parameters)
        if y.requires_grad:
            plain = layer(x).grad_fn
            assert y.grad_fn is None or type(y.grad_fn) is type(plain)
    if not y.requires_grad:
        return
    y.sum().backward()
    assert all((p.grad is not None) for p in parameters)
    for ask in (
        lambda y, asked: torch.autograd.grad(y.sum(), asked),
        lambda y, asked: y.sum().backward(inputs=asked),
    ):
        x, y = run()
        asked = [x] if needs else parameters
        if reentrant:
            with pytest.raises(RuntimeError, match="incompatible with"):
                ask(y, asked)
        else:
            ask(y, asked)


@attacks(
    "memory/reentrant#default",
    zh="checkpoint 不给 use_reentrant，一到三个数",
    en="checkpoint without use_reentrant, one to three numbers",
)
@given(st.integers(1, 3))
def test_without_use_reentrant_it_is_true_with_a_warning(count):
    x = torch.ones(count, requires_grad=True)
    with pytest.warns(UserWarning, match="should be passed explicitly"):
        y = checkpoint(torch.sin, x)
    assert type(y.grad_fn).__name__ == "CheckpointFunctionBackward"
    z = checkpoint_sequential(nn.Sequential(nn.Tanh(), nn.Tanh()), 2, x, use_reentrant=False)
    assert type(z.grad_fn).__name__ == "TanhBackward0"


@attacks(
    "memory/reentrant#why",
    zh="两种检查点，返回分离的结果，一到四个数",
    en="both kinds of checkpoint with a detached result, one to four numbers",
)
@given(st.integers(1, 4))
def test_all_results_of_the_reentrant_kind_need_a_gradient(count):
    x = torch.ones(count, requires_grad=True)
    for reentrant in (True, False):
        results = checkpoint(lambda x: (x.sin(), x.detach()), x, use_reentrant=reentrant)
        assert [r.requires_grad for r in results] == [True, reentrant]


def passing(results):
    """A reentrant checkpoint whose runs return these in turn; the backward pass."""
    left = list(results)
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    y = checkpoint(lambda x: left.pop(0)(x), x, use_reentrant=True)
    (y[0] if isinstance(y, tuple) else y).sum().backward()
    return x.grad


@attacks(
    "memory/reentrant#default",
    zh="两次运行各保存一到四个张量；结果一个或两个，一种或两种形状，别的 dtype，以及没有图的；CPU",
    en="one to four saved tensors in either run; results that are one or two, of one shape or two, of another dtype, and without a graph; the CPU",
)
@given(st.integers(1, 4), st.integers(1, 4), st.floats(-3, 3))
def test_the_reentrant_kind_compares_nothing(first, second, factor):
    """Nor another value; another shape, number or dtype, or no graph, raises."""
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    checkpoint(Changes(first, second), x, use_reentrant=True).sum().backward()
    assert x.grad is not None
    shapes = [(first,), (first + second,)]
    y = checkpoint(lambda x: x.sum().expand(shapes.pop(0)), x, use_reentrant=True)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        y.sum().backward()
    changed = passing([torch.sin, lambda x: factor * x])
    assert torch.equal(changed, torch.full((2,), factor, dtype=torch.float64))
    for other, error, message in (
        (lambda x: x.detach(), RuntimeError, "none of output has requires_grad=True"),
        (lambda x: x.to(torch.complex128), RuntimeError, "same dtype"),
        (lambda x: (x, x), IndexError, None),
    ):
        with pytest.raises(error, match=message):
            passing([torch.sin, other])


@attacks(
    "memory/reentrant#none",
    zh="Linear、LayerNorm 和一个 transformer 层",
    en="Linear, LayerNorm and a transformer layer",
)
@given(st.sampled_from(["Linear", "LayerNorm", "Transformer"]))
def test_requires_grad_on_the_input_brings_the_gradients_back(name):
    layer = LAYERS[name]().eval()
    for needs in (False, True):
        x = torch.ones(4, 8).requires_grad_(needs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = checkpoint(layer, x, use_reentrant=True)
        assert y.requires_grad is needs
    y.sum().backward()
    assert all(p.grad is not None for p in layer.parameters())


# offload


@attacks(
    "memory/offload#gradient",
    "memory/offload#offload",
    zh="十二种层，训练模式；副本和 bfloat16",
    en="twelve kinds of layers in training mode; a copy, and bfloat16",
)
@given(st.sampled_from(list(LAYERS)), st.booleans())
def test_packing_changes_the_gradient_and_not_the_result(name, exact):
    torch.manual_seed(0)
    layer = LAYERS[name]()
    x = torch.randn(4, 8)

    def pack(tensor):
        if exact or not tensor.is_floating_point():
            return tensor.detach().clone()
        return tensor.detach().to(torch.bfloat16)

    def unpack(packed):
        return packed.float() if packed.is_floating_point() else packed

    runs = []
    for hooks in (saved_tensors_hooks(pack, unpack), torch.enable_grad()):
        torch.manual_seed(1)
        layer.zero_grad()
        value = x.clone().requires_grad_()
        with hooks:
            y = layer(value)
        (y**2).sum().backward()
        runs.append((y, [value.grad, *(p.grad for p in layer.parameters())]))
    (packed, gradients), (plain, correct) = runs
    assert torch.equal(packed, plain)
    if exact:
        assert all(map(torch.equal, gradients, correct))
    else:
        for got, wanted in zip(gradients, correct, strict=True):
            assert (got - wanted).abs().max() <= 0.1 * wanted.abs().max() + 0.1


SAVE_INPUT = (torch.sin, torch.cos, torch.square, torch.log)
SAVE_RESULT = (torch.exp, torch.sigmoid, torch.tanh, torch.sqrt)


@attacks(
    "memory/offload#traps",
    zh="八种保存输入或结果的运算；float32 和 float64；CPU",
    en="eight operations that save their input or their result; float32 and float64; the CPU",
)
@given(st.sampled_from(SAVE_INPUT + SAVE_RESULT), st.sampled_from(DTYPES), st.integers(1, 4))
def test_with_hooks_no_edit_is_noticed(f, dtype, size):
    def run(hooks):
        w = torch.full((size,), 2.0, dtype=dtype, requires_grad=True)
        with hooks:
            h = w * 1
            y = f(h)
        (h if f in SAVE_INPUT else y).add_(1)
        y.sum().backward()
        return w.grad

    w = torch.full((size,), 2.0, dtype=dtype, requires_grad=True)
    correct = torch.autograd.grad(f(w).sum(), w)[0]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        run(torch.enable_grad())
    assert torch.equal(run(saved_tensors_hooks(torch.clone, torch.detach)), correct)
    for hooks in (saved_tensors_hooks(torch.detach, torch.detach), save_on_cpu()):
        assert not torch.allclose(run(hooks), correct)


@attacks(
    "memory/offload#traps",
    zh="八种保存输入或结果的运算；有无反向；也在 no_grad 和 inference_mode 里",
    en="eight operations that save their input or their result; with and without a backward pass; also under no_grad and inference_mode",
)
@given(
    st.sampled_from(SAVE_INPUT + SAVE_RESULT),
    st.booleans(),
    st.booleans(),
    st.sampled_from([nullcontext, torch.no_grad, torch.inference_mode]),
)
def test_a_result_packed_as_it_is_is_never_freed(f, detach, backward, mode):
    x, packed = torch.ones(2, requires_grad=True), []

    def pack(tensor):
        packed.append(tensor.shape)
        return tensor.detach() if detach else tensor

    with saved_tensors_hooks(pack, lambda packed: packed), mode():
        y = f(x)
    recorded = mode is nullcontext
    assert bool(packed) is recorded
    result = weakref.ref(y)
    if backward and recorded:
        y.sum().backward()
    del y
    gc.collect()
    assert (result() is None) is (detach or backward or f in SAVE_INPUT or not recorded)


@attacks(
    "memory/offload#save-on-cpu",
    "memory/offload#traps",
    zh="二到五个线性层连着",
    en="two to five linear layers in a row",
)
@given(st.integers(2, 5))
def test_pack_gets_weights_and_what_the_with_block_saves(count):
    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(count)))
    weights = {p.data_ptr() for p in model.parameters()}
    seen = []

    def pack(tensor):
        seen.append(tensor.data_ptr() in weights)
        return tensor.detach()

    with saved_tensors_hooks(pack, lambda packed: packed):
        y = model(torch.ones(2, 4))
    assert (sum(seen), len(seen)) == (count - 1, 2 * count - 1)
    y.sin()
    assert len(seen) == 2 * count - 1


@attacks(
    "memory/saved-bytes#limits",
    zh="二到五个线性层连着；一到三层互相嵌套的钩子；里面有检查点",
    en="two to five linear layers in a row; one to three hooks inside one another; a checkpoint inside",
)
@attacks(
    "memory/offload#traps",
    zh="二到五个线性层连着；一到三层互相嵌套的钩子",
    en="two to five linear layers in a row; one to three hooks inside one another",
)
@given(st.integers(2, 5), st.integers(1, 3))
def test_only_the_innermost_hooks_are_called(count, inside):
    """And a checkpoint of the new kind has hooks of its own."""
    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(count)))
    seen = [0] * (inside + 1)

    def hooks(depth):
        def pack(tensor):
            seen[depth] += 1
            return tensor.detach()

        return saved_tensors_hooks(pack, lambda packed: packed)

    with ExitStack() as stack:
        for depth in range(inside + 1):
            stack.enter_context(hooks(depth))
        model(torch.ones(2, 4))
    assert seen == [0] * inside + [2 * count - 1]
    x = torch.ones(2, 4, requires_grad=True)
    with hooks(0):
        checkpoint(model, x, use_reentrant=False)
    assert seen[0] == 1


@attacks(
    "memory/offload#traps",
    zh="一到四个数的三次方、矩阵乘积、六种层；含零；换一种 dtype 时有的会报错",
    en="the third power of one to four numbers, a product of matrices, six layers; zeros; with another dtype some of them raise",
)
@given(st.integers(1, 4))
def test_unpack_may_return_anything_of_the_shape_and_dtype(size):
    def gradient(f, unpack):
        w = torch.full((size, size), 2.0, requires_grad=True)
        with saved_tensors_hooks(torch.detach, unpack):
            y = f(w)
        y.sum().backward()
        return w.grad

    functions = (lambda w: w**3, lambda w: w @ w, *SAVE_INPUT, *SAVE_RESULT)
    for f in functions:
        assert gradient(f, torch.zeros_like).shape == (size, size)
    assert not gradient(functions[0], torch.zeros_like).any()
    with pytest.raises(RuntimeError, match="isFloatingType"):
        gradient(functions[0], lambda t: torch.zeros_like(t, dtype=torch.complex64))
    with pytest.raises(RuntimeError, match="same dtype"):
        gradient(functions[1], lambda t: t.double())


# out-of-memory

MOMENTS = ("exp_avg", "exp_avg_sq")


@attacks(
    "memory/out-of-memory#fixed",
    "memory/out-of-memory#too-large",
    zh="十二种层，批次放大到二到五倍；注意力除外，它保存得更多",
    en="twelve kinds of layers, two to five times the batch; but for attention, which keeps more",
)
@given(st.sampled_from(list(LAYERS)), st.sampled_from(DTYPES), st.integers(2, 5))
def test_bytes_grow_with_the_batch_and_weights_do_not(name, dtype, times):
    torch.manual_seed(0)
    layer = LAYERS[name]().to(dtype)
    weights = {p.data_ptr() for p in layer.parameters()}

    def kept(rows):
        saved = {}

        def pack(tensor):
            if tensor.data_ptr() not in weights and tensor.dim() > 1:
                saved[tensor.data_ptr()] = tensor.detach()
            return tensor.detach()

        with saved_tensors_hooks(pack, lambda packed: packed):
            y = layer(torch.randn(rows, 8, dtype=dtype, requires_grad=True))
        layer.zero_grad()
        y.sum().backward()
        if weights:
            optimizer = torch.optim.Adam(layer.parameters())
            optimizer.step()
            size = sum(p.nbytes for p in layer.parameters())
            assert sum(p.grad.nbytes for p in layer.parameters()) == size
            states = [s[name] for s in optimizer.state.values() for name in MOMENTS]
            assert sum(t.nbytes for t in states) == 2 * size
        return sum(t.nbytes for t in saved.values())

    if name == "Transformer":  # attention keeps what grows with the square of the length
        assert kept(times * 4) > times * kept(4)
    else:
        assert kept(times * 4) == times * kept(4)


@attacks(
    "memory/out-of-memory#no-help",
    zh="一个变量后面的图，有两个运算",
    en="a graph of two operations behind one variable",
)
@given(st.integers(1, 4))
def test_gc_and_del_free_what_nothing_refers_to(count):
    hooks, alive = counting()
    x = torch.ones(count, requires_grad=True)
    with hooks:
        y = x.exp()
        z = y.sin()
    del y
    gc.collect()
    assert len(alive) == 2
    del z
    assert not alive
