"""What the pages of tensor-hooks say in general."""

import copy
import gc
import subprocess
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from inspect import signature
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.autograd.graph import (
    disable_saved_tensors_hooks,
    get_gradient_edge,
    increment_version,
    register_multi_grad_hook,
    save_on_cpu,
    saved_tensors_hooks,
)
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.tensor import distribute_tensor
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from claims.graph import nodes_behind
from claims.optimizers import OPTIMIZERS
from claims.ranks import replicated, sharded, sharded_as_before

pytestmark = pytest.mark.upgrade


def descend(param: torch.Tensor) -> None:
    """A step of plain SGD with the learning rate 0.1, as a hook."""
    with torch.no_grad():
        param -= 0.1 * param.grad
    param.grad = None


def sharded_flat(layer: nn.Linear) -> nn.Module:
    return FullyShardedDataParallel(layer, device_id=torch.device("cpu"), use_orig_params=False)


WRAPPERS = (replicated, sharded, sharded_as_before, sharded_flat)
HOOKED = ("hook, then wrap", "wrap, then hook")


def own_weights(model: nn.Module) -> set[float]:
    """The weights that this rank holds, each once: all of them, or its shard."""
    shards = [getattr(p, "to_local", lambda p=p: p)() for p in model.parameters()]
    return {round(value, 4) for shard in shards for value in shard.detach().flatten().tolist()}


def trained(rank: int) -> dict[tuple[str, str], set[float] | str]:
    """The weights, 1 at first, after one pass with the input 2 in rank 0 and 6 in rank 1."""
    left = {}
    for wrap, stepping in product(WRAPPERS, (*HOOKED, "after backward")):
        layer = nn.Linear(2, 2, bias=False)
        nn.init.ones_(layer.weight)
        if stepping == "hook, then wrap":
            layer.weight.register_post_accumulate_grad_hook(descend)
        model = wrap(layer)
        if stepping == "wrap, then hook":
            for p in model.parameters():
                p.register_post_accumulate_grad_hook(descend)
        try:
            model(torch.full((1, 2), (2.0, 6.0)[rank])).sum().backward()
        except AssertionError:
            left[wrap.__name__, stepping] = "raises"
            continue
        if stepping == "after backward":
            for p in model.parameters():
                if p.grad is not None:
                    descend(p)
        left[wrap.__name__, stepping] = own_weights(model)
    return left


@attacks(
    "labs/flow#flow",
    "module-hooks/param-grad#not-promised",
    "tensor-hooks/post-accumulate#wait",
    zh="gloo 的两个进程；DDP 和三种 FSDP，钩子在包装之前和之后注册",
    en="two processes with gloo; DDP and three kinds of FSDP, hooks registered before and after wrapping",
)
def test_stepping_inside_the_backward_pass_of_several_processes(ranks):
    """The mean gradient is 4: 1 - 0.1 * 4 = 0.6 is right, in both ranks."""
    # DDP: each rank steps with a gradient of its own. FSDP: a hook from before wrapping doesn't
    # fire; one from after it sees the mean in new FSDP alone, and raises with flat parameters.
    for left, own in zip(ranks(trained), ({0.8}, {0.4}), strict=True):
        expected = {
            "replicated": (own, own),
            "sharded": ({1.0}, {0.6}),
            "sharded_as_before": ({1.0}, {1.0}),
            "sharded_flat": ({1.0}, "raises"),
        }
        for wrap in WRAPPERS:
            found = [left[wrap.__name__, stepping] for stepping in (*HOOKED, "after backward")]
            assert found == [*expected[wrap.__name__], {0.6}]


MASK = torch.tensor([[1.0, 0.0], [1.0, 1.0]])


def masked(rank: int) -> dict[tuple[str, str], set[float]]:
    """The weights, 1 at first, after a step of SGD with a mask and the inputs of `trained`."""
    left = {}
    for wrap, when in product(WRAPPERS[:3], (*HOOKED, "post-accumulate hook")):
        layer = nn.Linear(2, 2, bias=False)
        nn.init.ones_(layer.weight)
        if when == "hook, then wrap":
            layer.weight.register_hook(lambda grad: grad * MASK)
        model = wrap(layer)
        weight = layer.weight
        if when == "wrap, then hook":
            weight.register_hook(lambda grad: grad * MASK)
        if when == "post-accumulate hook" and wrap is sharded:
            mask = distribute_tensor(MASK, weight.device_mesh, weight.placements)
            weight.register_post_accumulate_grad_hook(partial(mask_written, mask))
        model(torch.full((1, 2), (2.0, 6.0)[rank])).sum().backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        left[wrap.__name__, when] = own_weights(model)
    return left


def mask_written(mask: torch.Tensor, param: torch.Tensor) -> None:
    """A hook that masks `.grad`."""
    param.grad *= mask


@attacks(
    "tensor-hooks/one-weight#from-the-start", zh="DDP、FSDP，两个进程", en="DDP, FSDP, two ranks"
)
def test_a_mask_with_several_processes(ranks):
    """The mean gradient, 4, takes each weight from 1 to 0.6, but for one that is masked."""
    first, second = ranks(masked)
    for left, when in product((first, second), HOOKED):
        assert left["replicated", when] == {0.6, 1.0}
        assert left["sharded", when] == {0.6}, "the hook isn't called"
        assert left["sharded_as_before", when] == {0.6}, "the hook isn't called"
    assert first["sharded", "post-accumulate hook"] == {0.6, 1.0}, "the row that is masked in part"
    assert second["sharded", "post-accumulate hook"] == {0.6}


def scaled_step(of_scaler: bool, loss: Callable) -> tuple[float, float, float]:
    """`a` and `b`, 1 at first, after a step of SGD inside the backward pass, and the scale."""
    a, b = (torch.ones((), requires_grad=True) for _ in range(2))
    optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in (a, b)}
    scaler = torch.amp.GradScaler("cpu")

    def step(param):
        scaler.step(optimizers[param]) if of_scaler else optimizers[param].step()
        optimizers[param].zero_grad()

    for p in (a, b):
        p.register_post_accumulate_grad_hook(step)
    scaler.scale(loss(a, b)).backward()
    return a.item(), b.item(), scaler.get_scale()


@attacks(
    "labs/flow#flow",
    "tensor-hooks/post-accumulate#wait",
    zh='GradScaler("cpu")，两个参数；其中一个的梯度是无穷',
    en='GradScaler("cpu") and two parameters; an infinite gradient in one of them',
)
def test_a_step_inside_the_backward_pass_takes_the_scaled_gradient():
    """Unless the scaler takes it, which skips the parameter whose gradient isn't finite alone."""
    *scaled, scale = scaled_step(False, lambda a, b: 3 * a + 2 * b)
    assert scaled == pytest.approx([1 - 0.1 * 3 * scale, 1 - 0.1 * 2 * scale])
    assert scaled_step(True, lambda a, b: 3 * a + 2 * b)[:2] == pytest.approx((0.7, 0.8))
    assert scaled_step(True, lambda a, b: 3 * a + b * torch.inf)[:2] == pytest.approx((0.7, 1.0))


