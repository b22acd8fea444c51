"""Numbers of a script that a reader may change: `w = 2.0 | -2 to 4 step 0.5`.

A number is named by its variable, by the argument that it is in a call, as in `lr=0.1`,
or is the default of, by a key of a dictionary, or by an option of argparse. The script is run with
each value in its place, and is otherwise the same.
"""

from __future__ import annotations

import ast
import itertools
import math
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from typing import NamedTuple

from gradtrace.drawing.figure import VariedNumber
from gradtrace.drawing.player_data import VariedRun, VariedRuns
from gradtrace.graph.passes import can_be_drawn
from gradtrace.options import CommandError, Options
from gradtrace.recording.runner import (
    FailedRun,
    Job,
    RecordedRun,
    ScriptProcess,
    UnbegunRun,
)
from gradtrace.run_notes import finished_trace
from gradtrace.words import LANGUAGES

VALUES = (
    "<first> to <last> step <step> (or: times <factor>, or: in <count>), or the values with commas"
)
FORM = f"vary: <name> = <its number> | {VALUES}"
MAX_POINTS = 225
"""The maximum number of runs of a figure: 15 values of each of two numbers."""
_RANGE = re.compile(r"(\S+) to (\S+) (step|times|in) (\S+)")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
_MAKERS = ("tensor", "as_tensor", "Parameter", "array", "asarray")
_DIGITS = 4
"""The number of digits of the steps that divide a range."""


class WrongVariation(ValueError):
    """A number cannot be varied as requested; `expected` and found values."""

    def __init__(self, expected: str, found: str, fix: str = "correct it") -> None:
        super().__init__(f"expected {expected}, found {found}")
        self.expected, self.found, self.fix = expected, found, fix


@dataclass(frozen=True)
class Variation:
    """A number of a script, and its values as in code; its own is one of them."""

    name: str
    number: str
    values: tuple[str, ...]

    @property
    def own(self) -> int:
        """The index of the script's own value."""
        return self.values.index(self.number)


@dataclass(frozen=True)
class Place:
    """The place of a number in a script: its line, from 1; its first column and the one after its
    last, in characters from 0; and its index, in a list or a tensor made from one."""

    line: int
    start: int
    end: int
    element: tuple[int, ...] = ()

    def label(self, name: str) -> str:
        """The number's name for readers: `w`, or `v[0]` for an element of `v`."""
        return f"{name}[{', '.join(map(str, self.element))}]" if self.element else name


def parse_variation(text: str) -> Variation:
    """Parse the option of a book. Raises `WrongVariation`."""
    assignment, bar, values = text.partition("|")
    name, equals, number = (part.strip() for part in assignment.partition("="))
    if not (bar and equals and name.isidentifier() and _NUMBER.fullmatch(number)):
        raise WrongVariation(FORM, f"vary: {text}")
    found = tuple(_like(number, value) for value in _values(values.strip(), number, FORM))
    for value in found:
        if found.count(value) > 1:
            raise WrongVariation("each value once", f"{value} twice")
    if number not in found:
        raise WrongVariation(f"the number of the script among them, {number}", ", ".join(found))
    if len(found) < 2:
        raise WrongVariation("more values than one", values.strip())
    return Variation(name, number, found)


def variation_in(code: str, text: str) -> tuple[Variation, Place]:
    """Parse the option of a command, `lr = 0.01, 1`, and find the place of the number in a script.
    Its own value may distinguish it from others of its name: `lr = 0.1 | 0.01, 1`. The values are
    in ascending order; the script's own is always among them.

    Raises `WrongVariation` or `SyntaxError`.
    """
    form = f"<name> = {VALUES}"
    before, bar, after = text.partition("|")
    name, equals, rest = (part.strip() for part in (before if bar else text).partition("="))
    name = name.lstrip("-").replace("-", "_")
    if not (equals and name.isidentifier() and (_NUMBER.fullmatch(rest) or not bar)):
        raise WrongVariation(form, text)
    node, element = _only(code, name, rest if bar else None)
    place = _place(node, element, code)
    number = code.split("\n")[place.line - 1][place.start : place.end]
    if not _NUMBER.fullmatch(number):
        number = _text_of(node)
    wanted = _values((after if bar else rest).strip(), number, form)
    values = {Decimal(number): number, **{each: _like(number, each, False) for each in wanted}}
    if len(values) < 2:
        raise WrongVariation(f"other values than the script's own, {number}", text)
    return Variation(name, number, tuple(values[each] for each in sorted(values))), place


