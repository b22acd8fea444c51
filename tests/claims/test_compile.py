"""What the pages of compile say in general."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch._dynamo.utils import counters

pytestmark = pytest.mark.upgrade


class Prints(nn.Linear):
    """Breaks the graph."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print(end="")
        return super().forward(x)


CHILDREN = {
    "Linear": lambda: nn.Linear(3, 3),
    "LayerNorm": lambda: nn.LayerNorm(3),
    "Conv1d": lambda: nn.Conv1d(2, 2, 1),
}
BACKENDS = st.sampled_from(["eager", "aot_eager"])
MODULE_HOOKS = ("forward_pre_hook", "forward_hook", "full_backward_pre_hook", "full_backward_hook")
few = settings(max_examples=16)


class Net(nn.Module):
    def __init__(self, child: str) -> None:
        super().__init__()
        self.child = CHILDREN[child]()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.child(x).tanh() * 2


class Pair(Net):
    def __init__(self, child: str) -> None:
        super().__init__(child)
        self.other = CHILDREN[child]()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.child(x).tanh() * 2, self.other(x).sin()


@attacks(
    "compile/added-later#why",
    zh="四种模块钩子、张量钩子和梯度累积后钩子；子模块是 Linear、LayerNorm、Conv1d，原来没有钩子或有别种前向钩子",
    en="four kinds of module hooks, tensor and post-accumulate hooks; a child Linear, LayerNorm or Conv1d with no hook yet or a forward hook of another kind",
)
@few
@given(
    backend=BACKENDS,
    child=st.sampled_from([*CHILDREN, "Prints"]),
    kind=st.sampled_from([*MODULE_HOOKS, "hook", "post_accumulate_grad_hook"]),
    other=st.sampled_from([None, "forward_pre_hook", "forward_hook"]),
    needs=st.booleans(),
    calls=st.integers(1, 3),
)
@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_a_late_module_hook_is_silent_until_compiled_again(
    backend, child, kind, other, needs, calls
):
    """Until reset; a hook on a parameter fires in each backward pass, and one on a layer that
    breaks the graph and so isn't compiled in."""
    torch.compiler.reset()
    breaks = child == "Prints"
    net = Net("Linear" if breaks else child)
    if breaks:
        net.child = Prints(3, 3)
    if other not in (None, kind):
        getattr(net.child, f"register_{other}")(lambda *args: None)
    compiled = torch.compile(net, backend=backend)
    x = torch.ones(2, 2, 3, requires_grad=needs)
    counters.clear()
    compiled(x).sum().backward()
    assert breaks or counters["stats"]["unique_graphs"] == 1
    fired = []
    of_parameter = kind in ("hook", "post_accumulate_grad_hook")
    place = net.child.weight if of_parameter else net.child
    getattr(place, f"register_{kind}")(lambda *args: fired.append(1))
    for _ in range(calls):
        compiled(x).sum().backward()
    assert len(fired) == (calls if of_parameter or breaks else 0)
    fired.clear()
    torch.compiler.reset()
    compiled(x).sum().backward()
    assert len(fired) == 1


@attacks(
    "compile/check#compare",
    zh="Linear、LayerNorm、Conv1d；没有钩子、翻倍的前向钩子或完整反向钩子；一个或两个输出；float32 和 float64；后端 eager 和 aot_eager",
    en="Linear, LayerNorm, Conv1d; no hook, or a forward or full backward hook that doubles; one or two outputs; float32 and float64; the backends eager and aot_eager",
)
@few
@given(
    backend=BACKENDS,
    child=st.sampled_from(list(CHILDREN)),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    hook=st.sampled_from(["none", "forward", "full backward"]),
    outputs=st.integers(1, 2),
    training=st.booleans(),
    calls=st.integers(1, 3),
    seed=st.integers(0, 1000),
)
def test_compiled_gradients_are_the_same(
    backend, child, dtype, hook, outputs, training, calls, seed
):
    """The same hooks before the first call, the same input, all outputs used."""
    torch.compiler.reset()
    torch.manual_seed(seed)
    net = (Net(child) if outputs == 1 else Pair(child)).to(dtype).train(training)
    if hook == "forward":
        net.child.register_forward_hook(lambda module, args, output: output * 2)
    if hook == "full backward":
        net.child.register_full_backward_hook(
            lambda module, grads, _: tuple(g if g is None else 2 * g for g in grads)
        )
    compiled = torch.compile(net, backend=backend)
    for _ in range(calls):
        x = torch.randn(2, 2, 3, dtype=dtype)
        found = []
        for model in (net, compiled):
            net.zero_grad()
            inputs = x.clone().requires_grad_()
            found_outputs = model(inputs)
            if outputs == 1:
                found_outputs = (found_outputs,)
            sum(y.pow(2).sum() for y in found_outputs).backward()
            found.append([inputs.grad, *(p.grad.clone() for p in net.parameters())])
        torch.testing.assert_close(found[1], found[0])


