"""What the pages of sharing say in general."""

import copy
import math
import warnings
from collections import Counter
from functools import partial

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.utils.checkpoint import checkpoint

from claims.optimizers import OPTIMIZERS

pytestmark = pytest.mark.upgrade

PAIRS = {
    "Embedding, Linear": lambda: (nn.Embedding(3, 2), nn.Linear(2, 3)),
    "Embedding, EmbeddingBag": lambda: (nn.Embedding(3, 2), nn.EmbeddingBag(3, 2)),
    "Linear, Linear": lambda: (nn.Linear(2, 2), nn.Linear(2, 2, bias=False)),
    "Conv1d, Conv1d": lambda: (nn.Conv1d(2, 2, 1), nn.Conv1d(2, 2, 1)),
    "LayerNorm, BatchNorm1d": lambda: (nn.LayerNorm(2), nn.BatchNorm1d(2)),
}
FLOATS = [torch.float32, torch.float64, torch.bfloat16]

pairs = st.sampled_from(sorted(PAIRS))
factors = st.lists(st.integers(-3, 3).filter(bool), min_size=1, max_size=4)


def tied(name: str, dtype: torch.dtype = torch.float32) -> nn.ModuleList:
    """Two layers, one of which was given the weight of the other."""
    first, second = PAIRS[name]()
    second.weight = first.weight
    return nn.ModuleList([first, second]).to(dtype)


def names_of_weights(model: nn.ModuleList) -> list[str]:
    return [name for name in model.state_dict() if name.endswith("weight")]


def losses(w: torch.Tensor, weights: list[int]) -> list[torch.Tensor]:
    """For each weight a use of `w`, with a gradient of its own."""
    return [(weight * w).sin().sum() for weight in weights]


# Several uses, one parameter


@attacks(
    "sharing/index#sharing",
    "sharing/siamese#siamese",
    "sharing/siamese#one-step",
    zh="torch.optim 的所有优化器；用一到四次，各有自己的梯度；两步；float64",
    en="all optimizers of torch.optim; one to four uses with gradients of their own; two steps; float64",
)
@given(st.sampled_from(OPTIMIZERS), factors)
def test_all_uses_add_up_and_the_parameter_is_updated_once(optimizer, weights):
    """As a parameter is that gets the sum of the gradients handed."""
    assume(abs(sum(k * math.cos(0.5 * k) for k in weights)) > 1e-6)  # rounding has any direction
    used, handed = (nn.Parameter(torch.full((2, 2), 0.5, dtype=torch.float64)) for _ in range(2))
    steppers = optimizer([used], lr=0.1), optimizer([handed], lr=0.1)

    def closure(p):
        p.grad = None
        if p is used:
            sum(losses(p, weights)).backward()
        else:
            p.grad = sum(torch.autograd.grad(loss, p)[0] for loss in losses(p, weights))
        if optimizer is optim.SparseAdam:
            p.grad = p.grad.to_sparse()
        return torch.tensor(0.0)

    for _ in range(2):
        for p, stepper in zip((used, handed), steppers, strict=True):
            stepper.step(partial(closure, p))
        torch.testing.assert_close(used.grad, handed.grad)
        torch.testing.assert_close(used, handed)


@attacks("sharing/siamese#order", zh="随机的乘积图，CPU", en="random graphs of products, CPU")
@given(st.data())
def test_of_the_nodes_that_are_ready_the_newest_goes_first(data):
    """Only AccumulateGrad goes before it; in one thread, without a device."""
    tensors = [torch.ones(2, requires_grad=True) for _ in range(3)]
    for _ in range(data.draw(st.integers(2, 12))):
        one, other = data.draw(st.tuples(*[st.sampled_from(range(len(tensors)))] * 2))
        tensors.append(tensors[one] * tensors[other])
    order = data.draw(st.permutations(range(len(tensors))))
    loss = sum(tensors[number] for number in order).sum()
    waiting, ran = Counter(), []
    nodes, new = {loss.grad_fn}, [loss.grad_fn]
    while new:
        for follower, _ in new.pop().next_functions:
            if follower is not None:
                waiting[follower] += 1
                new += {follower} - nodes
                nodes.add(follower)
    for node in nodes:
        node.register_prehook(lambda grads, node=node: ran.append(node))
    loss.backward()
    ready = {loss.grad_fn}
    for node in ran:
        writing = {node for node in ready if node.name().endswith("AccumulateGrad")}
        assert node in (writing or {max(ready, key=lambda node: node._sequence_nr())})
        ready.remove(node)
        for follower in (follower for follower, _ in node.next_functions if follower):
            waiting[follower] -= 1
            ready |= set() if waiting[follower] else {follower}
    assert len(ran) == len(nodes)