def _values(text: str, number: str, form: str) -> list[Decimal]:
    """The values of a range or of a list. `number`: the script's own; `form`: the expected form,
    for errors."""
    span = _RANGE.fullmatch(text)
    texts = (span[1], span[2], span[4]) if span else re.split(r"\s*,\s*", text)
    try:
        numbers = [Decimal(each) for each in texts]
    except InvalidOperation:
        raise WrongVariation(form, f"the values {text!r}") from None
    if not all(math.isfinite(number) for number in numbers):
        raise WrongVariation("finite numbers", text)
    if not span:
        return numbers
    first, last, of = numbers
    if span[3] == "step":
        return _stepped(first, last, of, text)
    return (
        _multiplied(first, last, of, text)
        if span[3] == "times"
        else _divided(first, last, of, _is_whole(number), text)
    )


def _stepped(first: Decimal, last: Decimal, step: Decimal, text: str) -> list[Decimal]:
    if step > 0 and (last - first) / step >= MAX_POINTS:
        raise WrongVariation(f"at most {MAX_POINTS} values", text)
    if step <= 0 or last < first or (last - first) % step:
        raise WrongVariation("a range upwards whose last value its steps reach", text)
    return [first + step * i for i in range(int((last - first) / step) + 1)]


def _multiplied(first: Decimal, last: Decimal, factor: Decimal, text: str) -> list[Decimal]:
    found = [first]
    while 0 < found[-1] < last and factor > 1 and len(found) < MAX_POINTS:
        found.append(found[-1] * factor)
    if found[-1] != last or len(found) < 2:
        wanted = "a range from above 0 upwards whose last value its factor reaches"
        raise WrongVariation(wanted, text)
    return found


def _divided(
    first: Decimal, last: Decimal, count: Decimal, whole: bool, text: str
) -> list[Decimal]:
    """This many values, evenly spaced; those between are rounded to integers if `whole`."""
    if last <= first or count != int(count) or not 2 <= count <= MAX_POINTS:
        raise WrongVariation(f"a range upwards in 2 to {MAX_POINTS} values", text)
    steps = int(count) - 1
    step = (last - first) / steps
    unit = Decimal(1) if whole else Decimal(1).scaleb(step.adjusted() - _DIGITS + 1)
    return [first, *((first + step * i).quantize(unit) for i in range(1, steps)), last]


def _like(number: str, value: Decimal, whole: bool = True) -> str:
    """A value as in code, of the type of the script's number: "-0.5", "1e-05", "3". `whole`:
    whether a fraction is rejected where the script's own number is an integer."""
    if Decimal(number) == value:
        return number
    if _is_whole(number):
        if value == int(value):
            return f"{int(value)}"
        if whole:
            raise WrongVariation(f"whole numbers, as {number} is one", f"{value}")
    return repr(float(value))


def place_of(variation: Variation, code: str) -> Place:
    """The place of a varied number in a script. Raises `WrongVariation` if there are none or two,
    and `SyntaxError`."""
    return _place(*_only(code, variation.name, variation.number), code)


def _only(code: str, name: str, number: str | None) -> tuple[ast.expr, tuple[int, ...]]:
    """The only number of a script with a name (and this value, if `number` is given); and its index
    in the named value."""
    named = [
        (other, number, element or ())
        for node in ast.walk(ast.parse(code))
        for other, value in _named_values(node)
        for number, element in _numbers(value)
    ]
    of_name = [numbered for other, *numbered in named if other == name]
    found = [(node, of) for node, of in of_name if number is None or _is_number(node, number)]
    found = list({(node.lineno, node.col_offset): (node, of) for node, of in found}.values())
    if len(found) == 1:
        return found[0]
    wanted = f"one {number or 'number'} in what is assigned to {name}"
    if found:
        texts = [_text_of(node) for node, _ in found]
        lines = [f"{t} in line {node.lineno}" for t, (node, _) in zip(texts, found, strict=True)]
        which = f"say which: {name} = {texts[0]} | and then the values"
        if texts.count(texts[0]) > 1:
            which = "give it in one place of the script, under a name of its own"
        raise WrongVariation(wanted, ", ".join(lines), which)
    if of_name:
        raise WrongVariation(wanted, ", ".join(f"{_text_of(node)}" for node, _ in of_name))
    near = get_close_matches(name, dict.fromkeys(other for other, *_ in named), n=3, cutoff=0.5)
    fix = "name a number that the script assigns, or gives for an argument"
    raise WrongVariation(wanted, f"none; there is {', '.join(near)}" if near else "none", fix)


