"""Judges the equalities of one page, with its definitions and the values of its runs."""

from __future__ import annotations

import contextlib
import math
import random
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from proofbook.maths.equalities import INEQUALITY, Equality, half_unit
from proofbook.maths.read import (
    Unreadable,
    expand_sums,
    is_special,
    parts,
    read_latex,
    rebuild,
    symbol,
)
from proofbook.maths.symbols import KnownValue, NotEvaluated, SymbolValues, Value, agree, evaluate
from proofbook.maths.symbols import merge as merge_runs
from proofbook.model.page import Page

if TYPE_CHECKING:
    import sympy
    from sympy import Basic, Expr, Symbol

    Pair = tuple[Expr, Expr]

_FUNCTION = re.compile(r"\\?([A-Za-z]+)\s*(?:\\left)?\(\s*\\?[A-Za-z]+\s*(?:\\right)?\)")
_DEEPEST = 8
"""The maximum depth of substituted definitions."""
_MOST_COMBINATIONS = 512
"""The maximum number of assignments of values to the symbols of an equality that are tried."""
_FEWEST_POINTS = 3
"""The minimum number of points where both sides have a value, for an identity."""
_SIZES = ((1, None),) * 8 + ((1, 1), (1, -1), (0, 1), (0.01, None), (30, None))
"""The numbers that are tried, and whether all have one sign."""
_TRIES, _MOST_POINTS = 32, 26
_LONGEST = 100
"""The maximum number of operations of an expression for SymPy to simplify: it is slow."""
_LARGEST_EXPONENT = 20
"""The largest power of a sum for SymPy to expand."""
_UNDECIDED_BY_SYMPY = (ArithmeticError, AttributeError, NotImplementedError, RecursionError)
_UNDECIDED_BY_SYMPY += (TypeError, ValueError)


@dataclass(frozen=True)
class Verdict:
    """An equality, and its verdict: "computed" (only numbers), "proved", "wrong" or "open".

    `expected`: the value of the left side if the equality is wrong, and the symbols' values.
    `used`: the places of the page's equalities that define a symbol of this one, or its value.
    """

    equality: Equality
    state: str
    expected: str = ""
    used: frozenset[int] = frozenset()


def judge(
    page: Page,
    equalities: Sequence[Equality],
    runs: Sequence[SymbolValues],
) -> list[Verdict]:
    """The verdict on each of the equalities of a page, all of which are passed.

    `runs`: the symbol values of the runs of the page's references, in their order.
    """
    judged = _Judge(page, equalities, runs)
    return [judged.verdict(equality) for equality in equalities]


def judge_numbers(equality: Equality, one: Expr, other: Expr) -> Verdict:
    """The verdict on an equality of numbers."""
    import sympy

    if one.has(sympy.zoo) or other.has(sympy.zoo):
        return Verdict(equality, "open")
    exact = one.is_Rational and other.is_Rational  # floats may be too small for them
    try:
        left, right = (side if exact else evaluate(side, {}) for side in (one, other))
    except NotEvaluated:
        return Verdict(equality, "open")

    def near(within: float) -> bool:
        if not exact:
            return agree(left, right, within)
        return abs(one - other) <= max(within * (1 + 1e-6), 1e-12, 1e-9 * abs(other))

    if near(equality.within):
        return Verdict(equality, "computed")
    unit = half_unit(equality.right) * 1.01 if equality.sign == "=" else 0.0
    rounded = r" (rounded: write \approx)" if unit and near(unit) else ""
    return Verdict(equality, "wrong", _format(left) + rounded)


@dataclass(frozen=True)
class _Definition:
    """A symbol, and the expression that it stands for.

    `place`: its place on the page; `section`: the number of the section or box of that place.
    """

    place: int
    section: int
    symbol: Symbol
    body: Expr

    def body_for(self, wanted: Symbol) -> Expr | None:
        """The body for a symbol, or None if this doesn't define it."""
        (name, mine), (other, indices) = parts(self.symbol), parts(wanted)
        if name != other:
            return None
        if mine == indices:
            return self.body
        if len(mine) == len(indices) and all(map(_is_index, mine)):
            return expand_sums(self.body, dict(zip(mine, indices, strict=True)))
        if mine or any(map(_is_index, indices)):
            return None
        # z = 10u holds for each item: z_0 = 10 u_0.
        plain = [one for one in self.body.free_symbols if not parts(one)[1]]
        return self.body.xreplace({one: symbol(one.name, *indices) for one in plain})


