"""What the pages of freezing say in general."""

import inspect

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import clip_grad_norm_, parametrizations
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from claims.graph import nodes_behind
from claims.optimizers import OPTIMIZERS

pytestmark = pytest.mark.upgrade

REAL = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
DTYPES = (*REAL, torch.complex64)

MODULES = {
    "Linear": (lambda: nn.Linear(4, 4), (3, 4)),
    "Conv1d": (lambda: nn.Conv1d(4, 4, 3), (2, 4, 5)),
    "Conv2d": (lambda: nn.Conv2d(4, 4, 3), (2, 4, 5, 5)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(4, 4, 2), (2, 4, 3, 3)),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), (5, 4)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(4), (5, 4, 2, 2)),
    "InstanceNorm1d": (
        lambda: nn.InstanceNorm1d(4, affine=True, track_running_stats=True),
        (2, 4, 5),
    ),
    "LayerNorm": (lambda: nn.LayerNorm(4), (5, 4)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), (5, 4)),
    "RMSNorm": (lambda: nn.RMSNorm(4), (5, 4)),
    "PReLU": (lambda: nn.PReLU(), (5, 4)),
    "LSTM": (lambda: nn.LSTM(4, 4), (5, 4)),
    "GRU": (lambda: nn.GRU(4, 4, 2), (5, 4)),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8), (3, 2, 4)),
}
"""Modules with parameters, and the shape of an input."""