@attacks("sharing/siamese#compare", zh="一到四次使用", en="one to four uses")
@given(factors, st.integers(1, 3), st.booleans())
def test_a_tensor_hook_fires_once_in_each_pass_with_the_sum(weights, passes, recomputed):
    def loss(x):
        return sum(losses(x, weights))

    x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
    (expected,) = torch.autograd.grad(loss(x), x)
    x.register_hook(seen.append)
    total = checkpoint(loss, x, use_reentrant=False) + 0 * x.sum() if recomputed else loss(x)
    for _ in range(passes):
        total.backward(retain_graph=True)
    assert len(seen) == passes
    for grad in seen:
        torch.testing.assert_close(grad, expected)


@attacks("sharing/siamese#compare", zh="二到五次，有限差分", en="two to five uses, differences")
@given(st.integers(2, 5), st.floats(-2, 2))
def test_a_layer_used_several_times_in_a_row_gets_the_gradient_of_differences(times, start):
    def chain(w):
        h = torch.tensor(1.5, dtype=torch.float64)
        for _ in range(times):
            h = (w * h).tanh()
        return h

    w = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    chain(w).backward()
    with torch.no_grad():
        slope = (chain(w + 1e-6) - chain(w - 1e-6)) / 2e-6
    torch.testing.assert_close(w.grad, slope, rtol=1e-6, atol=1e-7)


# Copies


@attacks(
    "sharing/copy-or-assign#copy-or-assign", zh="五对层，三种优化器", en="five pairs, 3 optimizers"
)
@given(pairs, st.sampled_from(FLOATS), st.sampled_from([optim.SGD, optim.Adam, optim.Muon]))
def test_a_deep_copy_goes_its_own_way_and_an_assigned_parameter_goes_along(name, dtype, optimizer):
    model = tied(name, dtype)
    assume(optimizer is not optim.Muon or model[0].weight.dim() == 2)
    one, assigned = (layer.weight for layer in model)
    copied, old = copy.deepcopy(model[0]).weight, one.detach().clone()
    assert torch.equal(copied, one)
    assert copied.data_ptr() != one.data_ptr()
    one.grad = torch.ones_like(one)
    optimizer([one], lr=0.1).step()
    assert not torch.equal(one, old)
    assert torch.equal(assigned, one)
    assert torch.equal(copied, old)


@attacks(
    "sharing/copy-or-assign#which",
    "sharing/review#remember",
    zh="深拷贝，以及用张量和用第一个 Parameter 建立的 Parameter；三种 dtype",
    en="a deep copy, and Parameters made of the tensor and of the first Parameter; three dtypes",
)
@pytest.mark.parametrize("dtype", FLOATS)
def test_neither_equal_values_nor_one_storage_make_one_parameter(dtype):
    one = nn.Parameter(torch.ones(3, dtype=dtype))
    for other in (copy.deepcopy(one), nn.Parameter(one.detach()), nn.Parameter(one)):
        other.sum().backward()
        assert torch.equal(other, one) and one.grad is None


# Weight tying


@attacks(
    "sharing/weight-tying#weight-tying",
    "updates/what-to-pass#twice",
    zh="五对层，三种 dtype；绑定的模型和它的深拷贝",
    en="five pairs of layers, three dtypes; a tied model and its deep copy",
)
@given(pairs, st.sampled_from(FLOATS), st.booleans())
def test_tied_layers_have_one_parameter_under_two_names(name, dtype, copied):
    model = copy.deepcopy(tied(name, dtype)) if copied else tied(name, dtype)
    assert model[1].weight is model[0].weight
    assert sum(p is model[0].weight for p in model.parameters()) == 1
    first, second = names_of_weights(model)
    assert model.state_dict()[first].data_ptr() == model.state_dict()[second].data_ptr()


@attacks(
    "sharing/weight-tying#what-goes-wrong", zh="五对层，有无 assign", en="five pairs, also assign"
)
@given(pairs, st.booleans())
def test_load_state_dict_keeps_layers_tied_unless_it_assigns(name, assign):
    model, file = tied(name), copy.deepcopy(tied(name)).state_dict()
    for number, key in enumerate(names_of_weights(model)):
        file[key] = torch.full_like(file[key], number)
    model.load_state_dict(file, assign=assign)
    assert (model[1].weight is model[0].weight) != assign
    values = [layer.weight.unique().item() for layer in model]
    assert values == ([0, 1] if assign else [1, 1])


