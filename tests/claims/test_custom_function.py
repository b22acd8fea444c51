"""What the pages of custom-function say in general."""

import copy
import gc
import types
import weakref

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch.amp import custom_bwd, custom_fwd
from torch.autograd import gradcheck, gradgradcheck
from torch.autograd.function import once_differentiable
from torch.autograd.gradcheck import GradcheckError

from claims.graph import own

pytestmark = pytest.mark.upgrade

DTYPES = st.sampled_from([torch.float64, torch.float32, torch.bfloat16])
EDITS = {
    "add_": lambda w: w.add_(1),
    "zero_": lambda w: w.zero_(),
    "copy_": lambda w: w.copy_(torch.ones_like(w)),
    "an element": lambda w: w[0].mul_(2),
}


def weighted(entries):
    """Arguments number 1, 2, ... times 2, 3, ..., summed; backward returns `entries(gradients)`."""

    def forward(ctx, *arguments):
        ctx.arguments = arguments
        return sum(n * argument for n, argument in enumerate(arguments, 2))

    def backward(ctx, grad_y):
        assert torch.equal(grad_y, torch.full_like(grad_y, 7))
        numbered = enumerate(ctx.arguments, 2)
        gradients = [n * grad_y if torch.is_tensor(argument) else None for n, argument in numbered]
        for needed, argument in zip(ctx.needs_input_grad, ctx.arguments, strict=True):
            assert needed == (torch.is_tensor(argument) and argument.requires_grad)
        return entries(gradients, ctx.needs_input_grad)

    return own(forward, backward)


@attacks(
    "custom-function/first-function#first-function",
    "custom-function/first-function#count",
    "custom-function/save-and-context#limits",
    zh="一到五个参数：需要或不需要梯度的张量、整数和开关；三种 dtype；返回的项比参数少或多",
    en="one to five arguments: tensors that need a gradient or not, integers, switches; three dtypes; fewer or more entries than arguments",
)
@given(
    kinds=st.lists(st.sampled_from(["needs", "needs none", "integer", "switch"]), max_size=4),
    dtype=DTYPES,
    extra=st.integers(1, 3),
)
def test_one_entry_for_each_argument(kinds, dtype, extra):
    """By position, None where none is needed; fewer raise, and more, unless they are None."""
    kinds = [*kinds, "needs"]

    def argument(kind):
        if kind in ("integer", "switch"):
            return 3 if kind == "integer" else True
        return torch.ones(2, dtype=dtype, requires_grad=kind == "needs")

    def run(entries):
        arguments = [argument(kind) for kind in kinds]
        (7 * weighted(entries).apply(*arguments)).sum().backward()
        return arguments

    for right in (
        lambda gradients, needed: tuple(gradients),
        lambda gradients, needed: (*gradients, *[None] * extra),
        lambda gradients, needed: tuple(
            g if n else None for g, n in zip(gradients, needed, strict=True)
        ),
    ):
        for n, (kind, value) in enumerate(zip(kinds, run(right), strict=True), 2):
            if kind == "needs":
                assert torch.equal(value.grad, torch.full_like(value, 7 * n))
            elif kind == "needs none":
                assert value.grad is None
    with pytest.raises(RuntimeError, match="incorrect number of gradients"):
        run(lambda gradients, needed: (*gradients, *[None] * (extra - 1), gradients[-1]))
    if len(kinds) > 1:
        with pytest.raises(RuntimeError, match="incorrect number of gradients"):
            run(lambda gradients, needed: tuple(gradients[:-1]))
    if {"integer", "switch"} & set(kinds):
        with pytest.raises(RuntimeError):
            run(lambda gradients, needed: tuple(gradients[-1] for _ in gradients))


@attacks(
    "custom-function/first-function#recorded",
    zh="一个接一个的 Function；调用时开着或关着记录；三种 dtype；create_graph 和 retain_graph 的各种取值",
    en="one Function after another; called with recording on and off; three dtypes; create_graph and retain_graph on and off",
)
@given(
    create=st.booleans(),
    retain=st.booleans(),
    outside=st.booleans(),
    dtype=DTYPES,
    number=st.integers(1, 3),
)
def test_backward_is_recorded_with_create_graph_alone(create, retain, outside, dtype, number):
    """Whatever the mode is around the call; forward never."""
    in_forward, in_backward = [], []

    def forward(ctx, w):
        ctx.save_for_backward(w)
        y = w**2
        in_forward.append(torch.is_grad_enabled() or y.requires_grad)
        return y

    def backward(ctx, grad_y):
        grad_w = grad_y * 2 * ctx.saved_tensors[0]
        in_backward.extend([torch.is_grad_enabled(), grad_y.requires_grad, grad_w.requires_grad])
        return grad_w

    w = torch.ones(2, dtype=dtype, requires_grad=True)
    y, square = w, own(forward, backward)
    for _ in range(number):
        y = square.apply(y)
        assert y.requires_grad
    loss = (y**2).sum()
    with torch.set_grad_enabled(outside):
        torch.autograd.grad(loss, w, create_graph=create, retain_graph=retain or create)
    assert in_forward == [False] * number and in_backward == [create] * 3 * number


def keeping(what: str, saved: bool):
    """A square that keeps its input, its output or what lies between, saved or on `ctx`."""

    def forward(ctx, w):
        values = {"input": w, "between": 3 * w}
        values["output"] = values["between"] ** 2
        if saved:
            ctx.save_for_backward(values[what])
        else:
            ctx.kept = values[what]
        return values["output"]

    def backward(ctx, grad_y):
        return grad_y * (ctx.saved_tensors[0] if saved else ctx.kept)

    return own(forward, backward)


