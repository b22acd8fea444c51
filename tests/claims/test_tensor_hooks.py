"""What the pages of tensor-hooks say in general."""

import copy
import gc
import weakref
from contextlib import nullcontext
from functools import partial
from inspect import signature

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.autograd.graph import register_multi_grad_hook
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.tensor import distribute_tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

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


def own_weights(model: nn.Module) -> set[float]:
    """The weights that this rank holds, each once: all of them, or its shard."""
    shards = [getattr(p, "to_local", lambda p=p: p)() for p in model.parameters()]
    return {round(value, 4) for shard in shards for value in shard.detach().flatten().tolist()}


def trained(rank: int) -> dict[tuple[str, str], set[float] | str]:
    """The weights, 1 at first, after one pass with the input 2 in rank 0 and 6 in rank 1."""
    left = {}
    for wrap in WRAPPERS:
        for stepping in ("hook, then wrap", "wrap, then hook", "after backward"):
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
    zh="gloo 的两个进程，一个线性层",
    en="a linear layer in two processes with gloo",
)
@attacks(
    "module-hooks/param-grad#not-promised",
    zh="两个进程的 DistributedDataParallel 和三种 FSDP：在钩子里走步，各进程的权重就不一样了",
    en="DistributedDataParallel and three ways of FSDP with two processes: a step in the hook leaves each rank its own weights",
)
@attacks(
    "tensor-hooks/post-accumulate#wait",
    zh="gloo 的两个进程，一个线性层；钩子在包装之前和之后注册",
    en="a linear layer in two processes with gloo; hooks registered before and after wrapping",
)
def test_stepping_inside_the_backward_pass_of_several_processes(ranks):
    """The mean gradient is 4: 1 - 0.1 * 4 = 0.6 is right, in both ranks."""
    first, second = ranks(trained)
    for wrap in WRAPPERS:
        after = wrap.__name__, "after backward"
        assert first[after] == second[after] == {0.6}
    for stepping in ("hook, then wrap", "wrap, then hook"):
        assert first["replicated", stepping] == {0.8}, "rank 0 stepped with its own gradient, 2"
        assert second["replicated", stepping] == {0.4}, "rank 1 stepped with its own gradient, 6"
        for ranks in (first, second):
            assert ranks["sharded_as_before", stepping] == {1.0}, "the hook never fires"
    for ranks in (first, second):
        assert ranks["sharded_flat", "hook, then wrap"] == {1.0}, "the hook never fires"
        assert ranks["sharded_flat", "wrap, then hook"] == "raises"
        assert ranks["sharded", "hook, then wrap"] == {1.0}, "the hook never fires"
        assert ranks["sharded", "wrap, then hook"] == {0.6}, "the hook sees the mean"


MASK = torch.tensor([[1.0, 0.0], [1.0, 1.0]])


def masked(rank: int) -> dict[tuple[str, str], set[float]]:
    """The weights, 1 at first, after a step of SGD with a mask and the inputs of `trained`."""
    left = {}
    for wrap in (replicated, sharded, sharded_as_before):
        for when in ("hook, then wrap", "wrap, then hook", "post-accumulate hook"):
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
    "tensor-hooks/one-weight#from-the-start",
    zh="gloo 的两个进程，一个线性层；钩子在包装之前和之后注册",
    en="a linear layer in two processes with gloo; hooks registered before and after wrapping",
)
def test_a_mask_with_several_processes(ranks):
    """The mean gradient, 4, takes each weight from 1 to 0.6, but for one that is masked."""
    first, second = ranks(masked)
    for left in (first, second):
        for when in ("hook, then wrap", "wrap, then hook"):
            assert left["replicated", when] == {0.6, 1.0}
            assert left["sharded", when] == {0.6}, "the hook isn't called"
            assert left["sharded_as_before", when] == {0.6}, "the hook isn't called"
    assert first["sharded", "post-accumulate hook"] == {0.6, 1.0}, "the row that is masked in part"
    assert second["sharded", "post-accumulate hook"] == {0.6}


def scaled_steps(step_of_scaler: bool, losses) -> tuple[list[float], float]:
    """`a` and `b`, 1 at first, after a step of SGD with each loss, inside the backward pass.

    Returns them and the scale at the end.
    """
    a, b = (torch.ones((), requires_grad=True) for _ in range(2))
    optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in (a, b)}
    scaler = torch.amp.GradScaler("cpu")

    def step(param):
        if step_of_scaler:
            scaler.step(optimizers[param])
        else:
            optimizers[param].step()
        optimizers[param].zero_grad()

    for p in (a, b):
        p.register_post_accumulate_grad_hook(step)
    for loss in losses:
        scaler.scale(loss(a, b)).backward()
        if step_of_scaler:
            scaler.update()
    return [a.item(), b.item()], scaler.get_scale()


@attacks(
    "labs/flow#flow",
    "tensor-hooks/post-accumulate#wait",
    zh='两个参数，一步，GradScaler("cpu")',
    en='two parameters, one step, GradScaler("cpu")',
)
def test_a_step_inside_the_backward_pass_takes_the_scaled_gradient():
    def loss(a, b):
        return 3 * a + 2 * b

    scaled, scale = scaled_steps(False, [loss])
    assert scaled == pytest.approx([1 - 0.1 * 3 * scale, 1 - 0.1 * 2 * scale])
    right, _ = scaled_steps(True, [loss])
    assert right == pytest.approx([0.7, 0.8])


