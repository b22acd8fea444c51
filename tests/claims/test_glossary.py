"""What the glossary says of its terms."""

import copy

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.nn import functional as F

pytestmark = pytest.mark.upgrade

IN_PLACE = {
    "add_": lambda t: t.add_(1),
    "*=": lambda t: t.__imul__(2),
    "x[0] = 1": lambda t: t.__setitem__(0, 1.0),
    "x[mask] = 1": lambda t: t.__setitem__(t > 1, 1.0),
    "out=": lambda t: torch.add(t, 1, out=t),
    "foreach": lambda t: torch._foreach_add_([t], 1.0),
    "inplace=True": lambda t: F.hardtanh(t, inplace=True),
    "init": lambda t: nn.init.ones_(t),
}
HOOKS = {
    "forward": ("register_forward_hook", lambda module, args, output: 3 * output),
    "forward, None": ("register_forward_hook", lambda module, args, output: None),
    "forward pre": ("register_forward_pre_hook", lambda module, args: (3 * args[0],)),
    "forward pre, None": ("register_forward_pre_hook", lambda module, args: None),
    "full backward": ("register_full_backward_hook", lambda module, into, out: (3 * into[0],)),
    "full backward, None": ("register_full_backward_hook", lambda module, into, out: None),
    "backward pre": ("register_full_backward_pre_hook", lambda module, out: (3 * out[0],)),
    "backward pre, None": ("register_full_backward_pre_hook", lambda module, out: None),
}


@attacks(
    "glossary/index#graph",
    zh="各种原地修改，改张量和改它的视图；有无 no_grad",
    en="all ways to edit in place, of a tensor and of its view; with and without no_grad",
)
@given(st.sampled_from(sorted(IN_PLACE)), st.booleans(), st.booleans())
def test_a_tensor_and_its_views_share_a_count_that_edits_in_place_increase(name, of_view, no_grad):
    tensor = torch.rand(4, 4) + 1
    view = tensor[:2]
    before = tensor._version
    with torch.set_grad_enabled(not no_grad):
        IN_PLACE[name](view if of_view else tensor)
    assert tensor._version > before
    assert view._version == tensor._version


@attacks(
    "glossary/index#graph",
    zh="经过 .data 的各种原地修改",
    en="all ways to edit in place, through .data",
)
@given(st.sampled_from(sorted(IN_PLACE)))
def test_edits_through_data_are_not_counted(name):
    tensor = torch.rand(4, 4) + 1
    before, version = tensor.clone(), tensor._version
    IN_PLACE[name](tensor.data)
    assert tensor._version == version
    assert not torch.equal(tensor, before)


@attacks(
    "glossary/index#graph",
    zh="SGD、Adam、AdamW 和 Adagrad，fused 和不是 fused",
    en="SGD, Adam, AdamW and Adagrad, fused and not",
)
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_the_updates_of_fused_optimizers_are_not_counted(name):
    """So a gradient that is wrong comes without an error; other optimizers make it raise."""
    for fused in (True, False):
        w = nn.Parameter(torch.tensor(3.0))
        optimizer = getattr(torch.optim, name)([w], lr=1.0, **({"fused": True} if fused else {}))
        square = w * w
        w.grad = torch.tensor(1.0)
        optimizer.step()
        w.grad = None
        if fused:
            square.backward()
            assert w.grad != 6
        else:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                square.backward()


@attacks(
    "glossary/index#graph",
    zh="叶子需要或不需要梯度，反向走得到或走不到",
    en="leaves that require a gradient or don't, that backward reaches or doesn't",
)
@given(st.booleans(), st.booleans())
def test_a_leaf_gets_a_grad_if_it_requires_one_and_backward_reaches_it(requires, reached):
    leaf = torch.ones(3, requires_grad=requires)
    other = torch.ones(3, requires_grad=True)
    (leaf * other if reached else other * 2).sum().backward()
    assert leaf.is_leaf
    assert (leaf.grad is not None) == (requires and reached)


@attacks(
    "glossary/index#passes",
    zh="enable_grad、no_grad 和 inference_mode",
    en="enable_grad, no_grad and inference_mode",
)
@given(st.booleans(), st.booleans())
def test_the_forward_pass_records_unless_gradients_are_turned_off(enabled, inference):
    off = torch.inference_mode() if inference else torch.no_grad()
    x = torch.ones(3, requires_grad=True)
    with torch.enable_grad() if enabled else off:
        assert ((x * 2).grad_fn is not None) == enabled