@attacks(
    "custom-function/first-function#save",
    zh="输入和输出，保存的和记在 ctx 属性上的；四种原地修改，改张量或它的视图；三种 dtype",
    en="inputs and outputs, saved or set on ctx; four edits in place, of the tensor or of a view; three dtypes",
)
@given(
    edit=st.sampled_from(sorted(EDITS)),
    dtype=DTYPES,
    view=st.booleans(),
    what=st.sampled_from(["input", "output"]),
    saved=st.booleans(),
)
def test_what_was_saved_notices_an_edit_in_place(edit, dtype, view, what, saved):
    """save_for_backward raises, an attribute doesn't."""
    w = torch.full((3,), 2.0, dtype=dtype, requires_grad=True)
    y = keeping(what, saved).apply(w)
    loss = (3 * y).sum()
    with torch.no_grad():
        edited = y if what == "output" else w
        EDITS[edit](edited[:] if view else edited)
    if saved:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
    else:
        loss.backward()


def scaled(factors, wrong):
    """Sums of the tensors among its arguments, times `factors`; backward is off by `wrong`."""

    def forward(ctx, *arguments):
        ctx.arguments = arguments
        tensors = [a for a in arguments if torch.is_tensor(a)]
        return sum(f @ a for f, a in zip(factors, tensors, strict=True))

    def backward(ctx, grad_y):
        tables = iter([f + w for f, w in zip(factors, wrong, strict=True)])
        return tuple(grad_y @ next(tables) if torch.is_tensor(a) else None for a in ctx.arguments)

    return own(forward, backward)


@attacks(
    "custom-function/gradcheck#gradcheck",
    "custom-function/gradcheck#read",
    zh="一到四个参数，有的不需要梯度或是数；输入和输出各一到三个元素；每个位置轮流写错",
    en="one to four arguments, some of which need no gradient or are numbers; inputs and outputs of one to three elements; each place wrong in turn",
)
@given(
    kinds=st.lists(st.sampled_from(["needs", "needs none", "number"]), min_size=0, max_size=3),
    sizes=st.lists(st.integers(1, 3), min_size=4, max_size=4),
    outputs=st.integers(1, 3),
    data=st.data(),
)
def test_gradcheck_names_the_place(kinds, sizes, outputs, data):
    """Which argument, which row and which column are wrong."""
    kinds = data.draw(st.permutations([*kinds, "needs"]))
    arguments = [
        3
        if kind == "number"
        else torch.rand(size, dtype=torch.float64).requires_grad_(kind == "needs")
        for kind, size in zip(kinds, sizes, strict=False)
    ]
    tensors = [a for a in arguments if torch.is_tensor(a)]
    factors = [torch.rand(outputs, len(a), dtype=torch.float64) + 1 for a in tensors]
    wrong = [torch.zeros_like(f) for f in factors]
    assert gradcheck(scaled(factors, wrong).apply, arguments)

    needing = [n for n, a in enumerate(tensors) if a.requires_grad]
    place = data.draw(st.sampled_from(range(len(needing))))
    table = wrong[needing[place]]
    column, row = (data.draw(st.integers(0, size - 1)) for size in table.shape)
    table[column, row] = 4
    with pytest.raises(GradcheckError) as caught:
        gradcheck(scaled(factors, wrong).apply, arguments)
    said, rest = str(caught.value).split("numerical:")
    assert said == f"Jacobian mismatch for output 0 with respect to input {place},\n"
    names = {"tensor": torch.tensor, "torch": torch}
    numerical, analytical = (eval(text, names) for text in rest.split("analytical:"))
    torch.testing.assert_close(analytical - numerical, table.T, atol=1e-3, rtol=0)


@attacks(
    "custom-function/gradcheck#accepts",
    zh="斜率从 1e-6 到 1e3，误差最多是允许的三倍；给或不给 atol 和 rtol",
    en="slopes from 1e-6 to 1e3, errors up to three times what is allowed; atol and rtol given or not",
)
@given(
    exponent=st.floats(-6, 3),
    share=st.floats(-3, 3).filter(lambda share: abs(abs(share) - 1) > 0.1),
    atol=st.sampled_from([None, 1e-8, 1e-5, 1e-2]),
    rtol=st.sampled_from([None, 0.0, 1e-3, 1e-1]),
)
def test_gradcheck_allows_atol_and_rtol(exponent, share, atol, rtol):
    """Atol + rtol * |numerical| is allowed, with 1e-5 and 1e-3 by default."""
    slope = 10**exponent
    relative = (1e-3 if rtol is None else rtol) * slope
    allowed = (1e-5 if atol is None else atol) + relative
    if allowed < 1e-7 * max(slope, 1):  # less than a difference can tell
        allowed, atol = 1e-5, 1e-5 - relative
    given = {"atol": atol, "rtol": rtol}
    given = {name: value for name, value in given.items() if value is not None}
    one = torch.ones(1, 1, dtype=torch.float64)
    function = scaled([one * slope], [one * share * allowed])
    x = torch.tensor([0.3], dtype=torch.float64, requires_grad=True)
    answer = gradcheck(function.apply, x, raise_exception=False, **given)
    assert answer == (abs(share) <= 1)


ON_GRADIENTS = {
    "as it is": lambda grad: grad,
    "cubed": lambda grad: grad**3,
    "clipped at 1": lambda grad: grad.clamp(-1, 1),
    "clipped at 2": lambda grad: grad.clamp(-2, 2),
    "doubled": lambda grad: 2 * grad,
}