def _is_index(index: str) -> bool:
    """Whether this is an index over numbers, such as i, not part of a name, such as new or 2."""
    return len(index) == 1 and index.isalpha()


def _defines_symbol(one: Expr, other: Expr) -> bool:
    """Whether `one = other` defines a symbol: y = 2w - 1, but neither y = 3 nor w = 2w."""
    return one.is_Symbol and bool(other.free_symbols) and one not in other.free_symbols


def _given_value(one: Expr, other: Expr) -> tuple[Symbol, Expr, Value] | None:
    """The symbol, the other side and its value, if only one side is a symbol."""
    for name, given in ((one, other), (other, one)):
        if name.is_Symbol and not given.free_symbols:
            with contextlib.suppress(NotEvaluated):
                return name, given, evaluate(given, {})
    return None


class _Judge:
    """The statements of a page, and its runs; `sides`: of each equality that can be read."""

    def __init__(
        self,
        page: Page,
        equalities: Sequence[Equality],
        runs: Sequence[SymbolValues],
    ):
        self.page = page
        headings = [span.start for span in page.spans_of("heading") if span.name == "2"]
        self.borders = [*headings, *(box.start for box in page.spans_of("box"))]
        self.runs = [
            (self.section(page.line_starts[reference.line - 1]), run)
            for reference, run in zip(page.references, runs, strict=False)
        ]
        self.all_runs = merge_runs(run for _, run in self.runs)
        self.sides = _read_sides(equalities, symbol("e") in self.all_runs.values)
        self.said = [
            (given[0], KnownValue(given[2], place=equality.place))
            for equality, sides in self.sides.items()
            if (given := _given_value(*sides)) is not None
        ]
        self.defined, self.defined_in_code = [], []
        for equality, (one, other) in self.sides.items():
            if _defines_symbol(one, other):
                at = equality.place, self.section(equality.place)
                self.defined.append(_Definition(*at, one, other))
        for section, run in self.runs:
            for name, trees in run.expressions.items():
                self.defined_in_code += [_Definition(-1, section, name, tree) for tree in trees]

    def section(self, place: int) -> int:
        """The number of the section or box in which a place of the text lies."""
        return sum(border <= place for border in self.borders)

    # --- verdicts

    def verdict(self, equality: Equality) -> Verdict:
        if equality not in self.sides:
            return Verdict(equality, "open")
        one, other = self.sides[equality]
        if not one.free_symbols and not other.free_symbols:
            return judge_numbers(equality, one, other)
        given = _given_value(one, other)
        with contextlib.suppress(NotEvaluated, Unreadable, *_UNDECIDED_BY_SYMPY):
            if given is not None:
                return self.of_given_value(equality, *given)
            found = self.with_symbols(equality, self.defined)
            if found.state != "open" or _defines_symbol(one, other):
                return found
        if given is None and not _defines_symbol(one, other):
            with contextlib.suppress(NotEvaluated, Unreadable, *_UNDECIDED_BY_SYMPY):
                # The names of the code may mean something else: it proves, but never refutes.
                if self.with_symbols(equality, self.defined_in_code).state == "proved":
                    return Verdict(equality, "proved")
        return Verdict(equality, "open")

    def of_given_value(
        self, equality: Equality, name: Symbol, given: Expr, wanted: Value
    ) -> Verdict:
        """`w = 3`: this value of the symbol is in a run, or follows from the page's definitions."""
        known = self.all_runs.values.get(_without_step(name), [])
        if any(agree(k.value, wanted, max(k.within, equality.within)) for k in known):
            return Verdict(equality, "proved")
        # A value that no run shows is wrong; one that a run shows elsewhere may be a goal.
        goal = not _is_vector(wanted) and wanted in self.all_runs.numbers
        resolution = _Resolution(self, self.defined, equality.place)
        resolved = resolution.put_in(name, frozenset())
        if resolved != name:
            found = self.with_values(equality, (resolved, given), frozenset(resolution.used))
            return Verdict(equality, "open") if found.state == "wrong" and goal else found
        if known and not goal and not re.search(r"[a-zA-Z/+]|\d\s*-", equality.right):
            values = " or ".join(dict.fromkeys(_format(k.value) for k in known[:4]))
            return Verdict(equality, "wrong", f"{values} (in the runs of the page)")
        return Verdict(equality, "open")

    def with_symbols(self, equality: Equality, definitions: Sequence[_Definition]) -> Verdict:
        """As an identity, or with conditions and values; raises `NotEvaluated`."""
        one, other = self.sides[equality]
        defines = _defines_symbol(one, other)
        kept = frozenset({one}) if defines else frozenset()
        pairs, used = self.resolve(equality, definitions, kept)
        proved = Verdict(equality, "proved", used=used)
        if _hold(pairs):
            return proved
        if self.holds_by_signs(equality, pairs) or (defines and self.is_computed(other, pairs)):
            return proved
        found = [self.with_values(equality, pair, used) for pair in pairs]
        states = {one.state for one in found}
        if states == {"proved"}:
            return found[0]
        if "wrong" in states and "proved" not in states and not self.may_mean_else(equality):
            return next(one for one in found if one.state == "wrong")
        if _claims_identity(one, other, *pairs[0]):
            return self.refuted(equality, pairs, used)
        return Verdict(equality, "open", used=used)

    def resolve(
        self, equality: Equality, definitions: Sequence[_Definition], kept: frozenset[Symbol]
    ) -> tuple[list[Pair], frozenset[int]]:
        """Both sides with definitions substituted, and the places of the definitions.

        For an equality with free indices, twice: with different numbers for them.
        """
        sides = self.sides[equality]
        found = sides[0].free_symbols | sides[1].free_symbols
        indices = sorted({index for one in found for index in parts(one)[1] if _is_index(index)})
        resolution = _Resolution(self, definitions, equality.place)
        pairs = []
        for shift in (0, 1) if indices else (0,):
            numbers = {index: str((at + shift) % 3) for at, index in enumerate(indices)}
            one, other = (resolution.put_in(expand_sums(side, numbers), kept) for side in sides)
            pairs.append((one, other))
        return pairs, frozenset(resolution.used)

    def refuted(self, equality: Equality, pairs: Sequence[Pair], used: frozenset[int]) -> Verdict:
        """Wrong if numbers differ for positive symbols too.

        An equality that holds for some signs only, or near a condition, is left open.
        """
        section = self.section(equality.place)
        conditions = (m for m in self.page.maths if INEQUALITY.search(m.content))
        if any(self.section(maths.start) == section for maths in conditions):
            return Verdict(equality, "open", used=used)
        positive = [name > 0 for pair in pairs for name in sorted(_symbols(pair), key=str)]
        points = (_counterexample(pair, positive) for pair in pairs)
        point = next((one for one in points if one), None)
        if not point:
            return Verdict(equality, "open", used=used)
        text = "two sides that are the same, whatever the letters are"
        return Verdict(equality, "wrong", f"{text} (try {_format_values(point)})")

    def with_values(self, equality: Equality, pair: Pair, used: frozenset[int]) -> Verdict:
        """Whether values of the symbols make the sides agree."""
        names = sorted(_symbols(pair), key=str)
        candidates = [self.candidates(name, equality.place) for name in names]
        first = None
        few = math.prod(map(len, candidates)) <= _MOST_COMBINATIONS
        for chosen in product(*candidates) if few else ():
            values = {name: known.value for name, known in zip(names, chosen, strict=True)}
            left, right = (evaluate(side, values) for side in pair)
            within = max([equality.within, *(known.within for known in chosen)])
            if agree(left, right, within):
                places = {known.place for known in chosen} - {None}
                return Verdict(equality, "proved", used=used | places)
            first = first or (left, right, values)
        printed = [name for name in names if name.name.startswith("grad ")]
        solved = not printed and any(side == 0 for side in pair)
        if first is None or solved or (printed and not self.is_printed(equality, printed)):
            return Verdict(equality, "open", used=used)  # an equation with 0 is to be solved
        left, right, values = first
        shown = [_format(left), _format(right)][: 1 + bool(pair[1].free_symbols)]
        with_values = f" (with {_format_values(values)})" if values else ""
        return Verdict(equality, "wrong", " and ".join(shown) + with_values, used)

    def may_mean_else(self, equality: Equality) -> bool:
        """Whether values can't refute this: a sum without an upper bound, or a redefined symbol."""
        one, other = self.sides[equality]
        if any(is_special(t, "sum") and t.args[3].is_Symbol for t in _parts(other)):
            return True
        if not _defines_symbol(one, other):
            return False
        section = self.section(equality.place)
        has_value = any(s == section and one in run.values for s, run in self.runs) or any(
            name == one and self.section(known.place) == section for name, known in self.said
        )
        return one in self.all_runs.edited or not has_value

    def is_printed(self, equality: Equality, gradients: Sequence[Symbol]) -> bool:
        """Whether the runs of the section print the value that an equality states for a gradient.

        One label may belong to several losses: L_1, or the terms of a sum.
        """
        derivatives = [
            part.args[0]
            for part in (p for side in self.sides[equality] for p in _parts(side))
            if is_special(part, "derivative")
        ]
        of_one = len(derivatives) == len(gradients) == 1 and derivatives[0].is_Symbol
        if not of_one or parts(derivatives[0])[1]:
            return False
        section = self.section(equality.place)
        runs = [run for there, run in self.runs if there == section] or [r for _, r in self.runs]
        printed = [known.value for run in runs for known in run.values.get(gradients[0], ())]
        return bool(printed) and all(agree(printed[0], value) for value in printed)

    def is_computed(self, other: Expr, pairs: Sequence[Pair]) -> bool:
        """Whether a script of the page computes the expression of a definition."""
        return any(
            one.free_symbols == wanted.free_symbols and _is_identity(one, wanted)
            for wanted in (other, pairs[0][1])
            if _has_operation(wanted)
            for one in self.all_runs.computed
        )

    def holds_by_signs(self, equality: Equality, pairs: Sequence[Pair]) -> bool:
        """Whether it suffices that all known values of a symbol are positive, or negative.

        g / sqrt(t g^2) = 1 / sqrt(t) holds for the g of the page, whatever t is.
        """
        assumed = []
        for name in sorted({name for pair in pairs for name in _symbols(pair)}, key=str):
            known = [one.value for one in self.candidates(name, equality.place)]
            if known and not any(map(_is_vector, known)) and (min(known) > 0 or max(known) < 0):
                assumed.append(name > 0 if min(known) > 0 else name < 0)
        return bool(assumed) and _hold(pairs, assumed)

    # --- the statements of the page and its runs

    def candidates(self, wanted: Symbol, place: int) -> list[KnownValue]:
        """Its values: in its section, or its runs, or above on the page, or in all runs."""
        section, plain = self.section(place), _without_step(wanted)
        ran = [(at, known) for at, run in self.runs for known in run.values.get(plain, ())]
        said = [known for name, known in self.said if name == wanted]
        here = [one for one in said if self.section(one.place) == section]
        here = here or [known for there, known in ran if there == section]
        above = [known for known in said if known.place < place]
        found = here or above or [known for _, known in ran]
        return list({(str(one.value), one.within): one for one in reversed(found)}.values())[::-1]