@attacks(
    "compile/check#compare",
    zh="两层各有一个输出，损失漏掉其中一个；Linear、LayerNorm、Conv1d；带权重衰减的 AdamW；后端 eager 和 aot_eager",
    en="two layers with an output each, one of which the loss leaves out; Linear, LayerNorm, Conv1d; AdamW with weight decay; backends eager and aot_eager",
)
@pytest.mark.parametrize("child", list(CHILDREN))
@pytest.mark.parametrize("left_out", [0, 1])
@pytest.mark.parametrize("backend", [None, "eager", "aot_eager"])
def test_an_output_left_out_gives_zeros_or_none(child, left_out, backend):
    """None and the backend eager, 0 with aot_eager; weight decay moves the latter."""
    torch.compiler.reset()
    net, zeros = Pair(child), backend == "aot_eager"
    model = torch.compile(net, backend=backend) if backend else net
    layer = (net.child, net.other)[left_out]
    for p in layer.parameters():
        nn.init.ones_(p)
    model(torch.ones(2, 2, 3))[1 - left_out].sum().backward()
    torch.optim.AdamW(net.parameters(), lr=0.1, weight_decay=0.1).step()
    for p in layer.parameters():
        assert not p.grad.any() if zeros else p.grad is None
        assert p.eq(1).all() != zeros


@attacks(
    "compile/check#inductor",
    zh="bfloat16 和 float16；两到四个乘积；dropout；两项设置开或不开",
    en="bfloat16 and float16; two to four products; dropout; the two settings on and off",
)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("products", [2, 4])
@pytest.mark.parametrize("as_eager", [False, True])
def test_the_default_backend_rounds_once_and_draws_its_own_numbers(dtype, products, as_eager):
    """Unless it is told to do as eager code does."""
    torch.compiler.reset()
    quick = {"compile_threads": 1, "cpp_cache_precompile_headers": False, "cpp.vec_isa_ok": False}
    names = ("emulate_precision_casts", "fallback_random")

    def function(w):
        for _ in range(products):
            w = w * 1.01
        return torch.dropout(w, 0.5, True)

    def gradient(call):
        torch.manual_seed(0)
        w = torch.ones(64, dtype=dtype, requires_grad=True)
        call(w).sum().backward()
        return w.grad

    eager = gradient(function)
    with torch._inductor.config.patch(quick | dict.fromkeys(names, as_eager)):
        found = gradient(torch.compile(function))
    assert torch.equal(found, eager) == as_eager
    if not as_eager:
        assert not torch.equal(found == 0, eager == 0)
        rounded_once = torch.tensor(2 * 1.01**products).to(dtype)
        assert set(found.tolist()) == {0.0, rounded_once.item()}


STEPS = {"product": lambda w: w * 3, "exp": torch.exp, "tanh": torch.tanh}


@attacks(
    "compile/check#tensor-hook",
    "basics/leaf#ask-for-one",
    zh="aot_eager；乘积、指数或 tanh；一到四个元素；外面乘上 -4 到 4；图断开或不断开",
    en="aot_eager; a product, an exponential or a tanh; one to four elements; factors outside from -4 to 4; with and without a break in the graph",
)
@few
@given(
    step=st.sampled_from(list(STEPS)),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    size=st.integers(1, 4),
    factor=st.integers(-4, 4),
    broken=st.booleans(),
)
def test_a_hook_outside_sees_only_the_part_from_outside(step, dtype, size, factor, broken):
    """The whole, if the graph breaks after y; the gradient of w is whole."""
    torch.compiler.reset()

    def function(w):
        y = STEPS[step](w)
        if broken:
            print(end="")
        return y, y.pow(2).sum()

    grads = []
    for call in (function, torch.compile(function, backend="aot_eager")):
        w = torch.linspace(0.1, 0.9, size, dtype=dtype).requires_grad_()
        y, loss = call(w)
        seen = []
        y.register_hook(seen.append)
        (loss + (factor * y).sum() if factor else loss).backward()
        grads.append(w.grad)
    torch.testing.assert_close(grads[1], grads[0])
    if broken:
        torch.testing.assert_close(seen[0], 2 * y.detach() + factor)
    elif factor:
        torch.testing.assert_close(seen[0], torch.full_like(w, factor))
    else:
        assert seen == [None]