@attacks(
    "custom-function/gradcheck#accepts",
    zh="一到三个输出；backward 把梯度三次方、限制在 1 或 2、翻倍",
    en="one to three outputs; a backward that cubes its gradient, limits it at 1 or 2, doubles it",
)
@given(
    sizes=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    change=st.sampled_from(sorted(ON_GRADIENTS)),
)
def test_gradcheck_hands_in_zeros_and_ones(sizes, change):
    """What backward does to other gradients isn't tried."""
    received = set()

    def forward(ctx, *tensors):
        ctx.save_for_backward(*tensors)
        return tuple(x**2 for x in tensors)

    def backward(ctx, *grads):
        received.update(*(grad.flatten().tolist() for grad in grads))
        pairs = zip(grads, ctx.saved_tensors, strict=True)
        return tuple(ON_GRADIENTS[change](grad) * 2 * x for grad, x in pairs)

    x = [(torch.rand(size, dtype=torch.float64) + 0.5).requires_grad_() for size in sizes]
    answer = gradcheck(own(forward, backward).apply, x, raise_exception=False)
    assert answer == (change != "doubled")
    assert received == {0, 1} or (change == "doubled" and received <= {0, 1})


@attacks(
    "custom-function/gradcheck#accepts",
    zh="有一到三个参数的模块，每个的梯度都写错；慢模式和快模式",
    en="a module with one to three parameters, each with a wrong gradient; slow and fast mode",
)
@given(sizes=st.lists(st.integers(1, 3), min_size=1, max_size=3), fast=st.booleans())
def test_gradcheck_looks_at_what_it_is_given(sizes, fast):
    """The parameters of a module aren't compared; handed over, they are."""
    factors = [torch.rand(2, n, dtype=torch.float64) + 1 for n in [2, *sizes]]
    wrong = [torch.zeros_like(factors[0]), *(torch.ones_like(f) for f in factors[1:])]
    function = scaled(factors, wrong)
    new = [torch.rand(n, dtype=torch.float64) for n in sizes]
    module = torch.nn.Module()
    module.weights = torch.nn.ParameterList(new)
    module.forward = lambda x: function.apply(x, *module.weights)
    x = torch.rand(2, dtype=torch.float64, requires_grad=True)
    assert gradcheck(module, x, fast_mode=fast)
    with pytest.raises(GradcheckError, match="with respect to input 1"):
        gradcheck(function.apply, (x, *module.weights), fast_mode=fast)


@attacks(
    "custom-function/save-and-context#save-and-context",
    zh="三种 dtype 的张量、None、数、文本、列表、元组和函数",
    en="tensors of three dtypes, None, numbers, texts, lists, tuples and functions",
)
@given(
    kinds=st.lists(st.sampled_from(["tensor", None]), max_size=3),
    other=st.sampled_from([3, "w", [torch.ones(1)], (torch.ones(1),), torch.exp, True]),
    dtype=DTYPES,
)
def test_save_for_backward_takes_tensors_and_none(kinds, other, dtype):
    """Anything else raises a TypeError."""
    w, seen = torch.ones(2, dtype=dtype, requires_grad=True), []

    def forward(ctx, w, *more):
        ctx.save_for_backward(*(kind and w for kind in kinds), *more)
        return 2 * w

    def backward(ctx, grad_y):
        seen.extend(ctx.saved_tensors)
        return 2 * grad_y

    own(forward, backward).apply(w).sum().backward()
    assert [value is None for value in seen] == [kind is None for kind in kinds]
    with pytest.raises(TypeError, match="can only save variables"):
        own(forward, backward).apply(w, other)


@attacks(
    "custom-function/save-and-context#leak",
    zh="保存的输出，和记在 ctx 属性上的；三种 dtype；反向之前和之后",
    en="outputs saved or set on ctx; three dtypes; before and after a backward pass",
)
@given(dtype=DTYPES, backward=st.booleans(), saved=st.booleans())
def test_saved_outputs_make_no_circle(dtype, backward, saved):
    """Saved outputs go when their last name goes; attributes stay."""
    gc.disable()
    try:
        y = keeping("output", saved).apply(torch.ones(2, dtype=dtype, requires_grad=True))
        watch = weakref.ref(y)
        if backward:
            y.sum().backward()
        del y
        assert (watch() is None) == saved
    finally:
        gc.enable()


@attacks(
    "custom-function/save-and-context#after-backward",
    "higher-order/second-derivative#penalty",
    zh="输入、输出和中间结果，保存的和记在 ctx 属性上的；三种 dtype；retain_graph 和 create_graph 的各种取值",
    en="inputs, outputs and intermediate results, saved or set on ctx; three dtypes; retain_graph and create_graph on, off and left out",
)
@given(
    what=st.sampled_from(["input", "output", "between"]),
    dtype=DTYPES,
    create=st.booleans(),
    retain=st.sampled_from([None, False, True]),
    saved=st.booleans(),
)
def test_what_was_saved_is_freed(what, dtype, create, retain, saved):
    """Freed by the backward pass unless it retains; attributes never."""
    w = torch.ones(2, dtype=dtype, requires_grad=True)
    y = keeping(what, saved).apply(w)
    torch.autograd.grad(y.sum(), w, create_graph=create, retain_graph=retain)
    if saved and not (create if retain is None else retain):
        with pytest.raises(RuntimeError, match="second time"):
            torch.autograd.grad(y.sum(), w)
    else:
        torch.autograd.grad(y.sum(), w)


