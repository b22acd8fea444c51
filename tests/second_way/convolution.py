"""The numbers of `snippets/convolution/`, found without autograd."""

import numpy as np

from second_way import Pairs, slope

KERNEL = np.arange(1.0, 10.0).reshape(3, 3)
G = np.array([[1.0, 10], [100, 1000]])
"""The gradient that arrives at the 2 x 2 output."""


def strided(x: np.ndarray, kernel: np.ndarray = KERNEL) -> np.ndarray:
    """Stride 2, padding 1: each output is the sum of a window times the kernel."""
    x = np.pad(np.asarray(x, float), 1)
    windows = [[x[i : i + 3, j : j + 3] for j in (0, 2)] for i in (0, 2)]
    return np.array([[np.sum(window * kernel) for window in row] for row in windows])


def which_pixels() -> Pairs:
    """The output of a one-hot input is the weight that ties each output pixel to that pixel."""
    pixel = np.zeros((4, 4))
    pixel[1, 1] = 1
    return [("its weight in each output pixel:", strided(pixel))]


def flip_and_insert() -> Pairs:
    """Slopes of sum(G * y), which is linear in x."""
    return [("x.grad:", slope(lambda x: np.sum(strided(x) * G), np.zeros((4, 4))))]


def weight_gradient() -> Pairs:
    """Slopes in the nine weights."""
    x = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [9, 1, 2, 3], [4, 5, 6, 7]])
    return [("kernel.grad:", slope(lambda k: np.sum(strided(x, k) * G), np.zeros((3, 3))))]


def as_a_matrix() -> Pairs:
    """The kernel laid into an image of zeros at each of the four places is a row."""
    matrix = np.zeros((4, 3, 3))
    for row, (i, j) in zip(matrix, ((0, 0), (0, 1), (1, 0), (1, 1)), strict=True):
        row[i : i + 2, j : j + 2] = [[1, 2], [3, 4]]
    back = np.einsum("oij,o->ij", matrix, G.flatten())
    return [("matrix:", matrix.reshape(4, 9)), ("transposed matrix times g:", back.flatten())]