class _Resolution:
    """Substitutes definitions into the expressions at one place of a page; `used`: their places.

    A derivative of an undefined expression becomes the symbol "grad w", which runs may print. The
    definition at the place itself is not used: it would prove itself.
    """

    def __init__(self, page: _Judge, definitions: Sequence[_Definition], place: int):
        self.section, self.place = page.section(place), place
        self.definitions = [one for one in definitions if one.place != place]
        self.used: set[int] = set()

    def put_in(self, one: Expr, kept: frozenset[Symbol], depth: int = 0) -> Expr:
        """The expression with definitions put in and derivatives taken; symbols in `kept` stay."""
        if one.is_Symbol:
            return self.of_symbol(one, kept, depth)
        if is_special(one, "derivative"):
            return self.differentiated(one, kept, depth)
        return rebuild(one, lambda inner: self.put_in(inner, kept, depth))

    def of_symbol(self, name: Symbol, kept: frozenset[Symbol], depth: int) -> Expr:
        if name in kept or depth > _DEEPEST:
            return name
        found = [(d, body) for d in self.definitions if (body := d.body_for(name)) is not None]
        if not found:
            return name
        definition, body = min(found, key=lambda it: self.distance(it[0]))
        self.used.add(definition.place)
        return self.put_in(expand_sums(body, {}), kept | {name}, depth + 1)

    def differentiated(self, one: Expr, kept: frozenset[Symbol], depth: int) -> Expr:
        inside, by, order = one.args
        body = self.put_in(expand_sums(inside, {}), kept | {by}, depth + 1)
        if by not in body.free_symbols:
            if inside.is_Symbol and order == 1:
                name, indices = parts(by)
                return symbol(f"grad {name}", *indices)
            raise NotEvaluated("what the derivative is of")
        return self.put_in(_derivative(body, by, order), kept, depth)

    def distance(self, definition: _Definition) -> tuple[bool, bool, int]:
        """Sort key of definitions: of the same section, else the last before, else the first."""
        away = definition.place - self.place
        return definition.section != self.section, away > 0, abs(away)