INSIDE = {
    "list": list,
    "tuple": tuple,
    "dictionary": lambda tensors: dict(enumerate(tensors)),
    "object": lambda tensors: types.SimpleNamespace(tensors=tensors),
}


@attacks(
    "custom-function/save-and-context#in-a-list",
    zh="装着一两个张量的列表、元组、字典和对象；三种 dtype",
    en="lists, tuples, dictionaries and objects that hold one or two tensors; three dtypes",
)
@given(inside=st.sampled_from(sorted(INSIDE)), number=st.integers(1, 2), dtype=DTYPES)
def test_apply_does_not_look_inside_its_arguments(inside, number, dtype):
    """Within a list and the like tensors get no gradient."""
    tensors = [torch.ones(2, dtype=dtype, requires_grad=True) for _ in range(number)]
    total = own(
        lambda ctx, held, *given: sum(tensors),
        lambda ctx, grad_y: tuple(grad_y if needed else None for needed in ctx.needs_input_grad),
    )
    assert not total.apply(INSIDE[inside](tensors)).requires_grad
    total.apply(None, *tensors).sum().backward()
    assert all(tensor.grad is not None for tensor in tensors)


@attacks(
    "custom-function/twice#limits",
    zh="2 到 4 次方，custom_fwd 转换输入，或者先转换好；bfloat16 的 autocast",
    en="powers from 2 to 4; custom_fwd casts the input, or it is cast before; autocast to bfloat16",
)
@given(k=st.integers(2, 4), w=st.sampled_from([0.5, 1.0, 2.0]), before=st.booleans())
def test_what_custom_fwd_has_cast_counts_as_a_constant(k, w, before):
    """The second derivative lacks the share of the cast input, unless it is cast before."""

    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w**k

    @custom_bwd(device_type="cpu")
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        return grad_y * k * w ** (k - 1)

    leaf = torch.tensor(w, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = leaf.to(torch.bfloat16)
        y = own(forward, backward).apply(half.float() if before else half)
        (first,) = torch.autograd.grad(y.float() ** 2, leaf, create_graph=True)
    (second,) = torch.autograd.grad(first, leaf)
    slope = k * w ** (k - 1)
    missing = 2 * w**k * k * (k - 1) * w ** (k - 2)
    torch.testing.assert_close(first.item(), 2 * w**k * slope)
    torch.testing.assert_close(second.item(), 2 * slope**2 + (missing if before else 0))


@attacks(
    "custom-function/twice#twice",
    "custom-function/twice#mend",
    zh="一两个因子的 2 到 5 次方，sigmoid 和 exp；用到输入、输出、返回或不返回的中间结果",
    en="powers from 2 to 5 of one or two factors, sigmoid and exp; inputs, outputs, intermediate results that are returned or not",
)
@given(
    what=st.sampled_from(["exp", "sigmoid", "power", "product"]),
    kept=st.sampled_from(["received", "returned", "marked", "intermediate"]),
    k=st.integers(2, 5),
    w=st.floats(0.5, 1.5),
)
def test_second_derivatives_of_what_was_received_or_returned(what, kept, k, w):
    """Right from inputs and outputs; marked or intermediate, it counts as a constant."""
    value, slope = {
        "exp": (lambda w, v: w.exp(), lambda w, v: w.exp()),
        "sigmoid": (lambda w, v: w.sigmoid(), lambda w, v: w.sigmoid() * (1 - w.sigmoid())),
        "power": (lambda w, v: w**k, lambda w, v: k * w ** (k - 1)),
        "product": (lambda w, v: v * w**k, lambda w, v: v * k * w ** (k - 1)),
    }[what]

    def forward(ctx, w, v):
        part = slope(w, v)
        ctx.save_for_backward(w, v, part)
        if kept == "marked":
            ctx.mark_non_differentiable(part)
        return (value(w, v), part) if kept in ("returned", "marked") else value(w, v)

    def backward(ctx, grad_y, grad_part=None):
        w, v, part = ctx.saved_tensors
        if kept == "received":
            part = slope(w, v)
        grad_w = grad_y * part
        grad_v = grad_y * w**k if what == "product" else None
        if grad_part is not None:
            w1, v1 = (x.detach().requires_grad_() for x in (w, v))
            with torch.enable_grad():
                again = slope(w1, v1).sum()
                got = torch.autograd.grad(again, (w1, v1), allow_unused=True)
            grad_w = grad_w + grad_part * got[0]
            if what == "product":
                grad_v = grad_v + grad_part * got[1]
        return grad_w, grad_v

    def function(w, v):
        y = own(forward, backward).apply(w, v)
        return y[0] if kept in ("returned", "marked") else y

    def derivatives(of):
        (first,) = torch.autograd.grad(of(*arguments).square().sum(), w, create_graph=True)
        return first, torch.autograd.grad(first, w)[0]

    d = {"dtype": torch.float64, "requires_grad": True}
    arguments = w, _ = torch.tensor([w], **d), torch.tensor([w + 0.2], **d)
    assert gradcheck(function, arguments)
    answer = gradgradcheck(function, arguments, torch.tensor([0.7], **d), raise_exception=False)
    (first, second), (right, right_second) = derivatives(function), derivatives(value)
    torch.testing.assert_close(first, right)
    without = (2 * slope(*arguments) ** 2).detach()
    if kept in ("marked", "intermediate"):
        assert not answer or abs(right_second - without) < 1e-3
        torch.testing.assert_close(second, without)
    else:
        assert answer
        torch.testing.assert_close(second, right_second)


@attacks(
    "custom-function/twice#once",
    zh="once_differentiable，一到三个参数；损失对输出是线性的或不是；三种 dtype",
    en="once_differentiable, one to three arguments; a loss linear in the output or not; three dtypes",
)
@given(number=st.integers(1, 3), dtype=DTYPES, linear=st.booleans())
def test_once_differentiable_looks_at_the_gradient_it_receives(number, dtype, linear):
    """It raises later if that one needs a gradient; otherwise there is no graph."""

    def forward(ctx, *factors):
        ctx.save_for_backward(*factors)
        return torch.stack(factors).prod(0)

    @once_differentiable
    def backward(ctx, grad_y):
        product = torch.stack(ctx.saved_tensors).prod(0)
        return tuple(grad_y * product / factor for factor in ctx.saved_tensors)

    factors = [torch.full((2,), 2.0, dtype=dtype, requires_grad=True) for _ in range(number)]
    y = own(forward, backward).apply(*factors)
    loss = (3 * y).sum() if linear else y.square().sum()
    first = torch.autograd.grad(loss, factors, create_graph=True)
    assert all(one.requires_grad != linear for one in first)
    if not linear:
        with pytest.raises(RuntimeError, match="differentiate twice"):
            first[0].sum().backward()


@attacks(
    "custom-function/several-outputs#several-outputs",
    "custom-function/several-outputs#non-differentiable",
    zh="一到四个输出，至少用到一个，其中夹着数、文本和 None；三种 dtype；有无 set_materialize_grads(False)",
    en="one to four outputs, at least one of them used, among numbers, texts and None; three dtypes; with and without set_materialize_grads(False)",
)
@given(
    used=st.lists(st.booleans(), min_size=1, max_size=4).filter(any),
    dtype=DTYPES,
    materialize=st.booleans(),
    others=st.lists(st.sampled_from([None, 3, 2.5, "w", True]), max_size=2),
    first=st.booleans(),
)
def test_one_gradient_for_each_output(used, dtype, materialize, others, first):
    """In order; zeros or None for an unused tensor, None for no tensor."""
    received = []

    def forward(ctx, w):
        ctx.set_materialize_grads(materialize)
        multiples = tuple(n * w for n in range(1, len(used) + 1))
        return (*others, *multiples) if first else (*multiples, *others)

    def backward(ctx, *grads):
        assert len(grads) == len(others) + len(used)
        start = len(others) if first else 0
        stop = start + len(used)
        assert all(grad is None for grad in grads[:start] + grads[stop:])
        received.extend(grads[start:stop])
        return sum(n * grad for n, grad in enumerate(received, 1) if grad is not None)

    w = torch.ones(2, dtype=dtype, requires_grad=True)
    y = [one for one in own(forward, backward).apply(w) if torch.is_tensor(one)]
    sum(
        n * one.sum() for n, (one, use) in enumerate(zip(y, used, strict=True), 3) if use
    ).backward()
    for n, (grad, use) in enumerate(zip(received, used, strict=True), 3):
        if use or materialize:
            assert torch.equal(grad, torch.full_like(w, n if use else 0))
        else:
            assert grad is None


@attacks(
    "custom-function/several-outputs#non-differentiable",
    zh="标记过的三种浮点 dtype 的输出，没有标记的三种整数 dtype 和布尔的输出",
    en="outputs of three floating-point dtypes that are marked, and of three integer dtypes and bool that are not",
)
@pytest.mark.parametrize("marked", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("unmarked", [torch.int64, torch.int32, torch.uint8, torch.bool])
def test_outputs_without_a_gradient(marked, unmarked):
    """Marked floats and integers need no gradient; their place is zeros."""
    received = []

    def forward(ctx, w):
        mask = (w > 0).to(marked)
        ctx.mark_non_differentiable(mask)
        return 2 * w, mask, mask.to(unmarked)

    def backward(ctx, grad_y, *others):
        received.extend(others)
        return 2 * grad_y

    w = torch.tensor([-1.0, 1.0], requires_grad=True)
    y, *masks = own(forward, backward).apply(w)
    assert not any(mask.requires_grad or mask.grad_fn for mask in masks)
    (y * masks[0] * masks[1]).sum().backward()
    assert torch.equal(w.grad, torch.tensor([0.0, 2.0]))
    assert len(received) == 2 and not any(grad.any() for grad in received)


@attacks(
    "custom-function/several-outputs#dirty",
    zh="一两个输入被四种原地操作改动；标记或不标记，返回或不返回；三种 dtype",
    en="one or two inputs changed in place in four ways; marked or not, returned or not; three dtypes",
)
@given(
    edit=st.sampled_from(sorted(EDITS)),
    dtype=DTYPES,
    number=st.integers(1, 2),
    marked=st.booleans(),
    returned=st.booleans(),
)
def test_mark_dirty(edit, dtype, number, marked, returned):
    """Without the mark the old node stays; marked and not returned, it raises."""
    called = []

    def forward(ctx, *tensors):
        for x in tensors:
            EDITS[edit](x)
        if marked:
            ctx.mark_dirty(*tensors)
        return tuple(tensors) if returned else tuple(x + 0 for x in tensors)

    def backward(ctx, *grads):
        called.append(True)
        return tuple(7 * grad for grad in grads)

    change = own(forward, backward)
    w = torch.full((3,), 2.0, dtype=dtype, requires_grad=True)
    h = [1 * w for _ in range(number)]
    old = [one.grad_fn for one in h]
    if marked and not returned:
        with pytest.raises(RuntimeError, match="must all be outputs"):
            change.apply(*h)
        return
    change.apply(*h)
    assert all((one.grad_fn is before) != marked for one, before in zip(h, old, strict=True))
    sum(one.sum() for one in h).backward()
    assert bool(called) == marked
    assert torch.equal(w.grad, torch.full_like(w, number * (7 if marked else 1)))


LOSSES = {
    "z": lambda z: z,
    "z^2": lambda z: z**2,
    "z^3 - z": lambda z: z**3 - z,
    "z^4": lambda z: z**4,
    "sin": torch.sin,
    "exp": torch.exp,
}


@attacks(
    "custom-function/sampling#sampling",
    zh="正态分布的均值和宽度；六个损失；期望用数值积分求，不靠抽样",
    en="the mean and the width of normal distributions; six losses; expectations found by quadrature, not by draws",
)
@given(loss=st.sampled_from(sorted(LOSSES)), mu=st.floats(-1, 1), sigma=st.floats(0.3, 1.2))
def test_both_ways_estimate_the_same_derivative(loss, mu, sigma):
    nodes, weights = (torch.from_numpy(x) for x in np.polynomial.hermite_e.hermegauss(60))
    weights = weights / weights.sum()
    parameters = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (mu, sigma)]
    z = parameters[0] + parameters[1] * nodes
    through_sample = torch.autograd.grad((weights * LOSSES[loss](z)).sum(), parameters)
    fixed = z.detach()
    log_prob = torch.distributions.Normal(*parameters).log_prob(fixed)
    reinforce = torch.autograd.grad((weights * LOSSES[loss](fixed) * log_prob).sum(), parameters)
    torch.testing.assert_close(through_sample, reinforce, atol=1e-7, rtol=1e-7)


PARAMETERS = {
    **dict.fromkeys(["Normal", "Uniform", "Laplace", "Gamma", "Beta"], lambda p: (p, p + 1)),
    **dict.fromkeys(["Exponential", "Bernoulli", "Categorical"], lambda p: (p,)),
    **dict.fromkeys(["Poisson", "Dirichlet"], lambda p: (p,)),
}
"""Of ten distributions of `torch.distributions`."""


@attacks(
    "custom-function/sampling#sampling",
    zh="torch.distributions 里参数需要梯度的十种分布；抽一次和抽几次",
    en="ten distributions of torch.distributions whose parameters need a gradient; one draw and several",
)
@given(name=st.sampled_from(sorted(PARAMETERS)), shape=st.sampled_from([(), (3,), (2, 2)]))
def test_sample_has_no_graph(name, shape):
    """Sample needs no gradient; rsample does, where there is one."""
    p = torch.tensor([0.3, 0.6], requires_grad=True)
    distribution = getattr(torch.distributions, name)(*PARAMETERS[name](p))
    assert not distribution.sample(shape).requires_grad
    if distribution.has_rsample:
        assert distribution.rsample(shape).requires_grad
    else:
        with pytest.raises(NotImplementedError):
            distribution.rsample(shape)


def clip(limit: float, copy: bool = False) -> type[torch.autograd.Function]:
    """Hands on a view, or a copy, and clips the gradient."""
    return own(
        lambda ctx, h: h.clone() if copy else h.view_as(h),
        lambda ctx, grad_y: grad_y.clamp(-limit, limit),
    )


@attacks(
    "custom-function/clip-inside#clip-inside",
    zh="一到四个分支，有的裁剪过；系数最大一百；上限从 0.125 到 50",
    en="one to four branches, some of them clipped; factors up to a hundred; limits from 0.125 to 50",
)
@given(
    branches=st.lists(st.tuples(st.integers(-100, 100), st.booleans()), min_size=1, max_size=4),
    limit=st.sampled_from([0.125, 1.0, 2.0, 50.0]),
    dtype=st.sampled_from([torch.float64, torch.float32]),
)
def test_a_clip_inside_leaves_the_other_shares(branches, limit, dtype):
    """The sum of the shares, of which those through the Function are clipped."""
    w = torch.ones(3, dtype=dtype, requires_grad=True)
    loss = sum((f * (clip(limit).apply(w) if clipped else w)).sum() for f, clipped in branches)
    assert loss == 3 * sum(factor for factor, _ in branches)
    loss.backward()
    shares = [max(-limit, min(limit, f)) if clipped else f for f, clipped in branches]
    torch.testing.assert_close(w.grad, torch.full_like(w, sum(shares)))


@attacks(
    "custom-function/clip-inside#three-places",
    zh="一到三层的 Sequential 和它的副本，调用一到三次；直接放 Function 或它的 apply",
    en="a Sequential with one to three layers, and a copy of it, called one to three times; the bare Function and its apply",
)
@given(
    layers=st.integers(1, 3),
    limit=st.sampled_from([0.125, 1.0, 2.0]),
    calls=st.integers(1, 3),
    copied=st.booleans(),
)
def test_a_clip_goes_with_the_model(layers, limit, calls, copied):
    """In a module it clips in each call, in a copy too; bare it is refused."""
    linear = torch.nn.Linear(1, 1, bias=False)
    for bare in (clip(limit), clip(limit).apply):
        with pytest.raises(TypeError, match="not a Module subclass"):
            torch.nn.Sequential(linear, bare)
    clipping, others = torch.nn.Module(), [torch.nn.Identity() for _ in range(layers - 1)]
    clipping.forward = lambda h: clip(limit).apply(h)
    net = torch.nn.Sequential(linear, clipping, *others)
    if copied:
        net = copy.deepcopy(net)
    for _ in range(calls):
        net.zero_grad()
        (100 * net(torch.ones(1, 1))).sum().backward()
        assert net[0].weight.grad.item() == limit


class ClipsAtTrueSize(torch.autograd.Function):
    """As on the page: divided by the scale in float32, clipped, multiplied, in the dtype it had."""

    @staticmethod
    def forward(ctx, h, limit, scale):
        ctx.limit, ctx.scale = limit, scale
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad_y):
        return clipped_at_true_size(grad_y, ctx.limit, ctx.scale), None, None


