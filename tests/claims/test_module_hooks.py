"""What the pages of module-hooks say in general."""

import copy
import inspect
import io
import math
import pickle
import warnings
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from functools import partial
from itertools import chain
from types import MethodType
from weakref import ref

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.nn.modules import module as of_all_modules

pytestmark = [
    pytest.mark.upgrade,
    pytest.mark.filterwarnings("ignore:Full backward hook is firing"),
    pytest.mark.filterwarnings("ignore:Using a? ?non-full backward hook"),
]

MODULES = {
    "Linear": (lambda: nn.Linear(2, 2), (3, 2)),
    "Linear of three dimensions": (lambda: nn.Linear(2, 2, bias=False), (2, 3, 2)),
    "Conv1d": (lambda: nn.Conv1d(2, 2, 3, padding=1), (2, 2, 4)),
    "LayerNorm": (lambda: nn.LayerNorm(2), (3, 2)),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(2), (3, 2)),
    "PReLU": (lambda: nn.PReLU(), (3, 2)),
    "Sequential": (lambda: nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 2)), (3, 2)),
    "GRU": (lambda: nn.GRU(2, 2), (3, 1, 2)),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(2, 1, 4, 0.0), (3, 1, 2)),
    "Tanh": (lambda: nn.Tanh(), (3, 2)),
    "GELU": (lambda: nn.GELU(), ()),
    "Softmax": (lambda: nn.Softmax(-1), (3, 2)),
    "Dropout": (lambda: nn.Dropout(), (3, 2)),
    "Flatten": (lambda: nn.Flatten(), (3, 2, 1)),
    "Identity": (lambda: nn.Identity(), (3, 2)),
}
LEARNING = [name for name, (make, _) in MODULES.items() if list(make().parameters())]
FLOATS = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
DTYPES = [*FLOATS, torch.complex64, torch.int64, torch.uint8, torch.bool]
FORWARD = ["register_forward_pre_hook", "register_forward_hook"]
FULL = ["register_full_backward_pre_hook", "register_full_backward_hook"]
INTERRUPTS = [KeyboardInterrupt, SystemExit]

names = st.sampled_from(list(MODULES))
learning = st.sampled_from(LEARNING)


def made(name: str, dtype: torch.dtype = torch.float32) -> tuple[nn.Module, torch.Tensor]:
    """A module and an input that requires a gradient."""
    make, shape = MODULES[name]
    torch.default_generator.manual_seed(0)
    return make().to(dtype), torch.randn(shape, dtype=dtype, requires_grad=True)


def first(output: torch.Tensor | tuple) -> torch.Tensor:
    return output[0] if isinstance(output, tuple) else output


def squares(output: torch.Tensor | tuple) -> torch.Tensor:
    """A loss that uses every output of a module."""
    outputs = output if isinstance(output, tuple) else (output,)
    return sum(each.square().sum() for each in outputs)


def counted(module: nn.Module) -> list[nn.Module]:
    """A list that grows each time the full backward hook of the module fires."""
    fired = []
    module.register_full_backward_hook(lambda module, *_: fired.append(module))
    return fired


