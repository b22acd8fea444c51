"""What the pages of sharing say in general."""

import copy
import math
import warnings
from collections import Counter

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
seeds = st.integers(0, 999)
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
    "sharing/one-step#one-step",
    zh="torch.optim 的所有优化器；用一到四次，各有自己的梯度；两步；float64",
    en="all optimizers of torch.optim; one to four uses with gradients of their own; two steps; float64",
)
@given(st.sampled_from(OPTIMIZERS), factors)
def test_all_uses_add_up_and_the_parameter_is_updated_once(optimizer, weights):
    """As a parameter is that gets the sum of the gradients handed."""
    used, told = (nn.Parameter(torch.full((2, 2), 0.5, dtype=torch.float64)) for _ in range(2))
    sparse = optimizer is optim.SparseAdam

    def backward():
        used.grad = None
        sum(losses(used, weights)).backward()
        used.grad = used.grad.to_sparse() if sparse else used.grad
        return torch.tensor(0.0)

    def sum_of_gradients():
        told.grad = sum(torch.autograd.grad(loss, told)[0] for loss in losses(told, weights))
        told.grad = told.grad.to_sparse() if sparse else told.grad
        return torch.tensor(0.0)

    steppers = optimizer([used], lr=0.1), optimizer([told], lr=0.1)
    for _ in range(2):
        steppers[0].step(backward)
        steppers[1].step(sum_of_gradients)
        torch.testing.assert_close(used.grad, told.grad)
        torch.testing.assert_close(used, told)


@attacks(
    "sharing/siamese#order",
    zh="随机的乘积图，有共享和没用到的张量；单线程建立，在 CPU 上",
    en="graphs of products drawn at random, with shared and unused tensors; made by one thread, on a CPU",
)
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


@attacks(
    "sharing/siamese#order",
    zh="一个模块调用四次，输出按任意次序相加",
    en="four calls of one module, their outputs added in any order",
)
@given(st.permutations(range(4)))
def test_the_order_of_the_calls_decides_which_hook_comes_first(formula):
    module, reported = nn.Tanh(), []
    module.register_full_backward_hook(lambda _, __, grad: reported.append(int(grad[0])))
    x = torch.tensor(0.5, requires_grad=True)
    outputs = [module(x) for _ in formula]
    sum((number + 1) * outputs[number] for number in formula).backward()
    assert reported == [4, 3, 2, 1]


@attacks(
    "sharing/input-gradient#compare",
    zh="用一到四次的叶子；反向一到三次；有无检查点（use_reentrant=False）",
    en="a leaf with one to four uses; one to three passes; with and without a checkpoint (use_reentrant=False)",
)
@given(factors, st.integers(1, 3), st.booleans())
def test_a_tensor_hook_fires_once_in_each_pass_with_the_sum(weights, passes, recomputed):
    x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
    x.register_hook(seen.append)
    expected = sum(torch.autograd.grad(loss, x)[0] for loss in losses(x, weights))
    seen.clear()

    def loss(x):
        return sum(losses(x, weights))

    total = checkpoint(loss, x, use_reentrant=False) + 0 * x.sum() if recomputed else loss(x)
    for _ in range(passes):
        total.backward(retain_graph=True)
    assert len(seen) == passes
    for grad in seen:
        torch.testing.assert_close(grad, expected)


@attacks(
    "sharing/input-gradient#compare",
    zh="一个权重连着用二到五次，中间有 tanh；权重从 -2 到 2；float64",
    en="a weight used two to five times in a row, with tanh between; weights from -2 to 2; float64",
)
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


# One step


