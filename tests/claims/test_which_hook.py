"""What the page that helps to choose a hook says of each kind."""

import copy
import pickle
from collections import Counter
from functools import partial

import pytest
import torch
import torch.distributed as dist
from hypothesis import given, settings
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.autograd.graph import register_multi_grad_hook, saved_tensors_hooks
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint

from tests.claims.ranks import on_two_ranks, sharded

pytestmark = pytest.mark.upgrade

MODULES = {
    "Linear": lambda: nn.Linear(4, 4),
    "Linear without a bias": lambda: nn.Linear(4, 4, bias=False),
    "LayerNorm": lambda: nn.LayerNorm(4),
    "Conv1d": lambda: nn.Conv1d(2, 2, 1),
    "PReLU": lambda: nn.PReLU(),
}
names = st.sampled_from(list(MODULES))
OF_MODULES = ["forward pre-hook", "forward hook", "full backward pre-hook", "full backward hook"]
OF_PARAMETERS = ["tensor hook", "post-accumulate hook", "multi-grad hook"]
OF_STEPS = ["step pre-hook", "step post-hook"]
seen: list[tuple[str, object]] = []


def note(kind: str, *args: object) -> None:
    seen.append((kind, args))


def register(module: nn.Module, kind: str, hook: object = None) -> None:
    """Register a hook on a module or its first parameter."""
    hook, parameter = hook or partial(note, kind), next(module.parameters())
    {
        "forward pre-hook": module.register_forward_pre_hook,
        "forward hook": module.register_forward_hook,
        "full backward pre-hook": module.register_full_backward_pre_hook,
        "full backward hook": module.register_full_backward_hook,
        "tensor hook": parameter.register_hook,
        "post-accumulate hook": parameter.register_post_accumulate_grad_hook,
        "multi-grad hook": partial(register_multi_grad_hook, [parameter]),
    }[kind](hook)


def fired() -> Counter:
    return Counter(kind for kind, _ in seen)


class Net(nn.Module):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.inner = MODULES[name]()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x).tanh()


def with_all(name: str) -> tuple[Net, torch.optim.Optimizer, torch.Tensor]:
    seen.clear()
    net = Net(name)
    for kind in OF_MODULES + OF_PARAMETERS:
        register(net.inner, kind)
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    sgd.register_step_pre_hook(partial(note, "step pre-hook"))
    sgd.register_step_post_hook(partial(note, "step post-hook"))
    return net, sgd, torch.ones(3, 2, 4, requires_grad=True)


@attacks("module-hooks/which-hook#all", zh="五种模块", en="five modules")
@given(names)
def test_the_hooks_of_a_module_fire_at_its_entrance_and_exit(name):
    net, sgd, x = with_all(name)
    net(x).sum().backward()
    sgd.step()
    order = [kind for kind, _ in seen if kind in OF_MODULES + OF_STEPS]
    assert order == [*OF_MODULES, *OF_STEPS]
    before = [kind for kind, _ in seen if kind in ("tensor hook", "post-accumulate hook")]
    assert before == ["tensor hook", "post-accumulate hook"]


@attacks(
    "module-hooks/which-hook#node-hooks", zh="三种运算，三种倍数", en="three operations, 3 factors"
)
@given(st.sampled_from(["sin", "exp", "tanh"]), st.sampled_from([0.5, 2.0, -1.0]), st.booleans())
def test_what_a_node_hook_returns_replaces_gradients(operation, factor, before):
    grads = []
    for changed in (False, True):
        x = torch.ones(3, requires_grad=True)
        y = getattr(x, operation)()
        if changed and before:
            y.grad_fn.register_prehook(lambda outs: tuple(factor * g for g in outs))
        elif changed:
            y.grad_fn.register_hook(lambda ins, outs: tuple(factor * g for g in ins))
        y.sum().backward()
        grads.append(x.grad)
    torch.testing.assert_close(grads[1], factor * grads[0])


@attacks("module-hooks/which-hook#step-hooks", zh="替换 closure", en="replacing the closure")
@given(st.booleans())
def test_a_step_pre_hook_may_replace_the_arguments_and_the_other_is_ignored(replaces):
    w = torch.ones((), requires_grad=True)
    sgd = torch.optim.SGD([w], lr=0.5)
    other = (lambda: 7.0,)
    sgd.register_step_pre_hook(lambda o, args, kwargs: ((o, *other), {}) if replaces else None)
    sgd.register_step_post_hook(lambda *_: "ignored")
    assert sgd.step(lambda: 3.0) == (7.0 if replaces else 3.0)


@attacks(
    "module-hooks/which-hook#checkpoint",
    "module-hooks/which-hook#saved-tensor-hooks",
    zh="五种模块，放进检查点",
    en="five modules in a checkpoint",
)
@given(names)
def test_in_a_checkpoint_only_forward_hooks_fire_again(name):
    net, sgd, x = with_all(name)
    packed = []
    with saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        y = checkpoint(net, x, use_reentrant=False)
    y.sum().backward()
    sgd.step()
    twice = {kind for kind, times in fired().items() if times == 2}
    assert twice == {"forward pre-hook", "forward hook"}
    assert set(fired()) == {*OF_MODULES, *OF_PARAMETERS, *OF_STEPS}
    assert [each.shape for each in packed] == [x.shape]


@attacks(
    "module-hooks/which-hook#copied",
    zh="五种模块，拷贝和 pickle",
    en="five modules, copied and pickled",
)
@given(names, st.booleans())
def test_a_copy_has_the_hooks_of_modules_and_no_others(name, pickled):
    net, sgd, x = with_all(name)
    both = pickle.loads(pickle.dumps((net, sgd))) if pickled else copy.deepcopy((net, sgd))
    # what is pickled here finds `seen` again by the name of `note`
    both[0](x).sum().backward()
    both[1].step()
    assert set(fired()) == set(OF_MODULES)