def _place(node: ast.expr, element: tuple[int, ...], code: str) -> Place:
    row = code.split("\n")[node.lineno - 1].encode()
    start, end = (len(row[:n].decode()) for n in (node.col_offset, node.end_col_offset))
    return Place(node.lineno, start, end, element)


def _named_values(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The values assigned, passed or set as a default in one place, with their names there."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _assigned(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _assigned(target, value)
        case ast.NamedExpr(target=target, value=value):
            yield from _assigned(target, value)
        case ast.arguments():
            given = [*node.posonlyargs, *node.args]
            given = [*given[len(given) - len(node.defaults) :], *node.kwonlyargs]
            for argument, value in zip(given, [*node.defaults, *node.kw_defaults], strict=True):
                if value is not None:
                    yield argument.arg, value
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value
        case ast.Call(args=args, keywords=keywords):
            flags = [
                arg.value.lstrip("-").replace("-", "_")
                for arg in args
                if isinstance(arg, ast.Constant)
                and isinstance(arg.value, str)
                and arg.value.startswith("-")
            ]
            for keyword in keywords:
                if keyword.arg:
                    yield keyword.arg, keyword.value
                if keyword.arg == "default":
                    yield from ((flag, keyword.value) for flag in flags)


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case (
            (ast.Tuple(elts=targets) | ast.List(elts=targets)),
            (ast.Tuple(elts=values) | ast.List(elts=values)),
        ) if len(targets) == len(values):
            for one, other in zip(targets, values, strict=True):
                yield from _assigned(one, other)
        case ((ast.Name(id=name) | ast.Attribute(attr=name)), _):
            yield name, value
        case ast.Subscript(slice=ast.Constant(value=str() as name)), _:
            yield name, value


def _numbers(
    node: ast.expr, element: tuple[int, ...] | None = ()
) -> Iterator[tuple[ast.expr, tuple[int, ...] | None]]:
    """The numbers in an expression, each with its sign and its index (`element`) in the expression:
    None if that isn't known."""
    if _text_of(node) is not None:
        yield node, element
        return
    if isinstance(node, ast.JoinedStr):
        return  # before Python 3.12 the places in it are not known
    if isinstance(node, ast.List):
        for index, child in enumerate(node.elts):
            yield from _numbers(child, None if element is None else (*element, index))
        return
    function = getattr(node, "func", None)  # `tensor` of `torch.tensor`
    makes_tensor = getattr(function, "attr", getattr(function, "id", "")) in _MAKERS
    for child in ast.iter_child_nodes(node):
        # The argument of a call within has a name of its own.
        if isinstance(child, ast.expr):
            first = makes_tensor and child in node.args[:1]
            yield from _numbers(child, element if first else None)


def _text_of(node: ast.expr) -> str | None:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return repr(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return f"-{value!r}"
    return None


def _is_number(node: ast.expr, number: str) -> bool:
    text = _text_of(node)
    return _is_whole(number) == _is_whole(text) and Decimal(text) == Decimal(number)


def _is_whole(number: str) -> bool:
    return number.lstrip("-").isdigit()


def points(variations: Sequence[Variation], most: int = MAX_POINTS) -> list[tuple[str, ...]]:
    """All combinations of the values, the last variation changing fastest. Raises `WrongVariation`
    if there are more than `most`."""
    count = math.prod(len(variation.values) for variation in variations)
    if count > most:
        raise WrongVariation(f"at most {most} runs in all", f"{count}")
    return list(itertools.product(*(variation.values for variation in variations)))


def with_values(code: str, places: Sequence[Place], values: Sequence[str]) -> str:
    """A script with other numbers in these places; a negative operand is put in brackets."""
    rows = code.split("\n")
    before = ast.parse(code)
    for place, value in sorted(zip(places, values, strict=True), key=lambda each: -each[0].start):
        row = rows[place.line - 1]
        rows[place.line - 1] = row[: place.start] + value + row[place.end :]
    text = "\n".join(rows)
    if _shape(ast.parse(text)) == _shape(before):
        return text
    return with_values(code, places, [f"({value})" for value in values])


def _shape(tree: ast.AST) -> str:
    """A syntax tree without its numbers."""

    class WithoutNumbers(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if isinstance(node, ast.expr) and _text_of(node) is not None:
                return ast.Constant(value=0)
            return self.generic_visit(node)

    return ast.dump(WithoutNumbers().visit(tree))


MAX_NUMBERS = 2
"""The maximum number of numbers of a script that are varied together."""
MAX_RUNS = 50
"""The maximum number of runs of a script: each one takes the full time."""


class VariedScript(NamedTuple):
    """A script with all combinations of the values of its numbers, the last one changing
    fastest. `variants`: its texts, by what is changed ("lr = 0.01")."""

    numbers: list[VariedNumber]
    variants: dict[str, str]


def varied_script(options: Options, code: str) -> VariedScript:
    """The requested script, whose text is `code`.

    Raises `CommandError` where a number cannot be varied, and `SyntaxError`.
    """
    numbers, variations, places = [], [], []
    for text in options.vary:
        try:
            variation, place = variation_in(code, text)
        except WrongVariation as error:
            raise _wrong(options, text, error) from error
        if place in places:
            raise _wrong(
                options, text, WrongVariation("each number once", f"{variation.name} twice")
            )
        variations.append(variation)
        places.append(place)
        named = variation.name, place.label(variation.name)
        where = place.line, place.start, place.end
        numbers.append(VariedNumber(*named, *where, variation.values, variation.own))
    if len(numbers) > MAX_NUMBERS:
        error = WrongVariation(f"at most {MAX_NUMBERS} numbers", f"{len(numbers)}")
        raise _wrong(options, options.vary[-1], error)
    try:
        combinations = points(variations, MAX_RUNS)
    except WrongVariation as error:
        better = WrongVariation(error.expected, error.found, "take fewer values")
        raise _wrong(options, options.vary[-1], better) from error
    variants = {}
    for values in combinations:
        label = ", ".join(f"{n.name} = {v}" for n, v in zip(numbers, values, strict=True))
        variants[label] = with_values(code, places, values)
    return VariedScript(numbers, variants)


def _wrong(options: Options, text: str, error: WrongVariation) -> CommandError:
    what = f'--vary "{text}": this number cannot be varied'
    return CommandError(options.name, 1, what, error.expected, error.found, error.fix)


def run_variants(options: Options, job: Job, script: VariedScript, own: VariedRun) -> VariedRuns:
    """Run the script with each combination of values except its own, which has already run.

    The output of these runs is recorded, not shown; their stderr is shown. Raises `CommandError` if
    one is interrupted.
    """
    phrases = LANGUAGES[options.page_language]
    which = VariedRuns(script.numbers, ()).own
    runs = []
    for index, (label, source) in enumerate(script.variants.items()):
        if index == which:
            runs.append(own)
            continue
        number = index + (index < which) + 1
        parts = {"number": number, "count": len(script.variants), "label": label}
        print(phrases["vary_run"].format(**parts), file=sys.stderr, flush=True)
        changed = replace(job, source=source)
        with open(os.devnull, "w") as nowhere, ScriptProcess(changed, nowhere) as process:
            run = process.recorded()
            process.wait()
            later = process.later_error()
        if "interrupted" in (getattr(run, "why", ""), getattr(run, "end", "")):
            what, expected = "it was interrupted before all runs were recorded", "runs that end"
            found = f"Ctrl-C in run {number} of {len(script.variants)}"
            fix = "take fewer values, or end each run early: --stop, or --limit 60"
            raise CommandError(options.name, 1, what, expected, found, fix)
        runs.append(_played(run, job, options.page_language, later, own))
    return VariedRuns(script.numbers, runs)


def _played(
    run: RecordedRun | UnbegunRun | FailedRun,
    job: Job,
    language: str,
    later: str | None,
    own: VariedRun,
) -> VariedRun:
    phrases = LANGUAGES[language]
    nothing = phrases["vary_nothing"]
    if not isinstance(run, RecordedRun):
        error = run.found if isinstance(run, FailedRun) else run.error
        return VariedRun("", None, [nothing, *([f"`{error}`"] if error else [])])
    trace, sentences = finished_trace(run, job, language)
    if later:
        sentences.append(phrases["later_error"].format(message=later))
    said = [sentence for sentence in sentences if sentence not in own.said]
    if can_be_drawn(trace):
        return VariedRun(trace.stdout, trace, said)
    return VariedRun(trace.stdout, None, [nothing, *said], run.line)