def output(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    result = model(x)
    return result[0] if isinstance(result, tuple) else result


def kept(module: nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    """What the forward pass of a module keeps for the backward pass, each tensor once."""
    tensors = {}

    def keep(tensor):
        tensors[id(tensor)] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        module(x)
    return list(tensors.values())


# computed-weight

WEIGHTED = {
    "Linear": lambda: nn.Linear(8, 8),
    "Conv2d": lambda: nn.Conv2d(4, 8, 2),
    "ConvTranspose1d": lambda: nn.ConvTranspose1d(8, 4, 3),
    "Embedding": lambda: nn.Embedding(9, 8),
}
PARAMETRIZATIONS = (
    parametrizations.weight_norm,
    parametrizations.spectral_norm,
    parametrizations.orthogonal,
)


@attacks(
    "freezing/computed-weight#see",
    zh="四种层上的 weight_norm、spectral_norm 和 orthogonal；两种模式",
    en="weight_norm, spectral_norm and orthogonal on four kinds of layers; both modes",
)
@attacks(
    "freezing/computed-weight#where-it-stops",
    zh="四种层上的 weight_norm、spectral_norm 和 orthogonal；两种模式；四种层上的 weight_norm",
    en="weight_norm, spectral_norm and orthogonal on four kinds of layers; both modes; weight_norm on four kinds of layers",
)
@given(st.sampled_from(PARAMETRIZATIONS), st.sampled_from(list(WEIGHTED)), st.booleans())
def test_a_computed_weight_is_frozen_by_its_parameters(parametrization, name, training):
    module = parametrization(WEIGHTED[name]()).train(training)

    def assign(value):
        module.weight.requires_grad = value

    with pytest.raises(RuntimeError, match="flags of leaf variables"):
        assign(False)
    with torch.no_grad():
        assign(False)
    assert all(p.requires_grad for p in module.parameters())
    module.requires_grad_(False)
    assert not module.weight.requires_grad
    assign(True)
    assert not module.weight.requires_grad
    assert not any(p.requires_grad for p in module.parameters())
    module.requires_grad_(True)
    assert module.weight.requires_grad
    names = {name.rsplit(".")[-1] for name, _ in module.named_parameters()}
    assert not names & {"weight", "weight_g", "weight_v"}


@attacks(
    "freezing/computed-weight#where-it-stops",
    zh="Linear，10 到 30 个挨得很近的奇异值；迭代 1 到 3 次",
    en="Linear with 10 to 30 singular values close together; 1 to 3 iterations",
)
@given(st.integers(10, 30), st.integers(1, 3))
def test_a_frozen_spectral_norm_can_change_its_weight_in_training_mode(size, iterations):
    torch.manual_seed(size)
    layer = nn.Linear(size, size)
    layer.weight.data = torch.diag(torch.linspace(0.9, 1, size))  # settles slowly
    module = parametrizations.spectral_norm(layer, n_power_iterations=iterations)
    module.requires_grad_(False)
    for training in (True, False, True):
        module.train(training)
        first, buffers = module.weight.clone(), [b.clone() for b in module.buffers()]
        assert torch.allclose(first, module.weight, rtol=1e-5, atol=0) is not training
        assert all(map(torch.equal, buffers, module.buffers())) is not training


JOINED = {
    "sum": lambda a, b, c: a + b + c,
    "product": lambda a, b, c: a * b * c,
    "matmul": lambda a, b, c: a @ b @ c,
    "cat": lambda a, b, c: torch.cat([a, b, c]),
    "where": lambda a, b, c: torch.where(a.real > 0, b, c) + a,
    "addmm": torch.addmm,
    "einsum": lambda a, b, c: torch.einsum("ij,jk,kl->il", a, b, c),
    "a part replaced": lambda a, b, c: torch.index_copy(a, 0, torch.tensor([0]), b[:1]) - c,
}


@attacks(
    "freezing/computed-weight#see",
    "freezing/encoder#where-it-ends",
    zh="三个叶子的 8 种运算；float32、float64、complex64",
    en="8 operations on three leaves; float32, float64, complex64",
)
@given(
    st.sampled_from(list(JOINED)),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.sampled_from((torch.float32, torch.float64, torch.complex64)),
)
def test_requires_grad_of_a_result_follows_from_its_inputs(name, flags, dtype):
    inputs = [torch.ones(2, 2, dtype=dtype, requires_grad=flag) for flag in flags]
    result = JOINED[name](*inputs)
    assert result.requires_grad is any(flags)
    for leaf in inputs:
        leaf.requires_grad = not leaf.requires_grad
    if any(flags):
        with pytest.raises(RuntimeError, match="flags of leaf variables"):
            result.requires_grad = False


# detach

LAYOUTS = {
    "as it is": lambda x: x,
    "transposed": lambda x: x.mT if x.dim() > 1 else x,
    "every other": lambda x: x[..., ::2] if x.dim() else x,
    "channels last": lambda x: (
        x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x
    ),
    "conj": lambda x: x.conj(),
}
EDITS = {
    "mul_": lambda x: x.mul_(7),
    "zero_": lambda x: x.zero_(),
    "copy_": lambda x: x.copy_(torch.full_like(x, 7)),
    "[...] =": lambda x: x.__setitem__(..., 7),
    "foreach": lambda x: torch._foreach_mul_([x], 7),
    "out=": lambda x: torch.add(x, 6, out=x),
}


@attacks(
    "freezing/detach#detach",
    zh="0 到 4 维的 strided 张量，包括空的；五种 dtype，五种布局，叶子和运算结果；六种写法",
    en="strided tensors of 0 to 4 dimensions, empty ones too; five dtypes, five layouts, leaves and results; six ways to write",
)
@given(
    st.sampled_from(DTYPES),
    st.lists(st.integers(0, 3), max_size=4),
    st.sampled_from(list(LAYOUTS)),
    st.sampled_from(list(EDITS)),
    st.booleans(),
)
def test_detach_shares_the_storage_and_a_clone_does_not(dtype, shape, layout, edit, computed):
    assume(not (layout == "conj" and edit == "foreach"))  # which PyTorch refuses
    x = torch.ones(shape, dtype=dtype, requires_grad=True)
    x = LAYOUTS[layout](x * 1 if computed else x)
    alias, copied = x.detach(), x.detach().clone()
    assert alias is not x and alias.grad_fn is None and not alias.requires_grad
    assert alias.data_ptr() == x.data_ptr()
    assert copied.data_ptr() != x.data_ptr() or not x.numel()
    EDITS[edit](alias)
    assert torch.equal(x, torch.full_like(x, 0 if edit == "zero_" else 7))
    assert torch.equal(copied, torch.ones_like(x))


VIEWS = {
    "part": lambda y: y[:1],
    "view": lambda y: y.view(2, 1),
    "expand": lambda y: y.expand(3, 2),
    "flatten": lambda y: y.view(1, 2).flatten(),
    "split": lambda y: y.split(1)[0],
    "real": lambda y: torch.view_as_real(y) if y.is_complex() else y.view(1, 2),
}
PATHS = {
    "sin": torch.sin,
    "square": lambda y: y**2,
    "view": lambda y: y.view(2, 1).view(2),
    "scale": lambda y: 3 * y,
    "in place": lambda y: (y * 1).add_(1),
    "numpy": lambda y: y + 1 if y.requires_grad else torch.from_numpy(y.numpy()),
}


@attacks(
    "freezing/detach#which-end",
    zh="六种视图；五种 dtype",
    en="six kinds of views; five dtypes",
)
@given(st.sampled_from(list(VIEWS)), st.sampled_from(DTYPES))
def test_detach_takes_a_tensor_out_of_the_graph_but_no_view(name, dtype):
    w = torch.tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
    y = w * 3
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        VIEWS[name](y).detach_()
    assert y.grad_fn is not None
    y = w * 3
    y.detach_()
    assert y.grad_fn is None and not VIEWS[name](y * 2).requires_grad


@attacks(
    "freezing/detach#still-a-parameter",
    zh="detach() 前后最多六个运算的链",
    en="chains of up to six operations around detach()",
)
@given(
    st.lists(st.sampled_from(list(PATHS)), max_size=3),
    st.lists(st.sampled_from(list(PATHS)), max_size=3),
)
def test_no_gradient_passes_through_detach(before, after):
    w, v = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    y = w
    for name in before:
        y = PATHS[name](y)
    y = y.detach()
    for name in after:
        y = PATHS[name](y)
    (v * y).sum().backward()
    assert w.grad is None
    assert torch.equal(v.grad, y)


UNCOUNTED = {
    "data": lambda w: w.data.mul_(10),
    "numpy": lambda w: w.detach().numpy().__imul__(10),
    "from_numpy": lambda w: torch.from_numpy(w.detach().numpy()).mul_(10),
}


@attacks(
    "freezing/detach#still-a-parameter",
    zh="numpy() 和 from_numpy()；float32 和 float64",
    en="numpy() and from_numpy(); float32 and float64",
)
@given(st.sampled_from(list(UNCOUNTED)), st.sampled_from((torch.float32, torch.float64)))
def test_a_change_through_numpy_or_data_is_not_counted(name, dtype):
    w = torch.tensor([2.0], dtype=dtype, requires_grad=True)
    loss, version = (w**2).sum(), w._version
    UNCOUNTED[name](w)
    assert w.item() == 20 and w._version == version
    loss.backward()
    assert w.grad.item() == 2 * 20


@attacks(
    "freezing/detach#still-a-parameter",
    zh="一到四个张量的列表；三种 dtype",
    en="lists of one to four tensors; three dtypes",
)
@given(st.integers(1, 4), st.sampled_from((torch.float16, torch.float32, torch.float64)))
def test_numpy_refuses_to_sum_tensors_that_require_a_gradient(count, dtype):
    parts = [torch.ones(2, dtype=dtype, requires_grad=True) * 3 for _ in range(count)]
    with pytest.raises(RuntimeError, match="requires grad"):
        np.sum(parts)
    assert np.sum([part.detach().numpy() for part in parts]) == 6 * count


CHANGED = {
    "w + 0": (lambda w: w + 0, False),
    "w * 3": (lambda w: w * 3, False),
    "w.view": (lambda w: w.view(2, 1), False),
    "w.mean": (lambda w: w.mean(0, keepdim=True), False),
    "w ** 2": (lambda w: w**2, True),
    "w.sin": (lambda w: w.sin(), True),
    "w * w": (lambda w: w * w, True),
    "w.log": (lambda w: w.log(), True),
}
"""What is computed from w, and whether its backward pass needs the value of w."""


@attacks(
    "freezing/detach#still-a-parameter",
    zh="8 种运算；bfloat16、float32、float64",
    en="8 operations; bfloat16, float32, float64",
)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", CHANGED)
def test_an_edit_through_detach_raises_only_where_the_value_was_saved(name, dtype):
    compute, saved = CHANGED[name]
    w = torch.tensor([2.0, 3.0], dtype=dtype, requires_grad=True)
    (unedited,) = torch.autograd.grad(compute(w).sum(), w)
    loss = compute(w).sum()
    w.detach().mul_(10)
    if saved:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
    else:
        loss.backward()
        assert torch.equal(w.grad, unedited)


# encoder

GO_ON = {
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), (8, 4)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(4), (8, 4, 3, 3)),
    "BatchNorm3d": (lambda: nn.BatchNorm3d(4), (8, 4, 3, 3, 3)),
    "Dropout": (lambda: nn.Dropout(), (8, 4)),
    "Dropout2d": (lambda: nn.Dropout2d(), (8, 4, 3, 3)),
    "AlphaDropout": (lambda: nn.AlphaDropout(), (8, 4)),
    "RReLU": (lambda: nn.Sequential(nn.Linear(4, 4), nn.RReLU()), (8, 4)),
    "InstanceNorm1d": (lambda: nn.InstanceNorm1d(4, track_running_stats=True), (8, 4, 3)),
    "spectral_norm": (lambda: parametrizations.spectral_norm(nn.Linear(4, 4)), (8, 4)),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8), (8, 4, 4)),
    "LSTM with dropout": (lambda: nn.LSTM(4, 4, 2, dropout=0.5), (8, 4)),
}