def clipped_at_true_size(grad_y, limit, scale):
    grad = (grad_y.float() / scale).clamp(-limit, limit)
    return (grad * scale).to(grad_y.dtype)


@attacks(
    "custom-function/clip-inside#scaler",
    "nan-and-inf/where#find-it",
    zh="GradScaler，起始倍数从 1 到 2^24；上限从 0.25 到 50；三种 dtype；用 Function 和用张量钩子",
    en="GradScaler from a scale of 1 to 2^24; limits from 0.25 to 50; three dtypes; by a Function and by a tensor hook",
)
@given(
    factor=st.sampled_from([-100.0, -3.0, -0.25, 0.5, 3.0, 100.0]),
    limit=st.sampled_from([0.25, 1.0, 2.0, 50.0]),
    exponent=st.integers(0, 24),
    dtype=st.sampled_from([torch.float16, torch.bfloat16, torch.float32]),
    by_hook=st.booleans(),
)
def test_a_clip_inside_finds_the_true_size_under_a_scaler(factor, limit, exponent, dtype, by_hook):
    """Each step that is taken has the clipped gradient; what float16 can't hold
    is skipped until the scale has come down."""
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**exponent)
    right = max(-limit, min(limit, factor))
    for _ in range(26):
        optimizer.zero_grad()
        scale, before = scaler.get_scale(), w.item()
        h = 1 * w.to(dtype)
        if by_hook:
            h.register_hook(lambda grad, scale=scale: clipped_at_true_size(grad, limit, scale))
        else:
            h = ClipsAtTrueSize.apply(h, limit, scale)
        scaler.scale((factor * h).float()).backward()
        scaler.unscale_(optimizer)
        gradient = w.grad.item()
        fits = dtype != torch.float16 or abs(factor) * scale <= torch.finfo(dtype).max
        assert gradient == right or not (fits or np.isfinite(gradient))
        scaler.step(optimizer)
        scaler.update()
        assert w.item() == (before - right if np.isfinite(gradient) else before)
        if np.isfinite(gradient):
            return
    raise AssertionError("no step was taken")


