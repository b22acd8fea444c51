"""Numbers that the snippets print, found a second time without autograd.

For numbers that no equation of a page works out, and that no test in `claims/` derives: a function
here finds them by another method than the script's, and doesn't repeat its arithmetic.

One module per topic, one function per snippet, with the snippet's name: a function that returns
`Pairs`. These are, in the order of the output, pairs of a label (the text right before a number)
and what must stand after it: a number, an array, a truth value or None; the rest of the output is
not compared. Gradients are central differences of the formula on the page, in float64; where the
number is not a gradient, its formula is written out. A number that the script rounds to fewer than
four decimals is rounded here too.
"""

from collections.abc import Callable, Sequence

import numpy as np

Value = float | np.ndarray | bool | None
Pairs = list[tuple[str, Value]]
HEADING = np.array([])
"""The value of a label that stands alone: no number follows it."""


def slope(f: Callable, x: float | Sequence | np.ndarray, h: float = 1e-6) -> np.ndarray:
    """df/dx by central differences: (f(x + h) - f(x - h)) / 2h for each element of x.

    Its shape is that of f(x), then that of x: a number's gradient, a vector's Jacobian.
    """
    x = np.array(x, dtype=np.float64)
    columns = []
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = h
        columns.append((np.asarray(f(x + step)) - np.asarray(f(x - step))) / (2 * h))
    return np.stack(columns, axis=-1).reshape(columns[0].shape + x.shape)


def rounded(number: float, form: str = ".2f") -> float:
    """The number as a script prints it."""
    return float(f"{number:{form}}")