def goes_on(encoder: nn.Module, x: torch.Tensor) -> bool:
    """Whether two forward passes of one input differ, or change a buffer of the encoder."""
    before = [buffer.clone() for buffer in encoder.buffers()]
    if not torch.equal(output(encoder, x), output(encoder, x)):
        return True
    pairs = zip(before, encoder.buffers(), strict=True)
    return any(not torch.equal(old, new) for old, new in pairs)


@attacks(
    "freezing/encoder#encoder",
    zh="11 种训练时行为不同的模块，包括 spectral_norm 和 RReLU",
    en="11 modules that differ in training, spectral_norm and RReLU among them",
)
@attacks(
    "freezing/encoder#eval-too",
    "freezing/review#remember",
    zh="11 种训练时行为不同的模块",
    en="11 modules that differ in training",
)
@pytest.mark.parametrize("name", GO_ON)
def test_a_frozen_encoder_goes_on_in_training_mode(name):
    torch.manual_seed(0)
    make, shape = GO_ON[name]
    encoder, x = make(), torch.rand(shape)
    model = nn.Sequential(encoder, nn.Identity())
    encoder.requires_grad_(False)
    assert goes_on(encoder, x)
    encoder.eval()
    assert not goes_on(encoder, x)
    model.train()
    assert goes_on(encoder, x), "model.train() puts the encoder back into training mode"


TREES = st.recursive(
    st.sampled_from(list(MODULES)), lambda inner: st.lists(inner, min_size=1, max_size=3)
)


def tree(names: str | list) -> nn.Module:
    if isinstance(names, str):
        return MODULES[names][0]()
    return nn.ModuleList(tree(inner) for inner in names)


@attacks(
    "freezing/encoder#freeze",
    "freezing/encoder#where-it-stops",
    zh="torch.nn 的 14 种模块，嵌套着",
    en="14 kinds of modules of torch.nn, nested",
)
@attacks(
    "freezing/encoder#eval-too",
    zh="torch.nn 的 14 种模块，嵌套着；没有一个改写 train()",
    en="14 kinds of modules of torch.nn, nested; none overrides train()",
)
@given(TREES, st.data())
def test_freezing_reaches_all_parameters_and_train_all_modules(names, data):
    model = nn.ModuleList([tree(names)])
    assert all(p.requires_grad for p in model.parameters())
    assert not any(hasattr(module, "requires_grad") for module in model.modules())
    model.requires_grad = False
    assert all(p.requires_grad for p in model.parameters()), "only another attribute"
    buffers = [buffer.clone() for buffer in model.buffers()]
    model.requires_grad_(False)
    assert not any(p.requires_grad for p in model.parameters())
    assert all(module.training for module in model.modules())
    assert all(map(torch.equal, buffers, model.buffers()))
    data.draw(st.sampled_from(list(model.modules()))).eval()
    model.train()
    assert all(module.training for module in model.modules())


# still-moves, memory, only-some: what optimizers do

SKIPPING = [kind for kind in OPTIMIZERS if kind is not optim.LBFGS]
CHOICES = [
    (kind, switch)
    for kind in SKIPPING
    for switch in (None, "foreach", "fused", "weight_decay", "momentum", "amsgrad")
    if switch is None or switch in inspect.signature(kind).parameters
]


def made(choice: tuple[type[optim.Optimizer], str | None], params: list) -> optim.Optimizer:
    kind, switch = choice
    settings = {"weight_decay": 0.1, "momentum": 0.9}
    return kind(params, lr=0.1, **({switch: settings.get(switch, True)} if switch else {}))


def give(optimizer: optim.Optimizer, *params: torch.Tensor) -> None:
    """A gradient of 1 for each, sparse where the optimizer wants it."""
    for p in params:
        gradient = torch.ones_like(p, requires_grad=False)
        p.grad = gradient.to_sparse() if isinstance(optimizer, optim.SparseAdam) else gradient


