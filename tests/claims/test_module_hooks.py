"""What the pages of module-hooks say in general."""

import copy
import inspect
import io
import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from weakref import ref

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.nn.modules import module as of_all_modules
from torch.utils.checkpoint import checkpoint

pytestmark = pytest.mark.upgrade

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


def append(to: list, value: object) -> Callable:
    """A hook that notes a value."""

    def hook(*_: object) -> None:
        to.append(value)

    return hook


@contextmanager
def warned() -> Iterator[list]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


quiet = pytest.mark.filterwarnings("ignore:Full backward hook is firing")
old = pytest.mark.filterwarnings("ignore:Using a? ?non-full backward hook")


# How often, in which order.


@attacks(
    "module-hooks/full-backward#limits",
    zh="torch.nn 的十五种模块，train 和 eval，三次调用，使用次序任意，输入需要或不需要梯度，反向一到三次",
    en="fifteen modules of torch.nn in train and eval, three calls used in any order, inputs with and without a gradient, one to three passes",
)
@given(names, st.permutations(range(3)), st.integers(1, 3), st.booleans(), st.booleans())
@quiet
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
    "module-hooks/full-backward#limits",
    zh="Linear、Tanh、LayerNorm 和一个 Sequential；平方的惩罚项",
    en="Linear, Tanh, LayerNorm and a Sequential; the penalty of a square",
)
@pytest.mark.parametrize("name", ["Linear", "Tanh", "LayerNorm", "Sequential"])
def test_a_gradient_penalty_can_go_through_a_call_twice(name):
    module, x = made(name)
    fired = counted(module)
    (gradient,) = torch.autograd.grad(squares(module(x)), x, create_graph=True)
    assert len(fired) == 1
    gradient.square().sum().backward()
    assert len(fired) == 2


@attacks(
    "module-hooks/features#gradient",
    zh="Sequential 的三层，有无 use_reentrant",
    en="the three layers of a Sequential, with and without use_reentrant",
)
@pytest.mark.parametrize("reentrant", [True, False])
def test_a_recomputed_call_counts_once_for_the_backward_and_twice_for_the_forward_hook(reentrant):
    module, x = made("Sequential")
    for layer in module:
        forward = []
        backward = counted(layer)
        layer.register_forward_hook(append(forward, "fired"))
        checkpoint(module, x, use_reentrant=reentrant).sum().backward()
        assert len(backward) == 1
        recomputed = reentrant or layer is not module[-1]
        assert len(forward) == 1 + recomputed


@attacks(
    "module-hooks/not-firing#not-firing",
    zh="Linear，只求权重的梯度；输入需要和不需要梯度",
    en="a Linear, with the gradient of the weight alone; inputs that require one and that don't",
)
@quiet
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
    zh="嵌套的网络，最多五个模块，串联、并联、有旁路",
    en="nested networks of up to five modules, chained, beside one another, with a way around",
)
@given(trees, st.sampled_from([FORWARD, FULL]))
def test_hooks_of_parent_and_child_nest_like_brackets(tree, kinds):
    before, after = kinds
    module = copy.deepcopy(tree)
    seen = watched(module)
    module(torch.ones(2, requires_grad=True)).sum().backward()
    for parent in (m for m in module.modules() if isinstance(m, Tree)):
        for child in parent.below:
            order = [(before, parent), (before, child), (after, child), (after, parent)]
            places = [seen.index(event) for event in order]
            assert places == sorted(places)


@attacks(
    "module-hooks/order#order",
    zh="嵌套的网络，最多五个有参数的模块",
    en="nested networks of up to five modules with parameters",
)
@given(trees)
@quiet
def test_without_a_gradient_of_the_input_the_hook_of_the_parent_does_not_wait(tree):
    module = copy.deepcopy(tree)
    seen = watched(module)
    module(torch.ones(2)).sum().backward()
    backward = [event for event in seen if event[0] in FULL]
    assert backward[:2] == [(kind, module) for kind in FULL]


@attacks(
    "module-hooks/order#global",
    "module-hooks/order#order",
    "module-hooks/order#registered",
    zh="四种钩子每种最多六个，全局的、自己的和插到最前的",
    en="up to six hooks of each of the four kinds, global, own and prepended",
)
@given(
    st.sampled_from([*FORWARD, *FULL]),
    st.lists(st.sampled_from(["own", "own, prepended", "global"]), max_size=6),
)
def test_hooks_of_a_kind_fire_in_the_order_of_registration_global_ones_first(kind, wanted):
    module, x = made("Linear")
    fired, own, everywhere, handles = [], [], [], []
    try:
        for number, where in enumerate(wanted):
            hook = append(fired, number)
            if where == "global":
                register = getattr(of_all_modules, kind.replace("register_", "register_module_"))
                handles.append(register(hook))
                everywhere.append(number)
            else:
                prepend = where == "own, prepended"
                getattr(module, kind)(hook, prepend=prepend)
                own.insert(0 if prepend else len(own), number)
        module(x).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    assert fired == everywhere + own


@attacks(
    "module-hooks/features#tuple",
    "module-hooks/forward-pre#forward-pre",
    "module-hooks/wrong-return#silent",
    "module-hooks/wrong-return#wrong-return",
    zh="一到五个前向钩子，每个返回 None 或六种值之一",
    en="one to five forward hooks, each returning None or one of six values",
)
@given(st.lists(st.sampled_from([None, 0, False, "", (), "text", 7]), min_size=1, max_size=5))
def test_what_a_forward_hook_returns_becomes_the_output_and_what_the_next_hook_gets(returned):
    module, x = nn.Identity(), torch.ones(2)
    got = []

    def returning(value: object) -> Callable:
        def hook(_: nn.Module, __: tuple, output: object) -> object:
            got.append(output)
            return value

        return hook

    for value in returned:
        module.register_forward_hook(returning(value))
    current, expected = x, []
    for value in returned:
        expected.append(current)
        current = current if value is None else value
    result = module(x)
    assert all(
        left is right for left, right in zip((*got, result), (*expected, current), strict=True)
    )


