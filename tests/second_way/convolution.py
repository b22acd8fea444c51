"""The numbers of `snippets/convolution/`, found without autograd."""

import numpy as np

from second_way.tools import Pairs, slope

CHANGE = np.array([0.0, 0, 2, 0])
"""What the hook adds to the gradient of the four logits."""
KERNEL = np.arange(1.0, 10.0).reshape(3, 3)
G = np.array([[1.0, 10], [100, 1000]])
"""The gradient that arrives at the 2 x 2 output."""


def correlate(x, kernel, stride=1, padding=0, dilation=1):
    """y[o] = sum over u of kernel[u] x[stride o + dilation u - padding], in each of two directions.

    A single number for stride, padding or dilation counts in both directions.
    """
    x, kernel = np.asarray(x, dtype=np.float64), np.asarray(kernel, dtype=np.float64)
    s, p, d = (np.broadcast_to(v, 2) for v in (stride, padding, dilation))
    x = np.pad(x, [(p[0], p[0]), (p[1], p[1])])
    reach = [d[i] * (kernel.shape[i] - 1) + 1 for i in (0, 1)]
    size = [(x.shape[i] - reach[i]) // s[i] + 1 for i in (0, 1)]
    y = np.zeros(size)
    for o in np.ndindex(*size):
        at = [o[i] * s[i] for i in (0, 1)]
        window = x[at[0] : at[0] + reach[0] : d[0], at[1] : at[1] + reach[1] : d[1]]
        y[o] = np.sum(window * kernel)
    return y


def row(values):
    """One row, so that the two directions hold one dimension."""
    return np.asarray(values, dtype=np.float64)[None]


def cross_entropy(logits, label):
    """-log softmax(logits)[label] = log(sum of exp) - logits[label]."""
    return np.log(np.sum(np.exp(logits))) - logits[label]


def at_logits():
    """The gradient of the cross entropy at logits 1, 1, 1, 1 for label 2."""
    return slope(lambda logits: cross_entropy(logits, 2), [1, 1, 1, 1])


def changed(logits, received):
    """A function of the logits whose gradient is the one that the hook passes on."""
    return np.sum(logits * received)


def pooled(maps):
    """The mean over the pixels of each channel."""
    return np.mean(maps, axis=(1, 2))


def behind_the_hook(f, received):
    """f(x) -> logits; the slope of sum(received * logits) in x."""
    return lambda x: changed(f(x), received)


def saliency() -> Pairs:
    """The sum of x[i, j] - x[i, j + 1] + x[i + 1, j] - x[i + 1, j + 1] where that is above 0."""
    image = np.zeros((4, 4))
    image[1:3, 1:3] = 1
    kernel = np.array([[1.0, -1], [1, -1]])
    edges = np.maximum(correlate(image, kernel), 0)
    found = edges > 0
    gradient = slope(lambda x: np.sum(correlate(x, kernel)[found]), image)
    return [("edges that were found:", edges), ("gradient of the score in the image:", gradient)]


def softmax_minus_onehot() -> Pairs:
    """log 1, ..., log 4: the softmax is 1/10, ..., 4/10; the slope of the cross entropy at 2."""
    logits, onehot = np.log([1.0, 2, 3, 4]), np.array([0, 0, 1, 0])
    p = np.exp(logits) / np.exp(logits).sum()
    return [
        ("softmax:", p),
        ("one-hot:", onehot),
        ("difference:", p - onehot),
        ("logits.grad:", slope(lambda z: cross_entropy(z, 2), logits)),
    ]


def through_the_pool() -> Pairs:
    """Slopes of the weighted mean of 25 pixels."""
    received = at_logits() + CHANGE
    maps = slope(behind_the_hook(pooled, received), np.ones((4, 5, 5)))
    return [
        ("received:", received),
        ("passed on, one pixel:", maps[:, 0, 0]),
        ("passed on, sum over the pixels:", maps.sum(axis=(1, 2))),
    ]


def overlapping_average() -> Pairs:
    """The sum of the means of all windows of 3 x 3, its slope times 9."""
    mean = np.full((3, 3), 1 / 9)
    gradient = slope(lambda x: np.sum(correlate(x, mean)), np.ones((4, 4)))
    return [("maps.grad * 9:", gradient * 9)]


def strided(x, kernel=KERNEL):
    """Kernel 3 x 3, stride 2, padding 1."""
    return correlate(x, kernel, stride=2, padding=1)


def image_gradient(n=4):
    """The slope of sum(G * y) in an n x n input."""
    return slope(lambda x: np.sum(strided(x) * G), np.zeros((n, n)))


def scattered(n):
    """Each output pixel lays the kernel, times its gradient, over the pixels that it has read."""
    x = np.zeros((n + 2, n + 2))
    for o in np.ndindex(*G.shape):
        x[2 * o[0] : 2 * o[0] + 3, 2 * o[1] : 2 * o[1] + 3] += G[o] * KERNEL
    return x[1 : n + 1, 1 : n + 1]


def which_pixels() -> Pairs:
    """The output of a one-hot input is the weight that ties each output pixel to that pixel."""
    pixel = np.zeros((4, 4))
    pixel[1, 1] = 1
    tie = strided(pixel)
    return [("its weight in each output pixel:", tie)]


def stride_one() -> Pairs:
    """Three weights 1, 2, 3 over five inputs; slopes, and the correlations themselves."""
    kernel, g = row([1, 2, 3]), row([1, 10, 100])

    def gradient(g):
        return slope(lambda x: np.sum(correlate(x, kernel) * g), np.zeros((1, 5)))

    return [
        ("only the middle output, x.grad:", gradient(row([0, 1, 0]))),
        ("all three outputs, x.grad:", gradient(g)),
        ("flipped kernel:", correlate(g, kernel[:, ::-1], padding=(0, 2))),
        ("kernel as it is:", correlate(g, kernel, padding=(0, 2))),
    ]


def how_often() -> Pairs:
    """Kernels of ones, stride 2: the slope counts the windows that read a pixel."""
    pairs: Pairs = []
    for size in (1, 2, 3):
        ones = np.ones((size, size))
        count = slope(lambda x, k=ones: np.sum(correlate(x, k, stride=2)), np.zeros((5, 5)))
        pairs += [("kernel size:", size), ("x.grad:", count)]
    return pairs


def flip_and_insert() -> Pairs:
    """Slopes of sum(G * y), which is linear in x."""
    spread = np.zeros((3, 3))
    spread[::2, ::2] = G
    return [("x.grad:", image_gradient())]


def transposed() -> Pairs:
    """Both sizes give 2 outputs; the division leaves 0 or 1; 2 (2 - 1) - 2 + 3 = 3 come back."""
    pairs: Pairs = []
    for n in (3, 4):
        outputs = strided(np.zeros((n, n))).shape[0]
        left = n + 2 - 3 - 2 * (outputs - 1)
        equal = bool(np.allclose(scattered(n), image_gradient(n)))
        pairs += [
            ("n:", n),
            ("output:", outputs),
            ("left over:", left),
            ("  without output_padding, size:", 2 * (outputs - 1) - 2 * 1 + 3),
            ("  conv_transpose2d, equal:", equal),
            ("  its last row:", image_gradient(n)[-1]),
            ("  conv2d_input, equal:", equal),
        ]
    return pairs


def one_dimension() -> Pairs:
    """Kernel 1, 2, 3, stride 3, padding 2, dilation 2, nine inputs."""
    g = row([1, 10, 100])

    def y(x):
        return correlate(x, row([1, 2, 3]), stride=(1, 3), padding=(0, 2), dilation=(1, 2))

    gradient = slope(lambda x: np.sum(y(x) * g), np.zeros((1, 9)))
    return [("x.grad:", gradient), ("conv_transpose1d:", gradient)]


def weight_gradient() -> Pairs:
    """Slopes in the nine weights; the correlation with dilation 2 has one row more than that."""
    x = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [9, 1, 2, 3], [4, 5, 6, 7]])
    gradient = slope(lambda kernel: np.sum(strided(x, kernel) * G), np.zeros((3, 3)))
    return [("kernel.grad:", gradient)]