@attacks(
    "freezing/encoder#where-it-stops",
    "freezing/memory#work",
    "freezing/still-moves#still-moves",
    "freezing/still-moves#one-more-step",
    zh="torch.optim 除 LBFGS 以外的所有优化器；普通、foreach、fused、权重衰减、动量、amsgrad",
    en="all of torch.optim but LBFGS; plain, foreach, fused, weight decay, momentum, amsgrad",
)
@attacks(
    "freezing/still-moves#where-it-stops",
    zh="torch.optim 除 LBFGS 以外的所有优化器；普通、foreach、fused、权重衰减、动量、amsgrad；冻结整个参数，或把旧值写回去",
    en="all of torch.optim but LBFGS; plain, foreach, fused, weight decay, momentum, amsgrad; whole parameters frozen, or old values written back",
)
@attacks(
    "freezing/review#remember",
    zh="torch.optim 除 LBFGS 以外的所有优化器；普通、foreach、fused、权重衰减、动量、amsgrad（LBFGS 把 None 当作 0）",
    en="all of torch.optim but LBFGS; plain, foreach, fused, weight decay, momentum, amsgrad (LBFGS takes None for 0)",
)
@pytest.mark.parametrize("choice", CHOICES, ids=lambda c: f"{c[0].__name__} {c[1]}")
def test_an_optimizer_skips_none_and_does_not_read_requires_grad(choice):
    trained, flagless, cleared, restored = (torch.ones(2, 2, requires_grad=True) for _ in range(4))
    never = torch.ones(2, 2)
    optimizer = made(choice, [trained, flagless, cleared, restored, never])
    for _ in range(2):
        give(optimizer, trained, flagless, cleared, restored)
        optimizer.step()
    flagless.requires_grad_(False)
    cleared.requires_grad_(False)
    cleared.grad = None
    moved, still, old = trained.clone(), cleared.clone(), restored.detach().clone()
    for _ in range(2):
        optimizer.step()
        with torch.no_grad():
            restored.copy_(old)
    assert not torch.equal(trained, moved)
    assert torch.equal(flagless, trained), "an old gradient is used, whatever requires_grad says"
    assert torch.equal(cleared, still)
    assert torch.equal(restored, old)
    assert torch.equal(never, torch.ones(2, 2)) and never.grad is None
    if choice[0] in (optim.Adam, optim.AdamW):
        assert trained in optimizer.state and never not in optimizer.state


@attacks(
    "freezing/still-moves#where-it-stops",
    zh="LBFGS，迭代 2 到 6 次，有无线搜索；梯度是 None 和 0",
    en="LBFGS with 2 to 6 iterations, with and without a line search; gradients of None and of 0",
)
@given(st.integers(2, 6), st.booleans())
def test_lbfgs_takes_none_for_0(iterations, line_search):
    ends = []
    for fill in (None, 0.0):
        w, v = (torch.tensor([1.0, -2.0], requires_grad=True) for _ in range(2))
        search = "strong_wolfe" if line_search else None
        lbfgs = optim.LBFGS([w, v], lr=0.1, max_iter=iterations, line_search_fn=search)

        def closure(w=w, v=v, lbfgs=lbfgs, fill=fill):
            lbfgs.zero_grad()
            loss = ((3 * w + v) ** 2).sum() + (v - 1).pow(4).sum()
            loss.backward()
            if not w.requires_grad:
                w.grad = None if fill is None else torch.full_like(w, fill)
            return loss

        lbfgs.step(closure)
        before = w.detach().clone()
        w.requires_grad_(False)
        lbfgs.step(closure)
        assert not torch.equal(w, before)
        ends.append(w)
    assert torch.equal(*ends)


@attacks(
    "freezing/encoder#unfreeze",
    zh="torch.optim 除 LBFGS 以外的所有优化器；普通、foreach、fused、权重衰减、动量、amsgrad",
    en="all of torch.optim but LBFGS; plain, foreach, fused, weight decay, momentum, amsgrad",
)
@given(st.sampled_from(CHOICES))
def test_an_optimizer_moves_what_it_was_given(choice):
    known, late, other = (torch.ones(2, 2, requires_grad=True) for _ in range(3))
    late.requires_grad_(False)
    everything, trainable = made(choice, [known, late]), made(choice, [other])
    give(everything, known, other)
    everything.step()
    assert torch.equal(late, torch.ones(2, 2))
    late.requires_grad_(True)
    give(trainable, late)
    trainable.step()
    assert torch.equal(late, torch.ones(2, 2)), "it doesn't know it"
    trainable.add_param_group({"params": [late], "lr": 0.05})
    assert [group["lr"] for group in trainable.param_groups] == [0.1, 0.05]
    for optimizer in (trainable, everything):
        before = late.detach().clone()
        give(optimizer, late)
        optimizer.step()
        assert not torch.equal(late, before)


@attacks(
    "freezing/encoder#unfreeze",
    zh="SGD、Adam、AdamW、RMSprop；已走 0 到 3 步",
    en="SGD, Adam, AdamW, RMSprop; after 0 to 3 steps",
)
@attacks(
    "modules/built-too-early#why",
    zh="LambdaLR 和 OneCycleLR 会报错；SGD、Adam、AdamW、RMSprop；已走 0 到 3 步；新建一个就能运行",
    en="LambdaLR and OneCycleLR raise; SGD, Adam, AdamW, RMSprop; after 0 to 3 steps; a new one runs",
)
@given(
    st.sampled_from([optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop]),
    st.sampled_from(["LambdaLR", "OneCycleLR"]),
    st.integers(0, 3),
)
def test_a_scheduler_that_a_new_group_does_not_fit(kind, name, steps):
    known, late = (torch.ones(2, requires_grad=True) for _ in range(2))
    optimizer = kind([known], lr=0.1, momentum=0.9) if kind is optim.SGD else kind([known], lr=0.1)

    def scheduler():
        if name == "LambdaLR":
            return optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
        cycle = kind is not optim.RMSprop
        return optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=9, cycle_momentum=cycle)

    old = scheduler()
    for _ in range(steps):
        optimizer.step()
        old.step()
    optimizer.add_param_group({"params": [late], "lr": 0.05})
    optimizer.step()
    with pytest.raises((ValueError, KeyError)):
        old.step()
    if name == "LambdaLR":
        optimizer.param_groups[1]["initial_lr"] = 0.05
    new = scheduler()
    optimizer.step()
    new.step()


@attacks(
    "freezing/encoder#where-it-stops",
    zh="一个线性层和 BatchNorm，后面还有一层；后端 eager 和 aot_eager；在 CPU 上",
    en="a linear layer and BatchNorm in front of another layer; backends eager and aot_eager; on a CPU",
)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_compiled_model_follows_what_is_frozen(backend):
    """Frozen, in evaluation mode, and trained again after it was compiled."""
    encoder = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    model = nn.Sequential(encoder, nn.Linear(2, 1))
    compiled = torch.compile(model, backend=backend)
    for frozen in (False, True, False, True):
        encoder.requires_grad_(not frozen)
        encoder.train(not frozen)
        old = encoder[1].running_mean.clone()
        model.zero_grad()
        compiled(torch.tensor([[1.0, 2.0], [3.0, 5.0]])).sum().backward()
        assert all((p.grad is None) == frozen for p in encoder.parameters())
        assert all(p.grad is not None for p in model[1].parameters())
        assert encoder[1].running_mean.equal(old) == frozen


