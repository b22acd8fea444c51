"""What the pages of convolution say in general."""

import inspect
from itertools import pairwise, product

import pytest
import torch
import torch.nn.functional as F
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.nn.grad import conv1d_input, conv1d_weight, conv2d_input, conv2d_weight
from torch.nn.parallel import DistributedDataParallel

from claims.cases import MODULES, REAL, output
from claims.optimizers import OPTIMIZERS, made, step
from claims.ranks import on_two_ranks

pytestmark = pytest.mark.upgrade

FORWARD = {1: F.conv1d, 2: F.conv2d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d}
INPUT = {1: conv1d_input, 2: conv2d_input}
WEIGHT = {1: conv1d_weight, 2: conv2d_weight}


class Convolution:
    """A convolution of random numbers in one or two dimensions, and its gradients."""

    def __init__(self, dims, size, kernel, how, groups, batch, dtype=torch.float64):
        self.dims, self.size, self.kernel, self.how, self.groups = dims, size, kernel, how, groups
        generator = torch.Generator().manual_seed(size + 10 * kernel)

        def random(*shape):
            return torch.randn(shape, generator=generator, dtype=dtype)

        self.x = random(batch, 2 * groups, *[size] * dims).requires_grad_()
        self.weight = random(3 * groups, 2, *[kernel] * dims).requires_grad_()
        self.bias = random(3 * groups).requires_grad_()
        y = FORWARD[dims](self.x, self.weight, self.bias, groups=groups, **how)
        self.g = random(*y.shape)
        leaves = (self.x, self.weight, self.bias)
        self.of_x, self.of_weight, self.of_bias = torch.autograd.grad(y, leaves, self.g)

    @property
    def left(self) -> int:
        """What the division of the forward pass leaves."""
        reach = self.how["dilation"] * (self.kernel - 1) + 1
        return (self.size + 2 * self.how["padding"] - reach) % self.how["stride"]

    def readings(self):
        """For each output, each cell of the kernel and the place that it reads, but no padding."""
        for o in product(*map(range, self.g.shape[2:])):
            for u in product(range(self.kernel), repeat=self.dims):
                at = tuple(
                    self.how["stride"] * a + self.how["dilation"] * b - self.how["padding"]
                    for a, b in zip(o, u, strict=True)
                )
                if all(0 <= a < self.size for a in at):
                    yield (..., *o), (..., *u), (..., *at)


@st.composite
def convolutions(draw, groups=(1, 2), dtypes=(torch.float64,)):
    dims, kernel, padding = (draw(st.integers(*ends)) for ends in ((1, 2), (1, 3), (0, 3)))
    how = {
        "stride": draw(st.integers(1, 4)),
        "padding": padding,
        "dilation": draw(st.integers(1, 3)),
    }
    size = draw(st.integers(1, 8 if dims == 1 else 4))
    assume(size + 2 * padding >= how["dilation"] * (kernel - 1) + 1)
    batch, dtype = draw(st.integers(1, 2)), draw(st.sampled_from(dtypes))
    return Convolution(dims, size, kernel, how, draw(st.sampled_from(groups)), batch, dtype)


@attacks(
    "convolution/image-gradient#image-gradient",
    "convolution/image-gradient#where-it-stops",
    "convolution/kernel#kernel",
    "convolution/weight-gradient#weight-gradient",
    "convolution/weight-gradient#where-it-stops",
    "convolution/review#remember",
    "convolution/index#convolution",
    zh="一维和二维，步幅 1 到 4，填充 0 到 3，膨胀 1 到 3，一组或两组，一张或两张图",
    en="1-D and 2-D, stride 1 to 4, padding 0 to 3, dilation 1 to 3, one or two groups, one or two images",
)
@given(convolutions())
def test_each_output_sends_its_gradient_to_what_it_read(case):
    """Pixels, kernel and bias, summed by hand over all outputs and all cells of the kernel."""
    of_x, of_weight = torch.zeros_like(case.x), torch.zeros_like(case.weight)
    with torch.no_grad():
        for o, u, at in case.readings():
            for group in range(case.groups):
                ins, outs = (slice(n * group, n * (group + 1)) for n in (2, 3))
                g = case.g[o][:, outs]
                of_x[at][:, ins] += g @ case.weight[u][outs]
                of_weight[u][outs] += g.T @ case.x[at][:, ins]
    assert torch.allclose(case.of_x, of_x)
    assert torch.allclose(case.of_weight, of_weight)
    assert torch.allclose(case.of_bias, case.g.sum((0, *range(2, 2 + case.dims))))


