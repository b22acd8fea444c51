"""`vary: w = 2.0 | -2 to 4 step 0.5`: a figure of a run in which a reader changes numbers.

The runs with all values are stored next to the script (`proofbook.model.varied_runs`); their plots
are not, see `proofbook.directives.plot`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gradtrace import (
    VariedFigure,
    VariedNumber,
    VariedRun,
    build_graph,
    draw_varied_figure,
    parse_trace,
)
from gradtrace.vary import (
    Variation,
    WrongVariation,
    parse_variation,
    place_of,
    points,
    with_values,
)

from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.varied_runs import parse_runs, varied_file

MAX_NUMBERS = 2
"""The maximum number of numbers of a script that are varied together."""


def asked(reference: Reference) -> tuple[str, ...]:
    """The variations that a page requests, as written."""
    return tuple(value for key, value, _ in reference.options if key == "vary")


def values_of(varied: Sequence[str]) -> list[tuple[str, ...]]:
    """The values of each run. Raises `WrongVariation`."""
    return points([parse_variation(text) for text in varied])


def own_run(varied: Sequence[str]) -> int:
    """The index of the run with the script's own numbers."""
    return values_of(varied).index(tuple(parse_variation(text).number for text in varied))


def labels_of(varied: Sequence[str]) -> list[str]:
    """A label for each run: "w = -2.0, lr = 0.1"."""
    names = [parse_variation(text).name for text in varied]
    return [
        ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))
        for values in values_of(varied)
    ]


def variants_of(code: str, varied: Sequence[str]) -> list[tuple[str, str]]:
    """The script with all combinations of values, each after its label ("w = -2.0").

    Raises `WrongVariation` or `SyntaxError`.
    """
    places = [place_of(parse_variation(text), code) for text in varied]
    texts = [with_values(code, places, values) for values in values_of(varied)]
    return list(zip(labels_of(varied), texts, strict=True))


def variants_of_scripts(
    book: Book, varied: Mapping[str, Sequence[str]]
) -> dict[str, list[tuple[str, str]]]:
    """The variants of each script; none for one that cannot be varied or read."""
    found = {s: book.remember(_variants_of_script, s, tuple(texts)) for s, texts in varied.items()}
    return {script: list(variants) for script, variants in found.items() if variants}


def _variants_of_script(
    book: Book, script: str, varied: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    try:
        return tuple(variants_of(book.text(script), varied))
    except (ValueError, SyntaxError, FileNotFoundError):
        return ()


def draw(
    book: Book,
    reference_path: str,
    recording_file: str,
    identity: str,
    language: str,
    passes: tuple[int, int] | None,
    varied: tuple[str, ...],
) -> VariedFigure:
    """The figure and its data; requires that `problems` finds nothing."""
    numbers = numbers_of(book.text(reference_path), varied)
    _, runs = parse_runs(book.text(varied_file(reference_path)), book.text(recording_file))
    shown = [VariedRun(run.printed.rstrip("\n"), parse_trace(run.recording)) for run in runs]
    return draw_varied_figure(numbers, shown, identity, language, passes, data_file(identity))


def data_file(identity: str) -> str:
    """The name of the file with the data of a figure; it is next to the page."""
    return f"{identity}.js"


def as_script(data: str, identity: str) -> str:
    """The data as a script, which a browser can also load from the file system."""
    return f'(globalThis.variedRuns ??= {{}})["{identity}"] = {data}\n'


def numbers_of(code: str, varied: Sequence[str]) -> list[VariedNumber]:
    """The numbers of a script that are varied. Raises `WrongVariation` or `SyntaxError`."""
    return [_number(parse_variation(text), code) for text in varied]


def _number(variation: Variation, code: str) -> VariedNumber:
    place = place_of(variation, code)
    named = variation.name, place.label(variation.name)
    where = place.line, place.start, place.end
    return VariedNumber(*named, *where, variation.values, variation.own)


def problems(
    page: Page, reference: Reference, book: Book, recording_file: str
) -> Iterator[Problem]:
    """The reasons why numbers cannot be varied as requested."""
    options = [(value, line) for key, value, line in reference.options if key == "vary"]
    if not options:
        return
    script, line = reference.path, options[0][1]
    what = "the number cannot be varied"
    kind = reference.option("figure")
    if len(options) > MAX_NUMBERS:
        expected = f"at most {MAX_NUMBERS} numbers"
        yield page.problem(line, what, expected, f"{len(options)}", "remove a line")
        return
    wrong = False
    try:
        code = book.text(script)
    except (FileNotFoundError, UnicodeDecodeError):
        return  # reported for the script
    for text, at in options:
        try:
            place_of(parse_variation(text), code)
        except WrongVariation as error:
            wrong = True
            yield page.problem(at, what, error.expected, error.found, "correct this line")
        except SyntaxError:
            return  # reported for its run
    if wrong:
        return
    varied = asked(reference)
    try:
        count = len(values_of(varied))
    except WrongVariation as error:
        yield page.problem(line, what, error.expected, error.found, "take fewer values")
        return
    for other in book.pages_showing(script):
        for each in book.page(other).references:
            if each.path != script or not asked(each):
                continue
            if (asked(each), each.option("figure")) != (varied, kind):
                expected = f"the same lines as on {other}:{each.line}"
                found = "; ".join((f"figure: {kind}", *varied))
                fix = "vary the same numbers of the same figure on all pages"
                yield page.problem(line, what, expected, found, fix)
                return
    file, fix = varied_file(script), f"proofbook update {script}"
    try:
        own = book.text(recording_file) if kind == "trace" else ""
        known, runs = parse_runs(book.text(file), own)
        for run in runs if kind == "trace" else ():
            build_graph(parse_trace(run.recording))
    except FileNotFoundError:
        yield page.problem(
            line, "no runs with other numbers are kept", f"a file {file}", "none", fix
        )
    except (ValueError, KeyError) as error:
        yield page.problem(line, what, f"a file {file} of such runs", str(error), fix)
    else:
        if known != varied or len(runs) != count:
            yield page.problem(line, what, f"{file} with these values", "; ".join(known), fix)