# in two processes


def two_layers() -> nn.Sequential:
    """The second passes the sum of its inputs on: d loss / d weight = 2 * input, or 2 * code."""
    model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
    nn.init.ones_(model[0].weight)
    nn.init.ones_(model[1].weight)
    return model


def passed(model: nn.Module, rank: int, inputs=None) -> list[float | None] | str:
    """The gradients after a pass with the input 2 in rank 0 and 6 in rank 1, or what it raised."""
    model.zero_grad()
    try:
        model(torch.tensor([[(2.0, 6.0)[rank]]])).sum().backward(inputs=inputs)
    except RuntimeError as error:
        return str(error).split(" in the")[0]
    return [None if p.grad is None else p.grad.item() for p in model.parameters()]


def frozen_and_unfrozen(rank: int) -> dict[str, list]:
    found = {}
    model = two_layers()
    model[0].requires_grad_(False)
    wrapped = DistributedDataParallel(model)
    passed(wrapped, rank)
    model[0].requires_grad_(True)
    found["unfrozen"] = [passed(wrapped, rank), passed(wrapped, rank)]
    wrapped = DistributedDataParallel(model)
    found["unfrozen and wrapped again"] = [passed(wrapped, rank), passed(wrapped, rank)]
    model[0].requires_grad_(False)
    found["frozen"] = [passed(wrapped, rank), passed(wrapped, rank)]
    wrapped = DistributedDataParallel(model)
    found["frozen and wrapped again"] = [passed(wrapped, rank), passed(wrapped, rank)]
    wrapped = DistributedDataParallel(model.requires_grad_(True))
    some, everything = list(model[1].parameters()), list(model.parameters())
    found["inputs, all"] = [passed(wrapped, rank, everything) for _ in range(2)]
    found["inputs, some"] = [passed(wrapped, rank, some) for _ in range(2)]
    wrapped = DistributedDataParallel(two_layers())
    loss = wrapped(torch.tensor([[(2.0, 6.0)[rank]]])).sum()
    found["autograd.grad"] = [
        [grad.item() for grad in torch.autograd.grad(loss, list(wrapped.parameters()))]
    ]
    return found


@attacks(
    "freezing/encoder#where-it-stops",
    "freezing/only-some#where-it-stops",
    zh="gloo 的两个进程上的 DistributedDataParallel；两层，前后两遍",
    en="DistributedDataParallel on two gloo ranks; two layers, two passes",
)
def test_freezing_with_two_processes(ranks):
    """The mean of 2 and 6 is right: 4."""
    first, second = ranks(frozen_and_unfrozen)
    raised = "Expected to have finished reduction"
    assert first["unfrozen"] == [[2, 4], [2, 4]] and second["unfrozen"] == [[6, 4], [6, 4]]
    assert first["frozen"] == [[None, 2], raised] and second["frozen"] == [[None, 6], raised]
    assert first["inputs, some"] == [[None, 2], raised]
    assert second["inputs, some"] == [[None, 6], raised]
    assert first["autograd.grad"] == [[2, 2]] and second["autograd.grad"] == [[6, 6]]
    for found in (first, second):
        assert found["unfrozen and wrapped again"] == [[4, 4], [4, 4]]
        assert found["frozen and wrapped again"] == [[None, 4], [None, 4]]
        assert found["inputs, all"] == [[4, 4], [4, 4]]


# eval-or-no-grad, five-ways, middle


@attacks(
    "freezing/eval-or-no-grad#eval-or-no-grad",
    "freezing/five-ways#table",
    "freezing/review#remember",
    zh="几种动量的 BatchNorm 和几种概率的 Dropout；no_grad 和 inference_mode",
    en="BatchNorm and Dropout with several momenta and probabilities; no_grad and inference_mode",
)
@attacks(
    "freezing/eval-or-no-grad#four",
    zh="几种动量的 BatchNorm；no_grad 和 inference_mode",
    en="BatchNorm with several momenta; no_grad and inference_mode",
)
@attacks(
    "freezing/eval-or-no-grad#eval-is-not-frozen",
    zh="几种概率的 Dropout，128 个元素；no_grad 和 inference_mode",
    en="Dropout with several probabilities, 128 elements; no_grad and inference_mode",
)
@given(
    st.booleans(),
    st.sampled_from([torch.enable_grad, torch.no_grad, torch.inference_mode]),
    st.floats(0.1, 1),
    st.floats(0.3, 0.9),
)
def test_eval_and_no_grad_do_not_replace_each_other(training, mode, momentum, p):
    torch.manual_seed(0)
    norm, dropout = nn.BatchNorm1d(8, momentum=momentum), nn.Dropout(p)
    norm.train(training)
    dropout.train(training)
    with mode():
        normalized = norm(torch.rand(16, 8))
        first, second = dropout(normalized), dropout(normalized)
    assert first.requires_grad is (mode is torch.enable_grad)
    assert (first.grad_fn is not None) is (mode is torch.enable_grad)
    assert torch.equal(first, normalized) is not training
    assert torch.equal(first, second) is not training
    assert bool(norm.running_mean.any()) is training