@attacks(
    "convolution/transposed#output-padding",
    "convolution/transposed#see",
    "convolution/transposed#transposed",
    "convolution/transposed#where-it-stops",
    zh="一维和二维，步幅 1 到 4，填充 0 到 3，膨胀 1 到 3，一组或两组；float64 和 complex128",
    en="1-D and 2-D, stride 1 to 4, padding 0 to 3, dilation 1 to 3, one or two groups; float64 and complex128",
)
@given(convolutions(dtypes=(torch.float64, torch.complex128)))
def test_the_input_gradient_is_a_transposed_convolution(case):
    kernel, how = case.weight.conj(), {"groups": case.groups, **case.how}
    back = TRANSPOSED[case.dims]
    full = back(case.g, kernel, output_padding=case.left, **how)
    assert torch.allclose(full, case.of_x)
    if case.weight.is_complex():
        as_it_is = back(case.g, case.weight, output_padding=case.left, **how)
        assert torch.allclose(as_it_is, full) == (not full.any())
        return
    assert INPUT[case.dims](case.x.shape, kernel, case.g, **how).equal(case.of_x)
    other = (case.x.detach() * 5 + 1).requires_grad_()
    y = FORWARD[case.dims](other, case.weight, case.bias, **how)
    assert torch.autograd.grad(y, other, case.g)[0].equal(case.of_x), "the input isn't in it"
    if case.size > case.left:
        assert back(case.g, kernel, **how).shape[-1] == case.size - case.left


@attacks(
    "convolution/kernel#flip",
    "convolution/kernel#insert-zeros",
    "convolution/transposed#see",
    "convolution/transposed#output-padding",
    zh="一维和二维，步幅 1 到 4，填充 0 到 3，膨胀 1 到 3，一张或两张图",
    en="1-D and 2-D, stride 1 to 4, padding 0 to 3, dilation 1 to 3, one or two images",
)
@given(convolutions(groups=(1,)))
def test_a_transposed_convolution_inserts_zeros_and_flips(case):
    """Each remaining place is a sum over outputs; where none read, it is 0."""
    s, p, d = (case.how[name] for name in ("stride", "padding", "dilation"))
    spread = torch.zeros(
        *case.g.shape[:2], *(s * (n - 1) + 1 for n in case.g.shape[2:]), dtype=case.g.dtype
    )
    spread[(..., *[slice(None, None, s)] * case.dims)] = case.g
    before = d * (case.kernel - 1) - p
    flipped = case.weight.flip(*range(2, 2 + case.dims)).transpose(0, 1)
    spread = F.pad(spread, [before, before + case.left] * case.dims)
    assert torch.allclose(FORWARD[case.dims](spread, flipped, dilation=d), case.of_x)
    read = torch.zeros(case.x.shape[2:], dtype=torch.bool)
    for _, _, at in case.readings():
        read[at[1:]] = True
    assert not case.of_x[..., ~read].any()
    assert case.of_x[..., read].all()


@attacks(
    "convolution/weight-gradient#swap",
    "convolution/weight-gradient#weight-gradient",
    "convolution/review#remember",
    zh="一维和二维，步幅 1 到 4，填充 0 到 3，膨胀 1 到 3；conv1d_weight 和 conv2d_weight",
    en="1-D and 2-D, stride 1 to 4, padding 0 to 3, dilation 1 to 3; conv1d_weight and conv2d_weight",
)
@given(convolutions(groups=(1,)))
def test_the_kernel_gradient_slides_the_output_gradient(case):
    """Stride and dilation trade places; what is too much is cut off."""
    how = case.how | {"stride": case.how["dilation"], "dilation": case.how["stride"]}
    slid = FORWARD[case.dims](case.x.transpose(0, 1), case.g.transpose(0, 1), **how)
    cut = slid.transpose(0, 1)[(..., *[slice(case.kernel)] * case.dims)]
    assert torch.allclose(cut, case.of_weight)
    by_shape = WEIGHT[case.dims](case.x, case.weight.shape, case.g, **case.how)
    assert by_shape.equal(case.of_weight)


@attacks(
    "convolution/transposed#where-it-stops",
    zh="Conv2d，四种填充方式，填充 1 和 2，步幅 1 和 2",
    en="Conv2d with four modes of padding, padding 1 and 2, stride 1 and 2",
)
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("padding", [1, 2])
@pytest.mark.parametrize("mode", ["circular", "reflect", "replicate", "zeros"])
def test_a_transposed_convolution_does_not_undo_other_padding(mode, padding, stride):
    layer = nn.Conv2d(1, 2, 3, stride=stride, padding=padding, padding_mode=mode)
    x = torch.randn(1, 1, 5, 5, requires_grad=True)
    y = layer(x)
    g = torch.randn_like(y)
    (of_x,) = torch.autograd.grad(y, x, g)
    back = F.conv_transpose2d(g, layer.weight, stride=stride, padding=padding)
    assert torch.allclose(back, of_x, atol=1e-5) == (mode == "zeros")
    with pytest.raises(TypeError):
        F.conv_transpose2d(g, layer.weight, padding="same")