@attacks(
    "tensor-hooks/post-accumulate#wait",
    zh="两个参数，其中一个的梯度是无穷",
    en="two parameters, one of them with an infinite gradient",
)
def test_a_step_of_the_scaler_inside_the_backward_pass_skips_one_parameter_alone():
    values, _ = scaled_steps(True, [lambda a, b: 3 * a + b * torch.inf])
    assert values == pytest.approx([0.7, 1.0])


SHAPES = st.sampled_from([(), (1,), (0,), (2, 3)])
DTYPES = st.sampled_from(
    [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64]
)


def ask(told: list, *args) -> None:
    """A hook that writes down what it is given."""
    told.append(args)


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
    z = 3 * x
    given_to_hook = []

    def hook(*args):
        given_to_hook.append(args)
        return None if factor is None else factor * args[0]

    (x if on_leaf else z).register_hook(hook)
    (z * w).sum().backward(torch.ones((), dtype=dtype))
    assert [len(args) for args in given_to_hook] == [1]
    assert torch.equal(x.grad, torch.full_like(x, 15 * (1 if factor is None else factor)))
    assert torch.equal(w.grad, torch.full_like(w, 6)), "not on the way from the hook to an input"


@attacks(
    "tensor-hooks/return-value#wrong-return",
    zh="叶子和中间张量；三种形状，四种 dtype",
    en="leaves and intermediate tensors; three shapes, four dtypes",
)
@given(
    st.sampled_from([(3,), (1,), ()]),
    st.sampled_from([(3,), (1,), ()]),
    st.sampled_from([torch.float32, torch.float64, torch.float16]),
    st.sampled_from([torch.float32, torch.float64, torch.int64]),
    st.booleans(),
)
def test_a_hook_returns_the_same_shape_and_dtype(shape, other_shape, dtype, other_dtype, on_leaf):
    x = torch.ones(shape, dtype=dtype, requires_grad=True)
    z = 2 * x
    (x if on_leaf else z).register_hook(lambda grad: torch.ones(other_shape, dtype=other_dtype))
    if (shape, dtype) == (other_shape, other_dtype):
        z.sum().backward()
    else:
        with pytest.raises(RuntimeError, match=r"has changed the (size|type) of value"):
            z.sum().backward()


SEVERAL = {
    "unbind": lambda x: x.unbind()[:2],
    "chunk": lambda x: x.chunk(2),
    "split": lambda x: x.split(2),
    "std_mean": torch.std_mean,
}


@attacks(
    "tensor-hooks/return-value#whose",
    "tensor-hooks/multi-grad#unused",
    zh="unbind、chunk、split 和 std_mean，用第一个或第二个输出",
    en="unbind, chunk, split and std_mean, the first or the second output used",
)
@pytest.mark.parametrize("used", [0, 1])
@pytest.mark.parametrize("operation", SEVERAL)
def test_the_hook_of_an_unused_output_is_called_with_none(operation, used):
    outputs = SEVERAL[operation](torch.arange(4.0, requires_grad=True))
    alone, all_told, any_told = [], [], []
    outputs[1 - used].register_hook(partial(ask, alone))
    register_multi_grad_hook(outputs, lambda grads: all_told.extend(grads))
    register_multi_grad_hook(outputs, any_told.append, mode="any")
    (2 * outputs[used]).sum().backward()
    assert alone == [(None,)]
    assert [grad is not None for grad in all_told] == [used == 0, used == 1]
    assert any_told == [None], "the unused output had the first hook"


@attacks(
    "tensor-hooks/return-value#whose",
    "tensor-hooks/order#late-first",
    zh="钩子里拿着名字、分离的值、张量；移除或不移除",
    en="hooks that hold a name, the detached values, the tensor; removed or not",
)
def test_a_hook_that_holds_its_own_tensor_keeps_it_from_being_freed():
    x = torch.ones(3, requires_grad=True)
    left = {}
    for removed in (False, True):
        for holds in ("a name", "the values", "the tensor"):
            z = 3 * x
            hook = partial(ask, [], {"the values": z.detach(), "the tensor": z}.get(holds))
            handle = z.register_hook(hook)
            (z * z).sum().backward()
            if removed:
                handle.remove()
            left[holds, removed] = weakref.ref(z), weakref.ref(hook)
            del z, hook
    gc.collect()
    for case, (tensor, hook) in left.items():
        kept = case == ("the tensor", False)
        assert (tensor() is not None) is kept
        assert (hook() is not None) is kept


ACTIONS = {
    "add": lambda grad: grad + 100,
    "double": lambda grad: 2 * grad,
    "negate": lambda grad: -grad,
    "look": lambda grad: None,
}


@attacks(
    "tensor-hooks/order#late-first",
    "tensor-hooks/order#order",
    "tensor-hooks/order#twice",
    "tensor-hooks/review#remember",
    zh="四种钩子任意几个、任意次序，有的移除了；叶子和中间张量",
    en="any number of four kinds of hooks in any order, some of them removed; leaves and intermediate tensors",
)
@given(st.lists(st.tuples(st.sampled_from(sorted(ACTIONS)), st.booleans())), st.booleans())
def test_hooks_of_one_tensor_run_in_the_order_of_registration(chosen, on_leaf):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x if on_leaf else 3 * x
    seen, expected = [], []

    def hook(action, grad):
        seen.append(grad.tolist())
        return ACTIONS[action](grad)

    handles = [z.register_hook(partial(hook, action)) for action, _ in chosen]
    assert list(z._backward_hooks or {}) == [handle.id for handle in handles]
    grad = torch.tensor([5.0, 7.0])
    for handle, (action, removed) in zip(handles, chosen, strict=True):
        if removed:
            handle.remove()
            continue
        expected.append(grad.tolist())
        returned = ACTIONS[action](grad)
        grad = grad if returned is None else returned
    (z @ torch.tensor([5.0, 7.0])).backward()
    assert seen == expected
    assert torch.equal(x.grad, grad if on_leaf else 3 * grad)