@attacks(
    "sharing/one-step#one-step",
    zh="float32、float64、bfloat16、complex64；逐个和 foreach，只差这种 dtype 的舍入；fused 试 float32 和 float64（PyTorch 2.13 的 fused SGD 在 CPU 上用 bfloat16 和 float16 时，多数元素不动，见 PyTorch 的 issue 191763）；maximize 则是加",
    en="float32, float64, bfloat16, complex64; one by one and foreach, to the rounding of the dtype; fused in float32 and float64 (in bfloat16 and float16 the fused SGD of PyTorch 2.13 leaves most elements as they are on a CPU, issue 191763 of PyTorch); maximize adds instead",
)
@given(st.sampled_from([*FLOATS, torch.complex64]), st.sampled_from(["", "foreach", "fused"]))
def test_plain_sgd_takes_the_learning_rate_times_the_gradient_from_each_element(dtype, way):
    assume(way != "fused" or dtype in (torch.float32, torch.float64))
    p = nn.Parameter(torch.randn(50, dtype=dtype, generator=torch.Generator().manual_seed(1)))
    grad = torch.randn(50, dtype=dtype, generator=torch.Generator().manual_seed(2))
    p.grad, old = grad.clone(), p.detach().clone()
    optim.SGD([p], lr=0.1, **({way: True} if way else {})).step()
    torch.testing.assert_close(p.detach(), old - 0.1 * grad)


# Copies


@attacks(
    "sharing/copy-or-assign#copy-or-assign",
    zh="五种层；float32、float64、bfloat16；SGD、Adam、Muon",
    en="five kinds of layers; float32, float64, bfloat16; SGD, Adam, Muon",
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
    zh="深拷贝，以及用张量和用第一个 Parameter 建立的第二个 Parameter；float32、float64、bfloat16",
    en="a deep copy, and a second Parameter made of the tensor and of the first Parameter; float32, float64, bfloat16",
)
@given(st.sampled_from(FLOATS))
def test_neither_equal_values_nor_one_storage_make_one_parameter(dtype):
    one = nn.Parameter(torch.ones(3, dtype=dtype))
    for other in (copy.deepcopy(one), nn.Parameter(one.detach()), nn.Parameter(one)):
        one.grad = None
        assert torch.equal(other, one)
        other.sum().backward()
        assert other is not one
        assert one.grad is None


# Weight tying


@attacks(
    "sharing/weight-tying#weight-tying",
    zh="Embedding、EmbeddingBag、Linear、Conv1d、LayerNorm 和 BatchNorm1d 配成五对；三种 dtype；绑定的模型和它的深拷贝",
    en="Embedding, EmbeddingBag, Linear, Conv1d, LayerNorm and BatchNorm1d in five pairs; three dtypes; a tied model and its deep copy",
)
@given(pairs, st.sampled_from(FLOATS), st.booleans())
def test_tied_layers_have_one_parameter_under_two_names(name, dtype, copied):
    model = copy.deepcopy(tied(name, dtype)) if copied else tied(name, dtype)
    found = [p for p in model.parameters() if p is model[0].weight]
    assert len(found) == 1
    assert model[1].weight is model[0].weight
    names = names_of_weights(model)
    assert len(names) == 2
    assert len({model.state_dict()[name].data_ptr() for name in names}) == 1