LAYERS = {
    "Conv1d": (nn.Conv1d, (2, 1, 7)),
    "Conv2d": (nn.Conv2d, (2, 1, 7, 7)),
    "Conv3d": (nn.Conv3d, (2, 1, 4, 4, 4)),
    "ConvTranspose2d": (nn.ConvTranspose2d, (2, 1, 7, 7)),
    "one image": (nn.Conv2d, (1, 7, 7)),
}


@attacks(
    "convolution/weight-gradient#first-layer",
    zh="Conv1d、2d、3d 和 ConvTranspose2d，没有批次维的一张图；有无偏置和 autocast",
    en="Conv1d, 2d, 3d and ConvTranspose2d, one image without a batch; with and without bias and autocast",
)
@given(st.sampled_from(list(LAYERS)), *(st.booleans() for _ in range(3)))
def test_the_backward_pass_computes_only_what_requires_a_gradient(name, image, bias, mixed):
    make, shape = LAYERS[name]
    layer, x = make(1, 2, 3, bias=bias), torch.randn(shape, requires_grad=image)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=mixed):
        y = layer(x)
    node = y.grad_fn
    while node.name() != "ConvolutionBackward0":
        node = node.next_functions[0][0]
    wanted = [image, True, bias]
    assert [edge is not None for edge, _ in node.next_functions] == wanted
    g = torch.ones_like(y[None] if name == "one image" else y)
    assert [part is not None for part in node(g)] == wanted
    y.float().sum().backward()
    assert (x.grad is not None) == image


AVERAGE = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}


@attacks(
    "convolution/pool#where-it-stops",
    "convolution/review#remember",
    zh="一到三维，窗口和步幅 1 到 4，ceil_mode、count_include_pad、channels_last；填充和 divisor_override",
    en="1-D to 3-D, windows and strides 1 to 4, ceil_mode, count_include_pad, channels_last; padding and divisor_override",
)
@given(
    *(st.integers(*ends) for ends in ((1, 3), (1, 4), (1, 4), (0, 4))),
    *(st.booleans() for _ in range(3)),
)
def test_average_pooling_adds_nothing_and_takes_nothing(
    dims, kernel, stride, more, ceil, count, channels_last
):
    """Without padding and divisor_override; with either it may."""
    x = torch.randn(2, 3, *[kernel + more] * dims, dtype=torch.float64)
    if channels_last and dims == 2:
        x = x.to(memory_format=torch.channels_last)
    x.requires_grad_()
    y = AVERAGE[dims](x, kernel, stride, 0, ceil, count)
    g = torch.randn_like(y)
    (of_x,) = torch.autograd.grad(y, x, g)
    assert of_x.sum().item() == pytest.approx(g.sum().item())
    for options, total in (
        ({"divisor_override": 1}, 9),
        ({"padding": 1}, 4 / 9),
        ({"padding": 1, "count_include_pad": False}, 1),
    ):
        x = torch.zeros(1, 3, 3, requires_grad=True)
        F.avg_pool2d(x, 3, stride=3, **options).sum().backward()
        assert x.grad.sum().item() == pytest.approx(total)


