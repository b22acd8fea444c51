"""What the pages of modules say in general."""

from collections.abc import Callable
from contextlib import nullcontext

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm
from torch.utils.checkpoint import checkpoint

from claims.graph import nodes_behind
from claims.optimizers import OPTIMIZERS

pytestmark = pytest.mark.upgrade


def layer() -> nn.Linear:
    return nn.Linear(2, 2, bias=False)


def parameter() -> nn.Parameter:
    return nn.Parameter(torch.ones(2, 2))


# of each kind: what is assigned, the tensors in it, and whether `parameters()` has them
KINDS = {
    "parameter": lambda: (p := parameter(), [p], True),
    "module": lambda: (m := layer(), [m.weight], True),
    "ModuleList": lambda: (m := nn.ModuleList([layer(), layer()]), [c.weight for c in m], True),
    "ModuleDict": lambda: (m := nn.ModuleDict({"a": layer()}), [m["a"].weight], True),
    "ParameterList": lambda: (m := nn.ParameterList([parameter()]), [m[0]], True),
    "list": lambda: (m := [layer(), layer()], [c.weight for c in m], False),
    "tuple": lambda: (m := (parameter(),), list(m), False),
    "dict": lambda: (m := {"a": layer()}, [m["a"].weight], False),
    "tensor": lambda: (t := torch.ones(2, 2, requires_grad=True), [t], False),
}

kinds = st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=6)


def build(names: list[str]) -> tuple[nn.Module, list[torch.Tensor], list[torch.Tensor]]:
    """A module with an attribute of each kind; what `parameters()` has, and what it misses."""
    net, found, missed = nn.Module(), [], []
    for number, name in enumerate(names):
        value, tensors, known = KINDS[name]()
        setattr(net, f"a{number}", value)
        (found if known else missed).extend(tensors)
    return net, found, missed


def closure(optimizer: type[optim.Optimizer], tensors: Callable) -> Callable:
    """Makes the gradients that this optimizer takes."""

    def step() -> torch.Tensor:
        for t in tensors():
            t.grad = None
        loss = sum(((t - 3) ** 2).sum() for t in tensors())
        loss.backward()
        if optimizer is optim.SparseAdam:
            for t in tensors():
                t.grad = t.grad.to_sparse()
        return loss

    return step


@attacks(
    "modules/index#modules",
    "modules/not-registered#not-registered",
    "modules/review#remember",
    "updates/what-to-pass#what-to-pass",
    zh="有一到六个属性的模块，属性分九种：参数、层、模块容器、列表、元组、字典、普通张量等；所有优化器",
    en="modules with one to six attributes of nine kinds: parameters, layers, containers of modules, lists, tuples, dicts, plain tensors …; all optimizers",
)
@given(st.sampled_from(OPTIMIZERS), kinds)
def test_what_parameters_finds_and_the_optimizer_moves(optimizer, names):
    net, found, missed = build(names)
    assert {id(p) for p in net.parameters()} == {id(p) for p in found}
    if not found:
        with pytest.raises(ValueError, match="empty parameter list"):
            optimizer(net.parameters(), lr=0.1)
        return
    before = [t.detach().clone() for t in found + missed]
    stepper = optimizer(net.parameters(), lr=0.1)
    stepper.step(closure(optimizer, lambda: found + missed))
    moved = [not torch.equal(a, b) for a, b in zip(before, found + missed, strict=True)]
    assert all(t.grad is not None for t in found + missed)
    assert moved == [True] * len(found) + [False] * len(missed)


@attacks("modules/not-registered#why", zh="九种属性，类定义里的", en="nine kinds, and in the class")
@given(kinds, st.sets(st.sampled_from(["parameter", "module"])))
def test_an_assignment_is_kept_by_its_type_and_what_stands_in_the_class_is_not_found(names, body):
    net, found, _ = build(names)
    net.__class__ = type("Net", (nn.Module,), {kind: KINDS[kind]()[0] for kind in body})
    assert {id(p) for p in net.parameters()} == {id(p) for p in found}
    assert len(net.state_dict()) == len(found)
    for number, name in enumerate(names):
        key = f"a{number}"
        value = getattr(net, key)
        assert [key in net._parameters, key in net._modules, key in vars(net)] == [
            isinstance(value, nn.Parameter),
            isinstance(value, nn.Module),
            name in {"list", "tuple", "dict", "tensor"},
        ]


PASSES = ["plain", "checkpoint", "reentrant", "compiled"]


@attacks("modules/not-registered#find", zh="检查点、编译过的层", en="checkpoints, compiled layers")
@given(st.lists(st.tuples(st.sampled_from(PASSES), st.booleans()), min_size=1, max_size=4))
def test_the_graph_leads_to_what_is_missing(chain):
    """All layers outside the module, but those within a reentrant checkpoint."""
    net, expected = nn.ModuleList(), set()
    h = first = torch.ones(1, 2, requires_grad=True)
    layers = [layer() for _ in chain]
    for one, (way, inside) in zip(layers, chain, strict=True):
        if inside:
            net.append(one)
        elif way != "reentrant":
            expected.add(one.weight)
        if way == "compiled":
            torch.compiler.reset()
            h = torch.compile(one, backend="aot_eager")(h)
        elif way == "plain":
            h = one(h)
        else:
            h = checkpoint(one, h, use_reentrant=way == "reentrant")
    leaves = {node.variable for node in nodes_behind(h.sum()) if hasattr(node, "variable")}
    assert leaves - {*net.parameters(), first} == expected