@attacks(
    "freezing/five-ways#table",
    zh="torch.nn 的 14 种模块；eval、冻结、detach 和 no_grad",
    en="14 kinds of modules of torch.nn; eval, frozen, detach and no_grad",
)
@attacks(
    "freezing/five-ways#where-it-stops",
    "freezing/middle#middle",
    "freezing/review#remember",
    zh="torch.nn 的 14 种模块；两种模式",
    en="14 kinds of modules of torch.nn; both modes",
)
@given(
    st.sampled_from(list(MODULES)),
    st.booleans(),
    st.sampled_from(["eval", "frozen", "detach", "no_grad"]),
)
def test_only_frozen_parameters_let_the_gradient_through_and_get_none(name, training, way):
    make, shape = MODULES[name]
    part, gradients = make().train(training), []
    for used in (None, way):
        torch.manual_seed(0)
        x = torch.randn(shape, requires_grad=True)
        part.zero_grad()
        part.requires_grad_(used != "frozen").train(training and used != "eval")
        with torch.no_grad() if used == "no_grad" else torch.enable_grad():
            y = output(part, x * 2)
        y = y.detach() if used == "detach" else y
        (y**3 * torch.ones((), requires_grad=True)).sum().backward()
        gradients.append(x.grad)
        own = {p.grad is not None for p in part.parameters()}
        assert own == {used in (None, "eval")}
    assert (gradients[1] is None) is (way in ("detach", "no_grad"))
    assert way != "frozen" or torch.equal(*gradients)


RETURN_THE_INPUT = {
    "ReLU": lambda: nn.ReLU(inplace=True),
    "LeakyReLU": lambda: nn.LeakyReLU(0.1, inplace=True),
    "ELU": lambda: nn.ELU(inplace=True),
    "SiLU": lambda: nn.SiLU(inplace=True),
    "Hardtanh": lambda: nn.Hardtanh(inplace=True),
    "Hardswish": lambda: nn.Hardswish(inplace=True),
    "Identity": lambda: nn.Identity(),
    "Dropout in evaluation mode": lambda: nn.Dropout().eval(),
    "two": lambda: nn.Sequential(nn.ReLU(inplace=True), nn.Identity()),
}


@attacks(
    "freezing/middle#where-it-stops",
    zh="九种原地的层和别的会把输入原样返回的层；float32 和 float64",
    en="nine in-place layers and others that return their input; float32 and float64",
)
@given(st.sampled_from(list(RETURN_THE_INPUT)), st.sampled_from((torch.float32, torch.float64)))
def test_no_grad_does_not_cut_a_layer_that_returns_its_input(name, dtype):
    w = torch.tensor([-1.0, 2.0], dtype=dtype, requires_grad=True)
    y = w * 3
    with torch.no_grad():
        result = RETURN_THE_INPUT[name]()(y)
    assert result is y and not result.detach().requires_grad
    result.sum().backward()
    assert w.grad.tolist() == [3, 3]


@attacks(
    "freezing/five-ways#kept",
    "freezing/memory#linear-only",
    zh="Linear，有无偏置；输入 2 到 4 维；两种模式；没有 autocast",
    en="Linear with and without bias; inputs with 2 to 4 dimensions; both modes; without autocast",
)
@given(
    st.booleans(),
    st.booleans(),
    st.lists(st.integers(1, 3), max_size=2),
    st.booleans(),
    st.booleans(),
)
def test_what_a_linear_layer_keeps(weight, data, shape, bias, training):
    layer = nn.Linear(4, 4, bias=bias).train(training)
    layer.weight.requires_grad_(weight)
    x = torch.rand(*shape, 1, 4, requires_grad=data)
    blocks = {tensor.data_ptr() for tensor in kept(layer, x)}
    assert (x.data_ptr() in blocks) is weight
    assert (layer.weight.data_ptr() in blocks) is data


KEEP = {
    "Linear": (lambda: nn.Linear(4, 4), (8, 4), True),
    "Conv2d": (lambda: nn.Conv2d(4, 4, 3), (8, 4, 5, 5), True),
    "LayerNorm": (lambda: nn.LayerNorm(4), (8, 4), True),
    "Dropout": (lambda: nn.Dropout(), (8, 4), False),
    "Dropout2d": (lambda: nn.Dropout2d(), (8, 4, 3, 3), False),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8), (8, 4, 4), False),
}
"""Modules, the shape of an input, and whether they keep as much in evaluation mode."""


@attacks(
    "freezing/five-ways#kept",
    zh="Dropout、Dropout2d 和一个里面有它们的层",
    en="Dropout, Dropout2d and a layer that contains some",
)
@pytest.mark.parametrize("name", KEEP)
def test_what_is_kept_in_evaluation_mode(name):
    make, shape, same = KEEP[name]
    module, x = make(), torch.rand(shape, requires_grad=True)
    training = len(kept(module.train(), x))
    evaluation = len(kept(module.eval(), x))
    assert evaluation == training if same else evaluation < training


@attacks(
    "freezing/five-ways#kept",
    zh="CPU 上的 autocast，bfloat16 和 float16",
    en="autocast on a CPU with bfloat16 and float16",
)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_autocast_keeps_a_copy_of_the_weight(dtype):
    layer, x = nn.Linear(64, 64), torch.rand(1, 64, requires_grad=True)

    def own_weight() -> bool:
        weights = [tensor for tensor in kept(layer, x) if tensor.numel() == layer.weight.numel()]
        return bool(weights) and all(w.data_ptr() == layer.weight.data_ptr() for w in weights)

    assert own_weight()
    with torch.autocast("cpu", dtype=dtype):
        assert not own_weight()
        assert dtype in {tensor.dtype for tensor in kept(layer, x) if tensor.numel() > 64}


# inference

HARMLESS = {
    "add": lambda y, x: y + x,
    "subtract": lambda y, x: x - y,
    "cat": lambda y, x: torch.cat([y, x])[:2],
    "stack": lambda y, x: torch.stack([x, y])[1],
    "add scaled": lambda y, x: torch.add(y, x, alpha=2),
}
SAVING = {
    "multiply": lambda y, x: y * x,
    "divide": lambda y, x: y / x,
    "matmul": lambda y, x: y @ x,
    "linear": F.linear,
    "mse_loss": F.mse_loss,
    "pow": lambda y, x: y.abs() ** x,
    "conv1d": lambda y, x: F.conv1d(x[None], y[..., None]),
    "lerp": lambda y, x: torch.lerp(y, y * 2, x),
}


