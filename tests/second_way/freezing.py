"""The numbers of `snippets/freezing/`, found without autograd."""

import numpy as np

from second_way.tools import HEADING, Pairs, sgd, slope


def cached() -> Pairs:
    """w * 3 at w = 2."""
    return [("no_grad first, w.grad:", slope(lambda w: w * 3, 2))]


def checkpointed() -> Pairs:
    """head * w * code at w = 3 and head = 5, with the code 2; the first way has no slope in w."""
    w, head, code = 3, 5, 2
    of_w = slope(lambda w: head * w * code, w)
    of_head = slope(lambda head: head * w * code, head)
    return [("head.grad:", of_head), ("w.grad:", of_w), ("head.grad:", of_head)]


def detach_kinds() -> Pairs:
    """3w times a constant, which is 3w at w = 2."""
    return [("y * cut, w.grad:", slope(lambda w: 3 * w * (3 * 2), 2))]


def detach_not_saved() -> Pairs:
    """The sum of 10 * 3w at w = 2; the graph holds 3w alone."""
    return [("loss:", 10 * 3 * 2), ("w.grad:", [slope(lambda w: 3 * w, 2)])]


def detach_or_data() -> Pairs:
    """The node of w^2 multiplies by 2w, with the w that the storage holds by now: 10 times 2."""
    return [("data: w.grad:", [slope(lambda w: w**2, 10 * 2)])]


def detach_shares() -> Pairs:
    """What was written through the two aliases, and the last element, as it was."""
    w = np.array([1.0, 2, 3])
    alias, copied = w[:], w.copy()
    alias[0], alias[1], copied[2] = 10, 20, 30
    return [("w:", w)]


def encoder() -> Pairs:
    """A weight and a bias for each of five convolutions and two linear layers; two to train."""
    count, decoder = 2 * (5 + 2), 2
    return [
        ("encoder, parameters:", count),
        ("fresh, trainable:", count),
        ("frozen, trainable:", 0),
        ("encoder, with a gradient:", 0),
        ("encoder, moved:", 0),
        ("decoder, with a gradient:", decoder),
        ("decoder, moved:", decoder),
    ]


def encoder_in_train_mode() -> Pairs:
    """Half the way to the mean of the batch, 4, in each of three epochs; or not at all."""
    moved = 0.0
    for _ in range(3):
        moved += 0.5 * (np.mean([3.0, 5.0]) - moved)
    means = {"no eval()": moved, "eval() once": moved, "eval() after each train()": 0.0}
    return [(f"{way}, mean:", mean) for way, mean in means.items()]


def eval_or_no_grad() -> Pairs:
    """0 + 0.5 (mean - 0), the mean of 1 and 3 being 2, where the module is in train mode."""
    moved = 0.5 * np.mean([1.0, 3.0])
    return [("running_mean:", moved if training else 0.0) for training in (True, False) * 2]


def eval_still_trains() -> Pairs:
    """5w at w = 2, one step with lr = 0.1."""
    gradient = slope(lambda w: 5 * w, 2)
    return [("weight.grad:", gradient), ("after step, weight:", sgd(2, gradient, lr=0.1))]


def needed(frozen: list[int], layers: int = 4) -> tuple[set[int], set[int]]:
    """The layers whose input, and those whose weight, the backward pass of a chain needs.

    dL/dW = (dL/dz)^T y needs the input y, for a weight that is trained; dL/dy = (dL/dz) W needs
    the weight, for a layer with a trained one before it.
    """
    trained = set(range(layers)) - set(frozen)
    return trained, {i for i in range(layers) if any(j < i for j in trained)}


FROZEN = ([], [0, 1], [1, 2], [2, 3])


def flops() -> Pairs:
    """One product for each input and each weight that is needed."""
    pairs: Pairs = []
    for frozen in FROZEN:
        products = sum(map(len, needed(frozen)))
        pairs += [("frozen", np.array(frozen)), ("products:", products)]
    return pairs


def what_is_saved() -> Pairs:
    """The inputs needed; with ReLU also its result, which is the next input, where a gradient goes.

    An activation is 32 by 8 numbers of 4 bytes.
    """
    pairs: Pairs = []
    for name in ("Identity()", "ReLU()"):
        pairs.append((f"between the layers: {name}", HEADING))
        for frozen in FROZEN:
            inputs, weights = needed(frozen)
            count = len(inputs if name == "Identity()" else inputs | weights)
            pairs += [
                ("frozen", np.array(frozen)),
                (":", count),
                ("kept,", count * 32 * 8 * 4),
            ]
    return pairs


def five_ways_kept() -> Pairs:
    """Three layers: the inputs of those that are trained, the weights behind a trained one."""
    all_of_it, frozen, cut = (sum(map(len, needed(*case))) for case in (([], 3), ([1], 3), ([], 1)))
    return [
        ("nothing, tensors kept:", all_of_it),
        ("eval, tensors kept:", all_of_it),
        ("frozen, tensors kept:", frozen),
        ("detach, tensors kept:", cut),
        ("no_grad, tensors kept:", cut),
    ]