LAYERS = [
    *(lambda: nn.Linear(2, 2), lambda: nn.Conv1d(1, 1, 2), lambda: nn.Embedding(2, 2)),
    *(lambda: nn.BatchNorm1d(2), lambda: nn.LSTM(2, 2)),
]
OTHERS = [
    *(lambda w: 3 * w, torch.detach, lambda w: torch.ones(2), lambda w: nn.Buffer(torch.ones(2))),
    *(lambda w: torch.ones(2, requires_grad=True), lambda w: layer(), lambda w: [w]),
    *(lambda w: 1.0, lambda w: "w", lambda w: False, lambda w: w.detach().numpy()),
]


@attacks("modules/refused#refused", zh="五种层，十一种值", en="five layers, eleven values")
@given(st.sampled_from(LAYERS), st.sampled_from(OTHERS), st.booleans())
def test_a_name_of_a_parameter_takes_parameters_alone(make, other, emptied):
    net = make()
    name, weight = next(net.named_parameters(recurse=False))
    value = other(weight)
    if emptied:
        setattr(net, name, None)
        assert name not in dict(net.named_parameters())
    with pytest.raises((TypeError, KeyError)):
        setattr(net, name, value)
    assert getattr(net, name) is (None if emptied else weight)
    new = nn.Parameter(weight.detach().clone())
    setattr(net, name, new)
    assert dict(net.named_parameters())[name] is new


@attacks("modules/refused#refused", zh="一个参数，一个模块", en="a parameter, a module")
@pytest.mark.parametrize("kind", ["parameter", "module"])
def test_nothing_is_kept_before_init(kind):
    class Early(nn.Module):
        def __init__(self):
            self.early = KINDS[kind]()[0]

    with pytest.raises(AttributeError, match=r"before Module.__init__\(\) call"):
        Early()


@attacks(
    "modules/built-too-early#built-too-early",
    "modules/review#remember",
    zh="所有优化器；换掉的和新加的层；add_param_group 之前和之后各一到三步",
    en="all optimizers; layers replaced and added; one to three steps before and after add_param_group",
)
@given(st.sampled_from(OPTIMIZERS), st.booleans(), st.integers(1, 3))
def test_an_optimizer_keeps_what_it_was_given(optimizer, replaced, steps):
    net, new = nn.ModuleList([layer(), layer()]), layer()
    stepper = optimizer(net.parameters(), lr=0.1)
    if replaced:
        net[1] = new
    else:
        net.append(new)
    step = closure(optimizer, lambda: [*net.parameters()])

    def moved() -> list[bool]:
        before = [net[0].weight.detach().clone(), new.weight.detach().clone()]
        for _ in range(steps):
            stepper.step(step)
        assert new.weight.grad is not None
        after = [net[0].weight, new.weight]
        return [not torch.equal(a, b) for a, b in zip(before, after, strict=True)]

    assert moved() == [True, False]
    stepper.add_param_group({"params": [new.weight]})
    if optimizer is optim.LBFGS:
        with pytest.raises(ValueError, match="parameter group"):
            optimizer([{"params": [p]} for p in net.parameters()])
        with pytest.raises(AssertionError, match="exactly one param_group"):
            stepper.step(step)
    else:
        assert moved() == [True, True]


LAZY = {
    "Linear": (lambda: nn.LazyLinear(2, bias=False), (4, 3)),
    "Conv1d": (lambda: nn.LazyConv1d(2, 2, bias=False), (1, 2, 5)),
    "ConvTranspose2d": (lambda: nn.LazyConvTranspose2d(2, 2, bias=False), (1, 2, 5, 5)),
}


@attacks(
    "modules/built-too-early#used-up", zh="所有优化器，三种层", en="all optimizers, three layers"
)
@pytest.mark.parametrize("kind", LAZY)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_who_takes_a_parameter_without_a_shape(optimizer, kind):
    make, shape = LAZY[kind]
    net, x = make(), torch.ones(shape)
    refused = {optim.Adagrad: "uninitialized", optim.Muon: "2D"}.get(optimizer)
    with pytest.raises(ValueError, match=refused) if refused else nullcontext():
        stepper = optimizer(net.parameters(), lr=0.1)
    weight = net.weight
    net(x)
    assert net.weight is weight
    if optimizer is optim.Muon and kind != "Linear":
        return
    if refused:
        stepper = optimizer(net.parameters(), lr=0.1)
    before = weight.detach().clone()
    stepper.step(closure(optimizer, lambda: [weight]))
    assert not torch.equal(before, weight)


