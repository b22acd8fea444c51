"""What the pages of modules say in general."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.utils.checkpoint import checkpoint

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


@attacks(
    "modules/index#modules",
    "modules/not-registered#not-registered",
    zh="有一到六个属性的模块，属性分九种：参数、模块、模块容器、Python 的列表、元组、字典、普通张量、缓冲区；所有优化器",
    en="modules with one to six attributes of nine kinds: parameters, modules, module containers, Python lists, tuples, dicts, plain tensors, buffers; all optimizers",
)
@attacks(
    "modules/review#remember",
    zh="有一到六个属性的模块，属性分九种；所有优化器",
    en="modules with one to six attributes of nine kinds; all optimizers",
)
@given(st.sampled_from(OPTIMIZERS), kinds)
def test_what_parameters_finds_and_the_optimizer_moves(optimizer, names):
    net, found, missed = build(names)
    assert {id(p) for p in net.parameters()} == {id(p) for p in found}
    if not found:
        with pytest.raises(ValueError, match="empty parameter list"):
            optimizer(net.parameters(), lr=0.1)
        return
    stepper = optimizer(net.parameters(), lr=0.1)
    before = [t.detach().clone() for t in found + missed]

    def closure():
        for t in found + missed:
            t.grad = None
        loss = sum(((t - 3) ** 2).sum() for t in found + missed)
        loss.backward()
        if optimizer is optim.SparseAdam:
            for t in found + missed:
                t.grad = t.grad.to_sparse()
        return loss

    stepper.step(closure)
    moved = [not torch.equal(a, b) for a, b in zip(before, found + missed, strict=True)]
    assert all(t.grad is not None for t in found + missed)
    assert moved == [True] * len(found) + [False] * len(missed)


@attacks(
    "modules/not-registered#why",
    zh="类定义里的参数、层或两者，旁边有九种属性中的一到六个",
    en="a parameter, a layer or both in the body of a class, beside one to six attributes of nine kinds",
)
@given(kinds, st.booleans(), st.booleans())
def test_what_stands_in_the_class_is_not_found(names, with_parameter, with_layer):
    net, found, _ = build(names)
    body = {}
    if with_parameter:
        body["scale"] = parameter()
    if with_layer:
        body["inner"] = layer()
    net.__class__ = type("Net", (nn.Module,), body)
    assert all(getattr(net, name) is value for name, value in body.items())
    assert {id(p) for p in net.parameters()} == {id(p) for p in found}
    assert len(net.state_dict()) == len(found)


PASSES = ["plain", "checkpoint", "reentrant", "compiled"]


@attacks(
    "modules/not-registered#find",
    zh="一到四层的链，每层普通、在两种检查点之一里或编译过；每层在模块里或旁边的列表里",
    en="chains of one to four layers, each plain, in a checkpoint of either kind or compiled; each in the module or in a list next to it",
)
@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PASSES), st.booleans()), min_size=1, max_size=4))
def test_the_graph_leads_to_what_is_missing(chain):
    """All layers outside the module, but those within a reentrant checkpoint."""
    net, outside = nn.ModuleList(), []
    h = first = torch.ones(1, 2, requires_grad=True)
    expected = set()
    for way, inside in chain:
        one = layer()
        if inside:
            net.append(one)
        else:
            outside.append(one)
        if way == "reentrant":
            h = checkpoint(one, h, use_reentrant=True)
            hidden = {id(one.weight)}
        else:
            hidden = set()
            if way == "checkpoint":
                h = checkpoint(one, h, use_reentrant=False)
            elif way == "compiled":
                torch.compiler.reset()
                h = torch.compile(one, backend="aot_eager")(h)
            else:
                h = one(h)
        if not inside:
            expected |= {id(one.weight)} - hidden
    known = {id(p) for p in net.parameters()}
    leaves, waiting, seen = set(), [h.sum().grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.add(id(node.variable))
        waiting.extend(following for following, _ in node.next_functions)
    assert leaves - known - {id(first)} == expected


@attacks(
    "modules/not-registered#why",
    zh="有一到六个属性的模块，属性分九种：参数、模块、模块容器、Python 的列表、元组、字典、普通张量、缓冲区",
    en="modules with one to six attributes of nine kinds: parameters, modules, module containers, Python lists, tuples, dicts, plain tensors, buffers",
)
@given(kinds)
def test_an_assignment_is_kept_by_its_type(names):
    net, found, _ = build(names)
    for number, name in enumerate(names):
        key = f"a{number}"
        value = getattr(net, key)
        places = [key in net._parameters, key in net._modules, key in vars(net)]
        assert places == [
            isinstance(value, nn.Parameter),
            isinstance(value, nn.Module),
            name in {"list", "tuple", "dict", "tensor"},
        ]
    assert len(net.state_dict()) == len(found)


LAYERS = {
    "Linear": lambda: nn.Linear(2, 2),
    "Conv1d": lambda: nn.Conv1d(1, 1, 2),
    "Embedding": lambda: nn.Embedding(2, 2),
    "BatchNorm1d": lambda: nn.BatchNorm1d(2),
    "LSTM": lambda: nn.LSTM(2, 2),
}
OTHERS = {
    "computed": lambda w: 3 * w,
    "detached": lambda w: w.detach(),
    "tensor": lambda w: torch.ones(2),
    "leaf": lambda w: torch.ones(2, requires_grad=True),
    "buffer": lambda w: nn.Buffer(torch.ones(2)),
    "module": lambda w: layer(),
    "list": lambda w: [w],
    "number": lambda w: 1.0,
    "text": lambda w: "w",
    "False": lambda w: False,
    "array": lambda w: w.detach().numpy(),
}


@attacks(
    "modules/refused#refused",
    zh="给五种层的权重、以及设成 None 的参数赋十一种值",
    en="eleven kinds of values given to the weight of five kinds of layers, and to a parameter that was set to None",
)
@given(st.sampled_from(sorted(LAYERS)), st.sampled_from(sorted(OTHERS)), st.booleans())
def test_a_name_of_a_parameter_takes_parameters_alone(kind, other, emptied):
    net = LAYERS[kind]()
    name = next(iter(dict(net.named_parameters(recurse=False))))
    weight = getattr(net, name)
    value = OTHERS[other](weight)
    if emptied:
        setattr(net, name, None)
        assert name not in dict(net.named_parameters())
    with pytest.raises((TypeError, KeyError)):
        setattr(net, name, value)
    assert getattr(net, name) is (None if emptied else weight)
    new = nn.Parameter(weight.detach().clone())
    setattr(net, name, new)
    assert dict(net.named_parameters())[name] is new


@attacks(
    "modules/refused#refused",
    zh="在 super().__init__() 之前给参数和模块赋值",
    en="a parameter and a module assigned before super().__init__()",
)
@given(st.sampled_from(["parameter", "module"]))
def test_nothing_is_kept_before_init(kind):
    class Early(nn.Module):
        def __init__(self):
            self.early = KINDS[kind]()[0]

    with pytest.raises(AttributeError, match=r"before Module.__init__\(\) call"):
        Early()


@attacks(
    "modules/built-too-early#built-too-early",
    zh="所有优化器；换掉的层和新加的层；add_param_group 之前和之后各一到三步；LBFGS 接受这个组，到下一步才报错",
    en="all optimizers; layers replaced and layers added; one to three steps before and after add_param_group; LBFGS accepts the group and raises in its next step",
)
@attacks(
    "modules/review#remember",
    zh="所有优化器；换掉的层和新加的层",
    en="all optimizers; layers replaced and layers added",
)
@given(st.sampled_from(OPTIMIZERS), st.booleans(), st.integers(1, 3))
def test_an_optimizer_keeps_what_it_was_given(optimizer, replaced, steps):
    net = nn.ModuleList([layer(), layer()])
    stepper = optimizer(net.parameters(), lr=0.1)
    new = layer()
    if replaced:
        net[1] = new
    else:
        net.append(new)

    def closure():
        net.zero_grad()
        loss = sum(((p - 3) ** 2).sum() for p in net.parameters())
        loss.backward()
        if optimizer is optim.SparseAdam:
            for p in net.parameters():
                p.grad = p.grad.to_sparse()
        return loss

    def moved() -> list[bool]:
        before = [net[0].weight.detach().clone(), new.weight.detach().clone()]
        for _ in range(steps):
            stepper.step(closure)
        after = [net[0].weight, new.weight]
        assert new.weight.grad is not None
        return [not torch.equal(a, b) for a, b in zip(before, after, strict=True)]

    assert moved() == [True, False]
    if optimizer is optim.LBFGS:
        with pytest.raises(ValueError, match="parameter group"):
            optimizer([{"params": [p]} for p in net.parameters()])
        stepper.add_param_group({"params": [new.weight]})
        with pytest.raises(AssertionError, match="exactly one param_group"):
            stepper.step(closure)
        return
    stepper.add_param_group({"params": [new.weight]})
    assert moved() == [True, True]


LAZY = {
    "Linear": (lambda: nn.LazyLinear(2, bias=False), (4, 3)),
    "Conv1d": (lambda: nn.LazyConv1d(2, 2, bias=False), (1, 2, 5)),
    "ConvTranspose2d": (lambda: nn.LazyConvTranspose2d(2, 2, bias=False), (1, 2, 5, 5)),
}


@attacks(
    "modules/built-too-early#used-up",
    zh="所有优化器和三种没有偏置的 lazy 层，第一次前向之前和之后；SparseAdam 要的是别的梯度",
    en="all optimizers and three lazy layers without a bias, before and after the first forward pass; SparseAdam needs other gradients",
)
@pytest.mark.parametrize("kind", LAZY)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_who_takes_a_parameter_without_a_shape(optimizer, kind):
    make, shape = LAZY[kind]
    net, x = make(), torch.ones(shape)
    if optimizer in (optim.Adagrad, optim.Muon):
        with pytest.raises(
            ValueError, match="uninitialized" if optimizer is optim.Adagrad else "2D"
        ):
            optimizer(net.parameters(), lr=0.1)
        net(x)
        if optimizer is optim.Muon and kind != "Linear":
            return
        optimizer(net.parameters(), lr=0.1)
        return
    stepper = optimizer(net.parameters(), lr=0.1)
    weight = net.weight
    net(x)
    assert net.weight is weight
    before = weight.detach().clone()

    def closure():
        net.zero_grad()
        loss = ((net(x) - 5) ** 2).sum()
        loss.backward()
        if optimizer is optim.SparseAdam:
            weight.grad = weight.grad.to_sparse()
        return loss

    stepper.step(closure)
    assert not torch.equal(before, weight)


TABLES = {
    "Embedding": lambda: nn.Embedding(5, 2, sparse=True),
    "EmbeddingBag": lambda: nn.EmbeddingBag(5, 2, mode="sum", sparse=True),
}
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


@attacks(
    "modules/turned-away#turned-away",
    zh="所有优化器的默认设置，Embedding 和 EmbeddingBag；SGD 和 Adagrad 的权重衰减、fused、foreach、动量、nesterov、maximize 和 lr_decay；Muon 配零到四维的参数；CPU",
    en="all optimizers with their defaults, Embedding and EmbeddingBag; SGD and Adagrad with weight decay, fused, foreach, momentum, nesterov, maximize and lr_decay; Muon with parameters of zero to four dimensions; CPU",
)
@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_who_takes_a_sparse_gradient(optimizer, kind):
    table = TABLES[kind]()
    for options, taken in [({}, optimizer in TAKE_SPARSE), *MORE_OPTIONS.get(optimizer, [])]:
        stepper = optimizer(table.parameters(), lr=0.1, **options)
        sparse_loss(table, [1, 3, 3])
        assert table.weight.grad.is_sparse
        if taken:
            stepper.step(lambda: sparse_loss(table, [1, 3, 3]))
        else:
            with pytest.raises(RuntimeError, match="sparse"):
                stepper.step(lambda: sparse_loss(table, [1, 3, 3]))
    for dimensions in range(5):
        p = nn.Parameter(torch.ones([2] * dimensions))
        if optimizer is optim.Muon and dimensions != 2:
            with pytest.raises(ValueError, match="only supports 2D"):
                optimizer([p], lr=0.1)
        else:
            optimizer([p], lr=0.1)


@attacks(
    "modules/turned-away#sparse",
    zh="一到三步，五行中的一到四行",
    en="one to three steps with one to four of five rows",
)
@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=4), min_size=1, max_size=3))
def test_a_row_that_was_not_used_stays(batches):
    table = TABLES["Embedding"]()
    stepper = optim.SparseAdam(table.parameters(), lr=0.1)
    for rows in batches:
        before = table.weight.detach().clone()
        sparse_loss(table, rows)
        stepper.step()
        moved = (table.weight != before).any(dim=1)
        assert moved.tolist() == [row in rows for row in range(5)]


@attacks(
    "modules/turned-away#sparse",
    zh="Embedding 和 EmbeddingBag，单独和与稠密梯度一起；CPU",
    en="Embedding and EmbeddingBag, alone and beside dense gradients; CPU",
)
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("others", [0, 1, 2])
def test_clipping_refuses_a_sparse_gradient(kind, others):
    table = TABLES[kind]()
    sparse_loss(table, [1, 3])
    dense = [parameter() for _ in range(others)]
    for p in dense:
        p.grad = torch.ones(2, 2)
    with pytest.raises(NotImplementedError):
        nn.utils.clip_grad_norm_([*dense, table.weight], 1.0)
