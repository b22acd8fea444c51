"""The options of the command `gradtrace`, and the error if they cannot be met."""

from __future__ import annotations

import argparse
import contextlib
import locale
import math
import os
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from gradtrace.drawing.page import is_standalone_page
from gradtrace.words import LANGUAGES, language_of_locale


class CommandError(Exception):
    """The request could not be met. Its text is the message that the command prints.

    `file` is the script as it was named; `line` counts from 1.
    """

    def __init__(self, file: str, line: int, what: str, expected: str, found: str, fix: str):
        self.file, self.line, self.what = file, line, what
        self.expected, self.found, self.fix = expected, found, fix
        parts = (("expected:", expected), ("found:", found), ("fix:", fix))
        indent = "\n" + 12 * " "
        rows = [f"  {label:<10}{indent.join(text.splitlines())}" for label, text in parts]
        super().__init__("\n".join([f"{file}:{line}: {what}", *rows]))


SUFFIX = ".html"
BOOK = "GRADTRACE_BOOK"
"""The environment variable that holds the address of the book."""
UNTIL = ("nan", "inf", "error", "zero-grad")
"""The events at which a recording may begin; for "error" it is the last steps before it."""

_RANGE = re.compile(r"([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?")


@dataclass(frozen=True)
class Options:
    """The options of the command: `file` is a script, or `module` a Python module; `arguments` are
    the script's. `path`: the nn.Module at which the page opens; `vary`: the numbers of the script
    that are changed on the page."""

    file: str = ""
    module: str = ""
    out: str | None = None
    language: str | None = None
    passes: str | None = None
    steps: str | None = None
    until: str | None = None
    limit: float | None = None
    stop: bool = False
    open: bool = False
    path: str = ""
    vary: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the script or module, for messages."""
        return self.file or self.module

    @property
    def page_language(self) -> str:
        """The language of the page, and of the messages about it."""
        return self.language or language_of_terminal()


def parser_of_script(prog: str, **texts: str) -> argparse.ArgumentParser:
    """A parser for the options of all commands: which script or module, the language, the time
    limit.

    `texts`: its `description` and its `epilog`.
    """
    usage = f"{prog} [options] (train.py | -m package.module) [arguments of the script]"
    parser = argparse.ArgumentParser(prog=prog, usage=usage, **texts)
    text = "the script with its arguments, for example train.py --epochs 1"
    parser.add_argument("script", nargs=argparse.REMAINDER, help=text)
    text = "run a module, as python -m does"
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help=text)
    add_language(parser)
    text = "stop the script after so many seconds"
    parser.add_argument("--limit", type=seconds, metavar="SECONDS", help=text)
    return parser


def add_language(parser: argparse.ArgumentParser) -> None:
    """Add the option of the language."""
    text = "instead of that of your terminal"
    parser.add_argument("--language", choices=tuple(LANGUAGES), help=text)


def add_book(parser: argparse.ArgumentParser) -> None:
    """Add the option of the address of the book."""
    text = f"the address of the book, for links to its pages (default: ${BOOK})"
    parser.add_argument("--book", default=os.environ.get(BOOK, ""), metavar="URL", help=text)


def parsed(parser: argparse.ArgumentParser, arguments: list[str]) -> dict:
    """The parsed options, with the fields of `Options`; ends the process if they are invalid."""
    found = vars(parser.parse_args(arguments))
    script, module = found.pop("script"), found.pop("module")
    name, *rest = module or script or [""]
    if not name:
        parser.error(f"which script? {parser.prog} train.py")
    return {**found, "module" if module else "file": name, "arguments": tuple(rest)}


def parse_options(arguments: list[str]) -> Options:
    """The parsed options; ends the process if they are invalid."""
    parser = parser_of_script(
        "gradtrace",
        description="Record what autograd did in a script, and write an HTML file that plays it.",
        epilog="gradtrace doctor train.py says in text what is wrong with the gradients;"
        " gradtrace why says what an error of PyTorch means.",
    )
    parser.add_argument("-o", dest="out", metavar="OUT.html", help="instead of train.html, here")
    parser.add_argument("--passes", metavar="N[-M]", help="the backward passes to show: 1, or 2-3")
    begin = parser.add_mutually_exclusive_group()
    text = "record from this step of the optimizer on: 500, or 500-501; before it, at full speed"
    begin.add_argument("--steps", metavar="N[-M]", help=text)
    text = (
        "record from where a loss or gradient holds nan (inf: or infinity), or a gradient is zero;"
        " with error, the last steps before the script fails, which is slow all along"
    )
    begin.add_argument("--until", choices=UNTIL, help=text)
    text = "open the page at a module of the model, and so all others folded: model.h.1"
    parser.add_argument("--module", dest="path", default="", metavar="PATH", help=text)
    text = (
        "let a reader of the page change a number of the script: lr = 0.01, 0.1 or lr = 0.001 to 1"
        " times 10 (or: step 0.1; or: in 5). For each value the script is run once more, with all"
        " that it does, one run after another. May be given twice"
    )
    parser.add_argument("--vary", action="append", default=[], metavar="NAME=VALUES", help=text)
    text = "end the script once enough is recorded, instead of letting it run on"
    parser.add_argument("--stop", action="store_true", help=text)
    text = "open the page in the browser once it is written"
    parser.add_argument("--open", action="store_true", help=text)
    version = f"gradtrace {metadata.version('gradtrace')}"
    parser.add_argument("--version", action="version", version=version)
    found = parsed(parser, arguments)
    return Options(**found | {"vary": tuple(found["vary"])})


def seconds(text: str) -> float:
    """A time limit, for argparse."""
    with contextlib.suppress(ValueError):
        if 0 < (seconds := float(text)) < math.inf:
            return seconds
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")


def script_path(file: str) -> Path:
    """The path of the script; raises `CommandError` if it cannot be run."""
    script = Path(file).resolve()
    fix = "name a script: gradtrace train.py"
    if not script.exists():
        what, found = "there is no such script", f"nothing at {script}"
        raise CommandError(file, 1, what, "a file", found, fix)
    if script.suffix != ".py" or not script.is_file():
        what, expected = "this is not a Python script", "a file that ends in .py"
        found = f"a file that ends in {script.suffix or 'nothing'}"
        raise CommandError(file, 1, what, expected, "a folder" if script.is_dir() else found, fix)
    try:
        script.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what, fix = "the script cannot be read", "save it as UTF-8, where you may read it"
        raise CommandError(file, 1, what, "text", str(error), fix) from error
    return script


def page_path(options: Options) -> Path:
    """The path of the page, of one of several ranks with its number; a file of another origin is
    overwritten only if named with -o.

    Raises `CommandError` if the page cannot be written there.
    """
    stem = Path(options.file).stem or options.module.rpartition(".")[2]
    out = Path(options.out) if options.out else Path(stem + SUFFIX)
    if int(os.environ.get("WORLD_SIZE") or 1) > 1:  # torchrun's
        out = out.with_stem(f"{out.stem}-rank{os.environ.get('RANK', 0)}")
    folder = out.resolve().parent
    for is_wrong, found in (
        (out.is_dir(), "a folder"),
        (not folder.is_dir(), f"no folder {folder}"),
        (not os.access(out if out.exists() else folder, os.W_OK), "you may not write there"),
        (out.suffix.lower() not in (SUFFIX, ".htm"), f"a name that does not end in {SUFFIX}"),
    ):
        if is_wrong:
            raise unwritable(options, out, found)
    if options.out is None and out.exists() and not is_standalone_page(out):
        what = "there is a file of that name already, and it was not made by this command"
        expected, found = f"no file {out}, or one that this command made", "made by something else"
        fix = f"move it away, or name another place: -o traced{SUFFIX}"
        raise CommandError(options.name, 1, what, expected, f"{out}, {found}", fix)
    return out


def unwritable(options: Options, out: Path, found: str) -> CommandError:
    """The error of a page that cannot be written."""
    what, fix = f"{out} cannot be written", f"name another place: -o trace{SUFFIX}"
    expected = f"a file that ends in {SUFFIX}, in a folder that is there"
    return CommandError(options.name, 1, what, expected, found, fix)


def passes_asked_for(options: Options) -> tuple[int, int] | None:
    """The first and the last backward pass requested."""
    if options.passes is None:
        return None
    first, last = _range(options, "passes", "these are no backward passes")
    return first, last or first


def steps_asked_for(options: Options) -> tuple[int, int | None] | None:
    """The first optimizer step to record, and the last, if there is one."""
    if options.steps is None:
        return None
    return _range(options, "steps", "these are no steps of an optimizer")


def _range(options: Options, option: str, what: str) -> tuple[int, int | None]:
    given = getattr(options, option)
    match = _RANGE.fullmatch(given)
    if match and int(match[1]) <= int(match[2] or match[1]):
        return int(match[1]), int(match[2]) if match[2] else None
    expected, found = f"--{option} 1, or --{option} 2-3", f"--{option} {given}"
    raise CommandError(options.name, 1, what, expected, found, f"count the {option} from 1")


def language_of_terminal() -> str:
    """The language set in the environment."""
    names = map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))
    return language_of_locale(next(filter(None, names), None) or locale.getlocale()[0] or "")
