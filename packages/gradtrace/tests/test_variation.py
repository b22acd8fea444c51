"""What `vary:` says: which number of a script, which values, and the script with them."""

from __future__ import annotations

import ast

import pytest
from gradtrace.vary import (
    WrongVariation,
    parse_variation,
    place_of,
    points,
    variation_in,
    with_values,
)


def varied(code: str, *texts: str) -> list[str]:
    """The code with each combination of values."""
    variations = [parse_variation(text) for text in texts]
    places = [place_of(variation, code) for variation in variations]
    return [with_values(code, places, values) for values in points(variations)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("w = 2.0 | -1 to 2 step 1.5", ("-1.0", "0.5", "2.0")),
        ("w = 0.3 | 0.1 to 0.3 step 0.1", ("0.1", "0.2", "0.3")),
        ("n = 3 | 1 to 4 step 1", ("1", "2", "3", "4")),
        ("n = -1 | -2, -1, 10", ("-2", "-1", "10")),
        ("lr = 1e-3 | 1e-5, 0.001, 0.1", ("1e-05", "1e-3", "0.1")),
        ("w=2.|1,2", ("1.0", "2.")),
        ("lr = 0.1 | 0.001 to 1 times 10", ("0.001", "0.01", "0.1", "1.0")),
        ("w = 0.0 | -1 to 1 in 5", ("-1.0", "-0.5", "0.0", "0.5", "1.0")),
    ],
)
def test_values(text, values):
    found = parse_variation(text)
    assert found.values == values and found.values[found.own] == found.number
    assert all(type(ast.literal_eval(v)) is type(ast.literal_eval(found.number)) for v in values)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("w = two | 1, 2", "vary: w = two | 1, 2"),
        ("net.w = 2.0 | 1, 2", "vary: net.w = 2.0 | 1, 2"),
        ("w = 2.0 | one, 2", "the values 'one, 2'"),
        ("w = 2.0 | 0 to 4 step 0", "0 to 4 step 0"),
        ("w = 2.0 | 0 to 4 step 3", "0 to 4 step 3"),
        ("w = 2.0 | 0 to 1000 step 0.01", "0 to 1000 step 0.01"),
        ("w = 2.0 | 0 to 8 times 2", "0 to 8 times 2"),
        ("w = 2.0 | 1 to 2 in 1", "1 to 2 in 1"),
        ("w = 2.0 | 1 to inf in 3", "1 to inf in 3"),
        ("w = 2.0 | 0 to 1 step 0.5", "0.0, 0.5, 1.0"),
        ("w = 2.0 | 2, 3, 3", "3.0 twice"),
        ("w = 2.0 | 2", "2"),
        ("n = 2 | 1, 1.5, 2", "1.5"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, found):
    with pytest.raises(WrongVariation) as told:
        parse_variation(text)
    assert told.value.found == found and told.value.expected


@pytest.mark.parametrize(
    ("code", "text", "last"),
    [
        ("w = 2.0", "w = 2.0 | 2, 3", "w = 3.0"),
        ("w = tensor([2.0, 1.0])  # 2.0", "w = 2.0 | 2, 3", "w = tensor([3.0, 1.0])  # 2.0"),
        ("opt = SGD([w], lr=0.1)", "lr = 0.1 | 0.1, 0.5", "opt = SGD([w], lr=0.5)"),
        ("w = -2.0", "w = -2.0 | -2, 3", "w = 3.0"),
        ("w = 2.0 ** 2", "w = 2.0 | 2, -3", "w = (-3.0) ** 2"),
        ("w = 1 - 2.0", "w = 2.0 | 2, -3", "w = 1 - -3.0"),
        ("数 = f('—', 2.0)", "数 = 2.0 | 2, 3", "数 = f('—', 3.0)"),
        ("def f():\n    w = 2.0", "w = 2.0 | 2, 3", "def f():\n    w = 3.0"),
        ("w = 2.0; v = 2.0", "v = 2.0 | 2, 3", "w = 2.0; v = 3.0"),
        ("w = 2\nw = 2.0", "w = 2 | 2, 3", "w = 3\nw = 2.0"),
    ],
)
def test_the_number_is_found_by_its_name(code, text, last):
    assert varied(code, text)[-1] == last
    assert varied(code, text)[0] == code