SHAPES = st.sampled_from([(), (1,), (0,), (2, 3)])
DTYPES = st.sampled_from(
    [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64]
)


@attacks(
    "tensor-hooks/index#tensor-hooks",
    "tensor-hooks/return-value#return-value",
    "tensor-hooks/return-value#whose",
    "tensor-hooks/review#remember",
    zh="叶子和中间张量；五种 dtype，空的和零维的形状",
    en="leaves and intermediate tensors; five dtypes, empty and 0-dim shapes",
)
@given(SHAPES, DTYPES, st.sampled_from([None, 0, 2, -1, 0.5]), st.booleans())
def test_what_a_hook_returns_goes_on_in_place_of_the_gradient(shape, dtype, factor, on_leaf):
    x, w = (torch.full(shape, n, dtype=dtype, requires_grad=True) for n in (2, 5))
    z, calls = 3 * x, []

    def hook(*args):
        calls.append(len(args))
        return None if factor is None else factor * args[0]

    (x if on_leaf else z).register_hook(hook)
    (z * w).sum().backward(torch.ones((), dtype=dtype))
    assert calls == [1]
    assert torch.equal(x.grad, torch.full_like(x, 15 * (1 if factor is None else factor)))
    assert torch.equal(w.grad, torch.full_like(w, 6)), "not on the way from the hook to an input"


@attacks(
    "tensor-hooks/return-value#wrong-return",
    "messages/index#type-of-value",
    zh="叶子和中间张量；三种形状，四种 dtype",
    en="leaves and intermediate tensors; three shapes, four dtypes",
)
@given(
    st.tuples(*2 * [st.sampled_from([(3,), (1,), ()])]),
    st.sampled_from([torch.float32, torch.float64, torch.float16, torch.bfloat16]),
    st.sampled_from([torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64]),
    st.booleans(),
)
def test_a_hook_returns_the_same_shape_and_dtype(shapes, dtype, other, on_leaf):
    x = torch.ones(shapes[0], dtype=dtype, requires_grad=True)
    z = 2 * x
    (x if on_leaf else z).register_hook(lambda grad: torch.ones(shapes[1], dtype=other))
    right = shapes[0] == shapes[1] and dtype == other
    refused = pytest.raises(RuntimeError, match=r"has changed the (size|type) of value")
    with nullcontext() if right else refused:
        z.sum().backward()


SEVERAL = [lambda x: x.unbind()[:2], lambda x: x.chunk(2), lambda x: x.split(2), torch.std_mean]


@attacks(
    "tensor-hooks/return-value#whose",
    "tensor-hooks/multi-grad#unused",
    zh="unbind、chunk、split 和 std_mean，用第一个或第二个输出",
    en="unbind, chunk, split and std_mean, the first or the second output used",
)
@pytest.mark.parametrize("used", [0, 1])
@pytest.mark.parametrize("operation", SEVERAL)
def test_the_hook_of_an_unused_output_is_called_with_none(operation, used):
    outputs = operation(torch.arange(4.0, requires_grad=True))
    alone, of_all, of_any = [], [], []
    outputs[1 - used].register_hook(alone.append)
    register_multi_grad_hook(outputs, of_all.extend)
    register_multi_grad_hook(outputs, of_any.append, mode="any")
    (2 * outputs[used]).sum().backward()
    assert [grad is not None for grad in of_all] == [used == 0, used == 1]
    assert alone == of_any == [None], "the unused output had the first hook"


@attacks(
    "tensor-hooks/return-value#whose",
    "tensor-hooks/order#late-first",
    zh="钩子里拿着名字、分离的值、张量；移除或不移除",
    en="hooks that hold a name, the detached values, the tensor; removed or not",
)
def test_a_hook_that_holds_its_own_tensor_keeps_it_from_being_freed():
    x, left = torch.ones(3, requires_grad=True), {}
    for holds, removed in product(("a name", "the values", "the tensor"), (False, True)):
        z = 3 * x
        held = {"the values": z.detach(), "the tensor": z}.get(holds)
        hook = partial(lambda held, grad: None, held)
        handle = z.register_hook(hook)
        (z * z).sum().backward()
        if removed:
            handle.remove()
        left[holds, removed] = weakref.ref(z), weakref.ref(hook)
        del z, hook, held
    gc.collect()
    for case, found in left.items():
        kept = case == ("the tensor", False)
        assert [each() is not None for each in found] == [kept, kept]


ACTIONS = [lambda g: g + 100, lambda g: 2 * g, torch.neg, lambda g: None]


def after(action: Callable, grad: torch.Tensor) -> torch.Tensor:
    """The gradient that goes on from a hook."""
    returned = action(grad)
    return grad if returned is None else returned


@attacks(
    "tensor-hooks/order#late-first",
    "tensor-hooks/order#order",
    "tensor-hooks/order#twice",
    "tensor-hooks/review#remember",
    "then-and-now/index#more",
    "then-and-now/index#retain-grad",
    zh="四种钩子任意几个、任意次序，有的移除了；叶子和中间张量",
    en="any number of four kinds of hooks in any order, some of them removed; leaves and intermediate tensors",
)
@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.booleans())), st.booleans())
def test_hooks_of_one_tensor_run_in_the_order_of_registration(chosen, on_leaf):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x if on_leaf else 3 * x
    seen, expected = [], []

    def hook(action, grad):
        seen.append(grad.tolist())
        return action(grad)

    hooks = {action: partial(hook, action) for action in ACTIONS}
    handles = [z.register_hook(hooks[action]) for action, _ in chosen]
    assert list(z._backward_hooks or {}) == [handle.id for handle in handles]
    grad = torch.tensor([5.0, 7.0])
    for handle, (action, removed) in zip(handles, chosen, strict=True):
        if removed:
            handle.remove()
        else:
            expected.append(grad.tolist())
            grad = after(action, grad)
    (z @ torch.tensor([5.0, 7.0])).backward()
    assert seen == expected
    assert torch.equal(x.grad, grad if on_leaf else 3 * grad)