@attacks(
    "module-hooks/handles#pile-up",
    "module-hooks/order#registered",
    zh="四种钩子，注册零到四次",
    en="all four kinds of hooks, no to four registrations",
)
@given(st.sampled_from([*FORWARD, *FULL]), st.integers(0, 4))
def test_each_registration_adds_a_hook_even_of_the_same_function(kind, times):
    module, x = made("Linear")
    fired = []
    hook = append(fired, "fired")
    for _ in range(times):
        getattr(module, kind)(hook)
    module(x).sum().backward()
    assert len(fired) == times


@attacks(
    "module-hooks/order#global",
    zh="前向钩子；TransformerEncoderLayer 的各个模块，train 和 eval",
    en="forward hooks; the modules of a TransformerEncoderLayer in train and eval",
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
    "module-hooks/order#always-call",
    zh="六种错误，外面最多三层模块；每层一个这样的钩子",
    en="six kinds of errors, up to three modules around; one such hook on each",
)
@given(
    st.sampled_from([ValueError, KeyError, TypeError, StopIteration, AssertionError, OSError]),
    st.integers(0, 3),
)
def test_always_call_fires_after_an_error_and_the_others_do_not(error, depth):
    class Fails(nn.Module):
        def forward(self, x: torch.Tensor) -> None:
            raise error("refused")

    module = Fails()
    for _ in range(depth):
        module = nn.Sequential(module)
    seen = []
    for each in module.modules():
        each.register_forward_hook(lambda *_: seen.append("usual"))
        each.register_forward_hook(lambda _, __, output: seen.append(output), always_call=True)
    with pytest.raises(error, match="refused"):
        module(torch.ones(1))
    assert seen == [None] * (depth + 1)


@attacks(
    "module-hooks/order#always-call",
    zh="KeyboardInterrupt 和 SystemExit；模块的钩子和全局钩子",
    en="KeyboardInterrupt and SystemExit; hooks of the module and global ones",
)
@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("everywhere", [True, False])
def test_after_an_interrupt_no_forward_hook_fires(interrupt, everywhere):
    class Interrupted(nn.Module):
        def forward(self, x: torch.Tensor) -> None:
            raise interrupt

    module, seen = Interrupted(), []
    register = of_all_modules.register_module_forward_hook
    register = register if everywhere else module.register_forward_hook
    with register(append(seen, "fired"), always_call=True), pytest.raises(interrupt):
        module(torch.ones(1))
    assert not seen