def swapped() -> Pairs:
    """Eleven inputs, stride 3 and dilation 2; then g slides over x in two ways."""
    x, g = row(np.arange(1, 12)), row([1, 10, 100])

    def loss(kernel):
        return np.sum(correlate(x, kernel, stride=(1, 3), dilation=(1, 2)) * g)

    return [
        ("kernel.grad:", slope(loss, np.zeros((1, 3)))),
        ("same roles:", correlate(x, g, stride=(1, 3), dilation=(1, 2))),
        ("swapped roles:", correlate(x, g, stride=(1, 2), dilation=(1, 3))),
    ]


def winner(values):
    """1 at the first of the largest values, 0 elsewhere."""
    return np.arange(len(values)) == np.argmax(values)


def spread_evenly(values):
    """The mean over the tied of their derivatives, each of them the only one to be followed."""
    tied = np.asarray(values) == np.max(values)
    return tied / tied.sum()


def one_winner() -> Pairs:
    """At a tie there is no slope: one is followed, or the mean over all tied; the mean has one."""
    values = [1, 3, 3, 3]
    return [
        ("max_pool2d, x.grad:", winner(values)),
        ("max(dim), x.grad:", winner(values)),
        ("amax, x.grad:", spread_evenly(values)),
        ("max(), x.grad:", spread_evenly(values)),
        ("avg_pool2d, x.grad:", slope(np.mean, values)),
    ]