@attacks(
    "convolution/pool#pool",
    "convolution/pool#where-it-stops",
    "convolution/index#convolution",
    zh="自适应池化，边长 1 到 9 个像素变成 1 到 9 个，包括重叠的组",
    en="adaptive pooling of 1 to 9 pixels a side to 1 to 9, also groups that overlap",
)
@given(*(st.integers(1, 9) for _ in range(2)), st.integers(1, 2))
def test_adaptive_average_pooling_shares_each_gradient_out(size, out, dims):
    """Each group, from floor(i n / m) to ceil((i + 1) n / m), shares its own; shares add up."""
    x = torch.randn(1, 2, *[size] * dims, dtype=torch.float64, requires_grad=True)
    y = (F.adaptive_avg_pool1d, F.adaptive_avg_pool2d)[dims - 1](x, out)
    g = torch.randn_like(y)
    (of_x,) = torch.autograd.grad(y, x, g)
    assert of_x.sum().item() == pytest.approx(g.sum().item())
    if dims == 1:
        wanted = torch.zeros_like(x)
        groups = [(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]
        for i, (first, end) in enumerate(groups):
            wanted[..., first:end] += g[..., i : i + 1] / (end - first)
        assert torch.allclose(of_x, wanted)
        overlap = any(a[1] > b[0] for a, b in pairwise(groups))
        assert overlap == (size % out != 0)


@attacks(
    "convolution/pool#why-25",
    "convolution/pool#where-it-stops",
    zh="2 x 2 到 4 x 4 的特征图，1 到 3 张图，二到四个通道，channels_last",
    en="maps of 2 x 2 to 4 x 4, 1 to 3 images, two to four channels, channels_last",
)
@pytest.mark.filterwarnings("ignore:Using a non-full backward hook")
@given(*(st.integers(1, 3) for _ in range(3)), st.booleans())
def test_what_the_old_hook_of_global_pooling_reports(batch, channels, side, channels_last):
    """The undivided gradient where a second operation follows the mean."""
    side = side + 1
    x = torch.ones(batch, channels + 1, side, side)
    if channels_last:
        x = x.to(memory_format=torch.channels_last)
    x.requires_grad_()
    pool, seen = nn.AdaptiveAvgPool2d(1), []
    pool.register_backward_hook(lambda module, given, received: seen.append(given[0]))
    pool(x).sum().backward()
    assert seen[0].shape == ((*x.shape[:2], 1, 1) if channels_last else x.shape)
    assert (seen[0] == (1 if channels_last else 1 / side**2)).all()
    assert torch.allclose(x.grad, torch.tensor(1 / side**2))


def first_of_largest(cells):
    """Along dimension 0, the first place of those that are largest."""
    order = torch.arange(len(cells)).view(-1, *[1] * (cells.dim() - 1))
    return torch.where(cells == cells.amax(0), order, len(cells)).amin(0)


@st.composite
def tied(draw, dtypes=REAL):
    """Few values in many places, in different layouts; no NaN."""
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    size, values = torch.Size(shape).numel(), st.integers(-1, 1)
    x = torch.tensor(draw(st.lists(values, min_size=size, max_size=size))).view(shape)
    x = x.to(draw(st.sampled_from(dtypes)))
    return x.transpose(0, -1) if draw(st.booleans()) else x


@attacks(
    "convolution/max-pool#tie",
    "convolution/max-pool#gradient",
    "convolution/review#remember",
    "then-and-now/index#tie",
    zh="七种 dtype，一到三维，每个维度，也转置；两行各 70,000 个数；在 CPU 上，没有 NaN",
    en="seven dtypes, 1-D to 3-D, each dimension, also transposed; two rows of 70,000 numbers; on a CPU, no NaN",
)
@given(tied((*REAL, torch.int8, torch.uint8, torch.int64)))
def test_max_and_argmax_return_the_first(x):
    for dim in range(x.dim()):
        first = first_of_largest(x.movedim(dim, 0))
        assert x.max(dim).indices.equal(first)
        assert x.argmax(dim).equal(first)
        last = x.shape[dim] - 1 - x.flip(dim).argmax(dim)
        of_flipped = first_of_largest(x.movedim(dim, 0).flip(0))
        assert last.equal(x.shape[dim] - 1 - of_flipped)
    assert x.argmax() == first_of_largest(x.flatten())
    many = torch.zeros(2, 70_000, dtype=x.dtype)  # threads and vector instructions share the work
    many[1, 40_000:] = 1
    assert many.argmax(1).tolist() == many.max(1).indices.tolist() == [0, 40_000]
    assert many.argmax() == 110_000


@attacks(
    "convolution/max-pool#max-pool",
    "convolution/max-pool#see",
    "convolution/review#remember",
    "indexing/sorting#ties",
    "then-and-now/index#more",
    zh="四种浮点 dtype，一到三维，也转置；在 CPU 上，没有 NaN",
    en="four floating-point dtypes, 1-D to 3-D, also transposed; on a CPU, no NaN",
)
@given(tied())
def test_who_gets_the_gradient_of_a_maximum(x):
    dim = x.dim() - 1
    x = x.clone().requires_grad_()

    def gradient(largest):
        return torch.autograd.grad(largest.sum(), x)[0]

    alone = torch.zeros_like(x).scatter(dim, x.argmax(dim, keepdim=True), 1)
    assert gradient(x.max(dim).values).equal(alone)
    shared = (x == x.amax(dim, keepdim=True)).to(x.dtype)
    assert gradient(x.amax(dim)).allclose(shared / shared.sum(dim, keepdim=True))
    of_all = (x == x.amax()).to(x.dtype)
    for largest in (x.max(), x.amax()):
        assert gradient(largest).allclose(of_all / of_all.sum())
    first = torch.zeros(x.numel(), dtype=x.dtype).scatter(0, x.argmax(), 1).view_as(x)
    assert gradient(F.max_pool1d(x.reshape(1, -1), x.numel())).equal(first)
    flat = torch.cat([x.detach().flatten(), x.detach().max()[None]])
    for place in (flat == flat.max()).nonzero().flatten():  # two slopes, and so no derivative
        one = torch.zeros_like(flat).scatter(0, place, 1)
        assert (flat + one).max() == flat.max() + 1 and (flat - one).max() == flat.max()


POOLS = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}


