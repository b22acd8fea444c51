"""`gradtrace why`: the cause of an error, and a run that prints it, for a traceback that is pasted
or piped; nothing is fetched."""

from __future__ import annotations

import argparse
import sys
from textwrap import indent

from gradtrace.doctor.known_messages import find
from gradtrace.doctor.report import COLUMNS, page_address, wrapped
from gradtrace.options import add_book, add_language, language_of_terminal
from gradtrace.words import REPORT_WORDS

_UNKNOWN = 1
"""The exit status if the message isn't known."""


def explain(arguments: list[str]) -> int:
    """Run `gradtrace why` with these arguments; returns the exit status."""
    given = _parser().parse_args(arguments)
    language = given.language or language_of_terminal()
    words, pasted = REPORT_WORDS[language], " ".join(given.error)
    if not pasted:
        if sys.stdin.isatty():
            print(words["paste"], file=sys.stderr)
        pasted = sys.stdin.read()
    message = find(pasted)
    if message is None:
        print(words["unknown_message"], file=sys.stderr)
        return _UNKNOWN
    page = page_address(f"messages/{message.name}", language, given.book)
    cause = [row for text in message.cause[language].split("\n") for row in wrapped(text, COLUMNS)]
    parts = [message.text, "\n".join(cause)]
    for label, text in ((words["run"], message.code), (words["prints"], message.output)):
        if text:
            parts += [label, indent(text.strip("\n"), "    ")]
    print("\n\n".join([*parts, f"{words['book']} {page}"]))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gradtrace why",
        description="Say what an error of PyTorch means and how to fix it, with a run that prints"
        " it. The error is pasted, or piped: python train.py 2>&1 | gradtrace why",
        epilog="The exit status is 0 if the message is known, and 1 otherwise.",
    )
    text = "the error, in quotes; without it, it is read from the standard input"
    parser.add_argument("error", nargs="*", help=text)
    add_language(parser)
    add_book(parser)
    return parser