MODES = {
    "training": torch.enable_grad,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
}


@attacks(
    "compile/check#grad-mode",
    zh="三种层，两种后端，三种模式下最多调用八次，第一次之前冻结或不冻结",
    en="three kinds of layers, two backends, up to eight calls in three modes, frozen or not before the first",
)
@few
@given(
    backend=BACKENDS,
    child=st.sampled_from(list(CHILDREN)),
    modes=st.lists(st.sampled_from(list(MODES)), min_size=1, max_size=8),
    frozen=st.booleans(),
)
def test_each_mode_is_compiled_once(backend, child, modes, frozen):
    """Calls that come again in a mode find what was compiled for it."""
    torch.compiler.reset()
    counters.clear()
    net = Net(child)
    next(net.parameters()).requires_grad_(not frozen)
    compiled = torch.compile(net, backend=backend)
    seen = set()
    for mode in modes:
        with MODES[mode]():
            out = compiled(torch.ones(2, 2, 3))
        if mode == "training":
            out.sum().backward()
        seen.add(mode)
        assert counters["stats"]["unique_graphs"] == len(seen)


@attacks(
    "compile/check#autocast",
    zh="float16 和 bfloat16；autocast 包在调用外面、关掉那项设置、在里面；后端 eager 和 aot_eager",
    en="float16 and bfloat16; autocast around the call, with the setting off, and inside; backends eager and aot_eager",
)
@few
@given(
    backend=BACKENDS,
    dtype=st.sampled_from([torch.float16, torch.bfloat16]),
    factor=st.sampled_from([3.0, 301.0, 1000.0]),
    w=st.sampled_from([0.7, 100.0, 333.0]),
    way=st.sampled_from(["around", "around, off", "inside"]),
)
def test_a_backward_pass_is_recorded_under_the_autocast_around_the_call(
    backend, dtype, factor, w, way
):
    """In half precision with aot_eager, although the forward pass has turned it off."""
    torch.compiler.reset()

    def loss(w):
        with torch.autocast("cpu", enabled=False):
            return factor * (w @ w).sum()

    def inside(w):
        with torch.autocast("cpu", dtype=dtype):
            return loss(w)

    def around(function, w):
        with torch.autocast("cpu", dtype=dtype):
            return function(w)

    def gradient(call):
        leaf = torch.tensor([[w]], requires_grad=True)
        call(leaf).backward()
        return leaf.grad

    right = gradient(lambda w: around(loss, w))
    compiled = torch.compile(inside if way == "inside" else loss, backend=backend)
    setting = "off" if way == "around, off" else "same_as_forward"
    with torch._functorch.config.patch(backward_pass_autocast=setting):
        found = gradient(compiled if way == "inside" else lambda w: around(compiled, w))
    if way == "around" and backend == "aot_eager":
        product = (torch.tensor(factor, dtype=dtype) * torch.tensor(w, dtype=dtype)).float()
        torch.testing.assert_close(found, (2 * product).reshape(1, 1), rtol=1e-6, atol=0)
    else:
        torch.testing.assert_close(found, right)


def function_of(formula, backward):
    """A Function that computes a formula and has a backward pass of its own."""

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return formula(x)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx, grad_y):
            return backward(ctx.saved_tensors[0], grad_y)

    return Own


OWN = {
    "rounded": (torch.round, lambda x, grad: grad),
    "reversed": (torch.clone, lambda x, grad: -grad),
    "clipped": (lambda x: 100 * x, lambda x, grad: (100 * grad).clamp(-2, 2)),
    "ten times": (torch.sin, lambda x, grad: 10 * grad * x.cos()),
}
"""What `forward` computes, and a `backward` that isn't its derivative."""