def _derivative(body: Expr, by: Symbol, order: int) -> Expr:
    import sympy

    if any(is_special(one, "vector", "norm", "sum") for one in _parts(body)):
        raise NotEvaluated("the derivative of a vector")
    found = body.diff(by, int(order)).doit()
    # The derivative of max(w, 0) at 0 is 0 in PyTorch.
    return found.replace(sympy.Heaviside, lambda x, *_: sympy.Piecewise((1, x > 0), (0, True)))


def _read_sides(equalities: Sequence[Equality], e_in_code: bool) -> dict[Equality, Pair]:
    """The two sides of each equality that can be read.

    If the page has `f(x) = ...`, f is a function in all its formulas, which are not read. The
    letter e is Euler's number, unless an equality or the code defines it otherwise.
    """
    import sympy

    def read_both(equality: Equality, functions: frozenset[str]) -> Pair | None:
        with contextlib.suppress(Unreadable):
            return read_latex(equality.left, functions), read_latex(equality.right, functions)
        return None

    left = (_FUNCTION.fullmatch(equality.left) for equality in equalities)
    functions = frozenset(found[1] for found in left if found)
    sides = {one: both for one in equalities if (both := read_both(one, functions)) is not None}
    e = symbol("e")
    if e_in_code or any(e in both for both in sides.values()):
        return sides
    return {one: tuple(side.xreplace({e: sympy.E}) for side in both) for one, both in sides.items()}