@attacks(
    "sharing/weight-tying#what-goes-wrong",
    zh="Embedding、EmbeddingBag、Linear、Conv1d、LayerNorm 和 BatchNorm1d 配成五对；不用 assign 就一直绑定",
    en="Embedding, EmbeddingBag, Linear, Conv1d, LayerNorm and BatchNorm1d in five pairs; without assign they stay tied",
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


@attacks(
    "sharing/weight-tying#weight-tying",
    zh="Embedding 和 Linear，带 sparse、scale_grad_by_freq 和 padding_idx；一到三个词，有的出现两次",
    en="Embedding and Linear, with sparse, scale_grad_by_freq and padding_idx; one to three words, some of them twice",
)
def test_tied_layers_add_up_the_gradients_of_both_places():
    """For each index alone and for several, with the options of Embedding that leave its values."""
    for options in ({}, {"sparse": True}, {"scale_grad_by_freq": True}, {"padding_idx": 0}):
        embedding, decoder = nn.Embedding(3, 2, **options), nn.Linear(2, 3, bias=False)
        apart = copy.deepcopy(nn.Sequential(embedding, decoder))
        decoder.weight = embedding.weight
        with torch.no_grad():
            values = torch.tensor([[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]])
            for weight in (embedding.weight, apart[0].weight, apart[1].weight):
                weight.copy_(values)
        for words in ([0], [1, 2], [2, 2, 0]):
            for model in (nn.Sequential(embedding, decoder), apart):
                model.zero_grad()
                model(torch.tensor(words)).square().sum().backward()
            expected = apart[0].weight.grad.to_dense() + apart[1].weight.grad
            torch.testing.assert_close(embedding.weight.grad.to_dense(), expected)


@attacks(
    "sharing/weight-tying#two-parameters",
    zh="Embedding 和 EmbeddingBag；float32、float64、bfloat16；freeze 为默认、True 和 False",
    en="Embedding and EmbeddingBag; float32, float64, bfloat16; freeze by default, True and False",
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
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


@attacks(
    "sharing/weight-tying#weight-tying",
    zh="Embedding 和 EmbeddingBag 共用一个参数",
    en="Embedding and EmbeddingBag with one parameter",
)
def test_one_parameter_in_two_layers_is_tied():
    """The way that the page shows."""
    embedding, bag = nn.Embedding(3, 2), nn.EmbeddingBag(3, 2)
    bag.weight = embedding.weight
    (bag(torch.tensor([[0, 1]])).sum() + embedding(torch.tensor([1])).sum()).backward()
    assert embedding.weight.grad.tolist() == [[0.5, 0.5], [1.5, 1.5], [0, 0]]
    assert len(list(nn.ModuleList([embedding, bag]).parameters())) == 1


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
        "nesterov": st.just(True),
        "maximize": st.just(True),
        "foreach": st.just(True),
        "fused": st.just(True),
    },
)


@attacks(
    "sharing/weight-tying#what-goes-wrong",
    zh="这一页的训练，float64，在 CPU 上；动量、dampening、nesterov、maximize、foreach、fused；有权重衰减时差别才显出来",
    en="the training of this page in float64, on a CPU; momentum, dampening, nesterov, maximize, foreach, fused; with weight decay the difference shows",
)
@given(SWITCHES)
def test_sgd_without_weight_decay_hides_that_there_are_two_parameters(options):
    assume(not options.get("nesterov") or (options["momentum"] and "dampening" not in options))
    assume(not ("foreach" in options and "fused" in options))
    assert gap(lambda params: optim.SGD(params, lr=1e-4, **options)) < 1e-12
    assert gap(lambda params: optim.SGD(params, lr=1e-4, weight_decay=1.0, **options)) > 1e-6


@attacks(
    "sharing/weight-tying#two-parameters",
    zh="Adam、AdamW、Adagrad、RMSprop、NAdam 和 Adamax",
    en="Adam, AdamW, Adagrad, RMSprop, NAdam and Adamax",
)
@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adagrad", "RMSprop", "NAdam", "Adamax"])
def test_optimizers_that_divide_by_the_size_of_the_gradient_show_it(name):
    assert gap(lambda params: getattr(optim, name)(params, lr=0.01)) > 1e-3


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

LAST = {
    "mul": lambda h, w: h * w,
    "add": lambda h, w: h + w,
    "matmul": lambda h, w: h @ w,
    "view": lambda h, w: (h * w).view(-1),
    "tanh": lambda h, w: torch.tanh(h * w),
    "relu_": lambda h, w: (h * w).relu_(),
    "max": lambda h, w: (h * w).max(-1).values,
}
SEVERAL = {
    "chunk": (2, 1, lambda h: h.chunk(2, -1)[1]),
    "unbind": (4, 2, lambda h: h.unbind(-1)[2]),
    "std_mean": (2, 1, lambda h: torch.std_mean(h, -1)[1]),
    "qr": (2, 0, lambda h: torch.linalg.qr(h)[0]),
}


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