@attacks(
    "tensor-hooks/return-value#retain-grad",
    zh="最多四个张量钩子，`retain_grad()` 在它们之前、之间或之后；这本书用的版本",
    en="up to four tensor hooks, `retain_grad()` before, between or after them; the version of this book",
)
@attacks(
    "tensor-hooks/order#twice",
    zh="最多四个张量钩子，`retain_grad()` 在它们之前、之间或之后",
    en="up to four tensor hooks, `retain_grad()` before, between or after them",
)
@attacks(
    "tensor-hooks/retain-or-hook#which",
    zh="最多四个钩子，次序任意；反向一到三次",
    en="with up to four hooks, in any order; one to three backward passes",
)
@given(st.lists(st.sampled_from(sorted(ACTIONS)), max_size=4), st.integers(0, 4), st.integers(1, 3))
def test_retain_grad_sees_what_all_hooks_return_and_changes_nothing(chosen, position, passes):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = 3 * x
    grad = torch.tensor([5.0, 7.0])
    for number, action in enumerate(chosen):
        if number == position:
            z.retain_grad()
        z.register_hook(ACTIONS[action])
        returned = ACTIONS[action](grad)
        grad = grad if returned is None else returned
    if position >= len(chosen):
        z.retain_grad()
    z.retain_grad()
    assert len(z._backward_hooks or {}) == len(chosen)
    loss = z @ torch.tensor([5.0, 7.0])
    for _ in range(passes):
        loss.backward(retain_graph=True)
    assert torch.equal(z.grad, passes * grad)
    assert torch.equal(x.grad, passes * 3 * grad)


@attacks(
    "tensor-hooks/retain-or-hook#which",
    zh="中间张量的梯度，收集或不收集",
    en="the gradient of an intermediate tensor, collected or not",
)
@pytest.mark.parametrize("collected", [False, True])
def test_a_hook_keeps_only_what_the_function_keeps(collected):
    x = torch.ones(5, requires_grad=True)
    z = 4 * x
    norms, gradients, seen = [], [], []

    def hook(grad):
        seen.append(weakref.ref(grad))
        norms.append(grad.norm().item())
        if collected:
            gradients.append(grad)

    z.register_hook(hook)
    (z**2).sum().backward()
    assert norms == pytest.approx([8 * 5**0.5])
    assert (seen[0]() is not None) is collected


STAYS_ON = {
    "double": lambda layer: layer.double(),
    "bfloat16": lambda layer: layer.bfloat16(),
    "channels_last": lambda layer: layer.to(memory_format=torch.channels_last),
    "frozen for a while": lambda layer: layer.requires_grad_(False).requires_grad_(True),
    "load_state_dict": lambda layer: layer.load_state_dict(layer.state_dict()),
    "eval": lambda layer: layer.eval(),
    "zero_grad": lambda layer: layer.zero_grad(),
}


@attacks(
    "tensor-hooks/order#late-first",
    zh="卷积的钩子，经过七种变动，例如 `double()` 和 `channels_last`；FSDP 的两个进程也试过",
    en="a hook of a convolution through seven kinds of changes, such as `double()` and `channels_last`; FSDP with two processes",
)
@given(st.lists(st.sampled_from(sorted(STAYS_ON)), max_size=4))
def test_a_hook_stays_on_a_parameter(changes):
    layer = nn.Conv2d(1, 2, 2)
    told = []
    layer.weight.register_hook(partial(ask, told))
    for number, change in enumerate(changes, 1):
        STAYS_ON[change](layer)
        layer.weight.sum().backward()
        assert len(told) == number


@attacks(
    "tensor-hooks/order#late-first",
    zh="copy.deepcopy，以及 load_state_dict(assign=True)",
    en="copy.deepcopy, and load_state_dict(assign=True)",
)
@pytest.mark.parametrize("copied", ["copy.deepcopy", "load_state_dict"])
def test_a_tensor_in_the_place_of_the_parameter_has_no_hook(copied):
    layer = nn.Linear(2, 2)
    told = []
    layer.weight.register_hook(partial(ask, told))
    if copied == "copy.deepcopy":
        layer = copy.deepcopy(layer)
    else:
        layer.load_state_dict(layer.state_dict(), assign=True)
    layer(torch.ones(1, 2)).sum().backward()
    assert told == []


KINDS = ("tensor hook", "node pre-hook", "post-accumulate hook", "node hook")


@attacks(
    "tensor-hooks/order#leaf-and-node",
    zh="叶子上的四种钩子，次序任意；用一到三次",
    en="four kinds of hooks on a leaf in any order; one to three uses",
)
@given(st.permutations(KINDS), st.integers(1, 3))
def test_the_kind_of_a_hook_on_a_leaf_decides_when_it_runs(registered, uses):
    w = torch.tensor(2.0, requires_grad=True)
    y = sum(3 * w for _ in range(uses))
    node = (w * 1).grad_fn.next_functions[0][0]
    register = {
        "tensor hook": w.register_hook,
        "node pre-hook": node.register_prehook,
        "post-accumulate hook": w.register_post_accumulate_grad_hook,
        "node hook": node.register_hook,
    }
    ran = []
    for kind in registered:
        register[kind](lambda *_, kind=kind: ran.append((kind, w.grad is not None)))
    y.backward()
    assert ran == list(zip(KINDS, (False, False, True, True), strict=True))