# --- identities


def _hold(pairs: Sequence[Pair], assumed: Collection[Basic] = ()) -> bool:
    return all(_is_identity(*pair, assumed) for pair in pairs)


def _is_identity(one: Expr, other: Expr, assumed: Collection[Basic] = ()) -> bool:
    """Whether two expressions are equal for all real numbers that fulfil conditions.

    First a counterexample is searched numerically: most wrong equalities have one. If there is
    none, SymPy has to prove the identity.
    """
    import sympy

    if is_special(one, "vector") and is_special(other, "vector"):
        same = len(one.args) == len(other.args)
        return same and _hold(list(zip(one.args, other.args, strict=True)), assumed)
    if _counterexample((one, other), assumed) is not None:
        return False
    difference = (one - other).xreplace(
        {name: _bounded(name, assumed) for name in _symbols((one, other))}
    )
    if difference == 0:
        return True
    powers = [part for part in _parts(difference) if part.is_Pow and not part.base.is_Atom]
    if difference.count_ops() > _LONGEST or any(
        part.exp.is_number and abs(part.exp) > _LARGEST_EXPONENT for part in powers
    ):
        return False
    cases = [sympy.Max, sympy.Min, sympy.Piecewise]
    return any(
        sympy.simplify(difference.rewrite(cases[:2] if kind is sympy.Abs else cases, kind)) == 0
        for kind in (sympy.Abs, sympy.Piecewise)
    )