@attacks(
    "custom-function/clip-inside#scaler",
    zh="float16，GradScaler 起始的倍数，上限从 1 到 50",
    en="float16, the scale with which GradScaler starts, limits from 1 to 50",
)
@pytest.mark.parametrize("limit", [1.0, 2.0, 50.0])
def test_a_limit_times_the_scale_is_no_float16(limit):
    bound = limit * torch.amp.GradScaler("cpu").get_scale()
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.ones(1, dtype=torch.float16).clamp(-bound, bound)


@attacks(
    "custom-function/clip-inside#in-place",
    zh="对 Function 返回的视图和副本做四种原地运算；三种 dtype",
    en="four in-place operations on a view and on a copy that a Function returns; three dtypes",
)
@given(
    edit=st.sampled_from(["relu_", "add_", "mul_", "an element"]),
    copy=st.booleans(),
    dtype=DTYPES,
)
def test_a_view_of_a_function_may_not_be_edited_in_place(edit, copy, dtype):
    """It raises, and a copy in its place is clipped as ever."""
    w = torch.tensor([1.0, -1.0], dtype=dtype, requires_grad=True)
    in_place = {
        "relu_": torch.relu_,
        "add_": lambda h: h.add_(1),
        "mul_": lambda h: h.mul_(3),
        "an element": lambda h: h[:1].mul_(3),
    }[edit]
    h = clip(2, copy).apply(5 * w)
    if not copy:
        with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
            in_place(h)
        return
    in_place(h)
    (100 * h).sum().backward()
    assert torch.equal(w.grad, torch.tensor([10.0, 0 if edit == "relu_" else 10], dtype=dtype))


