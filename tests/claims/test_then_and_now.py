"""What the page then-and-now says in general."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim

from claims.optimizers import OPTIMIZERS

pytestmark = pytest.mark.upgrade


@attacks(
    "then-and-now/index#more",
    zh="装着的版本；torch.optim 的所有优化器",
    en="the installed version; all optimizers of torch.optim",
)
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_zero_grad_sets_none_by_default(kind):
    w = torch.ones(2, 2, requires_grad=True)
    optimizer = kind([w], lr=0.1)
    for options, left in (({}, None), ({"set_to_none": False}, 0)):
        w.sum().backward()
        optimizer.zero_grad(**options)
        assert (w.grad is None) if left is None else not w.grad.any()
        w.sum().backward()
        assert w.grad.eq(1).all()


@attacks(
    "then-and-now/index#more",
    zh="装着的版本；set_to_none 为默认和 False",
    en="the installed version; set_to_none by default and False",
)
def test_zero_grad_of_a_module_sets_none_by_default():
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    layer.zero_grad(set_to_none=False)
    assert not any(p.grad.any() for p in layer.parameters())
    layer.zero_grad()
    assert all(p.grad is None for p in layer.parameters())


@attacks(
    "then-and-now/index#more",
    "then-and-now/index#retain-grad",
    zh="装着的版本；张量和它的节点上最多五个钩子，次序任意",
    en="the installed version; up to five hooks of the tensor and of its node in any order",
)
@given(st.lists(st.sampled_from(["hook", "retain", "prehook"]), min_size=1, max_size=5))
def test_retain_grad_comes_after_the_hooks_of_the_tensor(order):
    """Whatever the order; a hook of the node, which a module's hook may be, comes later still."""
    x = torch.ones(2, requires_grad=True)
    z = 3 * x
    z.retain_grad()
    assert not z._backward_hooks, "retain_grad isn't in the dict of hooks"
    for what in order:
        if what == "hook":
            z.register_hook(lambda grad: 2 * grad)
        elif what == "retain":
            z.retain_grad()
        else:
            z.grad_fn.register_prehook(lambda grads: (5 * grads[0],))
    assert len(z._backward_hooks or ()) == order.count("hook")
    z.sum().backward()
    doubled = 2 ** order.count("hook")
    assert z.grad.eq(doubled).all()
    assert x.grad.eq(3 * doubled * 5 ** order.count("prehook")).all()


@attacks(
    "then-and-now/index#retain-grad",
    zh="装着的版本；一个反向预钩子",
    en="the installed version; one full backward pre-hook",
)
@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_retain_grad_comes_before_a_pre_hook_of_the_module():
    layer = nn.Linear(1, 1, bias=False)
    layer.register_full_backward_pre_hook(lambda module, grads: (10 * grads[0],))
    z = layer(torch.ones(1, 1))
    z.retain_grad()
    z.sum().backward()
    assert (z.grad.item(), layer.weight.grad.item()) == (1, 10)


@attacks(
    "then-and-now/index#more",
    "then-and-now/index#retain-grad",
    zh="装着的版本；一到四次，叶子和中间张量，最多两次原地修改",
    en="the installed version; one to four times, a leaf and an intermediate tensor, up to two in-place edits",
)
@given(st.booleans(), st.integers(1, 4), st.integers(0, 2))
def test_a_function_registered_again_runs_again(leaf, times, edits):
    """Of a leaf and of an intermediate tensor; after an in-place edit it sees the new gradient."""
    x, seen = torch.ones(1, requires_grad=True), []
    z = x if leaf else 3 * x
    z.register_hook(lambda grad: seen.append(("before", grad.item())))
    if not leaf:
        for _ in range(edits):
            z.mul_(5)
    for _ in range(times):
        z.register_hook(seen.append)
    z.sum().backward()
    assert [grad for grad in seen if not isinstance(grad, tuple)] == [1] * times
    before = [value for grad, value in (g for g in seen if isinstance(g, tuple))]
    assert before == [1 if leaf else 5**edits]