@attacks(
    "freezing/inference#inference",
    "freezing/inference#see",
    zh="8 种会保存和 5 种不保存的运算，连起来用；视图；float32 和 float64",
    en="8 operations that save and 5 that don't, chained; views; float32 and float64",
)
@given(
    st.lists(st.sampled_from(list(HARMLESS)), max_size=3),
    st.sampled_from(list(SAVING)),
    st.sampled_from((torch.float32, torch.float64)),
    st.sampled_from(list(VIEWS)),
)
def test_the_first_operation_that_must_save_an_inference_tensor_raises(
    harmless, saving, dtype, view
):
    outside = torch.full((2, 2), 3.0, dtype=dtype)
    with torch.inference_mode():
        x = outside + 0
        alias = VIEWS[view](outside.flatten()[:2])
    assert x.is_inference() and not alias.is_inference()
    w = torch.ones(2, 2, dtype=dtype, requires_grad=True)
    y = w
    for name in harmless:
        y = HARMLESS[name](y, x)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        SAVING[saving](y, x)
    SAVING[saving](y, x.clone()).sum().backward()
    assert w.grad is not None
    (alias * torch.ones((), dtype=dtype, requires_grad=True)).sum().backward()


IN_PLACE = {
    **EDITS,
    "add_": lambda x: x.add_(1),
    "neg_": lambda x: x.neg_(),
    "masked_fill_": lambda x: x.masked_fill_(x == 1, 7),
    "index_add_": lambda x: x.index_add_(0, torch.tensor([0]), torch.ones_like(x[:1])),
    "a part": lambda x: x[:1].mul_(7),
}


@attacks(
    "freezing/inference#in-place",
    zh="11 种原地的写法；五种 dtype；有无 no_grad；五种 dtype 的张量没有版本计数器；11 种原地写法都报错",
    en="11 ways to write in place; five dtypes; with and without no_grad; tensors of five dtypes have no version counter; 11 in-place ways raise",
)
@given(
    st.sampled_from(list(IN_PLACE)),
    st.sampled_from(DTYPES),
    st.sampled_from([torch.enable_grad, torch.no_grad]),
)
def test_an_in_place_change_outside_raises_when_the_value_is_written(name, dtype, mode):
    with torch.inference_mode():
        x = torch.ones(3, dtype=dtype)
    with mode(), pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        IN_PLACE[name](x)
    written = x.tolist()
    assert written != [1, 1, 1]
    with pytest.raises(RuntimeError, match="do not track version counter"):
        x._version  # noqa: B018
    with torch.inference_mode():
        x.add_(1)
    assert x.tolist() == [value + 1 for value in written]


# memory, middle


def chain(frozen: list[bool], activation: type[nn.Module]) -> tuple[nn.Sequential, list]:
    """Linear layers with an activation between them, and their weights."""
    layers = [nn.Linear(4, 4, bias=False) for _ in frozen]
    for layer, stays in zip(layers, frozen, strict=True):
        layer.requires_grad_(not stays)
    between = [module for layer in layers for module in (activation(), layer)][1:]
    return nn.Sequential(*between), [layer.weight for layer in layers]


def cost(frozen: list[bool], activation: type[nn.Module]) -> tuple[int, int, int]:
    """Blocks kept besides the weights, products in the backward pass, and nodes of products."""
    model, weights = chain(frozen, activation)
    own = {weight.data_ptr() for weight in weights}
    x = torch.rand(2, 4)
    blocks = {tensor.data_ptr() for tensor in kept(model, x)} - own
    loss = model(x).sum()
    nodes = nodes_behind(loss)
    with FlopCounterMode(display=False) as counter:
        loss.backward()
    products = counter.get_total_flops() // (2 * 2 * 4 * 4)
    return len(blocks), products, sum(node.name() == "MmBackward0" for node in nodes)


@attacks(
    "freezing/memory#linear-only",
    "freezing/memory#with-relu",
    "freezing/middle#engine-stops",
    zh="2 到 5 个没有偏置的线性层，任意几个冻结；中间是 ReLU 或什么也没有",
    en="2 to 5 linear layers without bias, any of them frozen; with ReLU or nothing between",
)
@given(
    st.lists(st.booleans(), min_size=2, max_size=5).filter(lambda frozen: not all(frozen)),
    st.sampled_from([nn.Identity, nn.ReLU]),
)
def test_what_frozen_layers_save(frozen, activation):
    blocks, products, nodes = cost(frozen, activation)
    before = [not all(frozen[:i]) for i in range(len(frozen))]
    trained = [not stays for stays in frozen]
    relu = activation is nn.ReLU
    assert blocks == sum(own or (relu and b) for own, b in zip(trained, before, strict=True))
    assert products == sum(trained) + sum(before)
    assert nodes == len(frozen) - trained.index(True)


@attacks(
    "freezing/memory#memory",
    zh="2 到 5 个线性层连着，中间是 ReLU、GELU、Tanh 或 SiLU",
    en="2 to 5 linear layers in a row with ReLU, GELU, Tanh or SiLU between",
)
@given(
    st.integers(2, 5),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from([nn.ReLU, nn.GELU, nn.Tanh, nn.SiLU]),
)
def test_freezing_the_first_of_equal_layers_saves_the_most(count, some, first, activation):
    some = min(some, count - 1)
    first = min(first, count - some)
    saved = cost([i < some for i in range(count)], activation)
    later = cost([first <= i < first + some for i in range(count)], activation)
    assert saved[0] < later[0] and saved[1] < later[1]


KEEP_THEIR_OWN = {
    **{
        name: (getattr(nn, name), (3, 4))
        for name in nn.modules.activation.__all__
        if name not in ("Threshold", "MultiheadAttention", "Softmin", "Softmax", "Softmax2d")
        if name not in ("LogSoftmax",)
    },
    "Softmax": (lambda: nn.Softmax(1), (3, 4)),
    "LogSoftmax": (lambda: nn.LogSoftmax(1), (3, 4)),
    **{name: made for name, made in MODULES.items() if "Norm" in name},
    "attention": (lambda: nn.TransformerEncoderLayer(4, 2, 8), (3, 2, 4)),
}


@attacks(
    "freezing/memory#with-relu",
    zh="32 种激活函数、归一化和注意力，都冻结；有无检查点",
    en="32 activation functions, normalizations and attention, frozen; with and without a checkpoint",
)
@pytest.mark.parametrize("name", KEEP_THEIR_OWN)
def test_frozen_modules_keep_tensors_for_what_is_trained_before_them(name):
    make, shape = KEEP_THEIR_OWN[name]
    module = make().requires_grad_(False)
    x = torch.rand(shape, requires_grad=True)
    assert kept(module, x)
    assert not kept(module, x.detach())
    again = kept(lambda x: checkpoint(module, x, use_reentrant=False), x)
    assert [tensor.data_ptr() for tensor in again] == [x.data_ptr()], "its input alone"


