"""The command: `proofbook check | ready | update | shake | unproved | new`.

Another version of PyTorch: `check --python`. The book as files: `offline` and `pdf`.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from proofbook.model.cache import Store
from proofbook.model.problem import Unproved, format_problems, no_room
from proofbook.run.runner import RunnerError
from proofbook.run.runs import Runs, known_results
from proofbook.run.sandbox import run_in_sandbox

SCRIPTS = "snippets/**/*.py"
"""Where the scripts of a book are, to check before the book is read."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status: 0 if all holds, 1 if not, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(prog="proofbook", description=__doc__)
    parser.add_argument(
        "--root", type=Path, default=Path.cwd(), help="the folder with docs/ and snippets/"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for command, text in (
        ("check", "run the snippets and compare the book with what they print"),
        ("update", "record what the snippets print now, showing each difference"),
        ("shake", "find the snippets that print something else where a processor rounds otherwise"),
        ("unproved", "list the equations in maths that nobody could evaluate"),
    ):
        sub = commands.add_parser(command, help=text, description=text)
        sub.add_argument("paths", nargs="*", help="pages, snippets or folders; without any: all")
        if command == "check":
            text = "run and check everything, also what has not changed since the last check"
            sub.add_argument("--fresh", action="store_true", help=text)
            text = "run the scripts with this interpreter, which has another PyTorch: what changes"
            sub.add_argument("--python", metavar="PYTHON", help=text)
            text = "with --python: record what that PyTorch prints, for the readers who have it"
            sub.add_argument("--record", action="store_true", help=text)
            text = "run in bubblewrap, on Linux: the scripts have no network and can change nothing"
            sub.add_argument("--sandbox", action="store_true", help=text)
    text = "check what your branch changes, and say whether it is ready to send"
    commands.add_parser("ready", help=text, description=text)
    text = "start a snippet and its pages"
    sub = commands.add_parser("new", help=text, description=text)
    sub.add_argument("name", help="<topic>/<name>, for example sharing/two_inputs")
    text = "write the page in this language alone, as zh; by default in each language of the book"
    sub.add_argument("--language", metavar="CODE", help=text)
    for command, text in (
        ("offline", "pack the site into one zip that opens from the file system"),
        ("pdf", "print the book, one PDF for each language"),
    ):
        sub = commands.add_parser(command, help=text, description=text)
        sub.add_argument("-o", dest="out", type=Path, metavar="FOLDER", help="instead of dist/")
    for stream in (sys.stdout, sys.stderr):  # a Chinese Windows cannot print every character
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    store, runs = Store(root), Runs(root)
    try:
        if options.command == "check" and options.sandbox:
            return run_in_sandbox(root, ["check", *options.paths])
        if options.command == "ready" or (options.command == "check" and not options.python):
            runs.known = (
                {} if options.command == "check" and options.fresh else known_results(store)
            )
            scripts = (file for file in root.glob(SCRIPTS) if file.is_file())
            runs.prepare(file.relative_to(root).as_posix() for file in scripts)
        from proofbook import cli  # takes a while, during which the runner imports torch

        return cli.perform(options, root, store, runs)
    except (Unproved, RunnerError) as error:
        print(error, file=sys.stderr)
    except BrokenPipeError:  # the reader has closed the pipe: `proofbook check | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at the end
    except OSError as error:
        print(format_problems([no_room(error)]), file=sys.stderr)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    finally:
        runs.close()
    return 1


if __name__ == "__main__":
    sys.exit(main())