@attacks("sharing/weight-tying#weight-tying", zh="四种 Embedding", en="four kinds of Embedding")
@pytest.mark.parametrize(
    "option", [{}, {"sparse": True}, {"scale_grad_by_freq": True}, {"padding_idx": 0}], ids=str
)
def test_tied_layers_add_up_the_gradients_of_both_places(option):
    embedding, decoder = nn.Embedding(3, 2, **option), nn.Linear(2, 3, bias=False)
    embedding.weight.data = torch.tensor([[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]])
    decoder.weight = nn.Parameter(embedding.weight.detach().clone())
    apart = copy.deepcopy(nn.Sequential(embedding, decoder))
    decoder.weight = embedding.weight
    for words in ([0], [1, 2], [2, 2, 0]):
        for model in (nn.Sequential(embedding, decoder), apart):
            model.zero_grad()
            model(torch.tensor(words)).square().sum().backward()
        expected = apart[0].weight.grad.to_dense() + apart[1].weight.grad
        torch.testing.assert_close(embedding.weight.grad.to_dense(), expected)


@attacks(
    "sharing/weight-tying#two-parameters",
    zh="Embedding、EmbeddingBag",
    en="Embedding, EmbeddingBag",
)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("layer", [nn.Embedding, nn.EmbeddingBag])
@pytest.mark.parametrize("options", [{}, {"freeze": True}, {"freeze": False}], ids=str)
def test_from_pretrained_does_not_tie(layer, dtype, options):
    """A new parameter over the same storage, frozen unless freeze=False."""
    embedding = nn.Embedding(3, 2, dtype=dtype)
    other = layer.from_pretrained(embedding.weight, **options)
    assert other.weight is not embedding.weight
    assert other.weight.data_ptr() == embedding.weight.data_ptr()
    assert other.weight.requires_grad == (options.get("freeze") is False)
    (other(torch.tensor([[0, 1]])).sum() + embedding.weight.sum() * 0).backward()
    assert (other.weight.grad is not None) == other.weight.requires_grad
    assert not embedding.weight.grad.any()


def gap(make) -> float:
    """How far two parameters over one storage get from one parameter, in three steps."""
    ends = []
    for one_parameter in (True, False):
        w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
        encoder = nn.Parameter(w)
        decoder = encoder if one_parameter else nn.Parameter(w.t())
        optimizer = make([encoder] if one_parameter else [encoder, decoder])
        x = torch.tensor([1.0, 2.0], dtype=torch.float64)
        for _ in range(3):
            optimizer.zero_grad()
            back = encoder.t() if one_parameter else decoder
            (back @ (encoder @ x) - x).square().sum().backward()
            optimizer.step()
        ends.append(encoder.detach())
    return (ends[0] - ends[1]).abs().max().item()


SWITCHES = st.fixed_dictionaries(
    {"momentum": st.sampled_from([0.0, 0.9])},
    optional={
        "dampening": st.just(0.5),
        **{name: st.just(True) for name in ("nesterov", "maximize", "foreach", "fused")},
    },
)


@attacks("sharing/weight-tying#what-goes-wrong", zh="SGD 的六种选项", en="six options of SGD")
@given(SWITCHES)
def test_sgd_without_weight_decay_hides_that_there_are_two_parameters(options):
    assume(not options.get("nesterov") or (options["momentum"] and "dampening" not in options))
    assume(not {"foreach", "fused"} <= options.keys())
    assert gap(partial(optim.SGD, lr=1e-4, **options)) < 1e-12
    assert gap(partial(optim.SGD, lr=1e-4, weight_decay=1.0, **options)) > 1e-6


@attacks(
    "sharing/weight-tying#what-goes-wrong",
    "sharing/weight-tying#two-parameters",
    zh="Adam、AdamW、Adagrad、RMSprop、NAdam 和 Adamax",
    en="Adam, AdamW, Adagrad, RMSprop, NAdam and Adamax",
)
@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adagrad", "RMSprop", "NAdam", "Adamax"])
def test_optimizers_that_divide_by_the_size_of_the_gradient_show_it(name):
    assert gap(partial(getattr(optim, name), lr=0.01)) > 1e-3


# One branch


@attacks(
    "sharing/one-branch#one-branch",
    "sharing/review#remember",
    zh="同一权重的正弦和余弦分支的乘积；权重从 -2 到 2",
    en="a product of sine and cosine branches of one weight; weights from -2 to 2",
)
@given(st.floats(-2, 2), st.integers(1, 3), st.integers(1, 3))
def test_a_detached_branch_counts_as_a_constant(start, left, right):
    w = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    whole = (left * w).sin() * (right * w).cos()
    cut = (left * w).sin() * (right * w).cos().detach()
    assert cut == whole
    (found,) = torch.autograd.grad(cut, w)
    expected = left * math.cos(left * start) * math.cos(right * start)
    assert found.item() == pytest.approx(expected)


# The old backward hook

