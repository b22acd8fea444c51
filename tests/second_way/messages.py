"""The numbers of `snippets/messages/`, found without autograd."""

import numpy as np

from second_way.tools import Pairs, slope

EXCEPTIONS = {
    ("func_scalars", "got tensor with 1 dims"): "part of a message",
    ("gradient_shape", "at index 0 - got [2] but expected shape compatible with [3]"): (
        "part of a message"
    ),
    ("gradients_for_two", "got 2 tensors and 1 gradients"): "part of a message",
    ("resume_scheduler", "param_groups[0] when resuming scheduler with last_epoch >= 0"): (
        "part of a message"
    ),
    ("scalar_of_two", "a Tensor with 2 elements"): "part of a message",
    ("scheduler_steps", "Tried to step 4 times"): "part of a message",
    ("scheduler_steps", "number of total steps is 3"): "part of a message",
    ("view_of_function", "Output 0 of Double"): "part of a message",
    ("wider_in_place", "shape [3] doesn't match the broadcast shape [2, 3]"): "part of a message",
    ("zero_dimensions", "len() of a 0-d tensor"): "part of a message",
    ("zero_dimensions", "iteration over a 0-d tensor"): "part of a message",
}


def arguments_of_grad() -> Pairs:
    """The slopes of w^2 by w, and by b, which it doesn't have."""
    by_w, by_b = slope(lambda p: p[0] ** 2, [2.0, 1.0])
    return [("a tensor, w.grad:", by_w), ("zeros:", by_w), (",", by_b)]


def backward_inside() -> Pairs:
    """The slope of w x by w is x; times x, and the slope of x^2 at 3."""
    return [("func.grad inside:", slope(lambda x: x**2, 3.0))]


def complex_loss() -> Pairs:
    """x^2 + y^2 at 1 + 2i: PyTorch gives the slope by x plus i times the slope by y."""
    x, y = slope(lambda w: np.sum(w**2), [1.0, 2.0])
    return [("real loss:", 1.0**2 + 2.0**2), ("w.grad:", x), ("+", y)]


def complex_to_real() -> Pairs:
    """The real part grows as x does, and not with y."""
    x, y = slope(lambda w: w[0], [1.0, 2.0])
    return [("z.grad:", x), ("+", y), ("real, z.grad:", x), ("+", y), ("warnings:", 0)]


def copy_construct() -> Pairs:
    return [("x.detach().clone():", [1.0, 2.0]), ("warnings:", 0)]


def data_of_ints() -> Pairs:
    return [("copy_, w:", [1.0, 2.0])]


def detach_view() -> Pairs:
    """3 w0 as a number, times 3 w1."""
    return [
        ("detach(), w.grad:", slope(lambda w: 3.0 * 3 * w[1], [1.0, 2.0])),
        ("zero_grad, p.grad:", np.zeros((2, 2))),
    ]


def empty_clipping() -> Pairs:
    """The slope is x; clipped to the length 1."""
    gradient = slope(lambda w: 30.0 * w, 2.0)
    return [
        ("first use, parameters:", 1),
        ("weight.grad:", gradient),
        ("asked again, weight.grad:", gradient / np.abs(gradient)),
    ]


def func_scalars() -> Pairs:
    """The slopes of the sum of squares, and the slopes of these."""
    return [
        ("grad of a sum:", slope(lambda x: np.sum(x**2), [1.0, 2.0])),
        ("hessian of a sum:", 2 * np.eye(2)),
    ]


def grad_of_int() -> Pairs:
    return [("zeros_like:", np.zeros(2))]


def gradients_for_two() -> Pairs:
    return [("two gradients, w.grad:", slope(lambda w: 3 * w + w**2, 2.0))]


def groups() -> Pairs:
    return [("rates:", [0.1, 0.01])]


def hook_without_inputs() -> Pairs:
    """What the hook returns."""
    return [("x needs a gradient, x.grad:", np.zeros(1))]


def hook_not_saved() -> Pairs:
    gradient = slope(np.sum, [2.0])
    return [("loaded, without the hook:", gradient), ("registered again:", -gradient)]


def inference_flag() -> Pairs:
    return [("a copy, copy.grad:", slope(lambda x: 2.0 * x, 3.0))]


def list_as_module() -> Pairs:
    return [("one after another:", max(2.0 * 3.0, 0.0))]


def load_names() -> Pairs:
    return [("matched successfully>", 2.0)]


def no_formula() -> Pairs:
    return [("with one, w.grad:", slope(lambda w: w**2, 3.0))]


def no_inputs() -> Pairs:
    return [("one parameter, gradient:", slope(lambda w: w**2, 2.0))]


def nothing_unused() -> Pairs:
    """The mean of 2 and 6, with the search and without."""
    mean = (2.0 + 6.0) / 2
    return [pair for rank in (0, 0, 1, 1) for pair in (("rank", rank), (".grad", mean))]


def other_groups() -> Pairs:
    """What was loaded wins over 0.5."""
    return [("one into one, learning rate:", 0.1)]


def out_argument() -> Pairs:
    return [("without out, w.grad:", slope(lambda w: np.sum((w + 1) ** 2), [1.0, 2.0]))]