TABLES = [
    lambda: nn.Embedding(5, 2, sparse=True),
    lambda: nn.EmbeddingBag(5, 2, mode="sum", sparse=True),
]
TAKE_SPARSE = {optim.SGD, optim.SparseAdam, optim.Adagrad, optim.LBFGS}
BOTH = [
    ({"weight_decay": 0.1}, False),
    ({"fused": True}, False),
    ({"foreach": True}, True),
    ({"foreach": False}, True),
    ({"maximize": True}, True),
]
MORE_OPTIONS = {
    optim.SGD: [*BOTH, ({"momentum": 0.9}, True), ({"momentum": 0.9, "nesterov": True}, True)],
    optim.Adagrad: [*BOTH, ({"lr_decay": 0.1}, True)],
    optim.SparseAdam: [({"maximize": True}, True)],
    optim.LBFGS: [({"line_search_fn": "strong_wolfe"}, True)],
}


def sparse_loss(table: nn.Module, rows: list[int]) -> torch.Tensor:
    table.zero_grad()
    loss = table(torch.tensor(rows)[None]).sum()
    loss.backward()
    return loss


@attacks("modules/turned-away#turned-away", zh="所有优化器和选项", en="all optimizers, options")
@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_who_takes_a_sparse_gradient(optimizer, kind):
    table = kind()
    for options, taken in [({}, optimizer in TAKE_SPARSE), *MORE_OPTIONS.get(optimizer, [])]:
        stepper = optimizer(table.parameters(), lr=0.1, **options)
        sparse_loss(table, [1, 3, 3])
        assert table.weight.grad.is_sparse
        with nullcontext() if taken else pytest.raises(RuntimeError, match="sparse"):
            stepper.step(lambda: sparse_loss(table, [1, 3, 3]))
    for dimensions in range(5):
        refused = optimizer is optim.Muon and dimensions != 2
        with pytest.raises(ValueError, match="only supports 2D") if refused else nullcontext():
            optimizer([nn.Parameter(torch.ones([2] * dimensions))], lr=0.1)


@attacks("modules/turned-away#sparse", zh="也与稠密梯度一起", en="also with dense gradients")
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("others", [0, 1, 2])
def test_clipping_refuses_a_sparse_gradient(kind, others):
    table = kind()
    sparse_loss(table, [1, 3])
    dense = [parameter() for _ in range(others)]
    for p in dense:
        p.grad = torch.ones(2, 2)
    with pytest.raises(NotImplementedError):
        nn.utils.clip_grad_norm_([*dense, table.weight], 1.0)


@attacks(
    "modules/parametrized#parametrized",
    "modules/parametrized#each-access",
    "modules/parametrized#init",
    "modules/parametrized#value",
    "convolution/data-on-module#right-ways",
    zh="weight_norm、spectral_norm、orthogonal；线性层和卷积；训练和评估模式；三种原地写入",
    en="weight_norm, spectral_norm, orthogonal; a linear layer and a convolution; training and eval mode; three in-place writes",
)
@given(
    method=st.sampled_from([weight_norm, spectral_norm, orthogonal]),
    make=st.sampled_from([lambda: nn.Linear(4, 4), lambda: nn.Conv2d(1, 4, 2)]),
    training=st.booleans(),
)
def test_a_parametrized_weight_is_computed_and_takes_assignments(method, make, training):
    net = method(make()).train(training)
    x = torch.randn(2, 4) if isinstance(net, nn.Linear) else torch.randn(1, 1, 4, 4)
    weight = net.weight
    weight.retain_grad()
    net(x).square().sum().backward()
    originals = list(net.parametrizations.weight.parameters())
    assert weight.grad is None and all(p.grad is not None for p in originals)
    with parametrize.cached():
        (weight := net.weight).retain_grad()
        net(x).sum().backward()
        assert weight.grad is not None
    net.eval()
    before = net.weight.detach()
    nn.init.ones_(net.weight)
    with torch.no_grad():
        net.weight.copy_(torch.zeros_like(before))
        net.weight.fill_(3)
    assert torch.equal(net.weight, before)
    value = torch.linalg.qr(torch.randn(4, 4)).Q.reshape(before.shape)
    net.train(training).weight = value
    after = list(net.parametrizations.weight.parameters())
    assert [id(p) for p in after] == [id(p) for p in originals]
    if method is weight_norm or (method is orthogonal and value.ndim == 2):
        torch.testing.assert_close(net.weight.detach(), value, rtol=1e-4, atol=1e-5)


@attacks(
    "modules/parametrized#optimizer",
    zh="三种参数化，四种优化器",
    en="three parametrizations, four optimizers",
)
@given(
    method=st.sampled_from([weight_norm, spectral_norm, orthogonal]),
    optimizer=st.sampled_from([optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop]),
)
def test_weight_norm_alone_replaces_the_parameter(method, optimizer):
    net = nn.Linear(3, 3, bias=False)
    step = optimizer(net.parameters(), lr=0.1)
    method(net).eval()
    before = net.weight.detach()
    net(torch.randn(2, 3)).pow(3).sum().backward()
    step.step()
    assert torch.equal(net.weight, before) == (method is weight_norm)
    if method is weight_norm:
        with torch.no_grad():
            net.parametrizations.weight.original1.mul_(0.5)
        torch.testing.assert_close(net.weight, before)