@attacks(
    "then-and-now/index#old-children",
    zh="装着的版本；一到四维的输入，有无偏置，输入有无梯度",
    en="the installed version; 1-D to 4-D input, with and without a bias, with and without a gradient of the input",
)
@pytest.mark.filterwarnings("ignore:Using a non-full backward hook")
@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@given(st.integers(1, 4), st.booleans(), st.booleans(), st.integers(1, 3))
def test_entries_of_the_hooks_of_a_linear(dims, bias, image, size):
    """Three in the old one with a bias and 2-D input; the full one has that of the input."""
    shape = [size] * (dims - 1) + [3]
    x = torch.ones(shape, requires_grad=image)
    seen = {}
    for register in ("register_backward_hook", "register_full_backward_hook"):
        layer = nn.Linear(3, 2, bias=bias)

        def keep(module, grad_input, grad_output, register=register):
            seen[register] = grad_input

        getattr(layer, register)(keep)
        layer(x).sum().backward()
    assert (len(seen["register_backward_hook"]) == 3) == (bias and dims == 2)
    if bias and dims == 2:
        of_bias, of_x, of_weight = seen["register_backward_hook"]
        assert [of_bias.shape, of_weight.shape] == [(2,), (3, 2)]
        assert (of_x is not None) == image
    (of_input,) = seen["register_full_backward_hook"]
    assert (of_input is not None) == image
    assert of_input is None or of_input.shape == x.shape


@attacks(
    "then-and-now/index#max-and-min",
    zh="SGD，有无 foreach；2 到 6 个数",
    en="SGD with and without foreach; 2 to 6 numbers",
)
@given(
    st.lists(st.floats(-9, 9, width=16), min_size=2, max_size=6),
    st.floats(0.01, 1),
    st.booleans(),
    st.data(),
)
def test_when_maximum_and_minimum_move_with_the_gradient(values, lr, foreach, data):
    """Of SGD without momentum or weight decay: each element; the ends where all move alike."""
    same = data.draw(st.floats(-4, 4, width=16))
    w = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    start = w.detach().clone()
    optimizer = optim.SGD([w], lr=lr, foreach=foreach)
    w.grad = torch.randn(len(values), dtype=torch.float64)
    optimizer.step()
    assert torch.allclose(w.detach(), start - lr * w.grad)
    start = w.detach().clone()
    w.grad = torch.full_like(w, same)
    optimizer.step()
    for end in (torch.max, torch.min, torch.mean):
        assert torch.isclose(end(w.detach()), end(start) - lr * same)


@attacks(
    "then-and-now/index#max-and-min",
    zh="不均匀的梯度，SGD 一步",
    en="an uneven gradient, one step of SGD",
)
def test_maximum_and_minimum_with_an_uneven_gradient():
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    w.grad = torch.tensor([-2.0, 0.0])
    optim.SGD([w], lr=1).step()
    assert (w.min().item(), w.max().item()) == (1, 2), "another element is the least"


@attacks(
    "then-and-now/index#l1",
    zh="从 -50 到 50 的数；float64",
    en="numbers from -50 to 50; float64",
)
@given(st.floats(-50, 50), st.floats(-50, 50))
def test_the_gradient_of_l1_ignores_the_size_of_the_error(w, target):
    w = torch.tensor(w, dtype=torch.float64, requires_grad=True)
    target = torch.tensor(target, dtype=torch.float64)
    loss = nn.functional.l1_loss(w, target)
    loss.backward()
    assert loss >= 0
    assert w.grad == torch.sign(w.detach() - target)


class Sum(nn.Module):
    def forward(self, a, b, c=0):
        return a + b + c


@attacks(
    "then-and-now/index#lost-argument",
    "then-and-now/index#more",
    zh="装着的版本；按位置和按关键字给的数",
    en="the installed version; numbers by position and by keyword",
)
@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-9, 9))
def test_what_hooks_of_forward_may_do(a, b, c):
    """A forward hook may return a value; `with_kwargs=True` shows keyword arguments."""
    module, seen = Sum(), []
    module.register_forward_pre_hook(lambda m, args, kwargs: seen.append(kwargs), with_kwargs=True)
    handle = module.register_forward_pre_hook(lambda m, args: (args[0] + 1, args[1]))
    module.register_forward_hook(lambda m, args, out: 2 * out)
    assert module(a, b, c=c) == 2 * (a + 1 + b + c)
    assert seen == [{"c": c}]
    assert module(a, b, c) == 2 * (a + 1 + b), "only two come back"
    handle.remove()
    assert module(a, b, c) == 2 * (a + b + c)