def _counterexample(pair: Pair, assumed: Collection[Basic]) -> dict[Symbol, float] | None:
    """Values for which the sides differ; empty where too few could be compared."""
    import numpy

    compared, one_sided = 0, False
    names = sorted(_symbols((*pair, *assumed)), key=str)
    for point in _points(names, assumed):
        try:
            left, right = (evaluate(side, point) for side in pair)
        except NotEvaluated:
            continue
        real = [bool(numpy.all(numpy.isfinite(side))) for side in (left, right)]
        if all(real) and not agree(left, right, 1e-9 + 1e-6 * numpy.max(abs(right))):
            return point
        compared += all(real)
        one_sided = one_sided or real[0] is not real[1]
    return {} if one_sided or compared < (_FEWEST_POINTS if names else 1) else None


def _points(names: Sequence[Symbol], assumed: Collection[Basic]) -> Iterator[dict[Symbol, float]]:
    """Values that fulfil conditions, always the same ones: of both signs, 0, small and large."""
    source, found = random.Random(0), 0
    for size, sign in _SIZES * _TRIES:
        signs = [sign if sign is not None else source.choice((-1, 1)) for _ in names]
        numbers = [size * sign * source.uniform(0.2, 2.5) for sign in signs]
        point = dict(zip(names, numbers, strict=True))
        with contextlib.suppress(NotEvaluated):
            if all(evaluate(one, point) for one in assumed):
                yield point
                found += 1
        if found == _MOST_POINTS:
            return


def _interval(name: Symbol, assumed: Collection[Basic]) -> sympy.Interval:
    """The interval of a symbol, from conditions on it alone."""
    import sympy

    alone = [one.as_set() for one in assumed if one.free_symbols == {name}]
    found = sympy.Intersection(sympy.S.Reals, *alone)
    return found if isinstance(found, sympy.Interval) else sympy.S.Reals


def _bounded(name: Symbol, assumed: Collection[Basic]) -> Expr:
    """A substitution that shows SymPy the bounds of a symbol: 2 + p with a positive p for w > 2."""
    import sympy

    allowed = _interval(name, assumed)
    if allowed.inf.is_finite:
        strict = {"positive": True} if allowed.left_open else {"nonnegative": True}
        return allowed.inf + sympy.Dummy(**strict)
    if allowed.sup.is_finite:
        strict = {"positive": True} if allowed.right_open else {"nonnegative": True}
        return allowed.sup - sympy.Dummy(**strict)
    return name


# --- small questions


def _claims_identity(one: Expr, other: Expr, left: Expr, right: Expr) -> bool:
    """Whether this must hold for all values: formulas of the same symbols, or a derivative.

    `left`, `right`: the sides with the definitions of the page substituted.
    """
    derivatives = any(is_special(p, "derivative") for p in (*_parts(one), *_parts(other)))
    if not derivatives and not (_has_operation(one) and _has_operation(other)):
        return False
    found = left.free_symbols
    printed = any(name.name.startswith("grad ") for name in found)
    return bool(found) and found == right.free_symbols and not printed


def _has_operation(one: Expr) -> bool:
    """Whether this computes something from symbols."""
    return bool(one.free_symbols) and not (one.is_Symbol or is_special(one, "derivative", "vector"))


def _parts(expression: Basic) -> Iterator[Basic]:
    yield expression
    for one in expression.args:
        yield from _parts(one)


def _symbols(expressions: Iterable[Basic]) -> set[Symbol]:
    return set().union(*(one.free_symbols for one in expressions))


def _is_vector(value: Any) -> bool:
    return getattr(value, "shape", ()) != ()


def _without_step(name: Symbol) -> Symbol:
    """The symbol without an index that only means before or after a step: w_new is w."""
    stem, indices = parts(name)
    return symbol(stem, *(index for index in indices if index not in ("new", "old")))


def _format_values(values: Mapping[Symbol, Value]) -> str:
    """Values of symbols: `w = 2, x_0 = -1`."""
    return ", ".join(f"{_format_symbol(name)} = {_format(value)}" for name, value in values.items())


def _format_symbol(name: Symbol) -> str:
    stem, indices = parts(name)
    if stem.startswith("grad "):
        return f"{stem.removeprefix('grad ')}.grad"
    return stem + (f"_{''.join(indices)}" if indices else "")


def _format(value: Any) -> str:
    """A value as written on a page; if no float can represent it, its first digits."""
    if _is_vector(value):
        return f"({', '.join(map(_format, value))})"
    try:
        return f"{float(value):.10g}"
    except OverflowError:
        return str(value.evalf(10))