@attacks(
    "tensor-hooks/order#leaf-and-node",
    zh="节点由变量拿着、由图拿着、没有谁拿着",
    en="the node kept by a variable, by a graph, by nothing",
)
@pytest.mark.parametrize("kept", ["nothing", "the node", "a graph"])
def test_a_node_of_a_leaf_that_nothing_keeps_is_freed_with_its_hooks(kept):
    w = torch.tensor(2.0, requires_grad=True)
    node = w.view_as(w).grad_fn.next_functions[0][0]
    on_node, on_tensor = [], []
    node.register_hook(partial(ask, on_node))
    w.register_hook(partial(ask, on_tensor))
    keeps = {"nothing": None, "the node": node, "a graph": 5 * w}[kept]
    del node
    (3 * w).backward()
    assert len(on_node) == (0 if keeps is None else 1)
    assert len(on_tensor) == 1


LINEAR_IN_PLACE = [("mul_", 10.0), ("add_", 1.0), ("neg_",), ("sub_", 2.0), ("div_", 4.0)]
LAST_IN_PLACE = [("relu_",), ("sigmoid_",), ("exp_",), ("clamp_", 0.0, 1.0), ("square_",)]


@attacks(
    "tensor-hooks/edited-after-hook#edited-after-hook",
    zh="十种有记录的改法，改一到四次，每次之后注册一个钩子；不是视图的张量",
    en="one to four recorded edits of ten kinds with a hook after each; tensors that are no views",
)
@given(
    st.lists(st.sampled_from(LINEAR_IN_PLACE), max_size=3),
    st.sampled_from(LINEAR_IN_PLACE + LAST_IN_PLACE),
    st.sampled_from([torch.float32, torch.float64]),
)
def test_a_hook_stays_with_the_value_before_the_edit(edits, last_edit, dtype):
    """A hook after each edit: the gradient of the value of that moment, the last one first."""
    x = torch.tensor([1.0, -2.0, 0.1], dtype=dtype, requires_grad=True)
    weights = torch.tensor([3.0, 5.0, 7.0], dtype=dtype)
    values = [3 * x]
    for name, *args in (*edits, last_edit):
        values.append(getattr(values[-1], name.removesuffix("_"))(*args))
    right = torch.autograd.grad((weights * values[-1]).sum(), values)

    z = 3 * x
    z.retain_grad()
    told = []
    z.register_hook(partial(ask, told, 0))
    for number, (name, *args) in enumerate((*edits, last_edit), 1):
        getattr(z, name)(*args)
        z.register_hook(partial(ask, told, number))
    (weights * z).sum().backward()
    assert [number for number, _ in told] == list(reversed(range(len(values))))
    for number, grad in told:
        assert torch.equal(grad, right[number])
    assert torch.equal(z.grad, right[-1])


@attacks(
    "tensor-hooks/edited-after-hook#edited-after-hook",
    "tensor-hooks/edited-after-hook#leaf",
    zh="十种改法；叶子和不是视图的中间张量",
    en="ten kinds of edits; leaves and intermediate tensors that are no views",
)
@given(st.sampled_from(LINEAR_IN_PLACE + LAST_IN_PLACE), st.booleans())
def test_an_edit_that_is_not_recorded_leaves_hooks_where_they_are(edit, on_leaf):
    x = torch.tensor([1.0, -2.0, 0.1], requires_grad=True)
    z = x if on_leaf else 3 * x
    node, told = z.grad_fn, []
    z.register_hook(partial(ask, told))
    name, *args = edit
    with torch.no_grad():
        getattr(z, name)(*args)
    z.register_hook(partial(ask, told))
    assert z.grad_fn is node
    assert z.is_leaf is on_leaf
    (z**2).sum().backward()
    for (grad,) in told:
        assert torch.equal(grad, 2 * z)
    assert len(told) == 2


VIEWS = {
    "slice": lambda base: base[1:],
    "view": lambda base: base.view(2, 2),
    "transpose": lambda base: base.view(2, 2).t(),
    "unsqueeze": lambda base: base.unsqueeze(0),
    "diagonal": lambda base: base.view(2, 2).diagonal(),
    "view_as": lambda base: base.view_as(base),
}


@attacks(
    "tensor-hooks/edited-after-hook#edited-after-hook",
    "tensor-hooks/edited-after-hook#view",
    zh="六种视图；改视图和改原张量，有记录和没有记录",
    en="six kinds of views; edits of the view and of its base, recorded and not",
)
@given(
    st.sampled_from(sorted(VIEWS)),
    st.sampled_from(["view", "base"]),
    st.sampled_from(LINEAR_IN_PLACE),
    st.booleans(),
)
def test_the_hook_of_a_view_is_lost_when_the_view_or_its_base_is_edited(kind, edited, edit, within):
    x = torch.arange(1.0, 5.0, requires_grad=True)
    base = 3 * x
    view = VIEWS[kind](base)
    told = []
    view.register_hook(partial(ask, told, "before"))
    name, *args = edit
    with torch.no_grad() if within else nullcontext():
        getattr({"view": view, "base": base}[edited], name)(*args)
    anew = VIEWS[kind](base)
    anew.register_hook(partial(ask, told, "anew"))
    (view.sum() + anew.sum()).backward()
    assert [label for label, _ in told] == ["anew"]


