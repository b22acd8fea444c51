"""What the pages of memory say in general."""

import gc
import random
import warnings
import weakref
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
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


def showing(see: Callable) -> saved_tensors_hooks:
    """Hooks that call `see` with each tensor that is saved."""

    def pack(tensor):
        see(tensor)
        return tensor.detach()

    return saved_tensors_hooks(pack, lambda packed: packed)


# saved-bytes


@attacks(
    "memory/checkpoint#limits",
    "memory/out-of-memory#no-help",
    "memory/out-of-memory#too-large",
    "memory/saved-bytes#freed",
    "memory/saved-bytes#saved-bytes",
    "memory/saved-bytes#validation",
    zh="十二种层，float32 和 float64，两种模式；有无 retain_graph、create_graph 和 no_grad；CPU",
    en="twelve kinds of layers, float32 and float64, both modes; with and without retain_graph, create_graph and no_grad; the CPU",
)
@given(st.sampled_from(list(LAYERS)), st.sampled_from(DTYPES), st.booleans())
def test_what_is_saved_goes_with_backward_or_with_the_graph(name, dtype, training):
    layer = LAYERS[name]().to(dtype).train(training)
    saves = training or name != "Dropout"
    hooks, alive = counting()
    losses = []
    with hooks:
        for _ in range(3):
            x = torch.randn(4, 8, dtype=dtype, requires_grad=True)
            losses.append(layer(x).mean())
            assert bool(alive) is saves
            losses[-1].backward()
            assert not alive
        assert all(len(nodes_behind(loss)) > 1 for loss in losses)
        for options in ({"retain_graph": True}, {"create_graph": True}, {}):
            loss = layer(x).mean()
            held = len(alive)
            assert bool(held) is saves
            if options:
                torch.autograd.grad(loss, x, **options)
            assert len(alive) >= held
            del loss
            assert not alive
        with torch.no_grad():
            loss = layer(x).mean()
        assert loss.grad_fn is None and not alive


SHAPES = st.sampled_from([(1, 8), (4, 8), (2, 3, 8), (2, 1, 2, 8)])


@attacks("memory/saved-bytes#why", zh="三种层，四种形状", en="three layers, four shapes")
@given(SHAPES, st.sampled_from(DTYPES))
def test_what_layers_save(shape, dtype):
    for layer in (nn.Linear(8, 8).to(dtype), nn.GELU(), nn.Flatten(0)):
        x = torch.randn(shape, dtype=dtype, requires_grad=True)
        saved, _ = places_saved(layer.parameters(), lambda x=x, layer=layer: layer(x))
        assert saved == (set() if isinstance(layer, nn.Flatten) else {x.data_ptr()})


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by_save):
        if by_save:
            ctx.save_for_backward(x)
        else:
            ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors[0] if ctx.saved_tensors else ctx.x
        return 2 * x * grad, None


@attacks("memory/saved-bytes#limits", zh="保存输入的两种办法", en="two ways to save an input")
@given(SHAPES)
def test_hooks_do_not_see_what_a_function_stores_on_ctx(shape):
    for by_save in (True, False):
        x, seen = torch.randn(shape, requires_grad=True), []
        with showing(seen.append):
            y = Square.apply(x, by_save)
        assert len(seen) == by_save
        y.sum().backward()
        assert torch.equal(x.grad, 2 * x.detach())


# checkpoint


def places_saved(weights, forward):
    """Where the tensors lie that the graph of `forward` saves, but for the weights."""
    places = set()
    with showing(lambda tensor: places.add(tensor.data_ptr())):
        y = forward()
    return places - {w.data_ptr() for w in weights}, y