LAST = [
    *(torch.mul, torch.add, torch.matmul, lambda h, w: torch.tanh(h * w)),
    *(lambda h, w: (h * w).view(-1), lambda h, w: (h * w).relu_()),
    lambda h, w: (h * w).max(-1).values,
]
SEVERAL = [
    (2, 1, lambda h: h.chunk(2, -1)[1]),
    (4, 2, lambda h: h.unbind(-1)[2]),
    (2, 1, lambda h: torch.std_mean(h, -1)[1]),
    (2, 0, lambda h: torch.linalg.qr(h)[0]),
]


class Computes(nn.Module):
    """A module that computes what it is given as a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.w = nn.Parameter(torch.arange(1.0, 17.0).reshape(4, 4))

    def forward(self, *inputs):
        return self.function(self.w, *inputs)


def reported(register: str, function, *inputs: torch.Tensor) -> tuple[tuple, tuple, list]:
    """`grad_input` and `grad_output` that a hook is handed, and the warnings."""
    module, found = Computes(function), []
    getattr(module, register)(lambda _, *grads: found.append(grads))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        out = module(*inputs)
        outputs = out if isinstance(out, tuple) else (out,)
        weights = [torch.arange(1.0, each.numel() + 1).view(each.shape) for each in outputs]
        torch.autograd.backward(outputs, weights, retain_graph=True)
    ((grad_input, grad_output),) = found
    return grad_input, grad_output, [str(warning.message) for warning in caught]


OLD, FULL = "register_backward_hook", "register_full_backward_hook"


def computed() -> torch.Tensor:
    """A tensor that is no leaf."""
    return torch.randn(4, 4, generator=torch.Generator().manual_seed(3), requires_grad=True) * 1


@attacks("then-and-now/old-hook#called-twice", zh="七种最后的运算", en="seven last operations")
@given(st.sampled_from(LAST))
def test_grad_output_is_the_same_where_the_last_operation_has_one_output(last):
    old, full = (reported(r, lambda w, x: last(3 * x, w), computed()) for r in (OLD, FULL))
    assert len(old[1]) == len(full[1]) == 1
    torch.testing.assert_close(old[1], full[1])


@attacks(
    "then-and-now/old-hook#called-twice",
    zh="四种有几个输出的运算",
    en="four operations, several outputs",
)
@pytest.mark.parametrize(("places", "returned", "last"), SEVERAL)
def test_the_old_hook_has_a_place_for_each_output_of_the_last_operation(places, returned, last):
    old, full = (reported(r, lambda w, x: last(x * w), computed()) for r in (OLD, FULL))
    assert len(full[1]) == 1
    assert len(old[1]) == places
    assert [number for number, grad in enumerate(old[1]) if grad is not None] == [returned]
    torch.testing.assert_close(old[1][returned], full[1][0])


@attacks(
    "then-and-now/old-warning#compare",
    zh="四种运算，叶子和别的",
    en="four operations, leaves or not",
)
@given(st.sampled_from([torch.tanh, torch.sigmoid, torch.exp, torch.relu]))
def test_the_warning_comes_without_need_where_the_input_is_a_leaf(function):
    for x in (computed().detach().requires_grad_(), computed()):
        old, full = (reported(r, lambda w, x: function(x), x) for r in (OLD, FULL))
        torch.testing.assert_close(old[0], full[0])
        assert any("multiple autograd Nodes" in text for text in old[2]) == x.is_leaf
        assert not full[2]


@attacks(
    "then-and-now/old-warning#compare",
    zh="两个张量的乘积 y * x",
    en="a product y * x of two tensors",
)
def test_no_warning_comes_where_the_order_of_the_inputs_is_another():
    x, y = computed(), 2 * computed()
    old, full = (reported(r, lambda w, x, y: y * x, x, y) for r in (OLD, FULL))
    assert not old[2]
    torch.testing.assert_close(old[0], full[0][::-1])
    assert not torch.equal(full[0][0], full[0][1])


# The meta device


@attacks(
    "sharing/weight-tying#untied",
    zh="五对层；to_empty、换 dtype、深拷贝",
    en="five pairs of layers; to_empty, another dtype, a deep copy",
)
@given(pairs, st.sampled_from(["to_empty", "double", "half", "deepcopy"]))
def test_leaving_the_meta_device_unties_and_nothing_else_does(name, way):
    if way == "to_empty":
        model = tied(name).to_empty(device="meta")
        model[1].weight = model[0].weight
        model = model.to_empty(device="cpu")
    else:
        model = tied(name)
        model = copy.deepcopy(model) if way == "deepcopy" else getattr(model, way)()
    assert (model[1].weight is model[0].weight) == (way != "to_empty")
