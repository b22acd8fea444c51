"""What the pages of freezing say in general."""

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils import clip_grad_norm_, parametrizations
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from claims.cases import DTYPES, MODULES, output
from claims.graph import nodes_behind
from claims.optimizers import OPTIMIZERS, made, step, switches
from claims.ranks import on_two_ranks

pytestmark = pytest.mark.upgrade


def kept(module: nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    """What the forward pass of a module keeps for the backward pass, each tensor once."""
    tensors = {}

    def keep(tensor):
        tensors[id(tensor)] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        module(x)
    return list(tensors.values())


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
    "freezing/computed-weight#where-it-stops",
    zh="四种层上的 weight_norm、spectral_norm 和 orthogonal；两种模式",
    en="weight_norm, spectral_norm and orthogonal on four kinds of layers; both modes",
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
    zh="0 到 4 维的张量，包括空的；五种 dtype，五种布局，叶子和运算结果；六种写法",
    en="tensors of 0 to 4 dimensions, empty ones too; five dtypes, five layouts, leaves and results; six ways to write",
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
    "freezing/detach#which-end", zh="六种视图；五种 dtype", en="six kinds of views; five dtypes"
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
    "freezing/detach#still-a-parameter", zh="最多六个运算的链", en="chains of up to six operations"
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
    "freezing/encoder#eval-too",
    "freezing/review#remember",
    "freezing/computed-weight#where-it-stops",
    zh="11 种训练时行为不同的模块，包括 spectral_norm 和 RReLU",
    en="11 modules that differ in training, spectral_norm and RReLU among them",
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
    "freezing/encoder#eval-too",
    zh="torch.nn 的 14 种模块，嵌套着",
    en="14 kinds of modules of torch.nn, nested",
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


CHOICES = [
    (kind, switch)
    for kind in OPTIMIZERS
    if kind is not optim.LBFGS
    for switch in ("", *sorted(switches(kind)))
]


@attacks(
    "freezing/encoder#where-it-stops",
    "freezing/memory#work",
    "freezing/still-moves#still-moves",
    "freezing/still-moves#one-more-step",
    "freezing/still-moves#where-it-stops",
    "freezing/review#remember",
    zh="torch.optim 除 LBFGS 以外的所有优化器；普通、foreach、fused、权重衰减、动量、amsgrad；冻结，或把旧值写回去",
    en="all of torch.optim but LBFGS; plain, foreach, fused, weight decay, momentum, amsgrad; frozen, or old values written back",
)
@pytest.mark.parametrize(("kind", "switch"), CHOICES)
def test_an_optimizer_skips_none_and_does_not_read_requires_grad(kind, switch):
    trained, flagless, cleared, restored = (torch.ones(2, 2, requires_grad=True) for _ in range(4))
    never = torch.ones(2, 2)
    optimizer = made(kind, [trained, flagless, cleared, restored, never], switch)
    for _ in range(2):
        step(optimizer, *torch.ones(4, 2, 2))
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
    if kind in (optim.Adam, optim.AdamW):
        assert trained in optimizer.state and never not in optimizer.state


@attacks(
    "freezing/encoder#unfreeze",
    zh="torch.optim 除 LBFGS 以外的所有优化器；普通、foreach、fused、权重衰减、动量、amsgrad",
    en="all of torch.optim but LBFGS; plain, foreach, fused, weight decay, momentum, amsgrad",
)
@given(st.sampled_from(CHOICES))
def test_an_optimizer_moves_what_it_was_given(choice):
    known, late, other = (torch.ones(2, 2, requires_grad=True) for _ in range(3))
    late.requires_grad_(False)
    kind, switch = choice
    everything, trainable = made(kind, [known, late], switch), made(kind, [other], switch)
    gradient = torch.ones(2, 2)
    step(everything, gradient)
    assert torch.equal(late, gradient)
    late.requires_grad_(True)
    late.grad = gradient
    step(trainable, gradient)
    assert torch.equal(late, gradient), "it doesn't know it"
    trainable.add_param_group({"params": [late], "lr": 0.05})
    assert [group["lr"] for group in trainable.param_groups] == [0.1, 0.05]
    for optimizer in (trainable, everything):
        before = late.detach().clone()
        step(optimizer, None, gradient)
        assert not torch.equal(late, before)


@attacks(
    "freezing/encoder#unfreeze",
    "modules/built-too-early#why",
    zh="LambdaLR 和 OneCycleLR；SGD、Adam、AdamW、RMSprop；已走 0 到 3 步",
    en="LambdaLR and OneCycleLR; SGD, Adam, AdamW, RMSprop; after 0 to 3 steps",
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
    zh="torch.compile，后端 eager 和 aot_eager，在 CPU 上",
    en="torch.compile with the backends eager and aot_eager, on a CPU",
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


def two_layers() -> nn.Sequential:
    """The second passes the sum of its inputs on: d loss / d weight = 2 * input, or 2 * code."""
    model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
    nn.init.ones_(model[0].weight)
    nn.init.ones_(model[1].weight)
    return model


def passed(model: nn.Module, rank: int, inputs=None) -> list[float | None]:
    """The gradients after a pass with the input 2 in rank 0 and 6 in rank 1."""
    model.zero_grad()
    model(torch.tensor([[(2.0, 6.0)[rank]]])).sum().backward(inputs=inputs)
    return [None if p.grad is None else p.grad.item() for p in model.parameters()]


@attacks(
    "freezing/encoder#where-it-stops",
    "freezing/only-some#where-it-stops",
    "basics/leaf#ask-for-one",
    zh="gloo 的两个进程；两层，冻结和解冻，backward(inputs=) 和 torch.autograd.grad，前后两遍",
    en="two gloo ranks; two layers, frozen and unfrozen, backward(inputs=) and torch.autograd.grad, two passes",
)
@on_two_ranks
def test_freezing_with_two_processes(rank):
    """The mean of 2 and 6 is right: 4. It takes DDP around the model anew to freeze or unfreeze."""
    own, unfinished = (2, 6)[rank], "Expected to have finished reduction"
    model = two_layers()
    model[0].requires_grad_(False)
    ddp = DDP(model)
    passed(ddp, rank)
    model[0].requires_grad_(True)
    assert [passed(ddp, rank) for _ in range(2)] == [[own, 4]] * 2
    ddp = DDP(model)
    assert [passed(ddp, rank) for _ in range(2)] == [[4, 4]] * 2
    model[0].requires_grad_(False)
    assert passed(ddp, rank) == [None, own]
    with pytest.raises(RuntimeError, match=unfinished):
        passed(ddp, rank)
    ddp = DDP(model)
    assert [passed(ddp, rank) for _ in range(2)] == [[None, 4]] * 2
    ddp = DDP(model.requires_grad_(True))
    assert [passed(ddp, rank, list(model.parameters())) for _ in range(2)] == [[4, 4]] * 2
    assert passed(ddp, rank, [model[1].weight]) == [None, own]
    with pytest.raises(RuntimeError, match=unfinished):
        passed(ddp, rank)
    ddp = DDP(two_layers())
    for _ in range(2):
        loss = ddp(torch.tensor([[float(own)]])).sum()
        assert torch.autograd.grad(loss, list(ddp.parameters())) == (own, own)


@attacks(
    "freezing/eval-or-no-grad#eval-or-no-grad",
    "freezing/eval-or-no-grad#four",
    "freezing/eval-or-no-grad#eval-is-not-frozen",
    "freezing/five-ways#table",
    "freezing/review#remember",
    zh="几种动量的 BatchNorm 和几种概率的 Dropout；no_grad 和 inference_mode",
    en="BatchNorm and Dropout with several momenta and probabilities; no_grad and inference_mode",
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
    "freezing/five-ways#where-it-stops",
    "freezing/middle#middle",
    "freezing/review#remember",
    zh="torch.nn 的 14 种模块，两种模式；eval、冻结、detach 和 no_grad",
    en="14 kinds of modules of torch.nn, both modes; eval, frozen, detach and no_grad",
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
    zh="九种原地的层和别的会把输入原样返回的层",
    en="nine in-place layers and others that return their input",
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
    zh="Linear，有无偏置；输入 2 到 4 维；两种模式",
    en="Linear with and without bias; inputs with 2 to 4 dimensions; both modes",
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


@attacks(
    "freezing/five-ways#kept",
    zh="三种层、Dropout、Dropout2d 和一个里面有它们的层，两种模式",
    en="three layers, Dropout, Dropout2d and a layer that contains some, both modes",
)
@pytest.mark.parametrize("same", ["Linear", "Conv2d", "LayerNorm"])
@pytest.mark.parametrize("fewer", ["Dropout", "Dropout2d", "TransformerEncoderLayer"])
def test_what_is_kept_in_evaluation_mode(same, fewer):
    def count(name: str, training: bool) -> int:
        make, shape = (MODULES | GO_ON)[name]
        return len(kept(make().train(training), torch.rand(shape, requires_grad=True)))

    assert count(same, False) == count(same, True)
    assert count(fewer, False) < count(fewer, True)


@attacks("freezing/five-ways#kept", zh="CPU 上的 autocast", en="autocast on a CPU")
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
    zh="8 种会保存和 5 种不保存的运算，连起来用；视图",
    en="8 operations that save and 5 that don't, chained; views",
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
    zh="11 种原地的写法；五种 dtype；有无 no_grad",
    en="11 ways to write in place; five dtypes; with and without no_grad",
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


def cost(frozen: list[bool], activation: type[nn.Module]) -> tuple[int, int, int]:
    """Of linear layers with an activation between them: blocks kept besides the weights, products
    in the backward pass, and nodes of products."""
    layers = [nn.Linear(4, 4, bias=False).requires_grad_(not stays) for stays in frozen]
    model = nn.Sequential(*[module for layer in layers for module in (activation(), layer)][1:])
    own = {layer.weight.data_ptr() for layer in layers}
    x = torch.rand(2, 4)
    blocks = {tensor.data_ptr() for tensor in kept(model, x)} - own
    loss = model(x).sum()
    nodes = sum(node.name() == "MmBackward0" for node in nodes_behind(loss))
    with FlopCounterMode(display=False) as counter:
        loss.backward()
    return len(blocks), counter.get_total_flops() // (2 * 2 * 4 * 4), nodes


@attacks(
    "freezing/memory#memory",
    "freezing/memory#linear-only",
    "freezing/memory#with-relu",
    "freezing/middle#engine-stops",
    zh="2 到 5 个没有偏置的线性层，任意几个冻结；中间是 ReLU、GELU、Tanh、SiLU 或什么也没有",
    en="2 to 5 linear layers without bias, any of them frozen; with ReLU, GELU, Tanh, SiLU or nothing between",
)
@given(
    st.lists(st.booleans(), min_size=2, max_size=5).filter(lambda frozen: not all(frozen)),
    st.sampled_from([nn.Identity, nn.ReLU, nn.GELU, nn.Tanh, nn.SiLU]),
)
def test_what_frozen_layers_save(frozen, activation):
    """The first save the most: a layer behind a trained one passes the gradient on."""
    blocks, products, nodes = cost(frozen, activation)
    behind = [not all(frozen[:i]) for i in range(len(frozen))]
    trained = [not stays for stays in frozen]
    if activation in (nn.ReLU, nn.Tanh):  # they save what the next layer saves
        assert blocks == sum(own or b for own, b in zip(trained, behind, strict=True))
    else:
        assert blocks == sum(trained) + (sum(behind) if activation is not nn.Identity else 0)
    assert products == sum(trained) + sum(behind)
    assert nodes == len(frozen) - trained.index(True)


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
    zh="32 种冻结的激活函数、归一化和注意力；有无检查点",
    en="32 frozen activations, normalizations and attention; with and without a checkpoint",
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
    "freezing/only-some#where-it-stops",
    zh="检查点里 torch.nn 的 14 种模块，两种模式",
    en="14 kinds of modules of torch.nn in a checkpoint, both modes",
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
    module.zero_grad()
    w = torch.ones(shape, requires_grad=True)
    result = checkpoint(run, w * 2, use_reentrant=True).sum()
    result.backward(inputs=list(module.parameters()), retain_graph=True)
    assert all(p.grad is None for p in module.parameters())
    with pytest.raises(RuntimeError, match="use_reentrant=True"):
        result.backward(inputs=[w])


@attacks(
    "freezing/only-some#only-some",
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
    zh="六种视图和六种运算，冻结之前和之后",
    en="six kinds of views and six operations, before and after freezing",
)
@given(st.sampled_from(list(VIEWS)), st.sampled_from(list(PATHS)), st.booleans())
def test_freezing_a_parameter_holds_for_its_earlier_uses_too(view, operation, again):
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    seen, result = VIEWS[view](w), PATHS[operation](w)
    w.requires_grad_(False)
    later = PATHS[operation](w)
    assert not later.requires_grad
    (seen.sum() * result.sum() + later.sum()).backward()
    assert w.grad is None
    w.requires_grad_(again)
    (w * torch.ones(2, requires_grad=True)).sum().backward()
    assert (w.grad is not None) is again


@attacks("freezing/only-some#four-ways", zh="SGD，一到四步", en="SGD, one to four steps")
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


@attacks(
    "freezing/only-some#two-players", zh="两个 SGD，一到三轮", en="two SGD, one to three rounds"
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
    "freezing/still-moves#lbfgs",
    zh="有无线搜索，两种损失",
    en="with and without a line search, two losses",
)
@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize("coupled", [0.0, 1.0])
def test_lbfgs_moves_a_frozen_parameter_whose_gradient_is_none(search, coupled):
    def closure():
        for p in (w, v):
            p.grad = None
        loss = 3 * w + v**2 + coupled * w * v
        loss.backward()
        return loss

    for again in (False, True):
        w, v = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
        optimizer = optim.LBFGS([w, v], max_iter=1, line_search_fn=search)
        optimizer.step(closure)
        w.requires_grad_(False)
        if again:
            optimizer = optim.LBFGS([v], max_iter=1, line_search_fn=search)
        before = w.item()
        optimizer.step(closure)
        assert w.grad is None
        assert (w.item() == before) is again