@attacks(
    "tensor-hooks/in-place#same-tensor",
    zh="两个叶子；加、减、乘；三种 dtype，会广播的形状",
    en="two leaves; add, sub and mul; three dtypes, shapes that broadcast",
)
@given(
    st.sampled_from([(1,), (3,), (2, 3)]),
    st.sampled_from([(1,), (3,), (2, 3)]),
    st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
    st.sampled_from([torch.float32, torch.float64]),
    st.sampled_from([torch.add, torch.sub, torch.mul]),
)
def test_only_addition_of_one_shape_and_dtype_hands_on_one_gradient(
    shape, other_shape, dtype, other_dtype, combine
):
    a = torch.ones(shape, dtype=dtype, requires_grad=True)
    b = torch.ones(other_shape, dtype=other_dtype, requires_grad=True)
    told = []
    a.register_hook(partial(ask, told))
    b.register_hook(partial(ask, told))
    c = combine(a, b)
    c.backward(torch.ones_like(c))
    (first,), (second,) = told
    shared = combine is torch.add and (shape, dtype) == (other_shape, other_dtype)
    assert (first is second) is shared
    if combine is not torch.add:
        assert first.data_ptr() != second.data_ptr()
    assert a.grad is not b.grad
    assert a.grad.data_ptr() != b.grad.data_ptr()


@attacks(
    "tensor-hooks/in-place#same-tensor",
    zh="两个一维叶子的和；三种 dtype；clip_grad_norm_ 有无 foreach",
    en="sums of two leaves of one dimension; three dtypes; clip_grad_norm_ with and without foreach",
)
@given(st.integers(1, 5), st.sampled_from([torch.float32, torch.float64, torch.bfloat16]))
def test_behind_views_both_grad_lie_in_one_block(size, dtype):
    a, b = (torch.ones(size, dtype=dtype, requires_grad=True) for _ in range(2))
    (a.view(-1) + b.view(-1)).backward(torch.ones(size, dtype=dtype))
    assert a.grad is not b.grad
    a.grad *= 100
    assert b.grad.tolist() == size * [100]
    for foreach in (False, True):
        for w in (a, b):
            w.grad = None
        (a.view(-1) + b.view(-1)).backward(torch.ones(size, dtype=dtype))
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
    """A sum of several terms, all of one shape; the hook on one of them edits in place."""
    edited = data.draw(st.integers(0, terms - 1))
    leaves = [torch.ones(2, requires_grad=True) for _ in range(terms)]
    ran = []

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
    zh="对二到五个元素 `sum`；clone、掩码、masked_fill",
    en="`sum` over two to five elements; clone, mask, masked_fill",
)
@given(st.sampled_from(sorted(CLEAR_FIRST)), st.integers(2, 5))
def test_the_gradient_of_a_sum_is_one_number_in_memory(how, size):
    x = torch.ones(size, requires_grad=True)
    x.register_hook(CLEAR_FIRST[how])
    x.sum().backward()
    assert x.grad.tolist() == [0] + [0 if how == "in place" else 1] * (size - 1)