class Computes(nn.Module):
    """A module that computes what it is given as a function."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


def append(to: list, value: object) -> Callable:
    """A hook that notes a value."""
    return lambda *_: to.append(value)


warned = partial(warnings.catch_warnings, record=True, action="always")


def hooks_of(module: nn.Module) -> int:
    """The number of hooks of a module."""
    return sum(len(each) for name, each in vars(module).items() if name.endswith("_hooks"))


# How often, in which order.


@attacks(
    "module-hooks/full-backward#limits",
    "module-hooks/not-firing#not-firing",
    "sharing/siamese#order",
    zh="torch.nn 的 15 种模块，两种模式，三次调用，输入需要或不需要梯度，反向一到三次",
    en="15 modules of torch.nn in both modes, three calls, inputs with and without a gradient, one to three passes",
)
@given(names, st.permutations(range(3)), st.integers(1, 3), st.booleans(), st.booleans())
def test_once_for_each_pass_through_each_call_the_last_call_first(
    name, used, passes, training, needs_gradient
):
    module, x = made(name)
    module.train(training)
    assume(needs_gradient or list(module.parameters()))
    seen = []
    module.register_full_backward_hook(lambda _, __, grads: seen.append(first(grads).max().item()))
    outputs = [first(module(x.detach().requires_grad_(needs_gradient))) for _ in range(3)]
    loss = sum((1 + call) * outputs[call].sum() for call in used)
    for _ in range(passes):
        loss.backward(retain_graph=True)
    assert seen == [3, 2, 1] * passes


@attacks(
    "module-hooks/not-firing#not-firing", zh="只求权重的梯度", en="the gradient of the weight alone"
)
@pytest.mark.parametrize("needs_gradient", [True, False])
def test_a_pass_that_stops_at_the_weight_does_not_go_through(needs_gradient):
    module, x = made("Linear")
    fired = counted(module)
    x = x.detach().requires_grad_(needs_gradient)
    torch.autograd.grad(module(x).sum(), module.weight)
    assert len(fired) == (0 if needs_gradient else 1)


class Tree(nn.Module):
    """Children one after another or beside one another, with or without a way around them."""

    def __init__(self, children: list, chained: bool, around: bool) -> None:
        super().__init__()
        self.below = nn.ModuleList(children)
        self.weight = nn.Parameter(torch.ones(()))
        self.chained, self.around = chained, around

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.weight * x
        for child in self.below:
            y = child(y) if self.chained else y + child(x).sin()
        return y + x if self.around else y


trees = st.recursive(
    st.builds(Tree, st.just([]), st.just(True), st.booleans()),
    lambda below: st.builds(Tree, st.lists(below, max_size=3), st.booleans(), st.booleans()),
    max_leaves=5,
)


def watched(tree: Tree) -> list[tuple[str, nn.Module]]:
    seen = []
    for module in tree.modules():
        if isinstance(module, Tree):
            for kind in (*FORWARD, *FULL):
                getattr(module, kind)(append(seen, (kind, module)))
    return seen


@attacks(
    "module-hooks/full-backward#limits",
    "module-hooks/order#order",
    zh="嵌套的网络，最多五个模块，串联、并联、有旁路；输入需要或不需要梯度",
    en="nested networks of up to five modules, in series, in parallel, with a bypass; inputs with and without a gradient",
)
@given(trees, st.sampled_from([FORWARD, FULL]), st.booleans())
def test_hooks_of_parent_and_child_nest_like_brackets(tree, kinds, needs_gradient):
    """In the backward pass where the input needs a gradient: else the whole comes first."""
    before, after = kinds
    module = copy.deepcopy(tree)
    seen = watched(module)
    module(torch.ones(2, requires_grad=needs_gradient)).sum().backward()
    if not needs_gradient:
        backward = [event for event in seen if event[0] in FULL]
        assert backward[:2] == [(kind, module) for kind in FULL]
        return
    for parent in (m for m in module.modules() if isinstance(m, Tree)):
        for child in parent.below:
            order = [(before, parent), (before, child), (after, child), (after, parent)]
            places = [seen.index(event) for event in order]
            assert places == sorted(places)


@attacks(
    "module-hooks/handles#pile-up",
    "module-hooks/order#global",
    "module-hooks/order#order",
    "module-hooks/order#registered",
    zh="四种钩子，每种最多六个，全局的、自己的和插到最前的，有的是同一个函数",
    en="up to six hooks of each of the four kinds, global, own and prepended, some of them the same function",
)
@pytest.mark.parametrize("kind", [*FORWARD, *FULL])
@given(
    st.lists(
        st.tuples(st.sampled_from(["own", "prepended", "global"]), st.integers(0, 3)), max_size=6
    )
)
def test_hooks_of_a_kind_fire_in_the_order_of_registration_global_ones_first(kind, wanted):
    module, x = made("Linear")
    fired, own, everywhere = [], [], []
    functions = [append(fired, number) for number in range(4)]
    with ExitStack() as registered:
        for where, number in wanted:
            if where == "global":
                register = getattr(of_all_modules, kind.replace("register_", "register_module_"))
                registered.enter_context(register(functions[number]))
                everywhere.append(number)
            else:
                getattr(module, kind)(functions[number], prepend=where == "prepended")
                own.insert(0 if where == "prepended" else len(own), number)
        module(x).sum().backward()
    assert fired == everywhere + own


@attacks(
    "module-hooks/features#tuple",
    "module-hooks/forward-pre#forward-pre",
    "module-hooks/wrong-return#silent",
    "module-hooks/wrong-return#wrong-return",
    "then-and-now/index#more",
    zh="一到五个前向钩子，每个返回 None 或六种值之一",
    en="one to five forward hooks, each returning None or one of six values",
)
@given(st.lists(st.sampled_from([None, 0, False, "", (), "text", 7]), min_size=1, max_size=5))
def test_what_a_forward_hook_returns_becomes_the_output_and_what_the_next_hook_gets(returned):
    module, x = nn.Identity(), torch.ones(2)
    got, expected = [], [x]
    for value in returned:
        module.register_forward_hook(lambda *args, value=value: got.append(args[2]) or value)
        expected.append(expected[-1] if value is None else value)
    got.append(module(x))
    assert all(left is right for left, right in zip(got[1:], expected[1:], strict=True))
    assert got[0] is x


@attacks(
    "module-hooks/order#global", zh="Transformer 层，两种模式", en="a transformer layer, both modes"
)
@pytest.mark.parametrize("evaluating", [True, False])
def test_a_global_hook_fires_for_each_module_that_is_called(evaluating):
    module, x = made("TransformerEncoderLayer")
    module.train(not evaluating)
    fired = []
    for each in module.modules():
        each.register_forward_hook(lambda module, *_: fired.append(("own", module)))
    register = of_all_modules.register_module_forward_hook
    with register(lambda module, *_: fired.append(("global", module))):
        module(x)
    called = [module for place, module in fired if place == "own"]
    assert fired == [(place, each) for each in called for place in ("global", "own")]
    assert module.self_attn.out_proj not in called


@attacks(
    "module-hooks/order#always-call", zh="八种异常，自己和全局的", en="8 exceptions, own and global"
)
@given(
    st.sampled_from(
        [*(ValueError, KeyError, TypeError, StopIteration, AssertionError, OSError), *INTERRUPTS]
    ),
    st.integers(0, 3),
    st.booleans(),
)
def test_always_call_fires_after_an_error_and_the_others_do_not(error, depth, everywhere):
    class Fails(nn.Module):
        def forward(self, x: torch.Tensor) -> None:
            raise error("refused")

    module, seen = Fails(), []
    for _ in range(depth):
        module = nn.Sequential(module)
    registers = [each.register_forward_hook for each in module.modules()]
    with ExitStack() as registered, pytest.raises(error, match="refused"):
        for register in [of_all_modules.register_module_forward_hook] if everywhere else registers:
            registered.enter_context(register(append(seen, "usual")))
            always = register(lambda _, __, output: seen.append(output), always_call=True)
            registered.enter_context(always)
        module(torch.ones(1))
    assert seen == ([] if error in INTERRUPTS else [None] * (depth + 1))


@attacks(
    "module-hooks/order#always-call", zh="vmap，有无 chunk_size", en="vmap, also with chunk_size"
)
@given(st.integers(1, 5), st.one_of(st.none(), st.integers(1, 5)))
def test_vmap_calls_forward_once_for_each_chunk_and_no_full_backward_hook_bears_it(samples, chunk):
    module, fired = nn.Linear(2, 1), []
    module.register_forward_hook(lambda _, args, __: fired.append(tuple(args[0].shape)))

    def loss(parameters: dict, x: torch.Tensor) -> torch.Tensor:
        return functional_call(module, parameters, (x,)).square().sum()

    parameters, x = dict(module.named_parameters()), torch.ones(samples, 2)
    vmap(grad(loss), in_dims=(None, 0), chunk_size=chunk)(parameters, x)
    assert fired == [(2,)] * (math.ceil(samples / chunk) if chunk else 1)
    module.register_full_backward_hook(append([], None))
    with pytest.raises(RuntimeError, match="must override the setup_context"):
        vmap(grad(loss), in_dims=(None, 0))(parameters, x)
    with pytest.raises(RuntimeError, match="must override the setup_context"):
        grad(loss)(parameters, x[0])


# What hooks get and what they replace.


class Adds(nn.Module):
    """The sum of all tensors in its arguments that require a gradient."""

    def forward(self, *args: object, **kwargs: object) -> torch.Tensor:
        given_to_it = chain(args, kwargs.values(), *(a for a in args if isinstance(a, list)))
        tensors = [a for a in given_to_it if isinstance(a, torch.Tensor) and a.requires_grad]
        return sum(2 * tensor.sum() for tensor in tensors)


ARGUMENTS = [
    *(lambda dtype: torch.ones(2, requires_grad=True), lambda dtype: torch.ones(3).to(dtype)),
    *(lambda dtype: torch.empty(0).to(dtype), lambda dtype: 5, lambda dtype: "text"),
    *(lambda dtype: None, lambda dtype: [torch.ones(2, requires_grad=True)]),
]


@attacks(
    "module-hooks/full-backward#full-backward",
    zh="一到五个参数：八种 dtype 的张量（也有空的）、数、文本、None、列表；有无关键字参数",
    en="one to five arguments: tensors of eight dtypes, also empty, numbers, texts, None, lists; with and without a keyword",
)
@given(
    st.lists(st.sampled_from(ARGUMENTS), max_size=4),
    st.sampled_from(DTYPES),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_grad_input_has_an_entry_for_each_positional_argument(kinds, dtype, keyword, random):
    args = [make(dtype) for make in (*kinds, ARGUMENTS[0])]
    random.shuffle(args)
    module, seen = Adds(), []
    module.register_full_backward_hook(lambda _, grads, __: seen.extend(grads))
    module(*args, **({"k": torch.ones(1, requires_grad=True)} if keyword else {})).backward()
    for arg, entry in zip(args, seen, strict=True):
        if isinstance(arg, torch.Tensor):
            assert (entry.shape, entry.dtype) == (arg.shape, arg.dtype)
            assert entry.tolist() == [2 if arg.requires_grad else 0] * len(arg)
        else:
            assert entry is None


@attacks(
    "module-hooks/full-backward#return", zh="15 种模块，三种系数", en="15 modules, three factors"
)
@given(names, st.sampled_from([torch.float32, torch.float64]), st.sampled_from([0.0, -1.0, 2.0]))
def test_what_the_full_hook_and_the_pre_hook_replace(name, dtype, factor):
    def gradients(kind: str | None) -> tuple[list[torch.Tensor], torch.Tensor]:
        module, x = made(name, dtype)
        module.eval()
        if kind:
            getattr(module, kind)(
                lambda _, grads, *__: tuple(g if g is None else factor * g for g in grads)
            )
        first(module(x)).square().sum().backward()
        return [p.grad for p in module.parameters()], x.grad

    (parameters, x), *hooked = map(gradients, (None, *FULL))
    for (found, scaled), of_parameters in zip(hooked, (factor, 1), strict=True):
        assert torch.allclose(scaled, factor * x)
        for left, right in zip(found, parameters, strict=True):
            assert torch.allclose(left, of_parameters * right)


@attacks(
    "module-hooks/full-backward#return", zh="一层调用一次和两次", en="a layer called once and twice"
)
@pytest.mark.parametrize(("calls", "plain", "doubled"), [(1, 1, 1), (2, 6, 9)])
def test_a_replaced_grad_input_changes_parameters_only_through_earlier_calls(calls, plain, doubled):
    """w * x and w * w * x at w = 3: by w, 1 and 6; doubled at the later call, 3 + 2 * 3 = 9."""
    for factor, expected in ((1, plain), (2, doubled)):
        module, x = nn.Linear(1, 1, bias=False), torch.ones(1, 1, requires_grad=True)
        nn.init.constant_(module.weight, 3.0)
        module.register_full_backward_hook(lambda _, grads, __, k=factor: (k * grads[0],))
        for _ in range(calls):
            x = module(x)
        x.backward()
        assert module.weight.grad.item() == expected


SHAPES = [
    *(lambda grads: grads[:-1], lambda grads: (*grads, grads[0]), lambda grads: grads[0]),
    *(lambda grads: (grads[0][0], *grads[1:]), lambda grads: (grads[0].sum(), *grads[1:])),
    lambda grads: (torch.cat([grads[0], grads[0]]), *grads[1:]),
    *(
        lambda grads: (grads[0].unsqueeze(0), *grads[1:]),
        lambda grads: (grads[0].half(), *grads[1:]),
    ),
]
"""One too few, one too many, no tuple; fewer dimensions; a row and a dimension more; a dtype."""


@attacks(
    "messages/index#type-of-value",
    "module-hooks/wrong-return#wrong-return",
    "module-hooks/wrong-return#other",
    zh="torch.nn 的 14 种模块；两种完整反向钩子；八种错误的值，包括别的 dtype",
    en="14 modules of torch.nn; both full backward hooks; eight wrong values, among them another dtype",
)
@given(
    st.sampled_from([name for name, (_, shape) in MODULES.items() if len(shape) > 1]),
    st.sampled_from(FULL),
    st.sampled_from(SHAPES),
)
def test_a_backward_hook_that_returns_the_wrong_number_or_shape_raises(name, kind, wrong):
    module, x = made(name)
    getattr(module, kind)(lambda _, grads, *__: wrong(grads))
    with pytest.raises(RuntimeError, match=r"invalid number of grad_|changed the (size|type) of"):
        first(module(x)).square().sum().backward()


@attacks(
    "module-hooks/full-backward#return",
    "module-hooks/wrong-return#wrong-return",
    zh="torch.nn 的九种有参数的模块；返回 None 和 (None,)",
    en="nine modules of torch.nn with parameters; None and (None,) returned",
)
@given(learning, st.booleans())
def test_none_in_the_tuple_throws_the_gradient_away_and_none_leaves_it(name, inside):
    layer, x = made(name)
    module = nn.Sequential(nn.Identity(), layer)
    layer.register_full_backward_hook(lambda *_: (None,) if inside else None)
    squares(module(x)).backward()
    assert (x.grad is None) == inside
    assert all(p.grad is not None for p in layer.parameters())


@attacks(
    "module-hooks/wrong-return#other", zh="九种模块，返回九种值", en="nine modules, nine values"
)
@given(
    learning,
    st.sampled_from([None, (None,), (None, None), 0, False, "", [None], (0,), (torch.ones(3, 2),)]),
)
def test_without_a_gradient_of_the_input_a_hook_returns_only_none_or_a_tuple_of_it(name, value):
    module, x = made(name)
    module.register_full_backward_hook(lambda *_: value)
    right = value is None or (isinstance(value, tuple) and set(map(type, value)) == {type(None)})
    refused = pytest.raises(RuntimeError, match="should always return None")
    with nullcontext() if right else refused:
        squares(module(x.detach())).backward()


class Receives(nn.Module):
    def forward(self, *args: object, **kwargs: object) -> tuple[tuple, dict]:
        return args, kwargs


RETURNED = [None, (), (1,), (1, 2), (1, 2, 3), 7, "text", [1, 2], {"a": 1}, False]


@attacks(
    "module-hooks/features#tuple",
    "module-hooks/forward-pre#forward-pre",
    "module-hooks/forward-pre#lost",
    "module-hooks/forward-pre#may-return",
    "then-and-now/index#lost-argument",
    zh="零到三个位置参数，有无关键字参数；前向预钩子返回十种值",
    en="no to three positional arguments, with and without a keyword; ten values returned by the pre-hook",
)
@given(st.lists(st.integers(), max_size=3), st.sampled_from(RETURNED), st.booleans())
def test_a_pre_hook_returns_all_positional_arguments(args, value, keyword):
    module, after = Receives(), []
    module.register_forward_pre_hook(lambda *_: value)
    module.register_forward_hook(lambda _, args, __: after.append(args))
    keywords = {"k": 0} if keyword else {}
    expected = value if isinstance(value, tuple) else (value,)
    expected = tuple(args) if value is None else expected
    assert module(*args, **keywords) == (expected, keywords)
    assert after == [expected]


@attacks("module-hooks/forward-pre#keywords", zh="返回十三种值", en="thirteen values returned")
@given(
    st.lists(st.integers(), max_size=3),
    st.sampled_from([*RETURNED, ((1,), {"k": 2}), ((), {}), [(1,), {}]]),
)
def test_with_kwargs_a_pre_hook_returns_none_or_arguments_and_keywords(args, value):
    module, after = Receives(), []
    module.register_forward_pre_hook(lambda *_: value, with_kwargs=True)
    module.register_forward_hook(
        lambda _, args, kwargs, __: after.append((args, kwargs)), with_kwargs=True
    )
    if value is None:
        assert module(*args, k=0) == (tuple(args), {"k": 0})
    elif isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], dict):
        assert module(*args, k=0) == value
        assert after == [value]
    else:
        with pytest.raises((RuntimeError, TypeError), match=r"None or a tuple|must be a"):
            module(*args, k=0)


@attacks("module-hooks/forward-pre#keywords", zh="一到四行的张量", en="tensors of one to four rows")
@given(st.integers(1, 4))
def test_a_bare_tensor_in_place_of_the_arguments_is_unpacked_into_its_rows(rows):
    module, layer = Receives(), nn.Linear(2, 2)
    for each in (module, layer):
        each.register_forward_pre_hook(lambda _, args, kwargs: (*args, kwargs), with_kwargs=True)
    x = torch.arange(2.0 * rows).reshape(rows, 2)
    assert torch.equal(torch.stack(module(x)[0]), x)
    with pytest.raises(TypeError, match="positional argument") if rows > 1 else nullcontext():
        assert layer(x).shape == (2,)


@attacks(
    "module-hooks/features#tuple",
    "module-hooks/forward-pre#keywords",
    "then-and-now/index#more",
    zh="前向钩子和前向预钩子，零到三个位置参数和关键字参数",
    en="forward hooks and pre-hooks, no to three positional arguments and keywords",
)
@given(st.integers(0, 3), st.dictionaries(st.sampled_from("klm"), st.integers()))
def test_a_hook_sees_keywords_only_if_it_asks_for_them(positional, keywords):
    module, args = Receives(), tuple(range(positional))
    blind, seeing = [], []
    for kind in FORWARD:
        getattr(module, kind)(lambda _, args, *__: blind.append(args))
        getattr(module, kind)(
            lambda _, args, kwargs, *__: seeing.append((args, kwargs)), with_kwargs=True
        )
    module(*args, **keywords)
    assert blind == [args] * 2
    assert seeing == [(args, keywords)] * 2


@attacks(
    "module-hooks/full-backward#limits", zh="九种模块，25 种倍数", en="nine modules, 25 scales"
)
@given(st.integers(0, 24), learning)
def test_with_grad_scaler_hooks_see_gradients_times_the_scale(power, name):
    scaler, seen = torch.amp.GradScaler("cpu", init_scale=2.0**power), []
    module, x = made(name)
    module.register_full_backward_hook(lambda _, grads, outputs: seen.append(grads + outputs))
    for scale in (scaler.scale, lambda loss: loss):
        scale(squares(first(module(x)))).backward()
    for left, right in zip(*seen, strict=True):
        assert right is None or torch.allclose(left / scaler.get_scale(), right)


# Where the hook is.


@attacks(
    "module-hooks/full-backward#return",
    "module-hooks/not-firing#not-the-same",
    zh="九种有参数的模块，冻结或不冻结，输入需要或不需要梯度，记录、no_grad、inference_mode",
    en="nine modules with parameters, frozen or not, inputs with and without a gradient, recording, no_grad, inference_mode",
)
@given(
    learning,
    st.booleans(),
    st.booleans(),
    st.sampled_from([torch.enable_grad, torch.no_grad, torch.inference_mode]),
    st.sampled_from(FULL),
)
def test_a_node_stands_where_a_tensor_requires_a_gradient(name, frozen, needs_gradient, mode, kind):
    module, x = made(name)
    module.requires_grad_(not frozen)
    x = x.detach().requires_grad_(needs_gradient)
    inside = []
    module.register_forward_hook(lambda _, args, output: inside.append((args[0], first(output))))
    getattr(module, kind)(append([], None))
    with mode():
        returned = first(module(x))
    entered, left = inside[0]
    recorded = mode is torch.enable_grad
    for outside, within, there in (
        (x, entered, recorded and needs_gradient),
        (left, returned, recorded and (needs_gradient or not frozen)),
    ):
        assert (outside is not within) == there
        assert (getattr(within.grad_fn, "name", str)() == "BackwardHookFunctionBackward") == there
        assert within.data_ptr() == outside.data_ptr()
        assert not there or within._is_view()


@attacks(
    "module-hooks/param-grad#param-grad", zh="九种有参数的模块", en="nine modules with parameters"
)
@given(learning)
def test_it_fires_at_the_exit_before_the_call_gives_the_parameters_anything(name):
    module, x = made(name)
    events = []
    module.register_full_backward_hook(append(events, "hook"))
    for p in module.parameters():
        p.register_hook(append(events, "parameter"))
    squares(module(x.detach())).backward()
    assert events == ["hook"] + ["parameter"] * len(list(module.parameters()))


@attacks(
    "module-hooks/not-firing#captured", zh="torch.nn 的 15 种模块", en="15 modules of torch.nn"
)
@given(names)
def test_a_tensor_captured_inside_does_not_lead_through_the_exit(name):
    module, x = made(name)
    fired, kept = counted(module), []
    module.register_forward_hook(lambda _, __, output: kept.append(first(output)))
    y, (inner,) = first(module(x)), kept
    assert inner is not y
    squares(inner).backward(retain_graph=True)
    assert not fired
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        torch.autograd.grad(inner.sum(), y)
    squares(y).backward()
    assert len(fired) == 1


PACKED = {
    "tensor": (lambda y: y, lambda p: p, True, False),
    "tuple": (lambda y: (y,), lambda p: p[0], True, False),
    "tuple of several": (lambda y: (3, y, None), lambda p: p[1], True, False),
    "list": (lambda y: [y], lambda p: p[0], False, True),
    "dictionary": (lambda y: {0: y}, lambda p: p[0], False, True),
    "tuple in a tuple": (lambda y: ((y,),), lambda p: p[0][0], False, False),
    "list in a tuple": (lambda y: ([y], 3), lambda p: p[0][0], False, False),
    "dictionary in a tuple": (lambda y: ({0: y},), lambda p: p[0][0], False, False),
}
"""How an output is packed and unpacked; whether the hook fires, and whether PyTorch warns."""


@attacks(
    "module-hooks/not-firing#not-the-same", zh="八种容器，15 种模块", en="8 containers, 15 modules"
)
@given(st.sampled_from(list(PACKED)), names)
def test_outputs_are_found_in_a_tensor_or_a_tuple_of_tensors(packed, name):
    pack, unpack, fires, warns = PACKED[packed]
    layer, x = made(name)
    module = Computes(lambda x: pack(first(layer(x))))
    fired = counted(module)
    with warned() as caught:
        y = module(x)
    assert bool(caught) == warns
    unpack(y).square().sum().backward()
    assert bool(fired) == fires


@attacks(
    "module-hooks/not-firing#not-the-same", zh="单向、双向的 LSTM", en="LSTM, also bidirectional"
)
@given(st.integers(1, 2), st.booleans(), st.booleans(), st.sampled_from(["output", "h", "c"]))
def test_the_hook_of_lstm_fires_only_for_the_output(layers, both_ways, batch_first, used):
    module = nn.LSTM(2, 2, layers, bidirectional=both_ways, batch_first=batch_first)
    fired = counted(module)
    with warned() as caught:
        output, (h, c) = module(torch.ones(3, 2, 2, requires_grad=True))
    assert not caught
    {"output": output, "h": h, "c": c}[used].square().sum().backward()
    assert bool(fired) == (used == "output")


@attacks("module-hooks/features#not-fired", zh="四种钩子，两种模式", en="four hooks, both modes")
@given(st.booleans(), st.booleans(), st.booleans(), st.sampled_from([*FORWARD, *FULL]))
def test_attention_never_calls_its_out_proj(batch_first, training, weights, kind):
    module, fired = nn.MultiheadAttention(4, 2, batch_first=batch_first), []
    module.train(training)
    getattr(module.out_proj, kind)(append(fired, "fired"))
    x = torch.ones(2, 3, 4, requires_grad=True)
    module(x, x, x, need_weights=weights)[0].sum().backward()
    assert module.out_proj.weight.grad is not None
    assert not fired


@attacks(
    "module-hooks/features#not-fired",
    "module-hooks/not-firing#not-firing",
    "module-hooks/order#global",
    zh="没有过钩子的 Sequential，后端 eager，第一次编译调用之前和之后；一层的和全局的前向钩子",
    en="a Sequential without hooks, backend eager, before and after its first compiled call; a layer's and a global forward hook",
)
@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("everywhere", [True, False])
def test_a_compiled_network_has_the_hooks_of_its_first_call(early, everywhere):
    torch._dynamo.reset()
    module, x, fired = nn.Sequential(nn.Linear(2, 2), nn.Tanh()), torch.ones(1, 2), []
    compiled = torch.compile(module, backend="eager")
    register = of_all_modules.register_module_forward_hook
    register = register if everywhere else module[0].register_forward_hook
    if not early:
        compiled(x)
    with register(lambda module, *_: fired.append(type(module))), warned() as caught:
        compiled(x)
    assert (nn.Linear in fired) == early
    assert everywhere or not caught
    torch._dynamo.reset()


@attacks(
    "module-hooks/features#not-fired",
    "module-hooks/must-not#recursion",
    "module-hooks/not-firing#not-firing",
    zh="torch.nn 的 15 种模块；四种钩子",
    en="15 modules of torch.nn; four kinds of hooks",
)
@given(names, st.sampled_from([*FORWARD, *FULL]))
def test_forward_alone_fires_no_hook_of_its_module(name, kind):
    module, x = made(name)
    fired, below = [], []
    getattr(module, kind)(append(fired, "fired"))
    for child in module.children():
        child.register_forward_hook(append(below, child))
    squares(module.forward(x)).backward()
    assert not fired
    if isinstance(module, nn.Sequential):
        assert below == list(module.children())
    squares(module(x)).backward()
    assert len(fired) == 1


# Handles and copies.


@attacks("module-hooks/handles#handles", zh="五种钩子，三种异常", en="five hooks, three exceptions")
@given(
    st.sampled_from([*FORWARD, *FULL, "register_backward_hook"]),
    st.sampled_from([None, ValueError, KeyboardInterrupt, SystemExit]),
)
def test_at_the_end_of_the_block_the_hook_is_off(kind, error):
    module = nn.Linear(1, 1)
    with pytest.raises(error) if error else nullcontext(), getattr(module, kind)(print):
        assert hooks_of(module) == 1
        if error:
            raise error
    assert hooks_of(module) == 0


HOOKS = {
    "function": lambda fired: append(fired, 1),
    "method": lambda fired: MethodType(lambda fired, *_: fired.append(1), fired),
    "partial": lambda fired: partial(lambda fired, *_: fired.append(1), fired),
}


@attacks("module-hooks/handles#copy", zh="九种模块，三种函数", en="nine modules, three callables")
@given(st.sampled_from([*FORWARD, *FULL]), st.sampled_from(list(HOOKS)), learning, st.booleans())
def test_a_deep_copy_has_the_hooks_and_a_state_dict_has_none(kind, hook, name, removed):
    (module, x), fired = made(name), []
    handle = getattr(module, kind)(HOOKS[hook](fired))
    twin, (fresh, _) = copy.deepcopy(module), made(name)
    fresh.load_state_dict(module.state_dict())
    if removed:
        handle.remove()
    squares(twin(x)).backward()
    squares(fresh(x)).backward()
    assert len(fired) == (hook == "function")
    assert (hooks_of(twin), hooks_of(fresh)) == (1, 0)


def top_level(*_: object) -> None:
    FIRED.append("fired")


FIRED: list[str] = []


@attacks("module-hooks/handles#copy", zh="torch.save，九种模块", en="torch.save, nine modules")
@given(st.sampled_from([*FORWARD, *FULL]), learning)
def test_a_module_is_saved_whole_only_with_hooks_that_have_a_name(kind, name):
    for hook in (append(FIRED, "fired"), top_level):
        (module, x), file = made(name), io.BytesIO()
        getattr(module, kind)(hook)
        refused = pytest.raises((pickle.PicklingError, AttributeError))
        with nullcontext() if hook is top_level else refused:
            torch.save(module, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    FIRED.clear()
    squares(loaded(x)).backward()
    assert FIRED == ["fired"]


@attacks("module-hooks/handles#copy", zh="四种钩子，GraphModule", en="four hooks, a GraphModule")
@pytest.mark.parametrize("kind", [*FORWARD, *FULL])
def test_a_copy_of_a_graph_module_has_lost_its_own_hooks(kind):
    module, fired = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(1, 1))), []
    getattr(module, kind)(append(fired, "own"))
    getattr(module.get_submodule("0"), kind)(append(fired, "of its child"))
    copy.deepcopy(module)(torch.ones(1, 1, requires_grad=True)).backward()
    assert fired == ["of its child"]


@attacks("module-hooks/handles#copy", zh="最多五个移除自己的钩子", en="up to five hooks that leave")
@given(st.lists(st.booleans(), min_size=1, max_size=5))
def test_a_forward_hook_that_removes_itself_skips_no_other(leaving):
    module, fired, handles = nn.Identity(), [], []

    def hook(number: int, *_: object) -> None:
        fired.append(number)
        if leaving[number]:
            handles[number].remove()

    handles += [module.register_forward_hook(partial(hook, n)) for n in range(len(leaving))]
    module(torch.ones(1))
    module(torch.ones(1))
    assert fired == [*range(len(leaving)), *(n for n, goes in enumerate(leaving) if not goes)]


@attacks(
    "module-hooks/handles#copy", zh="15 种模块，两种反向钩子", en="15 modules, both backward hooks"
)
@given(names, st.sampled_from(FULL), st.booleans())
def test_a_backward_hook_belongs_to_the_call(name, kind, before):
    module, x = made(name)
    fired, register = [], getattr(module, kind)
    with register(append(fired, "fired")) if before else nullcontext():
        y = module(x)
    if not before:
        register(append(fired, "fired"))
    squares(y).backward()
    assert bool(fired) == before


# Edits in place.

IN_PLACE = [nn.ReLU, nn.Dropout, nn.LeakyReLU, nn.SiLU]
AT_EXIT = ["Linear", "LayerNorm", "Conv1d", "Tanh", "Sequential"]


@attacks("then-and-now/old-warning#old-warning", zh="四种原地模块", en="four in-place modules")
@given(st.sampled_from(IN_PLACE), st.sampled_from(["Linear", "LayerNorm", "Conv1d"]))
def test_the_full_hook_forbids_an_edit_in_place_that_the_old_one_allows(change, layer):
    for register, inplace in (("register_backward_hook", True), (FULL[1], True), (FULL[1], False)):
        module, x = made(layer)
        getattr(module, register)(append([], None))
        refused = pytest.raises(RuntimeError, match="is being modified inplace")
        with refused if inplace and register in FULL else nullcontext():
            nn.Sequential(module, change(inplace=inplace))(x).sum().backward()


CLASSES = [each for each in vars(nn).values() if inspect.isclass(each)]
WITH_INPLACE = [each for each in CLASSES if "inplace" in inspect.signature(each).parameters]
NEVER_IN_PLACE = [nn.AlphaDropout, nn.FeatureAlphaDropout]


@attacks("module-hooks/in-place#mend", zh="所有接受 inplace 的模块", en="all modules with inplace")
@pytest.mark.parametrize("kind", WITH_INPLACE)
def test_a_module_with_another_inplace_follows_it_in_the_next_forward_pass(kind):
    change = kind(*((0.1, 20.0) if kind is nn.Threshold else ()), inplace=True)
    layer = nn.Identity()
    layer.register_full_backward_hook(append([], None))
    dimensions = {nn.Dropout1d: 3, nn.Dropout2d: 4}.get(kind, 5)
    x = torch.ones([2] * dimensions, requires_grad=True)
    for inplace in (True, False, True, False):
        change.inplace = inplace
        refused = pytest.raises(RuntimeError, match="is being modified inplace")
        with refused if inplace and kind not in NEVER_IN_PLACE else nullcontext():
            change(layer(x)).sum().backward()


EDITS = [
    *(lambda y: y.mul_(2), lambda y: y.__iadd__(1), lambda y: y.copy_(torch.ones_like(y))),
    *(torch.Tensor.zero_, torch.relu_, lambda y: y.__setitem__(0, 0)),
]
USES = [
    *(lambda y: 2 * y, torch.sum, torch.clone, lambda y: y.backward(torch.ones_like(y))),
    *(lambda y: y.view(-1), lambda y: y.mul_(2)),
]


def exit_of(name: str, kind: str) -> torch.Tensor:
    module, x = made(name)
    getattr(module, kind)(append([], None))
    return module(x)


@attacks(
    "module-hooks/in-place#in-place",
    "module-hooks/in-place#mend",
    "module-hooks/in-place#which",
    zh="五种模块的输出，六种改法，改后六种用法；no_grad、detach、.data、inference_mode",
    en="outputs of five modules, six ways to edit, six to use them later; no_grad, detach, .data, inference_mode",
)
@given(*map(st.sampled_from, (AT_EXIT, FULL, EDITS, USES)))
def test_no_edit_in_place_gets_around_the_view(name, kind, edit, use):
    """But for one through `.data`, which goes unnoticed."""
    with pytest.raises(RuntimeError, match="is being modified inplace"):
        edit(exit_of(name, kind))
    for within, reached in ((torch.no_grad, lambda y: y), (nullcontext, torch.Tensor.detach)):
        y = exit_of(name, kind)
        with within():
            edit(reached(y))
        with pytest.raises(RuntimeError, match="BackwardHookFunction is a view and"):
            use(y)
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            edit(exit_of(name, kind))
    y = exit_of(name, kind)
    version = y._version
    edit(y.data)
    y.sum().backward()
    assert y._version == version


@attacks("module-hooks/in-place#in-place", zh="六种改输入的办法", en="six ways to edit the input")
@given(st.sampled_from(EDITS), st.sampled_from(FULL))
def test_an_edit_of_the_input_inside_raises_where_it_requires_a_gradient(edit, kind):
    module = Computes(lambda x: (edit(x), 2 * x)[1])
    getattr(module, kind)(append([], None))
    with pytest.raises(RuntimeError, match="is being modified inplace"):
        module(torch.ones(2, requires_grad=True) + 0)
    module(torch.ones(2))


@attacks(
    "module-hooks/features#overwritten",
    "module-hooks/in-place#mend",
    zh="三种层后面原地的 ReLU、LeakyReLU、SiLU 和 Dropout",
    en="ReLU, LeakyReLU, SiLU and Dropout in place behind three kinds of layers",
)
@given(st.sampled_from(["Linear", "LayerNorm", "Conv1d"]), st.sampled_from(IN_PLACE))
def test_behind_an_edit_retain_grad_and_a_tensor_hook_differ(name, change):
    layer, x = made(name)
    kept, seen = [], []

    def keep(_: nn.Module, __: tuple, output: torch.Tensor) -> None:
        output.retain_grad()
        output.register_hook(seen.append)
        kept.extend([output, output.detach(), output.detach().clone()])

    layer.register_forward_hook(keep)
    y = change(inplace=True)(layer(x))
    at_exit = torch.full_like(y, 5.0)
    y.backward(at_exit)
    output, shared, copied = kept
    assert torch.equal(output.grad, at_exit) and not torch.equal(seen[0], at_exit)
    assert torch.equal(shared, y) and not torch.equal(copied, y)


@attacks("module-hooks/in-place#mend", zh="九种模块，no_grad", en="nine modules, no_grad")
@given(learning)
def test_without_a_graph_there_is_no_gradient_to_hook(name):
    module, x = made(name)
    with torch.no_grad():
        output = first(module(x))
    for use in (lambda: output.register_hook(print), output.retain_grad):
        with pytest.raises(RuntimeError, match=r"doesn't require gradient|has requires_grad=False"):
            use()


@attacks(
    "module-hooks/must-not#in-place", zh="四种激活，四种 dtype", en="four activations, four dtypes"
)
@given(
    st.sampled_from([nn.Sigmoid, nn.Tanh, nn.ReLU, nn.Identity]),
    st.sampled_from(FLOATS),
    st.lists(st.integers(1, 3), max_size=2),
)
def test_an_edit_of_a_saved_output_raises_in_the_backward_pass(kind, dtype, shape):
    module, x = kind(), torch.ones(shape, dtype=dtype, requires_grad=True)

    def edit(_: nn.Module, __: tuple, output: torch.Tensor) -> None:
        output.mul_(2)

    module.register_forward_hook(edit)
    loss = module(x + 0).sum()
    refused = pytest.raises(RuntimeError, match="modified by an inplace operation")
    with nullcontext() if kind is nn.Identity else refused:
        loss.backward()


# What is kept, and what has a graph.


@attacks(
    "module-hooks/features#gradient",
    "module-hooks/must-not#must-not",
    zh="三层的网络，调用一到三次；原样、detach、no_grad、反向之后",
    en="a network of three layers, one to three calls; as it is, detached, under no_grad, after a backward pass",
)
@given(st.integers(1, 3), st.sampled_from(["output", "detached", "under no_grad", "backward"]))
def test_a_kept_output_keeps_its_graph_until_a_backward_pass(calls, how):
    module = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    hidden, kept = [], []
    module[1].register_forward_hook(lambda _, __, output: hidden.append(ref(output)))

    module[2].register_forward_hook(
        lambda _, __, output: kept.append(output.detach() if how == "detached" else output)
    )
    with torch.set_grad_enabled(how != "under no_grad"):
        for _ in range(calls):
            y = module(torch.ones(1, 2))
            if how == "backward":
                y.sum().backward()
            del y
    assert len(kept) == calls
    assert sum(output() is not None for output in hidden) == (calls if how == "output" else 0)


@attacks(
    "module-hooks/full-backward#limits",
    "module-hooks/must-not#backward-inside",
    zh="15 种模块，有无 create_graph，再反向一次",
    en="15 modules, with and without create_graph, and a second pass",
)
@given(names, st.booleans())
def test_gradients_in_a_hook_have_a_graph_only_with_create_graph(name, create_graph):
    """And with one, a gradient penalty goes through the call twice."""
    module, x = made(name)
    seen = []
    module.register_full_backward_hook(lambda _, grads, __: seen.append(first(grads)))
    loss = first(module(x)).pow(3).sum()
    torch.autograd.grad(loss, x, create_graph=create_graph)
    assert seen[0].requires_grad == create_graph
    if create_graph and name == "TransformerEncoderLayer":
        return  # fused attention has no second derivative on a CPU
    refused = pytest.raises(RuntimeError, match="does not require grad")
    with nullcontext() if create_graph else refused:
        seen[0].square().sum().backward()
        assert len(seen) == 2


@attacks("module-hooks/must-not#raise", zh="15 种模块，三种容器", en="15 modules, three containers")
@given(names, st.booleans(), st.sampled_from([lambda y: y, lambda y: [y], lambda y: {"y": y}]))
def test_a_module_that_holds_an_output_with_a_graph_cannot_be_copied(name, detach, pack):
    module, x = made(name)
    output = first(module(x + 0))
    module.kept = pack(output.detach() if detach else output)
    refused = pytest.raises(RuntimeError, match="support the deepcopy protocol")
    with nullcontext() if detach else refused:
        assert hasattr(copy.deepcopy(module), "kept")


# The deprecated hook.


def old_report(module: nn.Module, x: torch.Tensor) -> tuple[list, list, torch.Tensor]:
    """What the old hook gets, the warnings of the forward pass, and the output."""
    seen = []
    with warned() as caught, module.register_backward_hook(lambda _, grads, __: seen.append(grads)):
        y = module(x)
    return seen, caught, y


@attacks(
    "then-and-now/old-hook#old-hook",
    "then-and-now/old-hook#two-entries",
    "then-and-now/old-warning#several-outputs",
    zh="torch.nn 的 15 种模块",
    en="15 modules of torch.nn",
)
@given(names, st.booleans())
def test_the_old_hook_reports_the_last_operation_of_the_first_output(name, leaf):
    module, x = made(name)
    seen, _, y = old_report(module, x if leaf else 1 * x)
    assume(first(y).grad_fn is not None)
    at_node = []
    first(y).grad_fn.register_hook(lambda grads, _: at_node.append(grads))
    first(y).square().sum().backward()
    for left, right in zip(seen[0], at_node[0], strict=True):
        assert (left is None) == (right is None)
        assert left is None or torch.equal(left, right)


@attacks(
    "then-and-now/old-hook#old-hook",
    "then-and-now/old-warning#compare",
    "then-and-now/index#old-children",
    zh="Linear：一到四维的输入，是或不是叶子，有无偏置，冻结或不冻结，三种 dtype",
    en="Linear: inputs of one to four dimensions, leaves or not, with and without bias, frozen or not, three dtypes",
)
@given(st.integers(1, 4), st.booleans(), st.booleans(), st.booleans(), st.sampled_from(FLOATS[:3]))
def test_with_the_old_hook_linear_warns_wherever_a_graph_is_recorded(
    dimensions, bias, frozen, leaf, dtype
):
    module = nn.Linear(2, 2, bias=bias, dtype=dtype).requires_grad_(not frozen)
    x = torch.ones([1] * (dimensions - 1) + [2], dtype=dtype)
    tracked = x.clone().requires_grad_()
    for data in (x, tracked if leaf else tracked + 0):
        _, caught, y = old_report(module, data)
        assert bool(caught) == y.requires_grad
        assert not caught or "contains multiple autograd Nodes" in str(caught[0].message)
        assert dimensions != 2 or not y.requires_grad or len(y.grad_fn.next_functions) == 2 + bias
    with torch.no_grad():
        assert not old_report(module, tracked)[1]


SINGLE = [torch.relu, torch.sin, lambda x: 3 * x, lambda x: x * x, lambda x: x.sum(), torch.exp]


@attacks(
    "then-and-now/old-warning#compare", zh="六种运算，零到二维", en="six operations, 0-D to 2-D"
)
@given(st.sampled_from(SINGLE), st.booleans(), st.lists(st.integers(1, 3), max_size=2))
def test_the_old_hook_of_a_single_operation_warns_where_it_reads_a_leaf(function, leaf, shape):
    x = torch.ones(shape, requires_grad=True)
    x = x if leaf else torch.sigmoid(x)
    _, caught, y = old_report(Computes(function), x)
    numbers = {node for node, _ in y.grad_fn.next_functions} - {None}
    constant = len(numbers) < len({node for node, _ in y.grad_fn.next_functions})
    assert bool(caught) == (leaf or constant)


@attacks(
    "then-and-now/old-warning#old-warning",
    "module-hooks/whole-or-child#whole-or-child",
    zh="torch.nn 的 15 种模块",
    en="15 modules of torch.nn",
)
@given(names)
def test_the_full_hook_does_not_warn_and_has_the_gradient_of_the_input(name):
    module, x = made(name)
    seen = []
    module.register_full_backward_hook(lambda _, grads, __: seen.append(grads))
    with warned() as caught:
        loss = first(module(x)).square().sum()
        loss.backward()
    assert not caught
    assert len(seen[0]) == 1
    assert torch.equal(seen[0][0], x.grad)