def adam(gradients: list[float]) -> float:
    """Adam (Kingma and Ba, 2015): how far its last step goes, lr = 0.1."""
    m = v = 0.0
    for gradient in gradients:
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
    steps = len(gradients)
    return -0.1 * m / (1 - 0.9**steps) / (np.sqrt(v / (1 - 0.999**steps)) + 1e-8)


def frozen_but_moves() -> Pairs:
    """A step with gradient 3 from w = 1; then one with 3, one with 0, none; lr = 0.1."""
    decayed = sgd(1, 3, lr=0.1, weight_decay=1)
    by = {
        "SGD": lambda g: -0.1 * g,
        "momentum": lambda g: -0.1 * (0.9 * 3 + g),
        "weight decay": lambda g: sgd(decayed, g, lr=0.1, weight_decay=1) - decayed,
        "Adam": lambda g: adam([3, g]),
    }
    gradient = slope(lambda w: 3 * w, 1)
    pairs: Pairs = []
    for name, move in by.items():
        pairs += [
            (name, HEADING),
            (".grad old: w moves by", move(gradient)),
            (".grad zero: w moves by", move(0.0)),
            (".grad None: w moves by", 0.0),
        ]
    return pairs


def frozen_norm() -> Pairs:
    """Half the way to the mean of the batch, 4: once, not at all, once more."""
    mean = np.mean([3.0, 5.0])
    once = 0.5 * mean
    return [
        ("frozen, mean:", once),
        ("in eval mode, mean:", once),
        ("in train mode again, mean:", once + 0.5 * (mean - once)),
    ]


def grad_then_step() -> Pairs:
    """w^2 at w = 3, and a step with lr = 0.5."""
    gradient = slope(lambda w: w**2, 3)
    return [
        ("gradient:", gradient),
        ("w.grad:", None),
        ("after step, w:", 3.0),
        ("handed over, after step, w:", sgd(3, gradient, lr=0.5)),
    ]


def half_frozen() -> Pairs:
    """weight = g v / |v| with g = 10, v = (3, 4); its product with (1, 2), by g; a step, lr = 1."""
    unit = np.array([3.0, 4.0]) / 5
    gradient = slope(lambda g: np.sum(g * unit * [1, 2]), 10)
    return [
        ("weight:", 10 * unit),
        ("length.grad:", gradient),
        ("direction.grad:", None),
        ("after step, weight:", sgd(10, gradient, lr=1) * unit),
    ]


def inference_in_place() -> Pairs:
    """12 / 3, written although it raises; half of it, beside it and in its place."""
    third = 12 / 3
    return [
        ("after the error, total:", third),
        ("mean:", third / 2),
        ("inside, total:", third / 2),
    ]


def inference_saved() -> Pairs:
    """2 + 3; 3w at w = 2."""
    gradient = slope(lambda w: w * 3, 2)
    return [
        ("w + x:", 2 + 3),
        ("w * x.clone(), w.grad:", gradient),
        ("w * safe, w.grad:", gradient),
    ]


def input_still_gets() -> Pairs:
    """3 (2x) at x = 1."""
    return [("x.grad:", slope(lambda x: 3 * (2 * x), 1)), ("weight.grad:", None), ("", None)]


def masked() -> Pairs:
    """AdamW, first step, lr = 0.1: (1 - 0.1 * 0.1) w, then lr in the direction of the gradient."""
    gradient = slope(lambda w: np.sum(w), [1, 1]) * [1, 0]
    decayed = (1 - 0.1 * 0.1) * np.ones(2)
    return [
        ("mask, w.grad:", gradient),
        ("mask, after step, w:", decayed - 0.1 * np.sign(gradient)),
        ("frozen, w.grad:", None),
        ("frozen, after step, w:", np.ones(2)),
    ]


def nodes() -> Pairs:
    """A product where the input or the weight wants a gradient; two nodes for each such weight."""
    pairs: Pairs = []
    for frozen in ([], [2, 3], [0, 1]):
        trained, behind = needed(frozen)
        products = len(trained | behind)
        pairs += [
            ("frozen", np.array(frozen)),
            ("MmBackward0:", products),
            ("TBackward0:", len(trained)),
            ("AccumulateGrad:", len(trained)),
            ("all nodes:", products + 2 * len(trained)),
        ]
    return pairs


def one_path_cut() -> Pairs:
    """c (b a + 6) at a = 2, b = 3, c = 5: 6 is b a, as a constant."""
    return [
        ("a.grad:", slope(lambda a: 5 * (3 * a + 3 * 2), 2)),
        ("c.grad:", slope(lambda c: c * (3 * 2 + 3 * 2), 5)),
    ]


def sum_of_parts() -> Pairs:
    """3w + 4w at w = (1, 2)."""
    value = 7 * np.array([1.0, 2])
    return [
        ("stack, value:", value),
        ("numpy, value:", value),
        ("stack, w.grad:", slope(lambda w: np.sum(3 * w + 4 * w), [1, 2])),
    ]