def out_of_range() -> Pairs:
    return [
        ("Invalid learning rate:", -0.1),
        ("parameter at index", 0),
        (":", 1.0),
        ("upward with maximize=True, w:", 1.0 + 0.1 * slope(lambda w: 3 * w, 1.0)),
    ]


def pre_hook_returns() -> Pairs:
    """The hook doubles the input, 3."""
    return [("but got (", [3.0]), ("a pair, weight.grad:", slope(lambda w: w * 2 * 3.0, 2.0))]


def resize() -> Pairs:
    return [
        ("reshape, w.grad:", slope(lambda w: np.sum(w**2), [1.0, 2.0, 3.0, 4.0])),
        ("detach(), resize_:", 2 * np.array([[1.0, 2.0], [3.0, 4.0]])),
    ]


def resume_scheduler() -> Pairs:
    """Four epochs, halved after every second."""
    return [("loaded, epoch:", 4), ("learning rate:", [0.1 * 0.5 ** (4 // 2)])]


def scalar_of_two() -> Pairs:
    return [("mean().item():", np.mean([1.0, 3.0])), ("tolist():", [1.0, 3.0])]


def scalar_with_graph() -> Pairs:
    return [("loss.item():", 2.0**2), ("warnings:", 0)]


def scaler_closure() -> Pairs:
    """L-BFGS for (w - 3)^2 from 1: a first step of lr min(1, 1/|g|) g, then lr times Newton's.

    The slope changes by 2 for each 1 of w.
    """
    w = 1.0
    w -= 0.1 * min(1.0, 1 / abs(2 * (w - 3))) * 2 * (w - 3)
    for _ in range(19):
        w -= 0.1 * 2 * (w - 3) / 2
    return [("scaler off, w:", w)]


def scheduler_reads() -> Pairs:
    """Halved after each step; get_lr() computes one more halving."""
    return [("get_lr():", [0.1 * 0.5**2]), ("get_last_lr():", [0.1 * 0.5])]


def scheduler_steps() -> Pairs:
    return [("after batch", 0), ("after batch", 1), ("after batch", 2)]


def send_non_leaf() -> Pairs:
    return [("its numbers:", 3 * np.array([1.0, 2.0]))]


def to_integers() -> Pairs:
    return [("x.float(), weight.grad:", slope(lambda w: w * 3.0, 2.0))]


def two_dtypes() -> Pairs:
    return [("float32 data, weight.grad:", slope(np.sum, [1.0, 1.0]))]


def two_kinds_of_hooks() -> Pairs:
    """The slope of a sum by its one term."""
    return [("full hook, grad_output:", slope(np.sum, [6.0]))]


def two_ways_at_once() -> Pairs:
    """A first step with Nesterov's momentum: gradient + 0.9 gradient."""
    gradient = slope(lambda w: 3 * w, 1.0)
    return [("with momentum, w:", 1.0 - 0.1 * (gradient + 0.9 * gradient))]


def wrapped_step() -> Pairs:
    """One by the wrapper, one by the hook."""
    return [("steps counted:", 1 + 1)]


def wider_in_place() -> Pairs:
    return [("a sum of rows:", np.array([1.0, 2.0, 3.0]) + np.array([10.0, 20.0, 30.0]))]


def zero_dimensions() -> Pairs:
    return [("numel:", 1), ("reshape(-1):", [3.0])]


def dual_outside() -> Pairs:
    return [("slope of x**2:", slope(lambda x: x**2, 3.0))]


def function_methods() -> Pairs:
    return [("with backward, x.grad:", slope(lambda x: x**2, 3.0))]


def gradient_shape() -> Pairs:
    return [("three for three, x.grad:", slope(np.sum, [1.0, 2.0, 3.0]))]


def integer_indices() -> Pairs:
    return [("values, x.grad:", slope(np.max, [1.0, 3.0, 2.0]))]


def non_leaf_parameter() -> Pairs:
    return [("base.grad:", slope(lambda b: np.sum(2 * b), [1.0, 1.0]))]


def fused_convolution() -> Pairs:
    """A result is no leaf; without recording it is one, and holds 3 times 2."""
    return [
        ("copied, is_leaf:", False),
        ("under no_grad, is_leaf:", True),
        ("assigned, weight:", 3 * 2.0),
    ]


def view_of_function() -> Pairs:
    """Its backward doubles, which its forward does not."""
    return [("a new tensor, w.grad:", 2 * slope(lambda w: np.sum(3 * w), [3.0]))]


def vmap_in_place() -> Pairs:
    return [("added:", [[1.0, 2.0], [3.0, 4.0]])]


def sparse_parameter() -> Pairs:
    """A sum has the slope 1 in each of its terms."""
    return [("gradient of row 1:", slope(np.sum, [0.0, 1.0]))]


def target_dtype() -> Pairs:
    """The means of -log(1 - p) and of p^2 / 2, at one half, for the target 0."""
    losses = (lambda p: np.mean(-np.log(1 - p)), lambda p: np.mean(p**2 / 2))
    return [("target.to(p.dtype), p.grad:", slope(loss, [0.5, 0.5])) for loss in losses]