@attacks(
    "compile/what-is-refused#own-function",
    zh="四个 backward 不等于 forward 导数的 Function；传给它的是参数本身，或者一次运算的结果；后端 eager 和 aot_eager",
    en="four Functions whose backward isn't the derivative of forward; given the argument itself or the result of an operation; backends eager and aot_eager",
)
@few
@given(
    backend=BACKENDS,
    kind=st.sampled_from(list(OWN)),
    size=st.integers(1, 3),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    operation=st.sampled_from([None, torch.clone, torch.abs, lambda x: 1 * x]),
)
def test_func_grad_in_compiled_code_passes_over_the_backward_of_a_function(
    backend, kind, size, dtype, operation
):
    """It differentiates forward, unless an operation comes before; backward() does call it."""
    torch.compiler.reset()
    own = function_of(*OWN[kind])
    x = torch.linspace(0.7, 2.6, size, dtype=dtype)

    def energy(x):
        return own.apply(operation(x) if operation else x).square().sum()

    def of_forward(x):
        return OWN[kind][0](x).square().sum()

    def after_backward(call):
        leaf = x.clone().requires_grad_()
        call(leaf).backward()
        return leaf.grad

    eager = after_backward(energy)
    torch.testing.assert_close(after_backward(torch.compile(energy, backend=backend)), eager)
    torch.testing.assert_close(torch.func.grad(energy)(x), eager)
    inner = torch.compile(lambda x: torch.func.grad(energy)(x), backend=backend)(x)
    expected = eager if operation else after_backward(of_forward)
    torch.testing.assert_close(inner, expected)
    assert torch.allclose(inner, eager) == bool(operation)


@attacks(
    "compile/what-is-refused#retain-graph",
    zh="Linear、LayerNorm、Conv1d；后端 eager 和 aot_eager；设置开或关；两次或一次 backward()",
    en="Linear, LayerNorm, Conv1d; backends eager and aot_eager; the setting on and off; two calls of backward() or one",
)
@pytest.mark.parametrize("child", list(CHILDREN))
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("donated", [True, False])
def test_a_compiled_backward_pass_with_donated_buffers_runs_once(child, backend, donated):
    torch.compiler.reset()
    net = Pair(child)
    x = torch.randn(2, 2, 3)
    grads = []
    with torch._functorch.config.patch(donated_buffer=donated):
        compiled = torch.compile(net, backend=backend)
        for model, calls in ((net, 2), (compiled, 1), (compiled, 2)):
            net.zero_grad()
            y, other = model(x)
            if calls == 1:
                ((y + other).sum()).backward()
            elif donated and (model, backend) == (compiled, "aot_eager"):
                with pytest.raises(RuntimeError, match="non-empty donated buffers"):
                    y.sum().backward(retain_graph=True)
                continue
            else:
                y.sum().backward(retain_graph=True)
                other.sum().backward()
            grads.append([p.grad.clone() for p in net.parameters()])
    for found in grads[1:]:
        torch.testing.assert_close(found, grads[0])


class OfSlope(nn.Module):
    """A square of w x, by PyTorch's operation or by a Function."""

    def __init__(self, own: bool, w: float) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor(w, dtype=torch.float64))
        square = function_of(torch.square, lambda x, grad: 2 * x * grad)
        self.square = square.apply if own else torch.square

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.square(self.w * x)


def of_penalty(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    (slope,) = torch.autograd.grad(model(x), x, create_graph=True)
    return slope**2


@attacks(
    "compile/what-is-refused#original",
    "compile/what-is-refused#what-is-refused",
    "higher-order/second-derivative#second-derivative",
    zh="平方，用 PyTorch 的运算和用 Function；惩罚项用原来的模块和编译过的模块算，有无 torch.compiler.disable",
    en="a square by PyTorch's operation and by a Function; the penalty on the original and on the compiled module, with and without torch.compiler.disable",
)
@few
@given(
    backend=BACKENDS,
    own=st.booleans(),
    disabled=st.booleans(),
    original=st.booleans(),
    w=st.floats(0.5, 3),
    at=st.floats(0.5, 3),
)
def test_a_penalty_calls_the_original_module(backend, own, disabled, original, w, at):
    """Right in any case; the compiled one raises with aot_eager, disabled or
    not, and with eager it is right but for a Function, whose saved tensors are constants."""
    torch.compiler.reset()
    net = OfSlope(own, w)
    compiled = torch.compile(net, backend=backend)
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    part = torch.compiler.disable(of_penalty) if disabled else of_penalty
    loss = compiled(x) + part(net if original else compiled, x)
    if backend == "aot_eager" and not original:
        with pytest.raises(RuntimeError, match="does not currently support double backward"):
            loss.backward()
        return
    loss.backward()
    whole = 16 * w**3 * at**2
    penalty = whole / 2 if own and not original else whole
    torch.testing.assert_close(net.w.grad.item(), 2 * w * at**2 + penalty)