def windows_overlap() -> Pairs:
    """The largest of each two neighbours; no ties, so the slope is the one of the maximum."""
    x = np.array([1.0, 5, 2, 3])

    def largest(x):
        return np.maximum(x[:-1], x[1:])

    where = [i + int(np.argmax(x[i : i + 2])) for i in range(3)]
    return [
        ("largest:", largest(x)),
        ("found at:", where),
        ("x.grad:", slope(lambda x: largest(x) @ [1, 10, 100], x)),
    ]


def at_the_kink() -> Pairs:
    """max(x, 0) has two slopes at 0, one from each side: relu takes the left, clamp the right.

    maximum takes their mean, which is what central differences give.
    """

    def ramp(x):
        return np.maximum(x, 0)

    h = 1e-6
    left = [(ramp(x) - ramp(x - h)) / h for x in (-1, 0, 1)]
    right = [(ramp(x + h) - ramp(x)) / h for x in (-1, 0, 1)]
    return [
        ("relu x.grad:", np.round(left, 6)),
        (" x.grad:", np.round(right, 6)),
        (" x.grad:", np.diag(slope(ramp, [-1, 0, 1]))),
    ]


SPOTS = np.zeros((4, 4))
SPOTS[0:2, 0:2] = SPOTS[2:4, 2] = 1
"""The image of the review: a bright block at the top left, a stripe at the bottom right."""
DETECTORS = np.array([[[1.0, 1], [1, 1]], [[1.0, -1], [1, -1]]])
HEAD = np.array([[1.0, -2], [-1, 4]])


def detected(image):
    """Brightness and edge of each block of 2 x 2, where they are above 0."""
    return np.stack([np.maximum(correlate(image, k, stride=2), 0) for k in DETECTORS])


def heat(f):
    """The maps added with weights: the mean slope of f(logits) in each."""
    maps = detected(SPOTS)
    slopes = slope(lambda m: f(HEAD @ pooled(m)), maps)
    return np.maximum(np.tensordot(pooled(slopes), maps, axes=1), 0)


def review_problem() -> Pairs:
    """The slope of the cross entropy for label 1."""
    picture = heat(lambda z: cross_entropy(z, 1))
    maps = detected(SPOTS)
    return [
        ("map of the brightness:", maps[0]),
        ("map of the edge:", maps[1]),
        ("heat map:", picture),
    ]


def review_solution() -> Pairs:
    """The slope of logit 1; in the image, through the places where something was found."""
    picture = heat(lambda z: z[1])
    found = detected(SPOTS) > 0

    def score(image):
        each = [correlate(image, k, stride=2) for k in DETECTORS]
        return HEAD[1] @ pooled(np.stack(each) * found)

    return [("heat map:", picture), ("gradient of the score in the image:", slope(score, SPOTS))]