@attacks(
    "module-hooks/which-hook#compile",
    zh="五种模块，eager 和 aot_eager",
    en="five modules, eager and aot_eager",
)
@settings(max_examples=24)
@given(
    names,
    st.sampled_from(OF_MODULES + OF_PARAMETERS),
    st.booleans(),
    st.sampled_from(["eager", "aot_eager"]),
)
def test_compiled_hooks_of_modules_have_to_be_early(name, kind, early, backend):
    torch.compiler.reset()
    net, count = Net(name), []
    compiled = torch.compile(net, backend=backend)
    x = torch.ones(3, 2, 4, requires_grad=True)
    for registers in (early, not early):
        if registers:
            register(net.inner, kind, lambda *_: count.append(1))
        count.clear()
        compiled(x).sum().backward()
    assert len(count) == (early or kind in OF_PARAMETERS)


@attacks("module-hooks/which-hook#ranks", zh="五种模块，两种方式", en="five modules, two ways")
@pytest.mark.parametrize("fsdp", [False, True])
@pytest.mark.parametrize("name", ["Linear", "Linear without a bias", "LayerNorm", "Conv1d"])
@on_two_ranks
def test_hooks_see_their_own_process_until_the_step(rank, name, fsdp):
    seen.clear()
    torch.manual_seed(0)
    net = Net(name)
    x = torch.full((3, 2, 4), 1.0 + rank, requires_grad=True)
    own = copy.deepcopy(net)
    own(x).sum().backward()
    wanted = next(own.parameters()).grad
    model = sharded(net) if fsdp else DistributedDataParallel(net)
    for kind in OF_MODULES:
        register(net.inner, kind)
    parameter, kept = next(net.inner.parameters()), {}
    parameter.register_hook(lambda g: kept.update(tensor=g.clone()))
    parameter.register_post_accumulate_grad_hook(lambda p: kept.update(after=p.grad.clone()))
    register_multi_grad_hook([parameter, x], lambda grads: kept.update(multi=grads[0]))
    model(x).sum().backward()
    assert [kind for kind, _ in seen] == OF_MODULES
    if fsdp:
        assert "tensor" not in kept and kept["multi"] is None
        assert isinstance(kept["after"], DTensor)
        torch.testing.assert_close(kept["after"].to_local(), parameter.grad.to_local())
    else:
        for each in kept.values():
            torch.testing.assert_close(each, wanted)


@attacks(
    "module-hooks/which-hook#node-hooks",
    "module-hooks/which-hook#saved-tensor-hooks",
    "module-hooks/which-hook#step-hooks",
    zh="四种模块，DDP 和 FSDP",
    en="four modules, DDP and FSDP",
)
@pytest.mark.parametrize("fsdp", [False, True])
@pytest.mark.parametrize("name", ["Linear", "Linear without a bias", "LayerNorm", "Conv1d"])
@on_two_ranks
def test_a_graph_has_its_own_process_and_a_step_the_average(rank, name, fsdp):
    torch.manual_seed(0)
    net = Net(name)
    x = torch.full((3, 2, 4), 1.0 + rank)
    own = copy.deepcopy(net)
    ((1 + rank) * own(x)).sum().backward()
    average = next(own.parameters()).grad
    dist.all_reduce(average)
    average /= 2
    model = sharded(net) if fsdp else DistributedDataParallel(net)
    sgd, kept, packed = torch.optim.SGD(model.parameters(), lr=0.1), {}, []
    with saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        y = model(x)
    assert any(t.shape == y.shape and torch.equal(t, y) for t in packed)  # of tanh
    y.grad_fn.register_prehook(lambda grads: kept.update(before=grads[0].clone()))
    y.grad_fn.register_hook(lambda _, grads: kept.update(after=grads[0].clone()))
    sgd.register_step_pre_hook(lambda *_: kept.update(step=next(net.parameters()).grad.clone()))
    ((1 + rank) * y).sum().backward()
    sgd.step()
    assert torch.equal(kept["before"], torch.full_like(y, 1 + rank))
    assert torch.equal(kept["after"], kept["before"])
    assert isinstance(kept["step"], DTensor) == fsdp
    whole = kept["step"].full_tensor() if fsdp else kept["step"]
    torch.testing.assert_close(whole, average)


@attacks(
    "module-hooks/which-hook#node-hooks",
    "module-hooks/which-hook#saved-tensor-hooks",
    "module-hooks/which-hook#step-hooks",
    zh="五种模块，eager 和 aot_eager",
    en="five modules, eager and aot_eager",
)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", MODULES)
def test_the_hooks_of_graph_and_optimizer_with_a_compiled_model(name, backend):
    torch.compiler.reset()
    net, packed, steps = Net(name), [], []
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    sgd.register_step_pre_hook(lambda *_: steps.append("pre"))
    sgd.register_step_post_hook(lambda *_: steps.append("post"))
    compiled, x = torch.compile(net, backend=backend), torch.ones(3, 2, 4)
    for _ in range(2):
        packed.clear()
        with saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
            y = compiled(x)
        y.sum().backward()
        sgd.step()
        assert packed
    assert steps == ["pre", "post"] * 2

    def asks(x):
        y = net(x)
        y.grad_fn.register_hook(lambda *_: None)
        return y

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(asks, backend=backend, fullgraph=True)(x)