@attacks(
    "convolution/max-pool#overlap",
    "glossary/index#convolutions",
    "convolution/index#convolution",
    zh="max_pool1d、2d、3d；窗口、步幅和膨胀 1 到 3，填充，channels_last；并列；在 CPU 上",
    en="max_pool1d, 2d, 3d; windows, strides and dilation 1 to 3, padding, channels_last; ties; on a CPU",
)
@given(
    st.integers(1, 3), *(st.integers(1, 3) for _ in range(3)), st.integers(0, 3), st.booleans(),
    st.sampled_from(REAL), st.integers(0, 9),
)  # fmt: skip
def test_max_pooling_gives_it_to_the_first(
    dims, kernel, stride, dilation, more, padded, dtype, seed
):
    """In each window; several windows add up; `return_indices` says where."""
    padding = min(int(padded), kernel // 2) if dilation == 1 else 0
    size = dilation * (kernel - 1) + 1 + more
    generator = torch.Generator().manual_seed(seed)
    channels = 17 if seed % 3 else 3  # 17: more than a vector instruction takes at once
    x = torch.randint(-1, 2, (1, channels, *[size] * dims), generator=generator).to(dtype)
    if dims == 2 and seed % 2:
        x = x.to(memory_format=torch.channels_last)
    x.requires_grad_()
    how = {"stride": stride, "padding": padding, "dilation": dilation}
    y, found = POOLS[dims](x, kernel, **how, return_indices=True)
    g = torch.randint(1, 4, y.shape, generator=generator).to(dtype)
    (of_x,) = torch.autograd.grad(y, x, g)
    wanted = torch.zeros(channels, size**dims, dtype=dtype)
    numbers = torch.arange(size**dims).view([size] * dims)
    for o in product(*map(range, y.shape[2:])):
        starts = [stride * a - padding for a in o]
        ways = [range(a, a + dilation * kernel, dilation) for a in starts]
        cells = [at for at in product(*ways) if all(0 <= a < size for a in at)]
        first = first_of_largest(torch.stack([x.detach()[(0, slice(None), *at)] for at in cells]))
        place = torch.stack([numbers[at] for at in cells])[first]
        assert found[(0, slice(None), *o)].equal(place)
        wanted[torch.arange(channels), place] += g[(0, slice(None), *o)]
    assert of_x.flatten().equal(wanted.flatten())


@attacks(
    "convolution/max-pool#where-it-stops",
    "convolution/max-pool#kink",
    zh="三种写法的 ReLU，也有原地的；四种 dtype；0、-0 和无穷，没有 NaN",
    en="three ways of ReLU, also in place; four dtypes; 0, -0 and infinity, no NaN",
)
@given(
    st.sampled_from(REAL),
    st.floats(allow_nan=False, width=16).filter(lambda value: abs(value) > 1e-4),
    st.sampled_from([0.0, -0.0]),
)
def test_relu_takes_the_left_at_0_and_maximum_half(dtype, value, zero):
    """Elsewhere three ways agree."""
    zeros = torch.zeros((), dtype=dtype)
    for function, at_0 in (
        (F.relu, 0),
        (lambda x: F.relu(x * 1, inplace=True), 0),
        (lambda x: x.clamp(min=0), 1),
        (lambda x: torch.maximum(x, zeros), 0.5),
    ):
        for at, slope in ((value, float(value > 0)), (zero, at_0)):
            x = torch.tensor(at, dtype=dtype, requires_grad=True)
            function(x).backward()
            assert x.grad == slope


@attacks(
    "convolution/max-pool#some",
    zh="一个随机权重的 1000 类网络，1000 个输入，有无 autocast",
    en="a network of random weights with 1000 classes, 1000 inputs, with and without autocast",
)
def test_low_precision_makes_ties_of_close_logits():
    """As autocast makes them; float32 hardly ever, where nothing else makes them equal."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1000))
    share = {}
    for dtype in (None, torch.bfloat16, torch.float16):
        with torch.no_grad(), torch.autocast("cpu", dtype=dtype, enabled=dtype is not None):
            logits = net(torch.randn(1000, 32))
        assert logits.dtype == (dtype or torch.float32)
        tied = (logits == logits.amax(1, keepdim=True)).sum(1) > 1
        share[dtype] = tied.float().mean().item()
    assert share[None] < 1e-3
    assert share[torch.bfloat16] > 0.01
    assert share[torch.float16] > 1e-3


VALUES = {
    "tensor": (lambda: torch.ones(2, 2), False),
    "number": (lambda: 2.0, False),
    "list of tensors": (lambda: [torch.ones(2), nn.Parameter(torch.ones(2))], False),
    "list of modules": (lambda: [nn.Linear(2, 2)], False),
    "buffer": (lambda: nn.Buffer(torch.ones(2, 2)), True),
    "buffer that isn't saved": (lambda: nn.Buffer(torch.ones(2, 2), persistent=False), False),
    "parameter": (lambda: nn.Parameter(torch.ones(2, 2)), True),
    "module": (lambda: nn.Linear(2, 2), True),
}
"""What is assigned, and whether state_dict holds it afterward."""


@attacks(
    "convolution/data-on-module#data-on-module",
    "convolution/data-on-module#ignored",
    "convolution/data-on-module#right-ways",
    "then-and-now/index#data-on-module",
    "glossary/index#training",
    zh="14 种模块，torch.nn 的所有类；张量、数、列表、子模块、参数、缓冲区",
    en="14 modules, all classes of torch.nn; tensors, numbers, lists, submodules, parameters, buffers",
)
@given(
    st.sampled_from(list(MODULES)),
    st.sampled_from(["data", "kernel", "w"]),
    st.sampled_from(list(VALUES)),
)
def test_a_tensor_under_a_new_name_changes_nothing(name, attribute, kind):
    """No error, no effect; state_dict holds only the three special kinds."""
    make, shape = MODULES[name]
    module = make().eval()
    classes = [c for c in vars(nn).values() if inspect.isclass(c) and issubclass(c, nn.Module)]
    assert not any(hasattr(one, "data") for one in (module, *classes))
    x, held = torch.randn(shape), list(module.state_dict())
    weights, out = [p.clone() for p in module.parameters()], output(module, x)
    make, is_held = VALUES[kind]
    setattr(module, attribute, make())
    assert output(module, x).equal(out)
    assert (list(module.state_dict()) != held) == is_held
    delattr(module, attribute)
    assert all(a.equal(b) for a, b in zip(weights, module.parameters(), strict=True))
    for parameter, _ in list(module.named_parameters(recurse=False)):
        with pytest.raises(TypeError, match="cannot assign"):
            setattr(module, parameter, torch.ones(1))


@attacks(
    "convolution/data-on-module#ignored",
    zh="空的和有一到三层的 nn.Sequential",
    en="an nn.Sequential of none to three layers",
)
@given(st.integers(0, 3))
def test_a_module_that_is_assigned_to_a_sequential_is_its_last_layer(layers):
    net = nn.Sequential(*(nn.Linear(2, 2) for _ in range(layers)))
    net.data = nn.Linear(2, 3)
    assert net(torch.ones(1, 2)).shape == (1, 3) and "data.weight" in net.state_dict()


@attacks(
    "convolution/data-on-module#right-ways",
    "convolution/data-on-module#where-it-stops",
    zh="copy_ 和 load_state_dict，14 种模块，float32 和 float64",
    en="copy_ and load_state_dict, 14 modules, float32 and float64",
)
@given(st.sampled_from(list(MODULES)), st.sampled_from([torch.float32, torch.float64]))
def test_ways_that_keep_the_parameter(name, dtype):
    """copy_ and load_state_dict fill it; load_state_dict checks."""
    module = MODULES[name][0]().to(dtype)
    before = list(module.parameters())
    wanted = {key: torch.full_like(value, 2) for key, value in module.state_dict().items()}
    module.load_state_dict(wanted)
    assert all(p.eq(2).all() for p in module.parameters())
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.tensor(3.0))
    assert all(p.eq(3).all() for p in module.parameters())
    assert all(a is b for a, b in zip(before, module.parameters(), strict=True))
    key = next(iter(wanted))
    for strict in (True, False):
        with pytest.raises(RuntimeError, match="size mismatch"):
            module.load_state_dict(wanted | {key: torch.ones(7, 7)}, strict=strict)
    with pytest.raises(RuntimeError, match="Unexpected key"):
        module.load_state_dict(wanted | {"another": torch.ones(1)})
    with pytest.raises(RuntimeError, match="Missing key"):
        module.load_state_dict({k: v for k, v in wanted.items() if k != key})
    module.load_state_dict({"another": torch.ones(1)}, strict=False)


INITIALIZERS = [
    name
    for name, function in vars(nn.init).items()
    if name.endswith("_") and not name.startswith("_") and inspect.isfunction(function)
]


@attacks(
    "convolution/data-on-module#right-ways", zh="nn.init 的所有函数", en="all functions of nn.init"
)
@pytest.mark.parametrize("name", INITIALIZERS)
def test_initializers_bring_their_own_no_grad(name):
    more = {"constant_": (1.0,), "sparse_": (0.5,)}.get(name, ())
    parameter = nn.Parameter(torch.full((4, 4, 3) if name == "dirac_" else (4, 4), 7.0))
    assert getattr(nn.init, name)(parameter, *more) is parameter
    assert parameter.is_leaf and parameter.requires_grad
    assert not parameter.eq(7).all()


@attacks(
    "convolution/data-on-module#right-ways",
    zh="torch.optim 的所有优化器",
    en="all optimizers of torch.optim",
)
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_an_optimizer_made_earlier_holds_the_old_parameter(kind):
    layer = nn.Linear(2, 2, bias=False)
    old, before = layer.weight, layer.weight.detach().clone()
    optimizer = made(kind, [old])
    layer.weight = nn.Parameter(torch.ones(2, 2))
    layer(torch.ones(1, 2)).sum().backward()
    step(optimizer, torch.ones(2, 2))
    assert layer.weight.eq(1).all() and layer.weight.grad.any()
    assert not torch.equal(old, before)


@attacks(
    "convolution/data-on-module#right-ways",
    zh="gloo 的两个进程；权重在 DDP 之前换掉、之后换掉，或用 copy_ 填写",
    en="two gloo ranks; the weight replaced before DDP, after it, or filled by copy_",
)
@pytest.mark.parametrize("way", ["new before", "new after", "copy_ after"])
@on_two_ranks
def test_ddp_made_earlier_does_not_average_the_new_parameter(rank, way):
    """The input is 2 in rank 0 and 6 in rank 1; the mean is 4."""
    layer = nn.Linear(1, 1, bias=False)
    if way == "new before":
        layer.weight = nn.Parameter(torch.ones(1, 1))
    model, x = DistributedDataParallel(layer), (2.0, 6.0)[rank]
    if way == "new after":
        layer.weight = nn.Parameter(torch.ones(1, 1))
    elif way == "copy_ after":
        with torch.no_grad():
            layer.weight.copy_(torch.ones(1, 1))
    model(torch.full((1, 1), x)).sum().backward()
    assert layer.weight.grad == (x if way == "new after" else 4)


@attacks(
    "convolution/data-on-module#where-it-stops",
    zh="Conv2d，以及输入一到三维的 Linear；四种 dtype；Adam、AdamW 和有无动量的 SGD",
    en="Conv2d, and Linear with 1-D to 3-D input; four dtypes; Adam, AdamW and SGD with and without momentum",
)
@given(
    st.sampled_from([(3,), (1, 3), (5, 3), (2, 5, 3)]),
    st.sampled_from(REAL),
    st.sampled_from([optim.Adam, optim.AdamW, optim.SGD]),
    st.booleans(),
)
def test_data_of_another_shape(shape, dtype, kind, stepped):
    """The weight of a convolution raises in the forward pass; the bias of a Linear does not. A
    step notices it by the state of the optimizer, or by the gradient that is still there."""
    conv = nn.Conv2d(1, 4, 1, dtype=dtype)
    conv.weight.data = torch.tensor(2.0, dtype=dtype)
    assert conv.weight.shape == ()
    with pytest.raises(RuntimeError):
        conv(torch.ones(1, 1, 5, 5, dtype=dtype))
    layer, x = nn.Linear(3, 2, dtype=dtype), torch.ones(shape, dtype=dtype)
    optimizer = made(kind, list(layer.parameters()), *["momentum"] * stepped)
    layer(x).sum().backward()
    if stepped:
        optimizer.step()
        optimizer.zero_grad()
    layer.bias.data = torch.tensor(2.0, dtype=dtype)
    out = layer(x)
    if stepped:
        out.sum().backward()
        assert layer.bias.grad.shape == ()
    with pytest.raises(RuntimeError):
        optimizer.step()


FACTORIES = [
    *((one, 2) for one in (torch.ones, torch.zeros, torch.empty, torch.rand, torch.randn)),
    *((torch.full, (2,), 1.0), (torch.tensor, [1.0]), (torch.arange, 3.0), (torch.eye, 2)),
    *((torch.linspace, 0, 1, 3), (torch.zeros_like, torch.ones(2)), (nn.Parameter, torch.ones(2))),
]


@attacks(
    "convolution/data-on-module#one-letter",
    zh="十二个建立张量的函数",
    en="twelve functions that make tensors",
)
@pytest.mark.parametrize(("factory", "arguments"), [(one, more) for one, *more in FACTORIES])
def test_a_misspelled_keyword_raises(factory, arguments):
    with pytest.raises(TypeError):
        factory(*arguments, require_grad=True)
    with pytest.raises(AttributeError):
        factory(*arguments).require_grad_()


@attacks(
    "convolution/data-on-module#one-letter",
    zh="14 种模块：对输入、对参数、对模块；True 和 False",
    en="14 modules: on the input, the parameters, the module; True and False",
)
@given(st.sampled_from(list(MODULES)), st.sampled_from([True, False]))
def test_a_misspelled_attribute_is_silent(name, wanted):
    """A network whose weights require a gradient raises nothing and trains."""
    make, shape = MODULES[name]
    module, x = make(), torch.randn(shape)
    x.require_grad = wanted
    for p in module.parameters():
        p.require_grad = wanted
    module.requires_grad = wanted
    output(module, x).sum().backward()
    assert x.grad is None
    assert all(p.grad is not None for p in module.parameters())


@attacks(
    "convolution/image-gradient#step",
    zh="SGD，有无 nesterov、dampening、foreach、fused",
    en="SGD with and without nesterov, dampening, foreach, fused",
)
@given(
    st.floats(0.01, 1),
    st.floats(0.1, 0.99),
    st.booleans(),
    st.sampled_from([{}, {"foreach": True}, {"fused": True}, {"dampening": 0.5}]),
)
def test_the_first_step_with_momentum_uses_the_gradient_as_it_is(lr, momentum, nesterov, more):
    assume(not (nesterov and "dampening" in more))
    w = torch.zeros(2, requires_grad=True)
    w.grad = torch.tensor([0.25, -1.25])
    optim.SGD([w], lr=lr, momentum=momentum, nesterov=nesterov, **more).step()
    used = 1 + momentum if nesterov else 1
    assert w.tolist() == pytest.approx([-lr * used * 0.25, lr * used * 1.25], rel=1e-5)


@attacks(
    "convolution/image-gradient#logits",
    zh="2 到 6 类，一张图；没有类别权重和标签平滑",
    en="2 to 6 classes, one image; no class weights, no label smoothing",
)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=6), st.data())
def test_softmax_minus_one_hot(values, data):
    """Of one image, with the cross entropy as it is by default."""
    label = data.draw(st.integers(0, len(values) - 1))
    logits = torch.tensor([values], dtype=torch.float64, requires_grad=True)
    loss = F.cross_entropy(logits, torch.tensor([label]))
    loss.backward()
    wanted = logits.detach().softmax(1)[0]
    wanted[label] -= 1
    assert torch.allclose(logits.grad[0], wanted)
    assert loss.item() == pytest.approx(logits.exp().sum().log().item() - values[label], abs=1e-9)


@attacks(
    "convolution/as-a-matrix#as-a-matrix",
    "convolution/as-a-matrix#transpose",
    "convolution/as-a-matrix#windows",
    "convolution/as-a-matrix#groups",
    zh="一维和二维，步幅 1 到 4，填充 0 到 3，膨胀 1 到 3，一组或两组；unfold 用一组的二维卷积",
    en="1-D and 2-D, stride 1 to 4, padding 0 to 3, dilation 1 to 3, one or two groups; unfold with 2-D of one group",
)
@given(convolutions())
def test_a_convolution_is_a_product_with_a_matrix(case):
    """Its columns from images of one pixel; blocks with groups; and the windows by unfold."""
    pixels = case.x[0].numel()
    units = torch.eye(pixels, dtype=case.x.dtype).view(pixels, *case.x.shape[1:])
    how = {"groups": case.groups, **case.how}
    with torch.no_grad():
        matrix = FORWARD[case.dims](units, case.weight, **how).flatten(1).T
        y = FORWARD[case.dims](case.x, case.weight, **how)
        assert torch.allclose(case.x.flatten(1) @ matrix.T, y.flatten(1))
        assert torch.allclose(case.g.flatten(1) @ matrix, case.of_x.flatten(1))
        for rows, off in zip(matrix.chunk(case.groups), range(case.groups), strict=True):
            blocks = list(rows.chunk(case.groups, dim=1))
            del blocks[off]
            assert not any(block.any() for block in blocks)
        if case.dims == 2 and case.groups == 1:
            windows = F.unfold(case.x, case.kernel, **case.how)
            assert torch.allclose(case.weight.flatten(1) @ windows, y.flatten(2))
            of_weight = (case.g.flatten(2) @ windows.mT).sum(0)
            assert torch.allclose(of_weight, case.of_weight.flatten(1))
            back = case.weight.flatten(1).T @ case.g.flatten(2)
            folded = F.fold(back, case.x.shape[2:], case.kernel, **case.how)
            assert torch.allclose(folded, case.of_x)


@attacks(
    "convolution/as-a-matrix#groups",
    zh="二到四组，边长 1 到 3 的卷积核；全部权重的卷积从同样的块出发，SGD 走一步",
    en="two to four groups, kernels of size 1 to 3; the dense convolution starts from the same blocks and takes a step of SGD",
)
@given(st.integers(2, 4), st.integers(1, 3), st.integers(0, 99))
def test_only_groups_keep_the_zeros(groups, kernel, seed):
    torch.manual_seed(seed)
    grouped = nn.Conv1d(2 * groups, 2 * groups, kernel, groups=groups, bias=False).double()
    dense = nn.Conv1d(2 * groups, 2 * groups, kernel, bias=False).double()
    inside = torch.block_diag(*[torch.ones(2, 2)] * groups).bool()
    with torch.no_grad():
        dense.weight.zero_()
        dense.weight[inside] = grouped.weight.flatten(0, 1)
    x = torch.randn(1, 2 * groups, 5, dtype=torch.float64)
    assert torch.allclose(dense(x), grouped(x))
    for conv in (grouped, dense):
        conv(x).square().sum().backward()
    assert torch.allclose(dense.weight.grad[inside], grouped.weight.grad.flatten(0, 1))
    optim.SGD([dense.weight], lr=0.1).step()
    assert dense.weight[~inside].any()