@attacks(
    "tensor-hooks/post-accumulate#post-accumulate",
    "tensor-hooks/post-accumulate#step-in-backward",
    "tensor-hooks/review#remember",
    zh="使用、反向和钩子各一到三；有无检查点",
    en="one to three uses, passes and hooks; with and without checkpoints",
)
@attacks(
    "tensor-hooks/post-accumulate#wait",
    zh="使用、反向和钩子各一到三：张量钩子在写 `.grad` 之前",
    en="one to three uses, passes and hooks: the tensor hook comes before `.grad` is written",
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
    ran = []

    def before(grad):
        ran.append(("before", 0 if w.grad is None else w.grad.item()))

    def after(param):
        ran.append(("after", param.grad.item()))

    def multiply(t):
        return t * w

    for _ in range(hooks):
        w.register_post_accumulate_grad_hook(after)
        w.register_hook(before)
    use = multiply
    if reentrant is not None:
        use = partial(checkpoint, multiply, use_reentrant=reentrant)
    each = 2.0 ** (uses - 1)
    sizes = uses * [each] if reentrant else [uses * each]
    expected, written = [], 0
    for _ in range(passes):
        y = x
        for _ in range(uses):
            y = use(y)
        y.backward()
        for size in sizes:
            expected += hooks * [("before", written)]
            written += size
            expected += hooks * [("after", written)]
    assert ran == expected


@attacks(
    "tensor-hooks/post-accumulate#step-in-backward",
    zh="用两次的参数，在分段里或不在，一次使用不走梯度或都走",
    en="a parameter used twice, in segments or not, one use hidden from the gradient or none",
)
@pytest.mark.parametrize(
    "use", ["twice", "in two segments", "data", "detach", "detach, recomputed"]
)
def test_which_uses_a_step_in_the_hook_waits_for(use):
    """y = x w w at w = 2, with one of the two uses hidden from the gradient of w, or none."""
    w, x = torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    w.register_post_accumulate_grad_hook(descend)

    def multiply(t):
        return t * {"data": w.data, "detach": w.detach()}.get(use.partition(",")[0], w)

    if use in ("twice", "data", "detach"):
        y = multiply(x) * w
    elif use == "in two segments":
        y = checkpoint(multiply, checkpoint(multiply, x, use_reentrant=True), use_reentrant=True)
    else:
        y = checkpoint(multiply, x, use_reentrant=False) * w
    if use == "detach":
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()
        return
    y.backward()
    assert (x.grad.item() == 4) is (use == "twice")


RETURNED = {
    "None": (lambda param: None, True),
    "the parameter": (lambda param: param, True),
    "mul_": (lambda param: param.mul_(2), True),
    "add_": (lambda param: param.add_(param.grad, alpha=-0.1), True),
    "zero_": (lambda param: param.zero_(), True),
    "the gradient": (lambda param: param.grad, False),
    "a view": (lambda param: param.view_as(param), False),
    "a new tensor": (lambda param: 2 * param.grad, False),
    "a number": (lambda param: 2.0, False),
}


@attacks(
    "tensor-hooks/post-accumulate#refused",
    zh="九种返回值；五种 dtype，空的和零维的形状",
    en="nine kinds of return values; five dtypes, empty and 0-dim shapes",
)
@given(st.sampled_from(sorted(RETURNED)), SHAPES, DTYPES)
def test_what_a_post_accumulate_hook_may_return(returned, shape, dtype):
    hook, accepted = RETURNED[returned]
    w = torch.ones(shape, dtype=dtype, requires_grad=True)
    with pytest.raises(RuntimeError, match="non-leaf"):
        (3 * w).register_post_accumulate_grad_hook(hook)
    w.register_post_accumulate_grad_hook(hook)
    refused = pytest.raises(
        (RuntimeError, TypeError), match=r"should return None|expected Variable"
    )
    with nullcontext() if accepted else refused:
        (3 * w).backward(torch.ones_like(w))
    assert torch.equal(w.grad, torch.full_like(w, 3)), "no return value replaces the gradient"


@attacks(
    "tensor-hooks/post-accumulate#refused",
    zh="有无 `no_grad()`；返回什么值另有测试",
    en="with and without `no_grad()`; another test tries what is returned",
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


@attacks(
    "tensor-hooks/post-accumulate#wait",
    zh="二到四个参数，在各自的钩子里或反向之后裁剪",
    en="two to four parameters, clipped in each hook or after the backward pass",
)
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


class Products(TorchDispatchMode):
    """Counts the matrix products."""

    count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += "mm" in str(func)
        return func(*args, **(kwargs or {}))


@attacks(
    "tensor-hooks/post-accumulate#step-in-backward",
    zh="三层，后端 `aot_eager`",
    en="three layers with the backend `aot_eager`",
)
@pytest.mark.parametrize("compiled", [False, True])
def test_a_compiled_model_computes_all_gradients_before_the_first_hook(compiled):
    layers = nn.Sequential(*(nn.Linear(2, 2, bias=False) for _ in range(3)))
    model = torch.compile(layers, backend="aot_eager") if compiled else layers
    products = Products()
    counts = []
    for layer in layers:
        layer.weight.register_post_accumulate_grad_hook(lambda _: counts.append(products.count))
    loss = model(torch.ones(1, 2)).sum()
    with products:
        loss.backward()
    torch.compiler.reset()
    assert len(counts) == 3
    assert products.count == 5, "two for each layer, one for the first: its input needs none"
    assert (counts[0] == products.count) is compiled


@attacks(
    "tensor-hooks/retain-or-hook#which",
    zh="一个函数，后端 `aot_eager`，钩子在外面时编成一块；返回的张量在外面用到或没用到",
    en="one function with the backend `aot_eager`, compiled in one piece where the hook is outside; the returned tensor used outside or not",
)
@pytest.mark.parametrize(
    ("where", "used_outside"), [("inside", True), ("outside", True), ("outside", False)]
)
def test_hooks_in_a_compiled_function_and_on_what_it_returns(where, used_outside):
    told = []

    def look(z):
        z.register_hook(partial(ask, told))
        z.retain_grad()

    def squares(x):
        z = 3 * x
        if where == "inside":
            look(z)
        return (z * z).sum(), z

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    compiled = torch.compile(squares, backend="aot_eager", fullgraph=where == "outside")
    loss, z = compiled(x)
    if where == "outside":
        look(z)
    if used_outside:
        loss = loss + z.sum()
    loss.backward()
    torch.compiler.reset()
    whole = 6 * x.detach() + used_outside
    assert torch.equal(x.grad, 3 * whole)
    ((seen,),) = told
    if where == "outside" and not used_outside:
        assert seen is z.grad is None
    else:
        expected = whole if where == "inside" else torch.ones(2)
        assert torch.equal(seen, expected)
        assert torch.equal(z.grad, expected)


@attacks(
    "tensor-hooks/retain-or-hook#which",
    zh="一个函数，后端 `aot_eager`，有无 `fullgraph=True`",
    en="one function with the backend `aot_eager`, with and without `fullgraph=True`",
)
def test_retain_grad_in_a_compiled_function_needs_a_break_in_the_graph():
    def double(x):
        z = 2 * x
        z.retain_grad()
        return z

    whole = torch.compile(double, backend="aot_eager", fullgraph=True)
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
@given(
    used=st.lists(st.booleans(), min_size=3, max_size=3),
    order=st.permutations(range(3)),
    passes=st.integers(1, 3),
    on_leaves=st.booleans(),
)
def test_when_a_multi_grad_hook_fires(used, order, passes, on_leaves):
    leaves = [torch.tensor(1.0, requires_grad=True) for _ in range(3)]
    tensors = leaves if on_leaves else [1 * w for w in leaves]
    in_graph = [number for number in range(3) if used[number]]
    loss = torch.ones((), requires_grad=True) * 1
    for number in in_graph:
        loss = loss + (number + 2) * tensors[number]
    all_told, any_told, written = [], [], []

    def on_all(grads):
        all_told.append([grad and grad.item() for grad in grads])
        written.append([number for number in in_graph if leaves[number].grad is not None])
        return [grad and 0 * grad for grad in grads]

    def on_any(grad):
        any_told.append(grad.item())
        return 0 * grad

    chosen = [tensors[number] for number in order]
    handles = [
        register_multi_grad_hook(chosen, on_all),
        register_multi_grad_hook(chosen, on_any, mode="any"),
    ]
    assert [len(t._backward_hooks) for t in chosen] == [2, 2, 2], "one tensor hook for each"
    for _ in range(passes):
        loss.backward(retain_graph=True)
    fires = passes if in_graph else 0
    assert all_told == fires * [[n + 2.0 if n in in_graph else None for n in order]]
    assert len(any_told) == fires
    assert {int(value) - 2 for value in any_told} <= set(in_graph)
    for number in in_graph:
        right = passes * (number + 2)
        assert leaves[number].grad.item() == right, "nothing uses what the hooks return"
    if in_graph:
        assert written[0] != in_graph, "the last one isn't written yet"
    for handle in handles:
        handle.remove()
    loss.backward()
    assert (len(all_told), len(any_told)) == (fires, fires)


@attacks(
    "tensor-hooks/multi-grad#unused",
    zh="根和一个叶子、一个中间张量或两者，次序任意",
    en="the root with a leaf, an intermediate tensor or both, in any order",
)
@given(st.permutations(["leaf", "between", "root"]), st.sampled_from([None, "leaf", "between"]))
def test_a_multi_grad_hook_with_the_root_of_the_pass_fires_too_early(order, left_out):
    w = torch.tensor(2.0, requires_grad=True)
    z = 3 * w
    tensors = {"leaf": w, "between": z, "root": 2 * z}
    told = []
    register_multi_grad_hook([tensors[name] for name in order if name != left_out], told.append)
    tensors["root"].backward()
    assert None in told[0]


@attacks(
    "tensor-hooks/multi-grad#unused",
    zh="两个分段，各有一个参数；两种模式",
    en="two segments, each with a parameter; both modes",
)
@pytest.mark.parametrize("reentrant", [False, True])
def test_a_multi_grad_hook_fires_in_each_reentrant_segment(reentrant):
    a, b, x = (torch.tensor(n, requires_grad=True) for n in (2.0, 3.0, 1.0))
    told = []
    register_multi_grad_hook((a, b), lambda grads: told.append([g and g.item() for g in grads]))
    y = checkpoint(lambda t: t * a, x, use_reentrant=reentrant)
    checkpoint(lambda t: t * b, y, use_reentrant=reentrant).backward()
    assert told == ([[None, 2], [3, None]] if reentrant else [[3, 2]])


@attacks(
    "tensor-hooks/multi-grad#autograd-grad",
    zh="叶子和中间张量，梯度返回或不返回",
    en="leaves and intermediate tensors, whose gradients are returned or not",
)
@given(st.sampled_from(["all", "any"]), st.booleans(), st.booleans())
def test_a_multi_grad_hook_and_the_gradient_of_a_leaf_that_is_returned(mode, on_leaves, returned):
    a, b = (torch.tensor(n, requires_grad=True) for n in (2.0, 3.0))
    y, z = 1 * a, 1 * b
    told = []
    register_multi_grad_hook((a, b) if on_leaves else (y, z), told.append, mode=mode)
    inputs = (a, b) if returned else (y, z)
    refused = mode == "all" and on_leaves and returned
    with pytest.raises(RuntimeError, match="A leaf node") if refused else nullcontext():
        torch.autograd.grad(y * z, inputs)
    assert len(told) == (0 if refused or (on_leaves and not returned) else 1)


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


CHOICES = [
    (name, setting)
    for name, kind in DENSE.items()
    for setting in SETTINGS
    if setting in signature(kind).parameters
]


def chosen_options(name: str, setting: str, weight_decay: float) -> dict:
    """The options of an optimizer, with one setting changed."""
    parameters = signature(DENSE[name]).parameters
    options = {"lr": 0.01, setting: SETTINGS[setting]}
    if setting == "nesterov" and "momentum" in parameters:
        options["momentum"] = 0.9
    if "weight_decay" in parameters:
        options["weight_decay"] = weight_decay
    return options


def after_five_steps(name: str, options: dict, mask: torch.Tensor) -> tuple[torch.Tensor, int]:
    """Four elements after five steps, and how often the hook of the mask didn't run."""
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    passes, runs = [], []

    def hook(grad):
        runs.append(grad)
        return grad * mask

    w.register_hook(hook)
    optimizer = DENSE[name]([w], **options)

    def closure():
        optimizer.zero_grad()
        loss = (w**2).sum() + 0.1 * w.prod()
        loss.backward()
        passes.append(loss)
        return loss

    for _ in range(5):
        optimizer.step(closure)
    return w.detach(), len(passes) - len(runs)


@attacks(
    "tensor-hooks/edited-after-hook#leaf",
    "tensor-hooks/one-weight#one-weight",
    zh="torch.optim 除 SparseAdam 以外的所有优化器，五步；foreach、fused 和别的设置",
    en="all optimizers of torch.optim but SparseAdam, five steps; foreach, fused and other settings",
)
@pytest.mark.parametrize(("name", "setting"), CHOICES)
def test_who_moves_an_element_that_was_masked_from_the_first_step_on(name, setting):
    w, missing = after_five_steps(name, chosen_options(name, setting, weight_decay=0), MASK)
    assert w[0, 0].item() != 1, "the others are trained"
    assert (w[0, 1].item() != 2) is (name in MOVE_IT)
    assert missing == 0, "the steps leave the hook where it is"


@attacks(
    "tensor-hooks/one-weight#from-the-start",
    zh="torch.optim 中有 `weight_decay` 的所有优化器，五步，掩码全是零；foreach、fused 和别的设置",
    en="all optimizers of torch.optim that have `weight_decay`, five steps with a mask of zeros; foreach, fused and other settings",
)
@given(st.sampled_from([choice for choice in CHOICES if choice[0] not in ("LBFGS", "Rprop")]))
def test_weight_decay_does_not_pass_through_a_hook(choice):
    options = chosen_options(*choice, weight_decay=0.1)
    w, _ = after_five_steps(choice[0], options, torch.zeros(2, 2))
    assert (w != torch.tensor([[1.0, 2.0], [3.0, 4.0]])).all()


def last_element(name: str, setting: str, others: list[int]) -> float:
    """The last of four elements after three steps; `others`: the gradients of the others."""
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    optimizer = DENSE[name]([w], **chosen_options(name, setting, weight_decay=0))
    for last in (1.0, 0.0, -2.0):
        w.grad = torch.tensor([*others, last]).view(2, 2)
        optimizer.step()
    return w[1, 1].item()


@attacks(
    "tensor-hooks/one-weight#whole-matrix",
    zh="三步，别的元素换别的梯度；动量、nesterov、amsgrad、foreach、fused；没有权重衰减",
    en="three steps, with other gradients in the other elements; momentum, nesterov, amsgrad, foreach, fused; no weight decay",
)
@given(
    st.sampled_from([choice for choice in CHOICES if choice[0] in ("SGD", "Adam")]),
    st.lists(st.integers(-3, 3), min_size=3, max_size=3),
)
def test_the_step_of_an_element_is_made_of_its_own_gradients(choice, others):
    assert last_element(*choice, others) == last_element(*choice, [0, 0, 0])


@attacks(
    "tensor-hooks/one-weight#whole-matrix",
    zh="Muon 三步，别的元素换别的梯度",
    en="three steps of Muon, with other gradients in the other elements",
)
@pytest.mark.parametrize("setting", ["lr", "momentum", "nesterov"])
def test_the_step_of_muon_is_made_of_all_gradients_of_the_matrix(setting):
    assert last_element("Muon", setting, [1, 0, 0]) != last_element("Muon", setting, [0, 3, 2])


@attacks(
    "tensor-hooks/one-weight#whole-matrix",
    zh="最多四个元素，从 -3 到 3，不需要梯度",
    en="up to four elements from -3 to 3, without a gradient",
)
@given(st.lists(st.floats(-3, 3, width=32), min_size=1, max_size=4))
def test_asgd_takes_something_off_every_element(values):
    w = torch.tensor(values, requires_grad=True)
    optimizer = torch.optim.ASGD([w], lr=0.1, lambd=0.01)
    w.grad = torch.zeros_like(w)
    before = w.detach().clone()
    optimizer.step()
    assert torch.allclose(w, before * (1 - 0.1 * 0.01))


@attacks(
    "tensor-hooks/one-weight#whole-matrix",
    zh="torch.optim 除 SparseAdam 以外的所有优化器，带权重衰减三步",
    en="all optimizers of torch.optim but SparseAdam, three steps with weight decay",
)
@given(st.sampled_from(CHOICES))
def test_an_element_that_is_written_back_after_each_step_stays(choice):
    name, setting = choice
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    optimizer = DENSE[name]([w], **chosen_options(name, setting, weight_decay=0.5))
    for _ in range(3):
        w.grad = torch.ones(2, 2)
        optimizer.step(lambda: w.sum())
        with torch.no_grad():
            w[1, 1] = 4.0
    assert w.is_leaf
    assert w[1, 1].item() == 4
    assert w[0, 0].item() != 1


@attacks(
    "tensor-hooks/one-weight#one-weight",
    zh="叶子的元素和切片",
    en="elements and slices of a leaf",
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


@attacks(
    "tensor-hooks/post-accumulate#post-accumulate",
    zh="两个输入的 Function；之前有无梯度",
    en="a Function of two inputs; with and without a gradient from before",
)
@pytest.mark.parametrize("before", [None, 7.0])
def test_hooks_fire_where_a_function_returns_none(before):
    """post-accumulate and return-value: `.grad` stays what it was, and a plain hook gets None."""
    x, w = (torch.tensor(1.0, requires_grad=True) for _ in range(2))
    w.grad = None if before is None else torch.tensor(before)
    got, seen = [], []
    w.register_hook(got.append)
    w.register_post_accumulate_grad_hook(lambda w: seen.append(w.grad))
    GivesNoGradient.apply(x, w).backward()
    assert got == [None]
    assert [None if grad is None else grad.item() for grad in seen] == [before]