@attacks(
    "custom-function/clip-inside#limits",
    zh="torch.compile，后端 eager 和 aot_eager；先后三个缩放倍数",
    en="torch.compile with the backends eager and aot_eager; three scales one after the other",
)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("as_tensor", [True, False])
def test_compiled_code_takes_the_scale_as_a_tensor(backend, as_tensor):
    """A number that changes raises in the second call."""
    torch.compiler.reset()

    def loss(w, scale):
        return scale * (3 * ClipsAtTrueSize.apply(w.half(), 2.0, scale)).float()

    compiled = torch.compile(loss, backend=backend)
    for number, scale in enumerate((16384.0, 8192.0, 4096.0)):
        w = torch.tensor(1.0, requires_grad=True)
        if as_tensor or number == 0:
            compiled(w, torch.tensor(scale) if as_tensor else scale).backward()
            assert w.grad.item() == 2 * scale
        else:
            with pytest.raises(torch._dynamo.exc.InternalTorchDynamoError):
                compiled(w, scale).backward()


def operator(name, power=2, factor=None, fake=True, edits=False, formula=True, by_numpy=False):
    """`x**power` for positive x, otherwise 0, by NumPy, registered as an operator."""

    def kernel(x: torch.Tensor) -> torch.Tensor:
        array = x.numpy(force=True)
        return torch.as_tensor(np.maximum(array, 0, out=array if edits else None) ** power)

    def backward(ctx, grad_y):
        (x,) = ctx.saved_tensors
        slope = (power if factor is None else factor) * x.relu() ** (power - 1)
        return torch.from_numpy((grad_y * slope).numpy(force=True)) if by_numpy else grad_y * slope

    op = torch.library.custom_op(f"claims::{name}_{power}", kernel, mutates_args=())
    if fake:
        op.register_fake(torch.empty_like)
    if formula:
        save = lambda ctx, inputs, output: ctx.save_for_backward(inputs[0])  # noqa: E731
        op.register_autograd(backward, setup_context=save)
    return op