@attacks(
    "module-hooks/order#always-call",
    zh="一到五个样本，没有 chunk_size 和每块一到五个",
    en="one to five samples, no chunk_size and chunks of one to five",
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


ARGUMENTS = {
    "needs a gradient": lambda dtype: torch.ones(2, requires_grad=True),
    "needs none": lambda dtype: torch.ones(3).to(dtype),
    "empty, needs none": lambda dtype: torch.empty(0).to(dtype),
    "number": lambda dtype: 5,
    "text": lambda dtype: "text",
    "nothing": lambda dtype: None,
    "list of a tensor": lambda dtype: [torch.ones(2, requires_grad=True)],
}


@attacks(
    "module-hooks/full-backward#full-backward",
    zh="一到五个参数：八种 dtype 的张量、数、文本、None、张量的列表；有无关键字参数；八种 dtype 的张量，包括空的，旁边有一个需要梯度",
    en="one to five arguments: tensors of eight dtypes, numbers, texts, None, lists of tensors; with and without a keyword; tensors of eight dtypes, also empty ones, beside one that requires a gradient",
)
@given(
    st.lists(st.sampled_from(list(ARGUMENTS)), max_size=4),
    st.sampled_from(DTYPES),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_grad_input_has_an_entry_for_each_positional_argument(kinds, dtype, keyword, random):
    kinds = [*kinds, "needs a gradient"]
    random.shuffle(kinds)
    module, seen = Adds(), []
    module.register_full_backward_hook(lambda _, grads, __: seen.append(grads))
    args = [ARGUMENTS[kind](dtype) for kind in kinds]
    module(*args, **({"k": torch.ones(1, requires_grad=True)} if keyword else {})).backward()
    assert len(seen) == 1
    for arg, entry in zip(args, seen[0], strict=True):
        if not isinstance(arg, torch.Tensor):
            assert entry is None
        else:
            assert (entry.shape, entry.dtype) == (arg.shape, arg.dtype)
            assert entry.tolist() == [2 if arg.requires_grad else 0] * len(arg)


@attacks(
    "module-hooks/full-backward#return",
    zh="torch.nn 的十五种模块，eval，float32 和 float64，三种系数；调用一次",
    en="fifteen modules of torch.nn in eval, float32 and float64, three factors; one call",
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

    before, after = FULL
    parameters, x = gradients(None)
    same, scaled = gradients(after)
    assert all(torch.equal(left, right) for left, right in zip(parameters, same, strict=True))
    assert torch.allclose(scaled, factor * x)
    both, scaled = gradients(before)
    assert torch.allclose(scaled, factor * x)
    for left, right in zip(both, parameters, strict=True):
        assert torch.allclose(left, factor * right)


@attacks(
    "module-hooks/full-backward#return",
    zh="同一个 Linear 调用一次和两次，钩子把 grad_input 翻倍",
    en="one Linear called once and twice, with a hook that doubles grad_input",
)
@pytest.mark.parametrize("calls", [1, 2])
def test_a_replaced_grad_input_changes_parameters_only_through_earlier_calls(calls):
    """w * x and w * w * x at w = 3: by w, 1 and 6; doubled at the later call, 3 + 2 * 3 = 9."""

    def at_weight(hooked: bool) -> float:
        module = nn.Linear(1, 1, bias=False)
        nn.init.constant_(module.weight, 3.0)
        if hooked:
            module.register_full_backward_hook(lambda _, grad_input, __: (2 * grad_input[0],))
        x = torch.ones(1, 1, requires_grad=True)
        for _ in range(calls):
            x = module(x)
        x.sum().backward()
        return module.weight.grad.item()

    assert at_weight(hooked=False) == {1: 1, 2: 6}[calls]
    assert at_weight(hooked=True) == {1: 1, 2: 9}[calls]


SHAPES = {
    "one too few": lambda grads: grads[:-1],
    "one too many": lambda grads: (*grads, grads[0]),
    "a row more": lambda grads: (torch.cat([grads[0], grads[0]]), *grads[1:]),
    "one dimension more": lambda grads: (grads[0].unsqueeze(0), *grads[1:]),
    "one dimension fewer": lambda grads: (grads[0][0], *grads[1:]),
    "the sum": lambda grads: (grads[0].sum(), *grads[1:]),
    "the tensor without its tuple": lambda grads: grads[0],
}


@attacks(
    "module-hooks/wrong-return#wrong-return",
    "module-hooks/wrong-return#other",
    zh="torch.nn 的十五种模块；完整反向钩子和反向预钩子；七种错误的值",
    en="fifteen modules of torch.nn; full backward hooks and pre-hooks; seven wrong values",
)
@given(
    st.sampled_from([name for name, (_, shape) in MODULES.items() if len(shape) > 1]),
    st.sampled_from(FULL),
    st.sampled_from(list(SHAPES)),
)
def test_a_backward_hook_that_returns_the_wrong_number_or_shape_raises(name, kind, wrong):
    module, x = made(name)
    getattr(module, kind)(lambda _, grads, *__: SHAPES[wrong](grads))
    with pytest.raises(RuntimeError, match=r"invalid number of grad_|changed the size of"):
        first(module(x)).square().sum().backward()


@attacks(
    "module-hooks/full-backward#return",
    zh="torch.nn 的九种有参数的模块；None 和装着 None 的元组",
    en="nine modules of torch.nn with parameters; None, and a tuple of None",
)
@attacks(
    "module-hooks/wrong-return#wrong-return",
    zh="torch.nn 的九种有参数的模块",
    en="nine modules of torch.nn with parameters",
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
    "module-hooks/wrong-return#other",
    zh="torch.nn 的九种有参数的模块；九种值",
    en="nine modules of torch.nn with parameters; nine values",
)
@given(
    learning,
    st.sampled_from([None, (None,), (None, None), 0, False, "", [None], (0,), (torch.ones(3, 2),)]),
)
@quiet
def test_without_a_gradient_of_the_input_a_hook_returns_only_none_or_a_tuple_of_it(name, value):
    module, x = made(name)
    module.register_full_backward_hook(lambda *_: value)
    loss = squares(module(x.detach()))
    if value is None or (isinstance(value, tuple) and all(each is None for each in value)):
        loss.backward()
    else:
        with pytest.raises(RuntimeError, match="should always return None"):
            loss.backward()


class Receives(nn.Module):
    def forward(self, *args: object, **kwargs: object) -> tuple[tuple, dict]:
        return args, kwargs


RETURNED = [None, (), (1,), (1, 2), (1, 2, 3), 7, "text", [1, 2], {"a": 1}, False]


@attacks(
    "module-hooks/features#tuple",
    zh="零到三个位置参数，有无关键字参数和替换参数的前向预钩子",
    en="no to three positional arguments, with and without keywords and a pre-hook that replaces the arguments",
)
@attacks(
    "module-hooks/forward-pre#forward-pre",
    zh="零到三个位置参数；返回十种值，没有 with_kwargs；前向预钩子返回十种值",
    en="no to three positional arguments; ten values returned, without with_kwargs; ten values returned by the pre-hook",
)
@attacks(
    "module-hooks/forward-pre#lost",
    zh="零到三个位置参数；返回十种值，没有 with_kwargs",
    en="no to three positional arguments; ten values returned, without with_kwargs",
)
@attacks(
    "module-hooks/forward-pre#may-return",
    zh="零到三个位置参数；返回十种值，没有 with_kwargs；返回空的、短的和长的元组",
    en="no to three positional arguments; ten values returned, without with_kwargs; empty, short and long tuples returned",
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


@attacks(
    "module-hooks/forward-pre#keywords",
    zh="返回十三种值，其中三种正确",
    en="thirteen values returned, of which three are right",
)
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


@attacks(
    "module-hooks/forward-pre#keywords",
    zh="一到四行；Linear",
    en="one to four rows; Linear",
)
@given(st.integers(1, 4))
def test_a_bare_tensor_in_place_of_the_arguments_is_unpacked_into_its_rows(rows):
    module, x = Receives(), torch.arange(2.0 * rows).reshape(rows, 2)
    module.register_forward_pre_hook(lambda _, args, kwargs: (args[0], kwargs), with_kwargs=True)
    args, _ = module(x)
    assert torch.equal(torch.stack(args), x)
    layer = nn.Linear(2, 2)
    layer.register_forward_pre_hook(lambda _, args, kwargs: (args[0], kwargs), with_kwargs=True)
    if rows == 1:
        assert layer(x).shape == (2,)
    else:
        with pytest.raises(TypeError, match="positional argument"):
            layer(x)


@attacks(
    "module-hooks/features#tuple",
    "module-hooks/forward-pre#keywords",
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
    "module-hooks/forward-pre#keywords",
    zh="乘法的前向预钩子，Tanh，先平移再平方的前向钩子；有无 no_grad",
    en="a pre-hook that multiplies, Tanh, a forward hook that shifts and squares; with and without no_grad",
)
@given(st.floats(-2, 2), st.floats(-2, 2), st.booleans())
def test_what_hooks_compute_is_differentiated_with_the_rest(factor, shift, recording):
    module = nn.Tanh()
    module.register_forward_pre_hook(lambda _, args: (factor * args[0],))
    module.register_forward_hook(lambda _, __, output: (output + shift) ** 2)
    x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    with torch.set_grad_enabled(recording):
        y = module(x)
    assert y.requires_grad == recording
    if recording:
        y.backward()
        inner = math.tanh(factor * 0.5)
        expected = 2 * (inner + shift) * (1 - inner**2) * factor
        assert math.isclose(x.grad.item(), expected, abs_tol=1e-9)


@attacks(
    "module-hooks/full-backward#limits",
    zh="torch.nn 的九种有参数的模块，float32；倍数从 1 到 2 的 24 次方",
    en="nine modules of torch.nn with parameters, float32; scales from 1 to 2 to the power of 24",
)
@given(st.integers(0, 24), learning)
def test_with_grad_scaler_hooks_see_gradients_times_the_scale(power, name):
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**power)
    seen = []
    for scale in (scaler.scale, lambda loss: loss):
        module, x = made(name)
        module.register_full_backward_hook(lambda _, grads, outputs: seen.append((grads, outputs)))
        scale(squares(first(module(x)))).backward()
    scaled, plain = (list(chain(*each)) for each in seen)
    for left, right in zip(scaled, plain, strict=True):
        assert right is None or torch.allclose(left / scaler.get_scale(), right)


# Where the hook is.


@attacks(
    "module-hooks/full-backward#return",
    zh="torch.nn 的九种有参数的模块，冻结或不冻结，输入需要或不需要梯度，enable_grad、no_grad、inference_mode",
    en="nine modules of torch.nn with parameters, frozen or not, inputs with and without a gradient, enable_grad, no_grad, inference_mode",
)
@attacks(
    "module-hooks/not-firing#not-the-same",
    zh="torch.nn 的九种有参数的模块，冻结或不冻结，输入需要或不需要梯度，enable_grad、no_grad、inference_mode；入口和出口",
    en="nine modules of torch.nn with parameters, frozen or not, inputs with and without a gradient, enable_grad, no_grad, inference_mode; at the entrance and the exit",
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
    "module-hooks/not-firing#not-firing",
    zh="torch.nn 的九种有参数的模块",
    en="nine modules of torch.nn with parameters",
)
@given(learning)
@quiet
def test_an_input_without_a_gradient_does_not_keep_the_hook_from_firing(name):
    module, x = made(name)
    fired = counted(module)
    squares(module(x.detach())).backward()
    assert len(fired) == 1


@attacks(
    "module-hooks/param-grad#param-grad",
    zh="torch.nn 的九种有参数的模块",
    en="nine modules of torch.nn with parameters",
)
@given(learning)
@quiet
def test_it_fires_at_the_exit_before_the_call_gives_the_parameters_anything(name):
    module, x = made(name)
    events = []
    module.register_full_backward_hook(append(events, "hook"))
    for p in module.parameters():
        p.register_hook(append(events, "parameter"))
    squares(module(x.detach())).backward()
    assert events == ["hook"] + ["parameter"] * len(list(module.parameters()))


@attacks(
    "module-hooks/not-firing#captured",
    zh="torch.nn 的十五种模块",
    en="fifteen modules of torch.nn",
)
@given(names)
def test_a_tensor_captured_inside_does_not_lead_through_the_exit(name):
    module, x = made(name)
    fired, kept = counted(module), []
    module.register_forward_hook(append(kept, None))
    module.register_forward_hook(lambda _, __, output: kept.append(first(output)))
    y = first(module(x))
    inner = kept[-1]
    assert inner is not y
    squares(inner).backward(retain_graph=True)
    assert not fired
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        torch.autograd.grad(inner.sum(), y)
    squares(y).backward()
    assert len(fired) == 1


PACKED = {
    "tensor": (lambda y: y, True, False),
    "tuple": (lambda y: (y,), True, False),
    "tuple of several": (lambda y: (3, y, None), True, False),
    "list": (lambda y: [y], False, True),
    "dictionary": (lambda y: {0: y}, False, True),
    "tuple in a tuple": (lambda y: ((y,),), False, False),
    "list in a tuple": (lambda y: ([y], 3), False, False),
    "dictionary in a tuple": (lambda y: ({0: y},), False, False),
}


@attacks(
    "module-hooks/not-firing#not-the-same",
    zh="torch.nn 的十五种模块的输出，放在八种容器里",
    en="outputs of fifteen modules of torch.nn in eight kinds of containers",
)
@given(st.sampled_from(list(PACKED)), names)
def test_outputs_are_found_in_a_tensor_or_a_tuple_of_tensors(packed, name):
    pack, fires, warns = PACKED[packed]

    class Packs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.x = made(name)

        def forward(self, x: torch.Tensor) -> object:
            return pack(first(self.layer(x)))

    module = Packs()
    fired = counted(module)
    with warned() as caught:
        y = module(module.x)
    assert bool(caught) == warns
    while not isinstance(y, torch.Tensor):
        values = y.values() if isinstance(y, dict) else y
        y = next(each for each in values if isinstance(each, torch.Tensor | tuple | list | dict))
    y.square().sum().backward()
    assert bool(fired) == fires


@attacks(
    "module-hooks/not-firing#not-the-same",
    zh="一层和两层，单向和双向，有无 batch_first",
    en="one and two layers, one and both directions, with and without batch_first",
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


@attacks(
    "module-hooks/features#not-fired",
    zh="train 和 eval，有无 batch_first 和 need_weights，四种钩子",
    en="train and eval, with and without batch_first and need_weights, all four kinds of hooks",
)
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
    zh="各层原来没有钩子的 Sequential；后端 eager；某一层的前向钩子和一个全局钩子",
    en="a Sequential whose layers had no hook; the backend eager; a forward hook of a layer and a global one",
)
@attacks(
    "module-hooks/not-firing#not-firing",
    zh="各层原来没有钩子的 Sequential；后端 eager",
    en="a Sequential whose layers had no hook; the backend eager",
)
@attacks(
    "module-hooks/order#global",
    zh="Sequential，第一次编译调用之前和之后；后端 eager",
    en="a Sequential before and after its first compiled call; the backend eager",
)
@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("everywhere", [True, False])
def test_a_compiled_network_has_the_hooks_of_its_first_call(early, everywhere):
    torch._dynamo.reset()
    module, x, fired = nn.Sequential(nn.Linear(2, 2), nn.Tanh()), torch.ones(1, 2), []
    compiled = torch.compile(module, backend="eager")

    def hook(module: nn.Module, *_: object) -> None:
        fired.append(type(module).__name__)

    register = of_all_modules.register_module_forward_hook
    register = register if everywhere else module[0].register_forward_hook
    if not early:
        compiled(x)
    with register(hook), warned() as caught:
        compiled(x)
    assert ("Linear" in fired) == early
    assert everywhere or not caught
    torch._dynamo.reset()


@attacks(
    "module-hooks/whole-or-child#child",
    zh="嵌套的网络，最多五个模块",
    en="nested networks of up to five modules",
)
@given(trees)
def test_get_submodule_finds_what_named_modules_lists(tree):
    for name, module in tree.named_modules():
        assert tree.get_submodule(name) is module


@attacks(
    "module-hooks/features#not-fired",
    "module-hooks/must-not#recursion",
    "module-hooks/not-firing#not-firing",
    zh="torch.nn 的十五种模块；四种钩子",
    en="fifteen modules of torch.nn; all four kinds of hooks",
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


@attacks(
    "module-hooks/handles#handles",
    zh="前向和反向的五种钩子；没有错误、ValueError、KeyboardInterrupt、SystemExit",
    en="the five kinds of hooks of the forward and backward pass; no error, ValueError, KeyboardInterrupt, SystemExit",
)
@given(
    st.sampled_from([*FORWARD, *FULL, "register_backward_hook"]),
    st.sampled_from([None, ValueError, KeyboardInterrupt, SystemExit]),
)
def test_at_the_end_of_the_block_the_hook_is_off(kind, error):
    module = nn.Linear(1, 1)

    def hooks() -> int:
        return sum(len(each) for name, each in vars(module).items() if name.endswith("_hooks"))

    with pytest.raises(error) if error else warned(), getattr(module, kind)(append([], None)):
        assert hooks() == 1
        if error:
            raise error
    assert hooks() == 0


class Counter:
    def __init__(self) -> None:
        self.fired = []

    def __call__(self, *_: object) -> None:
        self.fired.append("fired")

    def method(self, *_: object) -> None:
        self.fired.append("fired")


HOOKS = {
    "function": lambda counter: append(counter.fired, "fired"),
    "lambda": lambda counter: lambda *_: counter.fired.append("fired"),
    "method": lambda counter: counter.method,
    "partial": lambda counter: partial(lambda fired, *_: fired.append("fired"), counter.fired),
}


@attacks(
    "module-hooks/handles#copy",
    zh="torch.nn 的九种有参数的模块；四种钩子；函数、lambda、绑定的方法和 partial",
    en="nine modules of torch.nn with parameters; all four kinds of hooks; functions, lambdas, bound methods and partials",
)
@given(st.sampled_from([*FORWARD, *FULL]), st.sampled_from(list(HOOKS)), learning, st.booleans())
def test_a_deep_copy_has_the_hooks_and_a_state_dict_has_none(kind, hook, name, removed):
    module, x = made(name)
    counter = Counter()
    handle = getattr(module, kind)(HOOKS[hook](counter))
    twin, (fresh, _) = copy.deepcopy(module), made(name)
    fresh.load_state_dict(module.state_dict())
    if removed:
        handle.remove()
    squares(twin(x)).backward()
    assert len(counter.fired) == (1 if hook in ("function", "lambda") else 0)
    squares(fresh(x)).backward()
    assert len(counter.fired) == (1 if hook in ("function", "lambda") else 0)
    assert sum(len(each) for each in vars(fresh).values() if each and is_hooks(fresh, each)) == 0
    assert sum(len(each) for each in vars(twin).values() if each and is_hooks(twin, each)) == 1


def top_level(*_: object) -> None:
    FIRED.append("fired")


FIRED: list[str] = []


@attacks(
    "module-hooks/handles#copy",
    zh="torch.nn 的九种有参数的模块；四种钩子；lambda、函数里的函数、模块级的函数",
    en="nine modules of torch.nn with parameters; all four kinds of hooks; a lambda, a function inside another one, a function of a module",
)
@given(st.sampled_from([*FORWARD, *FULL]), learning)
def test_a_module_is_saved_whole_only_with_hooks_that_have_a_name(kind, name):
    for hook in (lambda *_: None, append(FIRED, "fired")):
        module, _ = made(name)
        getattr(module, kind)(hook)
        with pytest.raises((pickle.PicklingError, AttributeError)):
            torch.save(module, io.BytesIO())
    module, x = made(name)
    getattr(module, kind)(top_level)
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    FIRED.clear()
    squares(loaded(x)).backward()
    assert FIRED == ["fired"]


def is_hooks(module: nn.Module, value: object) -> bool:
    return any(value is each for name, each in vars(module).items() if name.endswith("_hooks"))


@attacks(
    "module-hooks/handles#copy",
    zh="trace 过的 Sequential；四种钩子",
    en="a traced Sequential; all four kinds of hooks",
)
@pytest.mark.parametrize("kind", [*FORWARD, *FULL])
def test_a_copy_of_a_graph_module_has_lost_its_own_hooks(kind):
    module, fired = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(1, 1))), []
    getattr(module, kind)(append(fired, "own"))
    getattr(module.get_submodule("0"), kind)(append(fired, "of its child"))
    copy.deepcopy(module)(torch.ones(1, 1, requires_grad=True)).backward()
    assert fired == ["of its child"]


@attacks(
    "module-hooks/handles#copy",
    zh="一到五个前向钩子，任意几个会移除自己",
    en="one to five forward hooks, any of which remove themselves",
)
@given(st.lists(st.booleans(), min_size=1, max_size=5))
def test_a_forward_hook_that_removes_itself_skips_no_other(leaving):
    module, fired, handles = nn.Identity(), [], []

    def hook(number: int, goes: bool) -> Callable:
        def fires(*_: object) -> None:
            fired.append(number)
            if goes:
                handles[number].remove()

        return fires

    for number, goes in enumerate(leaving):
        handles.append(module.register_forward_hook(hook(number, goes)))
    module(torch.ones(1))
    assert fired == list(range(len(leaving)))
    fired.clear()
    module(torch.ones(1))
    assert fired == [number for number, goes in enumerate(leaving) if not goes]


@attacks(
    "module-hooks/handles#copy",
    zh="torch.nn 的十五种模块；完整反向钩子和反向预钩子",
    en="fifteen modules of torch.nn; full backward hooks and pre-hooks",
)
@given(names, st.sampled_from(FULL), st.booleans())
def test_a_backward_hook_belongs_to_the_call(name, kind, removed):
    module, x = made(name)
    fired = []
    if removed:
        handle = getattr(module, kind)(append(fired, "fired"))
    y = module(x)
    if removed:
        handle.remove()
    else:
        getattr(module, kind)(append(fired, "fired"))
    squares(y).backward()
    assert bool(fired) == removed


# Edits in place.

IN_PLACE = {
    "ReLU": lambda: nn.ReLU(inplace=True),
    "Dropout": lambda: nn.Dropout(inplace=True),
    "LeakyReLU": lambda: nn.LeakyReLU(inplace=True),
    "SiLU": lambda: nn.SiLU(inplace=True),
}
AT_EXIT = ["Linear", "LayerNorm", "Conv1d", "Tanh", "Sequential"]


@attacks(
    "module-hooks/old-warning#old-warning",
    zh="Linear、LayerNorm 和 Conv1d 后面原地的 ReLU、LeakyReLU、SiLU 和 Dropout",
    en="ReLU, LeakyReLU, SiLU and Dropout in place behind Linear, LayerNorm and Conv1d",
)
@old
@given(st.sampled_from(list(IN_PLACE)), st.sampled_from(["Linear", "LayerNorm", "Conv1d"]))
def test_the_full_hook_forbids_an_edit_in_place_that_the_old_one_allows(name, layer):
    def train(register: str, inplace: bool = True) -> None:
        module, x = made(layer)
        change = IN_PLACE[name]()
        getattr(module, register)(append([], None))
        change.inplace = inplace
        nn.Sequential(module, change)(x).sum().backward()

    train("register_backward_hook")
    with pytest.raises(RuntimeError, match="is being modified inplace"):
        train("register_full_backward_hook")
    train("register_full_backward_hook", inplace=False)


CLASSES = [each for each in vars(nn).values() if inspect.isclass(each)]
WITH_INPLACE = [each for each in CLASSES if "inplace" in inspect.signature(each).parameters]
NEVER_IN_PLACE = [nn.AlphaDropout, nn.FeatureAlphaDropout]


@attacks(
    "module-hooks/in-place#mend",
    zh="torch.nn 里所有接受 inplace 的模块，train",
    en="all modules of torch.nn that take inplace, in train",
)
@pytest.mark.parametrize("kind", WITH_INPLACE)
def test_a_module_with_another_inplace_follows_it_in_the_next_forward_pass(kind):
    change = kind(*((0.1, 20.0) if kind is nn.Threshold else ()), inplace=True)
    layer = nn.Identity()
    layer.register_full_backward_hook(append([], None))
    x = torch.ones(1, 2, 2, 2, 2, requires_grad=True)
    x = x[0] if kind in (nn.Dropout1d, nn.Dropout2d) else x
    x = x[0] if kind is nn.Dropout1d else x
    for inplace in (True, False, True, False):
        change.inplace = inplace
        if inplace and kind not in NEVER_IN_PLACE:
            with pytest.raises(RuntimeError, match="is being modified inplace"):
                change(layer(x))
        else:
            change(layer(x)).sum().backward()


EDITS = {
    "mul_": lambda y: y.mul_(2),
    "+=": lambda y: y.__iadd__(1),
    "zero_": lambda y: y.zero_(),
    "copy_": lambda y: y.copy_(torch.ones_like(y)),
    "item": lambda y: y.__setitem__(0, 0),
    "relu_": lambda y: y.relu_(),
}
USES = {
    "times": lambda y: 2 * y,
    "sum": lambda y: y.sum(),
    "clone": lambda y: y.clone(),
    "backward": lambda y: y.backward(torch.ones_like(y)),
    "view": lambda y: y.view(-1),
    "edit": lambda y: y.mul_(2),
}


def exit_of(name: str, kind: str) -> torch.Tensor:
    module, x = made(name)
    getattr(module, kind)(append([], None))
    return module(x)


edits, uses = st.sampled_from(list(EDITS)), st.sampled_from(list(USES))


@attacks(
    "module-hooks/in-place#in-place",
    zh="Linear、LayerNorm、Conv1d、Tanh 和一个 Sequential 的出口，六种改法；经过 .data 的改动不算",
    en="the exit of Linear, LayerNorm, Conv1d, Tanh and a Sequential, six ways to edit; edits through .data aside",
)
@attacks(
    "module-hooks/in-place#mend",
    zh="对五种模块的输出做 += 和另外五种修改",
    en="+= and five other edits of the output of five kinds of modules",
)
@attacks(
    "module-hooks/in-place#which",
    zh="Linear、LayerNorm、Conv1d、Tanh 和一个 Sequential 的出口；六种改法，六种用法",
    en="the exit of Linear, LayerNorm, Conv1d, Tanh and a Sequential; six ways to edit, six to use",
)
@given(st.sampled_from(AT_EXIT), st.sampled_from(FULL), edits, uses)
def test_no_edit_in_place_gets_around_the_view(name, kind, edit, use):
    with pytest.raises(RuntimeError, match="is being modified inplace"):
        EDITS[edit](exit_of(name, kind))

    y = exit_of(name, kind)
    with torch.no_grad():
        EDITS[edit](y)
    with pytest.raises(RuntimeError, match="BackwardHookFunction is a view and"):
        USES[use](y)

    y = exit_of(name, kind)
    EDITS[edit](y.detach())
    with pytest.raises(RuntimeError, match="BackwardHookFunction is a view and"):
        USES[use](y)

    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            EDITS[edit](exit_of(name, kind))


@attacks(
    "module-hooks/in-place#which",
    zh="Linear、LayerNorm、Conv1d、Tanh 和一个 Sequential 的出口；六种改法",
    en="the exit of Linear, LayerNorm, Conv1d, Tanh and a Sequential; six ways to edit",
)
@given(st.sampled_from(AT_EXIT), edits)
def test_an_edit_through_data_goes_unnoticed(name, edit):
    y = exit_of(name, FULL[1])
    version = y._version
    EDITS[edit](y.data)
    y.sum().backward()
    assert y._version == version


@attacks(
    "module-hooks/in-place#in-place",
    zh="在里面改输入的六种改法；输入需要和不需要梯度",
    en="six ways to edit the input inside; inputs with and without a gradient",
)
@given(st.sampled_from(list(EDITS)), st.sampled_from(FULL))
def test_an_edit_of_the_input_inside_raises_where_it_requires_a_gradient(edit, kind):
    class Edits(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            EDITS[edit](x)
            return 2 * x

    module = Edits()
    getattr(module, kind)(append([], None))
    with pytest.raises(RuntimeError, match="is being modified inplace"):
        module(torch.ones(2, requires_grad=True) + 0)
    module(torch.ones(2))


@attacks(
    "module-hooks/features#overwritten",
    "module-hooks/in-place#mend",
    zh="Linear、LayerNorm 和 Conv1d 后面原地的 ReLU、LeakyReLU、SiLU 和 Dropout",
    en="ReLU, LeakyReLU, SiLU and Dropout in place behind Linear, LayerNorm and Conv1d",
)
@given(st.sampled_from(["Linear", "LayerNorm", "Conv1d"]), st.sampled_from(list(IN_PLACE)))
def test_behind_an_edit_retain_grad_and_a_tensor_hook_differ(name, change):
    layer, x = made(name)
    change = IN_PLACE[change]()
    kept, seen = [], []

    def keep(_: nn.Module, __: tuple, output: torch.Tensor) -> None:
        output.retain_grad()
        output.register_hook(seen.append)
        kept.append((output, output.detach(), output.detach().clone()))

    layer.register_forward_hook(keep)
    y = change(layer(x))
    at_exit = torch.full_like(y, 5.0)
    y.backward(at_exit)
    output, shared, copied = kept[0]
    assert torch.equal(output.grad, at_exit)
    assert not torch.equal(seen[0], at_exit)
    assert torch.equal(shared, y)
    assert not torch.equal(copied, y)


@attacks(
    "module-hooks/features#overwritten",
    zh="八种 dtype，零到三维的形状，稠密张量",
    en="eight dtypes, shapes of no to three dimensions, dense tensors",
)
@given(st.sampled_from(DTYPES), st.lists(st.integers(1, 3), max_size=3))
def test_detach_shares_memory_and_clone_does_not(dtype, shape):
    x = torch.zeros(shape, dtype=dtype)
    if dtype.is_floating_point or dtype.is_complex:
        x = x.requires_grad_() + 0
    shared, copied = x.detach(), x.detach().clone()
    with torch.no_grad():
        x.fill_(1)
    assert (shared == 1).all()
    assert (copied == 0).all()


@attacks(
    "module-hooks/in-place#mend",
    zh="torch.nn 的九种有参数的模块",
    en="nine modules of torch.nn with parameters",
)
@pytest.mark.parametrize("use", [lambda y: y.register_hook(print), lambda y: y.retain_grad()])
@given(learning)
def test_without_a_graph_there_is_no_gradient_to_hook(use, name):
    module, x = made(name)
    with torch.no_grad():
        output = first(module(x))
    assert not output.requires_grad
    with pytest.raises(RuntimeError, match=r"doesn't require gradient|has requires_grad=False"):
        use(output)


SAVES_ITS_OUTPUT = [nn.Sigmoid, nn.Tanh, nn.ReLU]


@attacks(
    "module-hooks/must-not#in-place",
    zh="Sigmoid、Tanh、ReLU 和 Identity；四种 dtype，零到二维的形状",
    en="Sigmoid, Tanh, ReLU and Identity; four dtypes, shapes of no to two dimensions",
)
@given(
    st.sampled_from([*SAVES_ITS_OUTPUT, nn.Identity]),
    st.sampled_from(FLOATS),
    st.lists(st.integers(1, 3), max_size=2),
)
def test_an_edit_of_a_saved_output_raises_in_the_backward_pass(kind, dtype, shape):
    module, x = kind(), torch.ones(shape, dtype=dtype, requires_grad=True)

    def edit(_: nn.Module, __: tuple, output: torch.Tensor) -> None:
        output.mul_(2)

    module.register_forward_hook(edit)
    loss = module(x + 0).sum()
    if kind is nn.Identity:
        loss.backward()
    else:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


@attacks(
    "module-hooks/must-not#in-place",
    zh="零到三维的形状，有无记录",
    en="shapes of no to three dimensions, with and without recording",
)
@given(st.lists(st.integers(1, 3), max_size=3), st.booleans())
def test_an_edit_in_a_pre_hook_changes_the_tensor_of_the_caller(shape, recording):
    module, x = nn.Identity(), torch.ones(shape)

    def edit(_: nn.Module, args: tuple) -> None:
        args[0].mul_(10)

    module.register_forward_pre_hook(edit)
    with torch.set_grad_enabled(recording):
        module(x)
        module(x)
    assert (x == 100).all()


# What is kept, and what has a graph.


@attacks(
    "module-hooks/features#gradient",
    zh="三种层，调用一到三次，不反向",
    en="three layers, one to three calls without a backward pass",
)
@attacks(
    "module-hooks/must-not#must-not",
    zh="三种层，调用一到三次；看它们是否释放，没有量占多少内存",
    en="three layers, one to three calls; that they are freed, not how much memory that is",
)
@given(st.integers(1, 3), st.sampled_from(["output", "detached", "under no_grad", "backward"]))
def test_a_kept_output_keeps_its_graph_until_a_backward_pass(calls, how):
    module = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    hidden, kept = [], []
    module[1].register_forward_hook(lambda _, __, output: hidden.append(ref(output)))

    def keep(_: nn.Module, __: tuple, output: torch.Tensor) -> None:
        kept.append(output.detach() if how == "detached" else output)

    module[2].register_forward_hook(keep)
    with torch.set_grad_enabled(how != "under no_grad"):
        for _ in range(calls):
            y = module(torch.ones(1, 2))
            if how == "backward":
                y.sum().backward()
            del y
    alive = sum(output() is not None for output in hidden)
    assert alive == (calls if how == "output" else 0)
    assert len(kept) == calls


@attacks(
    "module-hooks/must-not#backward-inside",
    zh="torch.nn 的十五种模块，有无 create_graph",
    en="fifteen modules of torch.nn, with and without create_graph",
)
@given(names, st.booleans())
def test_gradients_in_a_hook_have_a_graph_only_with_create_graph(name, create_graph):
    module, x = made(name)
    seen = []
    module.register_full_backward_hook(lambda _, grads, __: seen.append(first(grads)))
    loss = first(module(x)).pow(3).sum()
    torch.autograd.grad(loss, x, create_graph=create_graph)
    assert seen[0].requires_grad == create_graph
    if not create_graph:
        with pytest.raises(RuntimeError, match="does not require grad"):
            seen[0].square().sum().backward()


@attacks(
    "module-hooks/must-not#recursion",
    zh="前向钩子和前向预钩子",
    en="forward hooks and pre-hooks",
)
@pytest.mark.parametrize("kind", FORWARD)
def test_a_module_that_calls_itself_in_its_hook_never_ends(kind):
    module = nn.Identity()
    getattr(module, kind)(lambda module, args, *_: module(*args))
    with pytest.raises(RecursionError):
        module(torch.ones(1))


@attacks(
    "module-hooks/must-not#raise",
    zh="torch.nn 的十五种模块的输出，单独、在列表里、在字典里拿着",
    en="outputs of fifteen modules of torch.nn, held alone, in a list and in a dictionary",
)
@given(names, st.booleans(), st.sampled_from([lambda y: y, lambda y: [y], lambda y: {"y": y}]))
def test_a_module_that_holds_an_output_with_a_graph_cannot_be_copied(name, detach, pack):
    module, x = made(name)
    output = first(module(x + 0))
    module.kept = pack(output.detach() if detach else output)
    if detach:
        assert hasattr(copy.deepcopy(module), "kept")
    else:
        with pytest.raises(RuntimeError, match="support the deepcopy protocol"):
            copy.deepcopy(module)


# The deprecated hook.


def old_report(module: nn.Module, x: torch.Tensor) -> tuple[list, list, torch.Tensor]:
    """What the old hook gets, the warnings of the forward pass, and the output."""
    seen = []
    with warned() as caught, module.register_backward_hook(lambda _, grads, __: seen.append(grads)):
        y = module(x)
    return seen, caught, y


@attacks(
    "module-hooks/old-backward#old-backward",
    "module-hooks/old-warning#several-outputs",
    "module-hooks/whole-or-child#two-entries",
    zh="torch.nn 的十五种模块",
    en="fifteen modules of torch.nn",
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
    "module-hooks/old-backward#old-backward",
    zh="一个偏置，二维的输入，三种 dtype，是或不是叶子，冻结或不冻结",
    en="a bias, inputs of two dimensions, three dtypes, leaves or not, frozen or not",
)
@attacks(
    "module-hooks/old-warning#compare",
    zh="Linear；一到四维的输入，三种 dtype；一到四维的输入，是或不是叶子，有无偏置，冻结或不冻结，三种 dtype",
    en="Linear; inputs of one to four dimensions, three dtypes; inputs of one to four dimensions, leaves or not, with and without bias, frozen or not, three dtypes",
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


class Computes(nn.Module):
    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


SINGLE = [torch.relu, torch.sin, lambda x: 3 * x, lambda x: x * x, lambda x: x.sum(), torch.exp]


@attacks(
    "module-hooks/old-warning#compare",
    zh="六种运算，零到二维的形状",
    en="six operations, shapes of no to two dimensions",
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
    "module-hooks/old-warning#old-warning",
    "module-hooks/whole-or-child#whole-or-child",
    zh="torch.nn 的十五种模块，输入需要梯度",
    en="fifteen modules of torch.nn, inputs that require a gradient",
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