@attacks(
    "tensor-hooks/return-value#retain-grad",
    "tensor-hooks/order#twice",
    "tensor-hooks/retain-or-hook#which",
    "then-and-now/index#more",
    "then-and-now/index#retain-grad",
    zh="最多四个钩子，`retain_grad()` 在它们之前、之间或之后；节点的钩子；反向一到三次",
    en="up to four hooks, `retain_grad()` before, between or after them; a hook of the node; one to three backward passes",
)
@given(st.lists(st.sampled_from(ACTIONS), max_size=4), st.integers(0, 4), st.integers(1, 3))
def test_retain_grad_sees_what_all_hooks_return_and_changes_nothing(chosen, position, passes):
    """A pre-hook of the node, which a module's hook may be, comes later still."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z, grad = 3 * x, torch.tensor([5.0, 7.0])
    z.grad_fn.register_prehook(lambda grads: (5 * grads[0],))
    for number, action in enumerate(chosen):
        if number == position:
            z.retain_grad()
        z.register_hook(action)
        grad = after(action, grad)
    z.retain_grad()
    assert len(z._backward_hooks or {}) == len(chosen)
    loss = z @ torch.tensor([5.0, 7.0])
    for _ in range(passes):
        loss.backward(retain_graph=True)
    assert torch.equal(z.grad, passes * grad)
    assert torch.equal(x.grad, passes * 5 * 3 * grad)


STAYS_ON = [
    *(nn.Module.double, nn.Module.bfloat16, nn.Module.eval, nn.Module.zero_grad),
    lambda layer: layer.to(memory_format=torch.channels_last),
    lambda layer: layer.requires_grad_(False).requires_grad_(True),
    lambda layer: layer.load_state_dict(layer.state_dict()),
]


@attacks("tensor-hooks/order#late-first", zh="七种变动，deepcopy", en="seven changes, deepcopy")
@given(st.lists(st.sampled_from(STAYS_ON), max_size=4), st.booleans())
def test_a_hook_stays_on_a_parameter(changes, copied):
    """And not on another tensor in its place."""
    layer, seen = nn.Conv2d(1, 2, 2), []
    layer.weight.register_hook(seen.append)
    for number, change in enumerate(changes, 1):
        change(layer)
        layer.weight.sum().backward()
        assert len(seen) == number
    other = copy.deepcopy(layer) if copied else layer
    if not copied:
        layer.load_state_dict(layer.state_dict(), assign=True)
    other.requires_grad_().weight.sum().backward()
    assert len(seen) == len(changes)


KINDS = ("tensor hook", "node pre-hook", "post-accumulate hook", "node hook")


@attacks("tensor-hooks/order#leaf-and-node", zh="四种钩子，任意次序", en="four hooks in any order")
@given(st.permutations(KINDS), st.integers(1, 3))
def test_the_kind_of_a_hook_on_a_leaf_decides_when_it_runs(registered, uses):
    w, ran = torch.tensor(2.0, requires_grad=True), []
    y = sum(3 * w for _ in range(uses))
    node = (w * 1).grad_fn.next_functions[0][0]
    register = {
        "tensor hook": w.register_hook,
        "node pre-hook": node.register_prehook,
        "post-accumulate hook": w.register_post_accumulate_grad_hook,
        "node hook": node.register_hook,
    }
    for kind in registered:
        register[kind](lambda *_, kind=kind: ran.append((kind, w.grad is not None)))
    y.backward()
    assert ran == list(zip(KINDS, (False, False, True, True), strict=True))


@attacks("tensor-hooks/order#leaf-and-node", zh="节点有、没有谁拿着", en="a node kept and not kept")
@pytest.mark.parametrize("kept", ["nothing", "the node", "a graph"])
def test_a_node_of_a_leaf_that_nothing_keeps_is_freed_with_its_hooks(kept):
    w = torch.tensor(2.0, requires_grad=True)
    node, ran = w.view_as(w).grad_fn.next_functions[0][0], []
    node.register_hook(lambda *_: ran.append("node"))
    w.register_hook(lambda _: ran.append("tensor"))
    keeps = {"nothing": None, "the node": node, "a graph": 5 * w}[kept]
    del node
    (3 * w).backward()
    assert ran == ["tensor"] + ["node"] * (keeps is not None)


LINEAR_IN_PLACE = [("mul_", 10.0), ("add_", 1.0), ("neg_",), ("sub_", 2.0), ("div_", 4.0)]
LAST_IN_PLACE = [("relu_",), ("sigmoid_",), ("exp_",), ("clamp_", 0.0, 1.0), ("square_",)]


@attacks("tensor-hooks/edited-after-hook#edited-after-hook", zh="十种改法", en="ten kinds of edits")
@given(
    st.lists(st.sampled_from(LINEAR_IN_PLACE), max_size=3),
    st.sampled_from(LINEAR_IN_PLACE + LAST_IN_PLACE),
    st.sampled_from([torch.float32, torch.float64]),
)
def test_a_hook_stays_with_the_value_before_the_edit(edits, last_edit, dtype):
    """A hook after each edit: the gradient of the value of that moment, the last one first."""
    x = torch.tensor([1.0, -2.0, 0.1], dtype=dtype, requires_grad=True)
    weights = torch.tensor([3.0, 5.0, 7.0], dtype=dtype)
    values, z, seen = [3 * x], 3 * x, []
    z.retain_grad()
    z.register_hook(seen.append)
    for name, *args in (*edits, last_edit):
        values.append(getattr(values[-1], name.removesuffix("_"))(*args))
        getattr(z, name)(*args)
        z.register_hook(seen.append)
    right = torch.autograd.grad((weights * values[-1]).sum(), values)
    (weights * z).sum().backward()
    assert all(map(torch.equal, seen, reversed(right))) and len(seen) == len(right)
    assert torch.equal(z.grad, right[-1])


@attacks(
    "tensor-hooks/edited-after-hook#edited-after-hook",
    "tensor-hooks/edited-after-hook#leaf",
    zh="没有记录的十种改法；叶子和不是视图的中间张量",
    en="ten kinds of edits that are not recorded; leaves and intermediate tensors that are not views",
)
@given(st.sampled_from(LINEAR_IN_PLACE + LAST_IN_PLACE), st.booleans())
def test_an_edit_that_is_not_recorded_leaves_hooks_where_they_are(edit, on_leaf):
    x = torch.tensor([1.0, -2.0, 0.1], requires_grad=True)
    z = x if on_leaf else 3 * x
    node, seen = z.grad_fn, []
    z.register_hook(seen.append)
    name, *args = edit
    with torch.no_grad():
        getattr(z, name)(*args)
    z.register_hook(seen.append)
    assert z.grad_fn is node and z.is_leaf is on_leaf
    (z**2).sum().backward()
    assert [torch.equal(grad, 2 * z) for grad in seen] == [True, True]


VIEWS = [
    *(lambda base: base[1:], lambda base: base.view(2, 2), lambda base: base.view(2, 2).t()),
    *(lambda base: base.unsqueeze(0), lambda base: base.view(2, 2).diagonal()),
    lambda base: base.view_as(base),
]


@attacks(
    "tensor-hooks/edited-after-hook#edited-after-hook",
    "tensor-hooks/edited-after-hook#view",
    zh="六种视图；改视图和改原张量，有记录和没有记录",
    en="six kinds of views; edits of the view and of its base, recorded and not",
)
@given(st.sampled_from(VIEWS), st.booleans(), st.sampled_from(LINEAR_IN_PLACE), st.booleans())
def test_the_hook_of_a_view_is_lost_when_the_view_or_its_base_is_edited(of, edited, edit, recorded):
    base = 3 * torch.arange(1.0, 5.0, requires_grad=True)
    view, ran = of(base), []
    view.register_hook(lambda _: ran.append("before"))
    name, *args = edit
    with torch.set_grad_enabled(recorded):
        getattr(view if edited else base, name)(*args)
    anew = of(base)
    anew.register_hook(lambda _: ran.append("anew"))
    (view.sum() + anew.sum()).backward()
    assert ran == ["anew"]


@attacks("tensor-hooks/in-place#same-tensor", zh="加减乘，三种 dtype", en="add, sub, mul, 3 dtypes")
@given(
    st.tuples(*2 * [st.sampled_from([(1,), (3,), (2, 3)])]),
    st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
    st.sampled_from([torch.float32, torch.float64]),
    st.sampled_from([torch.add, torch.sub, torch.mul]),
)
def test_only_addition_of_one_shape_and_dtype_hands_on_one_gradient(shapes, dtype, other, combine):
    a = torch.ones(shapes[0], dtype=dtype, requires_grad=True)
    b, seen = torch.ones(shapes[1], dtype=other, requires_grad=True), []
    a.register_hook(seen.append)
    b.register_hook(seen.append)
    c = combine(a, b)
    c.backward(torch.ones_like(c))
    first, second = seen
    shared = combine is torch.add and shapes[0] == shapes[1] and dtype == other
    assert (first is second) is shared
    assert combine is torch.add or first.data_ptr() != second.data_ptr()
    assert a.grad.data_ptr() != b.grad.data_ptr()


@attacks(
    "tensor-hooks/in-place#same-tensor", zh="视图的和，三种 dtype", en="sums of views, 3 dtypes"
)
@given(st.integers(1, 5), st.sampled_from([torch.float32, torch.float64, torch.bfloat16]))
def test_behind_views_both_grad_lie_in_one_block(size, dtype):
    a, b = (torch.ones(size, dtype=dtype, requires_grad=True) for _ in range(2))
    for foreach in (None, False, True):
        a.grad = b.grad = None
        (a.view(-1) + b.view(-1)).backward(torch.ones(size, dtype=dtype))
        assert a.grad is not b.grad
        if foreach is None:
            a.grad *= 100
            assert b.grad.tolist() == size * [100]
            continue
        norm = torch.nn.utils.clip_grad_norm_([a, b], 0.5, foreach=foreach)
        assert norm.item() == pytest.approx((2 * size) ** 0.5, rel=0.01)
        twice = pytest.approx(size * [0.25 / (2 * size)], rel=0.03)
        assert a.grad.tolist() == twice and b.grad.tolist() == twice


@attacks(
    "tensor-hooks/in-place#in-place",
    "tensor-hooks/in-place#who-is-hit",
    "tensor-hooks/review#remember",
    zh="二到四个叶子的和，钩子在任意一个上",
    en="sums of two to four leaves, the hook on any of them",
)
@given(st.integers(2, 4), st.data())
def test_an_edit_in_place_hits_those_that_use_the_gradient_later(terms, data):
    edited = data.draw(st.integers(0, terms - 1))
    leaves, ran = [torch.ones(2, requires_grad=True) for _ in range(terms)], []

    def hook(number, grad):
        ran.append(number)
        if number == edited:
            grad *= 100

    for number, w in enumerate(leaves):
        w.register_hook(partial(hook, number))
    sum(leaves[1:], leaves[0]).backward(torch.ones(2))
    for number, w in enumerate(leaves):
        hit = ran.index(number) >= ran.index(edited)
        assert w.grad.tolist() == ([100, 100] if hit else [1, 1])


CLEAR_FIRST = {
    "in place": lambda grad: grad.__setitem__(0, 0),
    "in a clone": lambda grad: torch.cat([0 * grad[:1], grad.clone()[1:]]),
    "with a mask": lambda grad: grad * (torch.arange(len(grad)) > 0),
    "with masked_fill": lambda grad: grad.masked_fill(torch.arange(len(grad)) == 0, 0),
}


@attacks(
    "tensor-hooks/in-place#who-is-hit",
    "tensor-hooks/one-weight#whole-matrix",
    zh="对二到五个元素 `sum`；原地、clone、掩码、masked_fill",
    en="`sum` over two to five elements; in place, clone, mask, masked_fill",
)
@given(st.sampled_from(sorted(CLEAR_FIRST)), st.integers(2, 5))
def test_the_gradient_of_a_sum_is_one_number_in_memory(how, size):
    x = torch.ones(size, requires_grad=True)
    x.register_hook(CLEAR_FIRST[how])
    x.sum().backward()
    assert x.grad.tolist() == [0] + [0 if how == "in place" else 1] * (size - 1)


@attacks(
    "labs/flow#flow",
    "tensor-hooks/post-accumulate#post-accumulate",
    "tensor-hooks/post-accumulate#step-in-backward",
    "tensor-hooks/post-accumulate#wait",
    "tensor-hooks/review#remember",
    zh="使用、反向和钩子各一到三；有无两种检查点",
    en="one to three uses, passes and hooks; with and without checkpoints of both kinds",
)
@given(
    uses=st.integers(1, 3),
    passes=st.integers(1, 3),
    reentrant=st.sampled_from([None, False, True]),
    hooks=st.integers(1, 3),
)
def test_the_post_accumulate_hook_fires_once_in_a_backward_pass(uses, passes, reentrant, hooks):
    """w = 2 is multiplied `uses` times, each with a checkpoint of its own, or without."""
    w, x = (torch.tensor(n, requires_grad=True) for n in (2.0, 1.0))
    ran, expected, written = [], [], 0

    def multiply(t):
        return t * w

    for _ in range(hooks):
        w.register_post_accumulate_grad_hook(lambda p: ran.append(("after", p.grad.item())))
        w.register_hook(lambda _: ran.append(("before", 0 if w.grad is None else w.grad.item())))
    use = multiply
    if reentrant is not None:
        use = partial(checkpoint, multiply, use_reentrant=reentrant)
    each = 2.0 ** (uses - 1)
    for _ in range(passes):
        y = x
        for _ in range(uses):
            y = use(y)
        y.backward()
        for size in uses * [each] if reentrant else [uses * each]:
            expected += hooks * [("before", written)]
            written += size
            expected += hooks * [("after", written)]
    assert ran == expected


USES = {
    "twice": lambda x, w: x * w * w,
    "in two segments": lambda x, w: segment(segment(x, w, True), w, True),
    "data": lambda x, w: x * w.data * w,
    "detach": lambda x, w: x * w.detach() * w,
    "detach, recomputed": lambda x, w: segment(x, w, False, torch.detach) * w,
}
"""y = x w w at w = 2, with one of the two uses hidden from the gradient of w, or none."""


def segment(x, w, reentrant, use=lambda w: w):
    return checkpoint(lambda t: t * use(w), x, use_reentrant=reentrant)


@attacks("tensor-hooks/post-accumulate#step-in-backward", zh="分段，detach", en="segments, detach")
@pytest.mark.parametrize("use", USES)
def test_which_uses_a_step_in_the_hook_waits_for(use):
    w, x = torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    w.register_post_accumulate_grad_hook(descend)
    y = USES[use](x, w)
    refused = pytest.raises(RuntimeError, match="modified by an inplace operation")
    with refused if use == "detach" else nullcontext():
        y.backward()
        assert (x.grad.item() == 4) is (use == "twice")


RETURNED = [
    *((lambda p: None, True), (lambda p: p, True), (lambda p: p.mul_(2), True)),
    *((lambda p: p.add_(p.grad, alpha=-0.1), True), (lambda p: p.zero_(), True)),
    *((lambda p: p.grad, False), (lambda p: p.view_as(p), False)),
    *((lambda p: 2 * p.grad, False), (lambda p: 2.0, False)),
]
"""What a hook returns, and whether it is accepted."""


@attacks(
    "tensor-hooks/post-accumulate#refused", zh="九种返回值，五种 dtype", en="nine values, 5 dtypes"
)
@given(st.sampled_from(RETURNED), SHAPES, DTYPES)
def test_what_a_post_accumulate_hook_may_return(returned, shape, dtype):
    hook, accepted = returned
    w = torch.ones(shape, dtype=dtype, requires_grad=True)
    with pytest.raises(RuntimeError, match="non-leaf"):
        (3 * w).register_post_accumulate_grad_hook(hook)
    w.register_post_accumulate_grad_hook(hook)
    message = r"should return None|expected Variable"
    refused = pytest.raises((RuntimeError, TypeError), match=message)
    with nullcontext() if accepted else refused:
        (3 * w).backward(torch.ones_like(w))
    assert torch.equal(w.grad, torch.full_like(w, 3)), "no return value replaces the gradient"


@attacks(
    "tensor-hooks/post-accumulate#refused", zh="create_graph、no_grad", en="create_graph, no_grad"
)
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
@pytest.mark.parametrize("within", [False, True])
def test_with_create_graph_an_edit_in_the_hook_needs_no_grad(within):
    w = torch.tensor(2.0, requires_grad=True)

    def step(param):
        with torch.no_grad() if within else nullcontext():
            return param.add_(param.grad.detach(), alpha=-0.1)

    w.register_post_accumulate_grad_hook(step)
    with nullcontext() if within else pytest.raises(RuntimeError, match="a leaf Variable"):
        (3 * w).backward(create_graph=True)


@attacks("tensor-hooks/post-accumulate#wait", zh="二到四个参数，裁剪", en="two to four parameters")
@given(st.lists(st.integers(2, 9), min_size=2, max_size=4))
def test_clipping_by_the_total_norm_is_wrong_while_gradients_are_missing(gradients):
    def clipped(inside):
        params = [torch.ones((), requires_grad=True) for _ in gradients]

        def clip(_):
            nn.utils.clip_grad_norm_(params, 1)

        if inside:
            for p in params:
                p.register_post_accumulate_grad_hook(clip)
        sum(k * p for k, p in zip(gradients, params, strict=True)).backward()
        clip(None)
        return torch.stack([p.grad for p in params])

    right = torch.tensor(gradients, dtype=torch.float32)
    assert torch.allclose(clipped(inside=False), right / right.norm(), atol=1e-4)
    assert not torch.allclose(clipped(inside=True), right / right.norm(), atol=1e-4)


@attacks(
    "tensor-hooks/post-accumulate#step-in-backward", zh="后端 aot_eager", en="backend aot_eager"
)
@pytest.mark.parametrize("compiled", [False, True])
def test_a_compiled_model_computes_all_gradients_before_the_first_hook(compiled):
    layers, counts = nn.Sequential(*(nn.Linear(2, 2, bias=False) for _ in range(3))), []
    model = torch.compile(layers, backend="aot_eager") if compiled else layers
    loss = model(torch.ones(1, 2)).sum()
    with FlopCounterMode(display=False) as counter:
        for layer in layers:
            layer.weight.register_post_accumulate_grad_hook(
                lambda _: counts.append(counter.get_total_flops() // 8)
            )
        loss.backward()
    torch.compiler.reset()
    assert len(counts) == 3
    assert counts[-1] == 5, "products: two for each layer, one for the first: its input needs none"
    assert (counts[0] == 5) is compiled


@attacks(
    "tensor-hooks/retain-or-hook#which", zh="编译过的函数，里外", en="compiled, inside and outside"
)
@pytest.mark.parametrize(("inside", "used_outside"), [(True, True), (False, True), (False, False)])
def test_hooks_in_a_compiled_function_and_on_what_it_returns(inside, used_outside):
    seen = []

    def look(z):
        z.register_hook(lambda grad: seen.append(grad))
        z.retain_grad()

    def squares(x):
        z = 3 * x
        if inside:
            look(z)
        return (z * z).sum(), z

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss, z = torch.compile(squares, backend="aot_eager", fullgraph=not inside)(x)
    if not inside:
        look(z)
    (loss + z.sum() if used_outside else loss).backward()
    torch.compiler.reset()
    whole = 6 * x.detach() + used_outside
    assert torch.equal(x.grad, 3 * whole)
    if inside or used_outside:
        expected = whole if inside else torch.ones(2)
        assert torch.equal(z.grad, expected) and torch.equal(*seen, expected)
    else:
        assert seen == [None] and z.grad is None


@attacks("tensor-hooks/retain-or-hook#which", zh="fullgraph=True", en="fullgraph=True")
def test_retain_grad_in_a_compiled_function_needs_a_break_in_the_graph():
    whole = torch.compile(lambda x: (2 * x).retain_grad(), backend="aot_eager", fullgraph=True)
    with pytest.raises(RuntimeError, match=r"Tensor.retain_grad\(\) with AOTDispatcher"):
        whole(torch.ones(2, requires_grad=True))
    torch.compiler.reset()


@attacks(
    "tensor-hooks/multi-grad#autograd-grad",
    "tensor-hooks/multi-grad#multi-grad",
    "tensor-hooks/multi-grad#not-written-yet",
    "tensor-hooks/multi-grad#unused",
    zh="三个叶子或中间张量，次序任意，有的没用到；反向一到三次",
    en="three leaves or intermediate tensors in any order, some of them unused; one to three passes",
)
@given(st.sets(st.integers(0, 2)), st.permutations(range(3)), st.integers(1, 3), st.booleans())
def test_when_a_multi_grad_hook_fires(used, order, passes, on_leaves):
    leaves = [torch.tensor(1.0, requires_grad=True) for _ in range(3)]
    tensors = leaves if on_leaves else [1 * w for w in leaves]
    loss = torch.ones((), requires_grad=True) * 1
    for number in used:
        loss = loss + (number + 2) * tensors[number]
    of_all, of_any, written = [], [], []

    def on_all(grads):
        of_all.append([grad and grad.item() for grad in grads])
        written.append({number for number in used if leaves[number].grad is not None})
        return [grad and 0 * grad for grad in grads]

    def on_any(grad):
        of_any.append(grad.item())
        return 0 * grad

    chosen = [tensors[number] for number in order]
    handles = [
        register_multi_grad_hook(chosen, on_all),
        register_multi_grad_hook(chosen, on_any, mode="any"),
    ]
    assert [len(t._backward_hooks) for t in chosen] == [2, 2, 2], "one tensor hook for each"
    for _ in range(passes):
        loss.backward(retain_graph=True)
    fires = passes if used else 0
    assert of_all == fires * [[n + 2.0 if n in used else None for n in order]]
    assert len(of_any) == fires and {int(value) - 2 for value in of_any} <= used
    for number in used:
        right = passes * (number + 2)
        assert leaves[number].grad.item() == right, "nothing uses what the hooks return"
    assert not used or written[0] != used, "the last one isn't written yet"
    for handle in handles:
        handle.remove()
    loss.backward()
    assert len(of_all) == len(of_any) == fires


@attacks("tensor-hooks/multi-grad#unused", zh="根和别的张量", en="the root with other tensors")
@given(st.permutations(["leaf", "between", "root"]), st.sampled_from([None, "leaf", "between"]))
def test_a_multi_grad_hook_with_the_root_of_the_pass_fires_too_early(order, left_out):
    w, seen = torch.tensor(2.0, requires_grad=True), []
    z = 3 * w
    tensors = {"leaf": w, "between": z, "root": 2 * z}
    register_multi_grad_hook([tensors[name] for name in order if name != left_out], seen.append)
    tensors["root"].backward()
    assert None in seen[0]


@attacks(
    "tensor-hooks/multi-grad#unused", zh="两段，两种检查点", en="two segments, both checkpoints"
)
@pytest.mark.parametrize("reentrant", [False, True])
def test_a_multi_grad_hook_fires_in_each_reentrant_segment(reentrant):
    a, b, x = (torch.tensor(n, requires_grad=True) for n in (2.0, 3.0, 1.0))
    seen = []
    register_multi_grad_hook((a, b), lambda grads: seen.append([g and g.item() for g in grads]))
    y = checkpoint(lambda t: t * a, x, use_reentrant=reentrant)
    checkpoint(lambda t: t * b, y, use_reentrant=reentrant).backward()
    assert seen == ([[None, 2], [3, None]] if reentrant else [[3, 2]])


@attacks(
    "tensor-hooks/multi-grad#autograd-grad", zh="叶子和中间的", en="leaves, intermediate tensors"
)
@given(st.sampled_from(["all", "any"]), st.booleans(), st.booleans())
def test_a_multi_grad_hook_and_the_gradient_of_a_leaf_that_is_returned(mode, on_leaves, returned):
    a, b = (torch.tensor(n, requires_grad=True) for n in (2.0, 3.0))
    y, z, seen = 1 * a, 1 * b, []
    register_multi_grad_hook((a, b) if on_leaves else (y, z), seen.append, mode=mode)
    refused = mode == "all" and on_leaves and returned
    with pytest.raises(RuntimeError, match="A leaf node") if refused else nullcontext():
        torch.autograd.grad(y * z, (a, b) if returned else (y, z))
    assert len(seen) == (0 if refused or (on_leaves and not returned) else 1)


MOVE_IT = {"ASGD", "Muon"}
DENSE = {kind.__name__: kind for kind in OPTIMIZERS if kind is not torch.optim.SparseAdam}
SETTINGS = {
    "lr": 0.01,
    "momentum": 0.9,
    "nesterov": True,
    "amsgrad": True,
    "maximize": True,
    "centered": True,
    "foreach": True,
    "fused": True,
}


CHOICES = [(n, s) for n, kind in DENSE.items() for s in SETTINGS if s in signature(kind).parameters]
"""Each optimizer with each setting that it has."""


def start() -> torch.Tensor:
    return torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)


def chosen_options(name: str, setting: str, weight_decay: float) -> dict:
    """The options of an optimizer, with one setting changed."""
    parameters = signature(DENSE[name]).parameters
    options = {"lr": 0.01, setting: SETTINGS[setting]}
    if setting == "nesterov" and "momentum" in parameters:
        options["momentum"] = 0.9
    if "weight_decay" in parameters:
        options["weight_decay"] = weight_decay
    return options


def after_five_steps(
    name: str, setting: str, weight_decay: float, mask: torch.Tensor
) -> torch.Tensor:
    """Four elements after five steps, in all of which the hook of the mask runs."""
    w, passes, runs = start(), [], []
    w.register_hook(lambda grad: (runs.append(grad), grad * mask)[1])
    optimizer = DENSE[name]([w], **chosen_options(name, setting, weight_decay))

    def closure():
        optimizer.zero_grad()
        loss = (w**2).sum() + 0.1 * w.prod()
        loss.backward()
        passes.append(loss)
        return loss

    for _ in range(5):
        optimizer.step(closure)
    assert len(passes) == len(runs), "the steps leave the hook where it is"
    return w.detach()


@attacks(
    "tensor-hooks/edited-after-hook#leaf",
    "tensor-hooks/one-weight#one-weight",
    zh="torch.optim 除 SparseAdam 以外的所有优化器，五步；foreach、fused 和别的设置",
    en="all optimizers of torch.optim but SparseAdam, five steps; foreach, fused and other settings",
)
@pytest.mark.parametrize(("name", "setting"), CHOICES)
def test_who_moves_an_element_that_was_masked_from_the_first_step_on(name, setting):
    w = after_five_steps(name, setting, 0, MASK)
    assert w[0, 0].item() != 1, "the others are trained"
    assert (w[0, 1].item() != 2) is (name in MOVE_IT)


@attacks("tensor-hooks/one-weight#from-the-start", zh="所有有权重衰减的", en="all that have decay")
@given(st.sampled_from([choice for choice in CHOICES if choice[0] not in ("LBFGS", "Rprop")]))
def test_weight_decay_does_not_pass_through_a_hook(choice):
    assert (after_five_steps(*choice, 0.1, torch.zeros(2, 2)) != start()).all()


def last_element(name: str, setting: str, others: list[int]) -> float:
    """The last of four elements after three steps; `others`: the gradients of the others."""
    w = start()
    optimizer = DENSE[name]([w], **chosen_options(name, setting, weight_decay=0))
    for last in (1.0, 0.0, -2.0):
        w.grad = torch.tensor([*others, last]).view(2, 2)
        optimizer.step()
    return w[1, 1].item()


@attacks("tensor-hooks/one-weight#whole-matrix", zh="SGD、Adam、Muon 三步", en="SGD, Adam, Muon")
@pytest.mark.parametrize("choice", [c for c in CHOICES if c[0] in ("SGD", "Adam", "Muon")])
@given(st.lists(st.integers(-3, 3), min_size=3, max_size=3))
def test_the_step_of_an_element_is_made_of_its_own_gradients(choice, others):
    """With Muon it is made of all gradients of the matrix."""
    if choice[0] == "Muon":
        assert last_element(*choice, [1, 0, 0]) != last_element(*choice, [0, 3, 2])
    else:
        assert last_element(*choice, others) == last_element(*choice, [0, 0, 0])


@attacks("tensor-hooks/one-weight#whole-matrix", zh="ASGD，梯度是 0", en="ASGD, gradients of 0")
@given(st.lists(st.floats(-3, 3, width=32), min_size=1, max_size=4))
def test_asgd_takes_something_off_every_element(values):
    w = torch.tensor(values)
    w.grad, before = torch.zeros_like(w), w.clone()
    torch.optim.ASGD([w], lr=0.1, lambd=0.01).step()
    assert torch.allclose(w, before * (1 - 0.1 * 0.01))


@attacks(
    "tensor-hooks/one-weight#one-weight", zh="叶子的元素和切片", en="elements and slices of a leaf"
)
@given(st.sampled_from([0, -1, slice(1, 2), [0, 1]]))
def test_requires_grad_belongs_to_the_whole_tensor(part):
    w = torch.ones(3)
    w[part].requires_grad_()
    assert not w.requires_grad
    w.requires_grad_()
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf"):
        w[part].requires_grad_(False)


class GivesNoGradient(torch.autograd.Function):
    """Twice its first input; nothing for its second."""

    @staticmethod
    def forward(ctx, x, w):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad, None


@attacks("tensor-hooks/post-accumulate#post-accumulate", zh="返回 None", en="None from a Function")
@pytest.mark.parametrize("before", [None, 7.0])
def test_hooks_fire_where_a_function_returns_none(before):
    """`.grad` stays what it was, and a plain hook gets None."""
    x, w = (torch.tensor(1.0, requires_grad=True) for _ in range(2))
    w.grad = before and torch.tensor(before)
    got, seen = [], []
    w.register_hook(got.append)
    w.register_post_accumulate_grad_hook(lambda w: seen.append(w.grad and w.grad.item()))
    GivesNoGradient.apply(x, w).backward()
    assert (got, seen) == ([None], [before])


def queue_order(loss: torch.Tensor) -> list:
    """The order of a queue that takes the highest number first; leaves are `leaf`."""
    behind = nodes_behind(loss)
    waits = Counter(after for node in behind for after, _ in node.next_functions if after)
    ready, order = [loss.grad_fn], []
    while ready:
        node = max(ready, key=lambda node: node._sequence_nr())
        ready.remove(node)
        order.append("leaf" if hasattr(node, "variable") else node)
        for after, _ in node.next_functions:
            if after:
                waits[after] -= 1
                if not waits[after]:
                    ready.append(after)
    return order


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


def written_in_place(a, b):
    result = a.clone()
    result[:1] = b[1:]
    return result


OPERATIONS = [torch.add, torch.mul, lambda a, b: a * 1, lambda a, b: Doubled.apply(b)]
OPERATIONS += [written_in_place, lambda a, b: torch.cat([a, b])[1:3]]


@attacks(
    "tensor-hooks/engine#engine",
    "tensor-hooks/engine#queue",
    "tensor-hooks/engine#own-queue",
    zh="任意的计算图，最多十二个运算，有自己写的 Function、原地写切片和 cat；每个叶子用一到多次",
    en="graphs of up to twelve operations in any shape, with a Function, writes into slices and cat; leaves used once or more",
)
@given(
    st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0), st.integers(0)), max_size=12)
)
def test_nodes_run_in_reverse_order_of_creation(chosen):
    """And AccumulateGrad as soon as it is ready."""
    leaves = [torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(3)]
    tensors = list(leaves)
    for operation, first, second in chosen:
        a, b = (tensors[n % len(tensors)] for n in (first, second))
        tensors.append(operation(a, b))
    loss = sum(tensors).sum()
    ran = []
    for node in nodes_behind(loss):
        name = "leaf" if hasattr(node, "variable") else node
        node.register_hook(lambda *_, name=name: ran.append(name))
    loss.backward()
    assert ran == queue_order(loss)
    numbers = [node._sequence_nr() for node in ran if node != "leaf"]
    assert numbers == sorted(numbers, reverse=True)


@attacks(
    "tensor-hooks/engine#threads",
    "tensor-hooks/engine#four-threads",
    "tensor-hooks/engine#per-thread",
    zh="两到八个线程，每个一到三十次；五种 dtype；各线程的编号",
    en="two to eight threads with up to 30 passes each; five dtypes; the numbers of each thread",
)
@settings(max_examples=10)
@given(st.integers(2, 8), st.integers(1, 30), DTYPES)
def test_passes_of_several_threads_on_one_leaf(threads, passes, dtype):
    w = torch.zeros(3, dtype=dtype, requires_grad=True)
    own, first = [], []

    def work(_):
        me = threading.get_ident()
        scaled = 1 * w
        scaled.register_hook(lambda _: own.append(threading.get_ident() == me) or None)
        first.append(scaled.grad_fn._sequence_nr())
        scaled.backward(torch.ones_like(w))
        for _ in range(passes - 1):
            (1 * w).backward(torch.ones_like(w))

    workers = [threading.Thread(target=work, args=(n,)) for n in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert torch.equal(w.grad, torch.full_like(w, threads * passes))
    assert all(own)
    assert len(own) == threads
    assert first == threads * [0]


NESTED = """
import threading, torch
class Nested(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, inner):
        ctx.inner = inner
        return x.clone()
    @staticmethod
    def backward(ctx, grad):
        used.add(threading.get_ident())
        if ctx.inner:
            with torch.enable_grad():
                x = torch.ones((), requires_grad=True)
                y = Nested.apply(x, ctx.inner - 1)
            grad, = torch.autograd.grad(y, x, grad)
        return grad, None