@attacks(
    "memory/checkpoint#checkpoint",
    "memory/checkpoint#limits",
    zh="十二种层，两种模式，float32 和 float64；两种检查点；CPU 上每一位都相等",
    en="twelve kinds of layers in both modes, float32 and float64; both kinds of checkpoint; bit by bit on the CPU",
)
@given(st.sampled_from(list(LAYERS)), st.sampled_from(DTYPES), st.booleans(), st.booleans())
def test_a_checkpoint_keeps_the_input_and_computes_again(name, dtype, training, reentrant):
    torch.manual_seed(1)
    layer = LAYERS[name]().to(dtype).train(training)
    calls, gradients = [], []

    def block(x):
        calls.append(x)
        return layer(x)

    for run in (block, partial(checkpoint, block, use_reentrant=reentrant)):
        torch.manual_seed(0)
        calls.clear()
        x = torch.randn(4, 8, dtype=dtype, requires_grad=True)
        saved, y = places_saved(layer.parameters(), lambda run=run, x=x: run(x))
        assert len(calls) == 1
        assert run is block or saved == {x.data_ptr()}
        layer.zero_grad()
        (y**2).sum().backward()
        needed = saved and (training or name != "Dropout")
        assert len(calls) == 1 + bool(run is not block and (reentrant or needed))
        gradients.append([x.grad, *(p.grad for p in layer.parameters())])
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


def gradients_of(block, w, way, dtype):
    """Of the weight and of the input, or what is said of an edit; `way` is None or a kind."""
    w.grad = None
    leaf = torch.tensor([0.3, -0.7], dtype=dtype, requires_grad=True)
    x = leaf * 1
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
    plain, true, false = (gradients_of(block, w, way, dtype) for way in (None, True, False))
    if steps[0][1]:
        assert isinstance(true, str) and MODIFIED in false
    elif isinstance(plain, str):
        assert MODIFIED in plain and MODIFIED in true and not isinstance(false, str)
    else:
        assert all(map(torch.equal, plain, true)) and all(map(torch.equal, plain, false))


@attacks("memory/checkpoint#in-place", zh="六种传入输入的办法", en="six ways to pass the input")
@pytest.mark.parametrize(
    ("block", "arguments"),
    [
        (lambda edit, x: edit(x[0]), lambda x: ([x],)),
        (lambda edit, x: edit(x[0]), lambda x: ((x,),)),
        (lambda edit, x: edit(x["x"]), lambda x: ({"x": x},)),
        (lambda edit, x: edit(x), None),
        (lambda edit, x: edit(x()), lambda x: (lambda: x,)),
        (lambda edit, x: edit(x.clone()), lambda x: (x,)),
    ],
    ids=["list", "tuple", "dictionary", "keyword", "variable", "copy"],
)
def test_what_is_edited_twice_goes_unnoticed_but_for_an_argument(block, arguments, request):
    """24 is right; whatever isn't an argument of its own is doubled again."""
    w, x = torch.tensor(3.0, requires_grad=True), torch.tensor(1.0)

    def edit(x):
        x *= 2
        return (w * x) ** 2

    by_name = {} if arguments else {"x": x}
    run = partial(checkpoint, partial(block, edit), use_reentrant=False)
    run(*(arguments(x) if arguments else ()), **by_name).backward()
    assert w.grad == (24 if request.node.callspec.id == "copy" else 96)


@attacks("memory/checkpoint#in-place", zh="SGD 走一步之后反向", en="a pass after a step of SGD")
@given(st.sampled_from([None, True, False]), st.sampled_from(DTYPES))
def test_a_weight_changed_in_between_is_noticed_without_a_checkpoint(way, dtype):
    """Both kinds compute with the new weight."""
    w = torch.tensor([1.5, -0.5], dtype=dtype, requires_grad=True)
    w.grad = torch.ones_like(w)
    x = torch.ones(2, dtype=dtype, requires_grad=True)
    block = block_of([("weight", False)], w)
    y = block(x) if way is None else checkpoint(block, x, use_reentrant=way)
    torch.optim.SGD([w], lr=0.5).step()
    with pytest.raises(RuntimeError, match=MODIFIED) if way is None else nullcontext():
        y.sum().backward()
        assert torch.equal(x.grad, 2 * w.detach() ** 2)