@pytest.mark.parametrize(
    ("code", "label"),
    [
        ("w = torch.tensor(2.0)", "w"),
        ("w = [1.0, 2.0]", "w[1]"),
        ("w = torch.tensor([[1.0, 3.0], [2.0, 4.0]], requires_grad=True)", "w[1, 0]"),
        ("w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))", "w[1]"),
        ("w, v = torch.tensor([2.0]), 1", "w[0]"),
        ("w = torch.tensor([1.0, 2.0]).flip(0)", "w"),
        ("w = [1.0, -x * 2.0]", "w"),
        ("f(w=(1.0, 2.0))", "w"),
    ],
)
def test_an_element_is_called_so(code, label):
    assert place_of(parse_variation("w = 2.0 | 2, 3"), code).label("w") == label


def test_two_numbers_of_one_line_make_a_grid():
    found = varied("f(a=1, b=2)", "a = 1 | 1, 10", "b = 2 | 2, 200")
    assert found == ["f(a=1, b=2)", "f(a=1, b=200)", "f(a=10, b=2)", "f(a=10, b=200)"]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("v = 2.0", "none"),
        ("w = 3.0", "3.0"),
        ("w = True", "none"),
        ("w = -2.0", "-2.0"),
        ("w = f(lr=2.0)", "none"),
        ("w = [2.0, 2.0]", "2.0 in line 1, 2.0 in line 1"),
        ("w = 2.0\nw = 2.0", "2.0 in line 1, 2.0 in line 2"),
    ],
)
def test_a_number_that_is_not_one_is_refused(code, found):
    with pytest.raises(WrongVariation) as told:
        place_of(parse_variation("w = 2.0 | 2, 3"), code)
    assert told.value.found == found


SCRIPT = """\
parser.add_argument("-e", "--num-epochs", type=int, default=10)
def f(x, beta=0.9, *, gamma=-0.5): pass
config = {"decay": 0.1}
args.momentum = 1_000
hidden, layers = 16, 3
a = SGD(p, eps=1e-8)
b = SGD(p, eps=1e-6)
"""


@pytest.mark.parametrize(
    ("text", "values", "line"),
    [
        ("num-epochs = 1, 2", ("1", "2", "10"), 1),
        ("e=1", ("1", "10"), 1),
        ("beta = 0 to 1 in 4", ("0.0", "0.3333", "0.6667", "0.9", "1.0"), 2),
        ("gamma = 1, 0", ("-0.5", "0.0", "1.0"), 2),
        ("decay = 0.001 to 10 times 100", ("0.001", "0.1", "10.0"), 3),
        ("momentum = 1", ("1", "1000"), 4),
        ("hidden = 1 to 64 in 4", ("1", "16", "22", "43", "64"), 5),
        ("layers = 1.5", ("1.5", "3"), 5),
        ("eps = 1e-6 | 1e-7", ("1e-07", "1e-6"), 7),
    ],
)
def test_a_command_names_a_number_and_its_own_is_among_the_values(text, values, line):
    variation, place = variation_in(SCRIPT, text)
    assert (variation.values, place.line) == (values, line)
    assert variation.number in values
    changed = with_values(SCRIPT, [place], [values[0]]).split("\n")
    assert [a == b for a, b in zip(changed, SCRIPT.split("\n"), strict=True)].count(False) <= 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("eps = 1", "1e-08 in line 6, 1e-06 in line 7"),
        ("eps = 1e-5 | 1", "1e-08, 1e-06"),
        ("hiden = 1", "none; there is hidden"),
        ("hidden = 16", "hidden = 16"),
        ("hidden = 1..9", "the values '1..9'"),
    ],
)
def test_what_a_command_cannot_mean_is_refused(text, found):
    with pytest.raises(WrongVariation) as told:
        variation_in(SCRIPT, text)
    assert told.value.found == found and told.value.expected