for inner in (0, 1, 30, 60, 61, 200):
    used = set()
    w = torch.tensor(1.0, requires_grad=True)
    Nested.apply(w, inner).backward()
    print(len(used), threading.get_ident() in used, w.grad.item(), flush=True)
"""


@attacks("tensor-hooks/engine#nested", zh="0 到 200 层", en="0 to 200 passes inside another")
def test_more_than_sixty_passes_inside_one_another_take_another_thread():
    """In a process of its own, which may crash at its end, as threads of the engine are left."""
    run = subprocess.run([sys.executable, "-c", NESTED], capture_output=True, text=True)
    numbers = [1, 1, 1, 1, 2, 4]
    assert run.stdout.splitlines() == [f"{number} True 1.0" for number in numbers]


@attacks("tensor-hooks/engine#engine", zh="三种后端", en="three backends")
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_a_compiled_function_is_one_node(backend):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = torch.compile(lambda w: (w.sin() * w.cos() + w).sum(), backend=backend)(w)
    nodes = [node for node in nodes_behind(loss) if not hasattr(node, "variable")]
    assert (len(nodes) == 1) is (backend != "eager")


@attacks(
    "tensor-hooks/graph-tools#edge",
    zh="五种 dtype；加法、乘法和 reshape 之后的边；从边出发；叶子的边；backward(inputs=)",
    en="five dtypes; edges after a sum, a product, a reshape; passes from an edge on; the edge of a leaf; backward(inputs=)",
)
@given(DTYPES, st.sampled_from([lambda h: h + 1, lambda h: h.reshape(2, 1), lambda h: h - 5]))
def test_a_gradient_edge_holds_no_tensor(dtype, use):
    w = torch.ones(2, dtype=dtype, requires_grad=True)
    h = 3 * w
    edge, seen = get_gradient_edge(h), []
    h.register_hook(lambda grad: seen.append(grad.clone()))
    loss = (7 * use(h)).sum()
    freed = weakref.ref(h)
    del h
    assert freed() is None
    (at_h,) = torch.autograd.grad(loss, edge, torch.ones_like(loss), retain_graph=True)
    assert torch.equal(at_h, torch.full_like(w, 7))
    assert torch.equal(at_h, seen[0])
    ends = (w, get_gradient_edge(w))
    for end in ends:
        (at_w,) = torch.autograd.grad(edge, end, at_h, retain_graph=True)
        assert torch.equal(at_w, torch.full_like(w, 21))
    loss.backward(torch.ones_like(loss), inputs=[edge], retain_graph=True)
    assert w.grad is None


@attacks(
    "tensor-hooks/graph-tools#prehook",
    zh="chunk、unbind 和 split，用到其中任意几个输出；返回 None、元组或别的",
    en="chunk, unbind and split, with any of the outputs used; None, tuples and other values returned",
)
@given(
    st.sampled_from([lambda x: x.chunk(3), lambda x: x.unbind(), lambda x: x.split(1)]),
    st.sets(st.integers(0, 2), min_size=1),
    st.booleans(),
)
def test_a_pre_hook_of_a_node_sees_the_gradients_of_all_outputs(cut, used, replace):
    x = torch.ones(3, requires_grad=True)
    parts, seen = cut(1 * x), []
    parts[min(used)].register_hook(lambda grad: 10 * grad)

    def before(grads):
        seen.append([grad if grad is None else grad.item() for grad in grads])
        return tuple(g if g is None else g / 2 for g in grads) if replace else None

    handle = parts[0].grad_fn.register_prehook(before)
    loss = sum((n + 1) * parts[n].sum() for n in used)
    loss.backward(retain_graph=True)
    expected = [(n + 1) * (10 if n == min(used) else 1) if n in used else None for n in range(3)]
    assert seen == [expected]
    assert x.grad.tolist() == [(one or 0) / (2 if replace else 1) for one in expected]
    handle.remove()
    parts[0].grad_fn.register_prehook(lambda grads: grads[min(used)])
    with pytest.raises(TypeError, match="expected tuple"):
        loss.backward()


OUTSIDE = {
    "numpy": lambda h: h.detach().numpy().fill(10),
    "DLPack": lambda h: torch.from_dlpack(torch.utils.dlpack.to_dlpack(h.detach())).fill_(10),
    "untyped storage": lambda h: h.detach().untyped_storage().fill_(0),
}


@attacks(
    "tensor-hooks/graph-tools#increment-version",
    zh="NumPy、DLPack、存储；保存输入和保存结果的运算；两种 dtype",
    en="NumPy, DLPack and the storage; operations that save their input or their result; two dtypes",
)
@given(
    st.sampled_from(sorted(OUTSIDE)),
    st.sampled_from([torch.square, torch.exp, torch.sin]),
    st.sampled_from([torch.float32, torch.float64]),
)
def test_an_edit_outside_is_noticed_if_pytorch_is_told(way, operation, dtype):
    def gradient(tell):
        x = torch.full((2,), 2.0, dtype=dtype, requires_grad=True)
        h = 1 * x
        result = operation(h)
        edited = result if operation is torch.exp else h
        OUTSIDE[way](edited)
        if tell:
            increment_version(edited)
        result.sum().backward()
        return x.grad

    right = torch.full((2,), 2.0, dtype=dtype, requires_grad=True)
    (expected,) = torch.autograd.grad(operation(right).sum(), right)
    assert not torch.allclose(gradient(False), expected)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        gradient(True)


@attacks(
    "tensor-hooks/graph-tools#no-saved-hooks",
    zh="钩子在外面或里面；save_on_cpu；两种检查点",
    en="hooks outside and inside; save_on_cpu; both kinds of checkpoint",
)
def test_code_that_refuses_saved_tensor_hooks():
    w = torch.tensor(3.0, requires_grad=True)
    refuse = partial(disable_saved_tensors_hooks, "not with these")
    same = partial(saved_tensors_hooks, lambda t: t.detach(), lambda t: t)
    for outer, inner in ((same, refuse), (refuse, same), (save_on_cpu, refuse)):
        with pytest.raises(RuntimeError, match="not with these"), outer(), inner():
            w * w
    with refuse():
        checkpoint(lambda w: w * w, w, use_reentrant=True).backward()
        with pytest.raises(RuntimeError, match="not with these"):
            checkpoint(lambda w: w * w, w, use_reentrant=False)
    assert w.grad == 6
    with pytest.raises(RuntimeError, match="not with these"):
        checkpoint(refuse()(lambda w: w * w), w, use_reentrant=False)