class Operations(TorchDispatchMode):
    """Calls `see` with each operation and its result."""

    def __init__(self, see: Callable) -> None:
        super().__init__()
        self.see = see

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        self.see(function, result)
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
    "memory/checkpoint#selective", zh="五种运算，列表或函数", en="five operations, list or function"
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
    x, forward, backward = torch.randn(4, 4, dtype=dtype, requires_grad=True), [], set()
    (plain,) = torch.autograd.grad(block(x).sum(), x)
    with Operations(lambda f, result: forward.append((f, weakref.ref(result.untyped_storage())))):
        y = checkpoint(block, x, use_reentrant=False, context_fn=contexts)
    mm, neg = torch.ops.aten.mm.default, torch.ops.aten.neg.default
    if set(steps) != {neg}:  # which saves nothing: then nothing is computed again
        assert all(result() is not None for function, result in forward if function in kept)
    with Operations(lambda function, result: backward.add(function)):
        (gradient,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
    assert torch.equal(gradient, plain)
    assert not (kept - {mm, neg}) & backward, "these two are their own derivatives"
    if kept & set(steps[:-1]) and steps[-1] != neg:
        with pytest.raises(RuntimeError, match="only allowed to backward once"):
            torch.autograd.grad(y.sum(), x)


@attacks(
    "memory/checkpoint#bytes",
    "memory/checkpoint#limits",
    "memory/reentrant#default",
    zh="一到五次乘法连着，有无 tanh，权重冻结或不冻结；两种检查点，early_stop 开和关",
    en="one to five products in a row, with and without tanh, frozen or not; both kinds of checkpoint, early_stop on and off",
)
@given(st.integers(1, 5), st.booleans(), st.booleans())
def test_products_of_a_step(count, tanh, frozen):
    weights = [torch.ones(4, 4, requires_grad=not frozen) for _ in range(count)]

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

    units = 2 if frozen else 3
    assert products() == units * count
    assert products(use_reentrant=True) == (units + 1) * count
    assert products(use_reentrant=False, early_stop=False) == (units + 1) * count
    assert products(use_reentrant=False) == (units + 1) * count - 1


ONE = 4096 * 4 * 4
"""The bytes of an activation: so large that weights count for nothing."""


def peak(forward, layers):
    """The memory of all results alive in a step at its highest, in activations."""
    alive, sums = {}, []

    def measure(function, result):
        if isinstance(result, torch.Tensor):
            block = result.untyped_storage()
            if block._cdata not in alive:
                alive[block._cdata] = block.nbytes()
                weakref.finalize(block, alive.pop, block._cdata)
        sums.append(sum(alive.values()))

    layers.zero_grad()
    x = torch.ones(4096, 4, requires_grad=True)
    with Operations(measure):
        loss = forward(x).mean()
        loss.backward()
    return max(sums) // ONE


def chain(count):
    return nn.Sequential(*(nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(count)))


@attacks(
    "memory/checkpoint#segments", zh="2 到 20 层，每步量内存", en="2 to 20 layers, memory measured"
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


@attacks("memory/checkpoint#segments", zh="1 到 20 层，各种段数", en="1 to 20 layers, all segments")
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
    "module-hooks/features#gradient",
    zh="一到五层，三种层；两种检查点",
    en="one to five layers of three kinds; both kinds of checkpoint",
)
@given(NAMES, st.booleans())
def test_forward_hooks_fire_again_where_the_second_run_gets(names, reentrant):
    block, fired = nn.Sequential(*(LAYERS[name]() for name in names)), []
    block.register_forward_hook(lambda *_: fired.append("block"))
    for i, layer in enumerate(block):
        layer.register_forward_hook(lambda *_, i=i: fired.append(i))
    y = checkpoint(block, torch.ones(2, 8, requires_grad=True), use_reentrant=reentrant)
    everything = [*range(len(names)), "block"]
    assert fired == everything
    y.sum().backward()
    assert fired == everything + (everything if reentrant else everything[: len(names) - 1])


@attacks(
    "memory/recomputed#batch-norm", zh="任意动量，两种检查点", en="any momentum, both checkpoints"
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


@attacks("memory/recomputed#random", zh="七种抽法，两种检查点", en="seven ways, both checkpoints")
@given(st.sampled_from(list(DRAWS)), st.booleans(), st.booleans(), st.integers(0, 99))
def test_whose_random_numbers_are_drawn_alike(name, reentrant, preserve, seed):
    torch.manual_seed(seed)
    x = torch.ones(64, requires_grad=True)
    y = checkpoint(DRAWS[name], x, use_reentrant=reentrant, preserve_rng_state=preserve)
    y.sum().backward()
    restored = preserve and name not in ("python", "numpy", "own generator")
    assert torch.equal(x.grad, y.detach()) is restored


@attacks("memory/recomputed#recomputed", zh="autocast，两种检查点", en="autocast, both checkpoints")
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


def changing(*counts, dtype=torch.float64):
    """Saves so many tensors in each run in turn, and has another dtype from the second on."""
    counts, dtypes = [*counts], [torch.float64, dtype]

    def block(x):
        x = x.to(dtypes.pop(0))
        for _ in range(counts.pop(0)):
            x = x.sin()
        return x

    return block


@attacks(
    "memory/recomputed#recomputed",
    "memory/recomputed#error",
    zh="两次运行各保存一到四个张量的块，dtype 或值不同；early_stop 开和关",
    en="blocks that save one to four tensors in either run, with another dtype or other values; early_stop on and off",
)
@given(st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_what_the_check_compares(first, second, stop):
    """The number of tensors and their metadata, not their values."""

    def run(block, **settings):
        x = torch.ones(2, dtype=torch.float64, requires_grad=True)
        checkpoint(block, x, use_reentrant=False, early_stop=stop, **settings).sum().backward()
        return x.grad

    message = "different number of tensors" if second < first else "trying to save more tensors"
    refused = second < first or (second > first and not stop)
    with pytest.raises(CheckpointError, match=message) if refused else nullcontext():
        run(changing(first, second))
    with pytest.raises(CheckpointError, match="different metadata"):
        run(changing(first, first, dtype=torch.float32))
    run(changing(first, first, dtype=torch.float32), determinism_check="none")
    added = [2.0, 1.0]
    assert run(lambda x: (x + added.pop()).square()).tolist() == [6.0, 6.0], "twice 1 + 2"


@attacks(
    "memory/recomputed#error",
    zh="torch.compile，后端 eager 和 aot_eager；early_stop 开和关",
    en="torch.compile with the backends eager and aot_eager; early_stop on and off",
)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("stop", [True, False])
def test_a_block_that_is_compiled_again_may_save_more(backend, stop):
    torch.compiler.reset()
    setting = {"more": False}

    def block(x):
        y = x.sin()
        return y.exp() if setting["more"] else y

    x = torch.ones(2, requires_grad=True)
    compiled = torch.compile(block, backend=backend)
    y = checkpoint(compiled, x, use_reentrant=False, early_stop=stop)
    setting["more"] = True
    message = "trying to save more tensors"
    with nullcontext() if stop else pytest.raises(CheckpointError, match=message):
        y.sum().backward()
        assert torch.allclose(x.grad, x.cos())


# reentrant


@attacks(
    "memory/reentrant#none",
    "memory/reentrant#reentrant",
    "messages/index#no-grad-fn",
    "memory/reentrant#why",
    "memory/review#remember",
    zh="十二种层，冻结或不冻结，输入需要或不需要梯度；backward、autograd.grad 和 inputs=",
    en="twelve kinds of layers, frozen or not, inputs that need a gradient or don't; backward, autograd.grad and inputs=",
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

    parameters = [] if frozen else [*layer.parameters()]
    x, y = run()
    assert recorded == [not reentrant]
    assert y.requires_grad is bool(needs or (parameters and not reentrant))
    if not y.requires_grad:
        return
    if reentrant:
        assert type(y.grad_fn).__name__ == "CheckpointFunctionBackward"
    else:
        assert type(y.grad_fn) in (type(None), type(layer(x).grad_fn))
    y.sum().backward()
    assert all(p.grad is not None for p in parameters)
    for ask in (
        lambda y, asked: torch.autograd.grad(y.sum(), asked),
        lambda y, asked: y.sum().backward(inputs=asked),
    ):
        x, y = run()
        with pytest.raises(RuntimeError, match="incompatible with") if reentrant else nullcontext():
            ask(y, [x] if needs else parameters)


@attacks("memory/reentrant#default", zh="不给 use_reentrant", en="without use_reentrant")
@given(st.integers(1, 3))
def test_without_use_reentrant_it_is_true_with_a_warning(count):
    x = torch.ones(count, requires_grad=True)
    with pytest.warns(UserWarning, match="should be passed explicitly"):
        y = checkpoint(torch.sin, x)
    assert type(y.grad_fn).__name__ == "CheckpointFunctionBackward"
    z = checkpoint_sequential(nn.Sequential(nn.Tanh(), nn.Tanh()), 2, x, use_reentrant=False)
    assert type(z.grad_fn).__name__ == "TanhBackward0"


@attacks(
    "memory/reentrant#why", zh="分离的结果，两种检查点", en="a detached result, both checkpoints"
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


@attacks("memory/reentrant#default", zh="两次运行有六处不同", en="runs that differ in six ways")
@given(st.integers(1, 4), st.integers(1, 4), st.floats(-3, 3))
def test_the_reentrant_kind_compares_nothing(first, second, factor):
    """Nor another value; another shape, number or dtype, or no graph, raises."""
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    checkpoint(changing(first, second), x, use_reentrant=True).sum().backward()
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
    layer, x, runs = LAYERS[name](), torch.randn(4, 8), []

    def pack(tensor):
        whole = exact or not tensor.is_floating_point()
        return tensor.detach().clone() if whole else tensor.detach().to(torch.bfloat16)

    def unpack(packed):
        return packed.float() if packed.is_floating_point() else packed

    for hooks in (saved_tensors_hooks(pack, unpack), nullcontext()):
        torch.manual_seed(1)
        layer.zero_grad()
        value = x.clone().requires_grad_()
        with hooks:
            y = layer(value)
        (y**2).sum().backward()
        runs.append((y, [value.grad, *(p.grad for p in layer.parameters())]))
    (packed, gradients), (plain, correct) = runs
    assert torch.equal(packed, plain)
    for got, wanted in zip(gradients, correct, strict=True):
        allowed = 0 if exact else 0.1 * wanted.abs().max() + 0.1
        assert (got - wanted).abs().max() <= allowed


SAVE_INPUT = (torch.sin, torch.cos, torch.square, torch.log)
SAVE_RESULT = (torch.exp, torch.sigmoid, torch.tanh, torch.sqrt)


@attacks(
    "memory/offload#traps", zh="八种运算，两种 dtype，CPU", en="eight operations, two dtypes, CPU"
)
@given(st.sampled_from(SAVE_INPUT + SAVE_RESULT), st.sampled_from(DTYPES), st.integers(1, 4))
def test_with_hooks_no_edit_is_noticed(f, dtype, size):
    def run(hooks, edited=True):
        w = torch.full((size,), 2.0, dtype=dtype, requires_grad=True)
        with hooks:
            h = w * 1
            y = f(h)
        if edited:
            (h if f in SAVE_INPUT else y).add_(1)
        y.sum().backward()
        return w.grad

    correct = run(nullcontext(), edited=False)
    with pytest.raises(RuntimeError, match=MODIFIED):
        run(nullcontext())
    assert torch.equal(run(saved_tensors_hooks(torch.clone, torch.detach)), correct)
    for hooks in (saved_tensors_hooks(torch.detach, torch.detach), save_on_cpu()):
        assert not torch.allclose(run(hooks), correct)


@attacks("memory/offload#traps", zh="八种运算，有无反向", en="eight operations, also no_grad")
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
    "memory/saved-bytes#limits",
    zh="二到五个线性层连着；一到三层互相嵌套的钩子；里面有检查点",
    en="two to five linear layers in a row; one to three hooks inside one another; a checkpoint inside",
)
@given(st.integers(2, 5), st.integers(1, 3))
def test_the_innermost_hooks_get_weights_and_what_the_with_block_saves(count, inside):
    """And a checkpoint of the new kind has hooks of its own."""
    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(count)))
    weights = {p.data_ptr() for p in model.parameters()}
    seen = [[] for _ in range(inside + 1)]
    with ExitStack() as stack:
        for each in seen:
            stack.enter_context(showing(lambda t, each=each: each.append(t.data_ptr() in weights)))
        y = model(torch.ones(2, 4))
    y.sin()
    *outside, innermost = seen
    assert not any(outside)
    assert (sum(innermost), len(innermost)) == (count - 1, 2 * count - 1)
    with showing(outside[0].append):
        checkpoint(model, torch.ones(2, 4, requires_grad=True), use_reentrant=False)
    assert len(outside[0]) == 1


@attacks("memory/offload#traps", zh="unpack 返回零，九种运算", en="zeros, nine operations")
@given(st.integers(1, 4))
def test_unpack_may_return_anything_of_the_shape_and_dtype(size):
    def gradient(f, unpack):
        w = torch.full((size, size), 2.0, requires_grad=True)
        with saved_tensors_hooks(torch.detach, unpack):
            y = f(w)
        y.sum().backward()
        return w.grad

    for f in (torch.matrix_power, *SAVE_INPUT, *SAVE_RESULT):
        f = partial(f, n=2) if f is torch.matrix_power else f
        assert gradient(f, torch.zeros_like).shape == (size, size)
    assert not gradient(lambda w: w**3, torch.zeros_like).any()
    with pytest.raises(RuntimeError, match="isFloatingType"):
        gradient(lambda w: w**3, lambda t: torch.zeros_like(t, dtype=torch.complex64))
    with pytest.raises(RuntimeError, match="same dtype"):
        gradient(lambda w: w @ w, lambda t: t.double())


# out-of-memory


@attacks(
    "memory/out-of-memory#fixed",
    "memory/out-of-memory#too-large",
    zh="十二种层，批次放大到二到五倍；注意力保存得更多",
    en="twelve kinds of layers, two to five times the batch; attention keeps more",
)
@given(st.sampled_from(list(LAYERS)), st.sampled_from(DTYPES), st.integers(2, 5))
def test_bytes_grow_with_the_batch_and_weights_do_not(name, dtype, times):
    torch.manual_seed(0)
    layer = LAYERS[name]().to(dtype)
    parameters = [*layer.parameters()]
    weights = {p.data_ptr() for p in parameters}
    size = sum(p.nbytes for p in parameters)

    def kept(rows):
        saved = {}
        with showing(lambda t: t.dim() > 1 and saved.update({t.data_ptr(): t.nbytes})):
            y = layer(torch.randn(rows, 8, dtype=dtype, requires_grad=True))
        layer.zero_grad()
        y.sum().backward()
        if parameters:
            optimizer = torch.optim.Adam(parameters)
            optimizer.step()
            assert sum(p.grad.nbytes for p in parameters) == size
            states = [s[key] for s in optimizer.state.values() for key in ("exp_avg", "exp_avg_sq")]
            assert sum(t.nbytes for t in states) == 2 * size
        return sum(size for place, size in saved.items() if place not in weights)

    larger, proportional = kept(times * 4), times * kept(4)
    if name == "Transformer":  # attention keeps what grows with the square of the length
        assert larger > proportional
    else:
        assert larger == proportional


def kept_by(compute: Callable[[], torch.Tensor], leave_out=()) -> tuple[dict, torch.Tensor]:
    """What the graph keeps, bytes by storage, and the result."""
    saved, left_out = {}, {t.untyped_storage().data_ptr() for t in leave_out}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in left_out:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor.detach()

    with saved_tensors_hooks(pack, lambda packed: packed):
        return saved, compute()


@attacks(
    "memory/out-of-memory#budget",
    zh="三种激活函数，两种宽度，五个预算，后端 aot_eager",
    en="three activations, two widths, five budgets, the backend aot_eager",
)
@pytest.mark.parametrize("activation", [nn.GELU, nn.Tanh, nn.SiLU])
@pytest.mark.parametrize("width", [16, 48])
def test_a_smaller_budget_keeps_less_and_computes_more(activation, width):
    """The gradient stays the same; the default keeps as much as uncompiled code."""
    net = nn.Sequential()
    for _ in range(3):
        net.extend([nn.Linear(8, width), activation(), nn.Linear(width, 8)])
    data, weights = torch.randn(64, 8), [*net.parameters()]
    found = []
    for budget in (None, 1.0, 0.7, 0.4, 0.1, 0.0):
        torch.compiler.reset()
        net.zero_grad()
        with torch._functorch.config.patch(activation_memory_budget=budget or 0.0):
            model = net if budget is None else torch.compile(net, backend="aot_eager")
            saved, y = kept_by(lambda model=model: model(data), weights)
            with FlopCounterMode(display=False) as counter:
                y.square().sum().backward()
        grads = [w.grad.clone() for w in weights]
        found.append((sum(saved.values()), counter.get_total_flops(), grads))
    sizes, work, grads = zip(*found, strict=True)
    assert sizes[0] == sizes[1] and work[0] == work[1]
    assert [*sizes[1:]] == sorted(sizes[1:], reverse=True) and sizes[-1] < sizes[1]
    assert [*work[1:]] == sorted(work[1:]) and work[-1] > work[1]
    for other in grads[1:]:
        torch.testing.assert_close(other, grads[0])


@attacks(
    "memory/out-of-memory#largest",
    zh="三种 dtype；一到三个头；不用掩码、is_causal、掩码、学习的掩码；CPU",
    en="three dtypes; one to three heads; no mask, is_causal, a mask, a learned mask; CPU",
)
@given(
    st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
    st.integers(1, 3),
    st.sampled_from(["none", "causal", "mask", "learned"]),
)
def test_fused_attention_keeps_no_scores_but_a_mask(dtype, heads, kind):
    q, k, v = (torch.randn(1, heads, 64, 8, dtype=dtype, requires_grad=True) for _ in range(3))
    mask = torch.zeros(64, 64, dtype=dtype, requires_grad=kind == "learned")
    given_mask = mask if kind in ("mask", "learned") else None
    attention = partial(nn.functional.scaled_dot_product_attention, attn_mask=given_mask)
    saved, _ = kept_by(lambda: attention(q, k, v, is_causal=kind == "causal"))
    assert (max(saved.values()) >= heads * mask.nbytes) == (
        kind == "learned" or (kind == "mask" and heads == 1)
    )
    assert (mask.untyped_storage().data_ptr() in saved) or kind in ("none", "causal", "learned")
    by_hand, _ = kept_by(lambda: (q @ k.transpose(-2, -1) / 8**0.5).softmax(-1) @ v)
    assert max(by_hand.values()) == heads * mask.nbytes


@attacks("memory/out-of-memory#no-help", zh="两个运算的图", en="a graph of two operations")
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


@attacks(
    "memory/offload#traps",
    zh="torch.func 的四种求导；钩子和检查点",
    en="four ways of torch.func; hooks and a checkpoint",
)
@pytest.mark.parametrize("way", ["grad", "vjp", "jacrev", "hessian"])
@pytest.mark.parametrize("with_checkpoint", [False, True])
def test_torch_func_refuses_hooks_and_checkpoints(way, with_checkpoint):
    def f(w):
        if with_checkpoint:
            return checkpoint(lambda w: (w**3).sum(), w, use_reentrant=False)
        with saved_tensors_hooks(torch.detach, torch.detach):
            return (w**3).sum()

    w = torch.ones(2, requires_grad=True)
    f(w).backward()
    assert w.grad.tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="yet support saved tensor hooks"):
        call = getattr(torch.func, way)
        call(f, w) if way == "vjp" else call(f)(w)
