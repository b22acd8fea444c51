"""The numbers of `snippets/indexing/`, found without autograd."""

import numpy as np

from second_way import Pairs, slope

PIXELS = np.array([10.0, 20, 40, 80])


def count_hits() -> Pairs:
    """The mean of log(1 + exp(-s w x)), s being 1 or -1, at w = 1."""
    x, sign = np.array([-2, -0.5, 1]), np.array([-1, 1, 1])

    def loss(w: float) -> float:
        return np.mean(np.log1p(np.exp(-sign * w * x)))

    accuracy = np.mean((x > 0) == (sign > 0))
    return [("accuracy:", accuracy), ("cross entropy:", loss(1)), ("w.grad:", slope(loss, 1))]


def soft_choice() -> Pairs:
    """softmax(scores) @ values."""
    values, scores = np.array([10.0, 20, 40]), np.array([1.0, 2, 0])

    def softmax(scores: np.ndarray) -> np.ndarray:
        return np.exp(scores) / np.sum(np.exp(scores))

    gradient = slope(lambda s: softmax(s) @ values, scores)
    return [("weights:", softmax(scores)), ("scores.grad:", gradient)]


def read_at(place: float, pixels: np.ndarray) -> float:
    """Each pixel is weighted by how near it is; those farther than one pixel count nothing."""
    return np.sum(np.maximum(0, 1 - np.abs(place - np.arange(4))) * pixels)


def outside() -> Pairs:
    """Nothing, the pixel at the edge, or the place on the other side of the edge."""
    pairs: Pairs = []
    for name, inside in (
        ("zeros", lambda place: place),
        ("border", lambda place: np.clip(place, 0, 3)),
        ("reflection", np.abs),
    ):
        by_pixels = slope(lambda pixels, f=inside: read_at(f(-1.5), pixels), PIXELS)
        by_place = slope(lambda place, f=inside: read_at(f(place), PIXELS), -1.5)
        pairs += [(f"{name}: value", read_at(inside(-1.5), PIXELS))]
        pairs += [("pixels.grad:", by_pixels), ("place.grad:", by_place)]
    return pairs