def through() -> Pairs:
    """c b a at a = 2, b = 3, c = 5, by a and by c; cut: by c alone."""
    pairs: Pairs = []
    at_a, at_c = slope(lambda a: 5 * 3 * a, 2), slope(lambda c: c * 3 * 2, 5)
    for name, front in (("b frozen", at_a), ("no_grad()", None), ("detach()", None)):
        pairs += [(f"{name}: a.grad =", front), ("c.grad =", at_c)]
    return pairs


def two_players() -> Pairs:
    """a c by a and by c at a = 3, c = 2; then (c - 5)^2 by c, added to what is there."""
    at_actor, at_critic = slope(lambda a: a * 2, 3), slope(lambda c: 3 * c, 2)
    second = slope(lambda c: (c - 5) ** 2, 2)
    return [
        ("loss 1, actor.grad:", at_actor),
        ("loss 1, critic.grad:", at_critic),
        ("loss 2 added, critic.grad:", at_critic + second),
        ("loss 1, actor.grad:", at_actor),
        ("loss 1, critic.grad:", None),
        ("loss 2, critic.grad:", second),
    ]


def typo() -> Pairs:
    """A weight and a bias, until the method with the underscore freezes them."""
    return [
        ("trainable:", 2),
        ("assigned to the module, trainable:", 2),
        ("misspelled, trainable:", 2),
        ("with the underscore, trainable:", 0),
    ]


def unfreeze_later() -> Pairs:
    """encoder * decoder at 2 and 3, steps with lr = 0.5: by decoder; then by both."""
    decoder = sgd(3.0, slope(lambda d: 2 * d, 3), lr=0.5)
    gradient = slope(lambda e: e * decoder, 2)
    moved = sgd(2.0, gradient, lr=0.5)
    pairs: Pairs = []
    for name, after in (("all", moved), ("trainable only", 2.0), ("added later", moved)):
        pairs += [
            (name, HEADING),
            ("frozen, encoder:", 2.0),
            (", decoder:", decoder),
            ("encoder.grad:", gradient),
            (", encoder:", after),
        ]
    return pairs


def validate_without_eval() -> Pairs:
    """(x - mean) / sqrt(var + 1e-5) at x = 1, the estimates half way to the batch of 7 and 9."""
    batch = np.array([7.0, 9.0])
    mean, var = 0.5 * batch.mean(), 0.5 * 1 + 0.5 * batch.var(ddof=1)

    def prediction(mean, var):
        return round((1 - mean) / np.sqrt(var + 1e-5), 4)

    return [
        ("before, mean:", 0.0),
        ("prediction:", prediction(0, 1)),
        ("after, mean:", mean),
        ("prediction:", prediction(mean, var)),
    ]


def ways_to_leave_out() -> Pairs:
    """v w at w = 2, v = 3, lr = 0.5, w kept: v moves by 0.5 w; w.grad is v, and adds up."""
    pairs: Pairs = []
    for way in ("requires_grad_(False)", "w.detach()", "inputs=[v]", "not in the optimizer"):
        v, total = 3.0, 0.0
        pairs.append((way, HEADING))
        for step in (1, 2):
            total += slope(lambda w, v=v: v * w, 2)
            v = sgd(v, slope(lambda v: v * 2, v), lr=0.5)
            grad = total if way == "not in the optimizer" else None
            pairs += [("step", step), (": w.grad=", grad), (" w=", 2.0), (" v=", v)]
    return pairs


def zeroed_weight() -> Pairs:
    """The sum of w (3, 4) at w = (0, 0)."""
    return [
        ("weight:", np.zeros(2)),
        ("weight.grad:", slope(lambda w: np.sum(w * [3, 4]), [0, 0])),
    ]


def copy_weight_norm() -> Pairs:
    """A length and a direction."""
    return [("new, copied, parameters:", 2)]


def review_problem() -> Pairs:
    """No slope in the adapter; half the way to the mean of 2 and 6."""
    return [
        ("adapter, gradient:", None),
        ("adapter, weight:", 2.0),
        ("encoder, weight:", 3.0),
        ("encoder, running mean:", 0.5 * np.mean([2.0, 6.0])),
    ]


def review_solution() -> Pairs:
    """The mean of head * 3 * adapter * x at 5 and 2, x = 1 and 3; a step with lr = 0.01."""
    x = np.array([1.0, 3.0])
    at_adapter = slope(lambda a: np.mean(5 * 3 * a * x), 2)
    at_head = slope(lambda h: np.mean(h * 3 * 2 * x), 5)
    return [
        ("adapter, gradient:", at_adapter),
        ("adapter, weight:", sgd(2, at_adapter, lr=0.01)),
        ("encoder, weight:", 3.0),
        ("encoder, running mean:", 0.0),
        ("head, weight:", sgd(5, at_head, lr=0.01)),
    ]