def opcheck_fails(op, needs=True):
    x = torch.tensor([-1.0, 3.0], dtype=torch.float64, requires_grad=needs)
    results = torch.library.opcheck(op, (x,), raise_exception=False)
    return {test for test, result in results.items() if result != "SUCCESS"}


@attacks(
    "custom-function/custom-op#checks",
    zh="三个次数；五种错，没有 register_autograd 也算；输入需要或不需要梯度",
    en="three powers; five mistakes, a missing register_autograd among them; inputs that need a gradient or not",
)
@pytest.mark.filterwarnings("ignore:Error detected in")
@pytest.mark.parametrize("power", [2, 3, 4])
def test_what_opcheck_and_gradcheck_miss(power):
    def passes(op):
        x = torch.tensor([-1.0, 3.0], dtype=torch.float64, requires_grad=True)
        return gradcheck(op, (x,), raise_exception=False)

    compiled = {"test_faketensor", "test_aot_dispatch_dynamic"}
    for name, mistake, of_opcheck, of_gradcheck in (
        ("right", {}, set(), True),
        ("factor", {"factor": 1}, set(), False),
        ("edits", {"edits": True}, {"test_schema"}, True),
        ("no_fake", {"fake": False}, compiled, True),
        ("by_numpy", {"by_numpy": True}, {"test_aot_dispatch_dynamic"}, True),
    ):
        op = operator(name, power, **mistake)
        assert (opcheck_fails(op), passes(op)) == (of_opcheck, of_gradcheck), name

    def edits(x: torch.Tensor) -> torch.Tensor:
        return x.clamp_(min=0) ** power

    op = torch.library.custom_op(f"claims::declared_{power}", edits, mutates_args={"x"})
    with pytest.raises(RuntimeError, match="non-functional operator"):
        op.register_autograd(lambda ctx, grad_y: grad_y)
    missing = operator("no_formula", power, formula=False)
    assert not opcheck_fails(missing, needs=False)
    assert opcheck_fails(missing) == {"test_aot_dispatch_dynamic"}


@attacks(
    "custom-function/custom-op#custom-op",
    "custom-function/custom-op#four-functions",
    zh="三种后端，都写 fullgraph=True；二阶导数；autocast",
    en="three backends, with fullgraph=True; second derivatives; autocast",
)
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_a_compiler_takes_an_operator_as_one_operation(backend):
    op = operator(f"whole_{backend}", 3)
    x = torch.tensor([-1.0, 3.0], dtype=torch.float64, requires_grad=True)
    assert gradgradcheck(op, (x,))
    torch.compile(lambda x: (5 * op(x)).sum(), backend=backend, fullgraph=True)(x).backward()
    assert x.grad.tolist() == [0, 5 * 27]
    op.register_autocast("cpu", torch.float64)
    with torch.autocast("cpu"):
        assert op(torch.ones(2)).dtype == torch.float64


@attacks(
    "custom-function/custom-op#forward-mode",
    "custom-function/custom-op#limits",
    zh="jvp、jacfwd 和 forward_ad；grad、vjp、jacrev 和 hessian；三个次数；vmap",
    en="jvp, jacfwd and forward_ad; grad, vjp, jacrev and hessian; three powers; vmap",
)
@pytest.mark.parametrize("power", [2, 3, 4])
def test_an_operator_has_no_forward_mode(power, capfd):
    """0 without an error; torch.func refuses to go backward; a Function around it does both."""
    op, x = operator("directions", power), torch.tensor([-1.0, 3.0])
    slope = torch.tensor([0.0, power * 3.0 ** (power - 1)])
    assert not torch.func.jacfwd(op)(x).any()
    assert not torch.func.jvp(op, (x,), (torch.ones(2),))[1].any()
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones(2))
        assert torch.autograd.forward_ad.unpack_dual(op(dual)).tangent is None
    assert torch.equal(torch.autograd.functional.jacobian(op, x), torch.diag(slope))
    for transform in (torch.func.grad, torch.func.jacrev, torch.func.hessian):
        with pytest.raises(RuntimeError, match="setup_context"):
            transform(lambda x: op(x).sum())(x)
    with pytest.raises(RuntimeError, match="setup_context"):
        torch.func.vjp(op, x)

    class Around(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return op(x)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, grad_y):
            return grad_y * power * ctx.saved_tensors[0].relu() ** (power - 1)

        jvp = backward

    assert torch.equal(torch.func.grad(lambda x: Around.apply(x).sum())(x), slope)
    assert torch.equal(torch.func.jvp(Around.apply, (x,), (torch.ones(2),))[1], slope)
    assert torch.equal(torch.func.vmap(torch.func.grad(Around.apply))(x), slope)