@attacks(
    "freezing/memory#where-it-stops",
    zh="torch.nn 的 14 种模块；两种模式",
    en="14 kinds of modules of torch.nn; both modes",
)
@pytest.mark.filterwarnings("ignore:None of the inputs")
@given(st.sampled_from(list(MODULES)), st.booleans())
def test_a_reentrant_checkpoint_behind_frozen_layers_trains_nothing(name, training):
    make, shape = MODULES[name]
    module, head = make().train(training), torch.ones((), requires_grad=True)
    code = (torch.rand(shape) * 2).requires_grad_(False)

    def run(x):
        return output(module, x)

    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        (head * checkpoint(run, code, use_reentrant=True)).sum().backward()
    assert head.grad is not None
    assert all(p.grad is None for p in module.parameters())
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed"):
        assert not checkpoint(run, code).requires_grad
    (head * checkpoint(run, code, use_reentrant=False)).sum().backward()
    assert all(p.grad is not None for p in module.parameters())


@attacks(
    "freezing/only-some#where-it-stops",
    zh="torch.nn 的 14 种模块",
    en="14 kinds of modules of torch.nn",
)
@given(st.sampled_from(list(MODULES)))
def test_inputs_and_a_reentrant_checkpoint(name):
    make, shape = MODULES[name]
    module, w = make(), torch.ones(shape, requires_grad=True)
    result = checkpoint(lambda x: output(module, x), w * 2, use_reentrant=True)
    result.sum().backward(inputs=list(module.parameters()), retain_graph=True)
    assert all(p.grad is None for p in module.parameters())
    with pytest.raises(RuntimeError, match="use_reentrant=True"):
        result.sum().backward(inputs=[w])


# only-some


@attacks(
    "freezing/only-some#only-some",
    zh="四个参数中的任意几个，之前有无梯度；单进程，没有可重入的检查点",
    en="any of four parameters, with and without a gradient before; one process, no reentrant checkpoint",
)
@attacks(
    "freezing/only-some#where-it-stops",
    zh="四个参数中的任意几个，之前有无梯度",
    en="any of four parameters, with and without a gradient before",
)
@given(st.sets(st.integers(0, 3), min_size=1), st.sets(st.integers(0, 3)), st.booleans())
def test_a_backward_pass_with_inputs_touches_no_other(listed, had_one, through_grad):
    params = [torch.tensor(float(i + 2), requires_grad=True) for i in range(4)]
    for i in had_one:
        params[i].grad = torch.tensor(1.0)
    loss = (params[0] * params[1] + params[2]) * params[3]
    derivatives = [p.item() for p in torch.autograd.grad(loss, params, retain_graph=True)]
    assert [p.grad is not None for p in params] == [i in had_one for i in range(4)]
    fired = []
    for i, p in enumerate(params):
        p.register_post_accumulate_grad_hook(lambda _, i=i: fired.append(i))
    loss.backward(inputs=[params[i] for i in listed])
    assert set(fired) == listed
    for i, p in enumerate(params):
        expected = (i in had_one) + (derivatives[i] if i in listed else 0)
        assert (p.grad is None and not expected) or p.grad.item() == expected


@attacks(
    "freezing/only-some#four-ways",
    zh="六种视图和八种运算，冻结之前和之后；四个参数中的任意几个，带 detach() 的链",
    en="six kinds of views and eight operations, before and after freezing; the other two: any of four parameters, chains with detach()",
)
@given(st.sampled_from(list(VIEWS)), st.sampled_from(list(CHANGED)), st.booleans())
def test_freezing_a_parameter_holds_for_its_earlier_uses_too(view, operation, again):
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    seen, result = VIEWS[view](w), CHANGED[operation][0](w)
    w.requires_grad_(False)
    later = CHANGED[operation][0](w)
    assert not later.requires_grad
    (seen.sum() * result.sum() + later.sum()).backward()
    assert w.grad is None
    w.requires_grad_(again)
    (w * torch.ones(2, requires_grad=True)).sum().backward()
    assert (w.grad is not None) is again


@attacks(
    "freezing/only-some#two-players",
    zh="两个 SGD，整数的乘积和平方，一到三轮",
    en="two SGD, products and squares of integers, one to three rounds",
)
@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(1, 3))
def test_clearing_before_each_backward_pass_keeps_two_losses_apart(a, c, rounds):
    actor, critic = (torch.tensor(float(value), requires_grad=True) for value in (a, c))
    optimizers = [optim.SGD([actor], lr=0.5), optim.SGD([critic], lr=0.5)]
    for _ in range(rounds):
        optimizers[0].zero_grad()
        (actor * critic).backward()
        assert actor.grad == critic
        optimizers[0].step()
        optimizers[1].zero_grad()
        ((critic - 5) ** 2).backward()
        assert critic.grad == 2 * (critic - 5)
        optimizers[1].step()


@attacks(
    "freezing/only-some#four-ways",
    zh="SGD，一到四步，梯度从 0.1 到 10",
    en="SGD, one to four steps, gradients from 0.1 to 10",
)
@given(st.floats(0.1, 10), st.floats(0.1, 10), st.integers(1, 4))
def test_clipping_counts_the_gradients_that_the_optimizer_does_not_hold(own, other, rounds):
    v, w = (torch.zeros((), requires_grad=True) for _ in range(2))
    optimizer, clipped = optim.SGD([v], lr=0.1), []
    for _ in range(rounds):
        for params in ([v], [v, w]):
            optimizer.zero_grad()
            (own * v + other * w).backward()
            clip_grad_norm_(params, max_norm=0.05)
            clipped.append(v.grad.item())
    assert all(alone > both for alone, both in zip(clipped[::2], clipped[1::2], strict=True))
    assert clipped[::2] == pytest.approx([0.05] * rounds, rel=1e-3)