@attacks(
    "sharing/old-hook#old-hook",
    zh="七种最后的运算，包括视图、原地运算和最大值",
    en="seven last operations, among them a view, one in place and a maximum",
)
@given(st.sampled_from(sorted(LAST)))
def test_grad_output_is_the_same_where_the_last_operation_has_one_output(name):
    def forward(w, x):
        return LAST[name](3 * x, w)

    old, full = (reported(register, forward, computed()) for register in (OLD, FULL))
    assert len(old[1]) == len(full[1]) == 1
    torch.testing.assert_close(old[1], full[1])


@attacks(
    "sharing/old-hook#old-hook",
    zh="两个运算的模块，最后一个是与参数的乘积、和或矩阵乘积",
    en="a module of two operations, the last one a product, a sum or a matrix product with a parameter",
)
@given(st.sampled_from(["mul", "add", "matmul"]))
def test_the_old_hook_reports_the_inputs_of_the_last_operation(name):
    last = {}

    def forward(w, x):
        last["inputs"] = 3 * x, w
        return LAST[name](*last["inputs"])

    grad_input, grad_output, _ = reported(OLD, forward, x := computed())
    inputs = [one.detach().requires_grad_() for one in last["inputs"]]
    expected = torch.autograd.grad(LAST[name](*inputs), inputs, grad_output[0])
    torch.testing.assert_close(list(grad_input), list(expected))
    (real,) = reported(FULL, forward, x)[0]
    torch.testing.assert_close(real, 3 * expected[0])


@attacks(
    "sharing/old-hook#old-hook",
    zh="chunk、unbind、std_mean 和 qr，模块返回其中一个输出",
    en="chunk, unbind, std_mean and qr, of which the module returns one output",
)
@given(st.sampled_from(sorted(SEVERAL)))
def test_the_old_hook_has_a_place_for_each_output_of_the_last_operation(name):
    places, returned, last = SEVERAL[name]
    old, full = (reported(r, lambda w, x: last(x * w), computed()) for r in (OLD, FULL))
    assert len(full[1]) == 1
    assert len(old[1]) == places
    assert [number for number, grad in enumerate(old[1]) if grad is not None] == [returned]
    torch.testing.assert_close(old[1][returned], full[1][0])


@attacks(
    "sharing/old-hook#old-hook",
    zh="三个乘积的元组，次序任意",
    en="a tuple of three products in any order",
)
@given(st.permutations([2, 3, 5]))
def test_of_several_operations_the_old_hook_sits_on_the_first(factors):
    def forward(w, x):
        return tuple(factor * x for factor in factors)

    old, full = (reported(register, forward, computed()) for register in (OLD, FULL))
    assert (len(old[1]), len(full[1])) == (1, 3)
    torch.testing.assert_close(old[0][0], old[1][0] * factors[0])
    torch.testing.assert_close(full[0][0], full[1][0] * sum(factors))


@attacks(
    "sharing/old-hook#old-hook",
    zh="叶子和算出来的张量的 tanh、sigmoid、exp 和 relu",
    en="tanh, sigmoid, exp and relu of a leaf and of a computed tensor",
)
@given(st.sampled_from([torch.tanh, torch.sigmoid, torch.exp, torch.relu]))
def test_the_warning_comes_without_need_where_the_input_is_a_leaf(function):
    for x in (computed().detach().requires_grad_(), computed()):
        old, full = (reported(r, lambda w, x: function(x), x) for r in (OLD, FULL))
        torch.testing.assert_close(old[0], full[0])
        assert any("multiple autograd Nodes" in text for text in old[2]) == x.is_leaf
        assert not full[2]


@attacks(
    "sharing/old-hook#old-hook",
    zh="句子里说的那个模块，16 个元素的张量",
    en="the module that the sentence describes, with tensors of 16 elements",
)
def test_no_warning_comes_where_the_order_of_the_inputs_is_another():
    x, y = computed(), 2 * computed()
    old, full = (reported(r, lambda w, x, y: y * x, x, y) for r in (OLD, FULL))
    assert not old[2]
    torch.testing.assert_close(old[0], full[0][::-1])
    assert not torch.equal(full[0][0], full[0][1])