@attacks(
    "glossary/index#hooks",
    zh="各种模块钩子，返回值和返回 None",
    en="all kinds of module hooks, returning a value and returning None",
)
@given(st.sampled_from(sorted(HOOKS)))
def test_a_value_that_a_module_hook_returns_replaces_what_it_sees(name):
    """Three times what the hook sees; through a Linear without bias all of it shows."""
    module = nn.Linear(2, 2, bias=False)
    plain = copy.deepcopy(module)
    register, hook = HOOKS[name]
    getattr(module, register)(hook)
    found = []
    for layer in (module, plain):
        x = torch.tensor([[1.0, 2.0]], requires_grad=True)
        output = layer(x)
        output.sum().backward()
        found.append((output, x.grad))
    (output, grad), (plain_output, plain_grad) = found
    factor = 1 if name.endswith("None") else 3
    torch.testing.assert_close(output, plain_output * (factor if "forward" in name else 1))
    torch.testing.assert_close(grad, plain_grad * factor)


@attacks(
    "glossary/index#hooks",
    zh="Linear，输入不需要梯度",
    en="a Linear whose input requires no gradient",
)
@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_without_an_input_that_requires_a_gradient_the_full_hook_has_the_output_alone():
    module, seen = nn.Linear(2, 2), []
    module.register_full_backward_hook(lambda _, into, out: seen.append((into, out[0].tolist())))
    module(torch.ones(1, 2)).sum().backward()
    assert seen == [((None,), [[1.0, 1.0]])]


@attacks(
    "glossary/index#training",
    zh="persistent 不写、True 和 False",
    en="persistent left out, True and False",
)
@given(st.sampled_from([None, True, False]))
def test_a_buffer_is_saved_by_default(persistent):
    module = nn.Module()
    module.register_buffer(
        "kept", torch.ones(1), **({} if persistent is None else {"persistent": persistent})
    )
    assert ("kept" in module.state_dict()) == (persistent is not False)
    assert not list(module.parameters())


@attacks(
    "glossary/index#mathematics",
    zh="一到三维的形状，任意几维为 1 或缺少",
    en="shapes of one to three dimensions, any of them 1 or missing",
)
@given(st.lists(st.sampled_from([True, False]), min_size=1, max_size=3), st.integers(0, 2))
def test_broadcasting_repeats_and_the_gradients_of_the_copies_add_up(ones, missing):
    full = [2, 3, 4][: len(ones)]
    shape = [1 if one else size for one, size in zip(ones, full, strict=True)][missing:]
    x = torch.rand(shape, requires_grad=True)
    weights = torch.rand(full)
    (x * weights).sum().backward()
    copies = x.detach().expand(full).clone().requires_grad_()
    (copies * weights).sum().backward()
    torch.testing.assert_close(x.grad, copies.grad.sum_to_size(shape))


@attacks(
    "glossary/index#convolutions",
    zh="窗口和步幅 1 到 3，有并列",
    en="windows and strides 1 to 3, with ties",
)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 999))
def test_max_pooling_gives_the_gradient_to_one_element_alone(size, stride, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randint(0, 2, (1, 1, 5, 5), generator=generator).float().requires_grad_()
    out = F.max_pool2d(x, size, stride)
    given_back = [torch.autograd.grad(one, x, retain_graph=True)[0] for one in out.flatten()]
    assert all(sorted(grad.flatten().tolist()) == [0.0] * 24 + [1.0] for grad in given_back)


@attacks(
    "glossary/index#training",
    zh="三个参数，上限从 0.1 到 5",
    en="three parameters, limits from 0.1 to 5",
)
@given(st.floats(0.1, 5), st.integers(0, 99))
def test_clipping_scales_all_gradients_down_by_one_factor(limit, seed):
    generator = torch.Generator().manual_seed(seed)
    params = [nn.Parameter(torch.zeros(size)) for size in (1, 3, 2)]
    before = [torch.randn(p.shape, generator=generator) for p in params]
    for p, grad in zip(params, before, strict=True):
        p.grad = grad.clone()
    norm = nn.utils.clip_grad_norm_(params, limit)
    factor = min(1.0, limit / (norm.item() + 1e-6))
    for p, grad in zip(params, before, strict=True):
        torch.testing.assert_close(p.grad, grad * factor)
