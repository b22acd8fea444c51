"""The maintainer's tool: `python -m proof check | update | new`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from proof.book import Book, problems_in_files, read_book
from proof.check import problems_in_runs
from proof.new import start
from proof.problem import Problem, Unproved, report
from proof.record import record
from proof.runner import Runner, RunnerError


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives the exit status: 0 if everything holds, 1 if not."""
    parser = argparse.ArgumentParser(prog="python -m proof", description=__doc__)
    parser.add_argument(
        "--root", type=Path, default=Path.cwd(), help="the folder with docs/ and snippets/"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for command, text in (
        ("check", "run the snippets and compare the book with what they print"),
        ("update", "record what the snippets print now, showing each difference"),
    ):
        sub = commands.add_parser(command, help=text, description=text)
        sub.add_argument("paths", nargs="*", help="pages, snippets or folders; without any: all")
    text = "start a snippet and its two pages"
    sub = commands.add_parser("new", help=text, description=text)
    sub.add_argument("name", help="<topic>/<name>, for example sharing/two_inputs")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    try:
        if options.command == "new":
            return _new(root, options.name)
        book = read_book(root)
        chosen = _chosen(book, options.paths)
        command = _check if options.command == "check" else _update
        return command(book, *chosen)
    except Unproved as unproved:
        print(unproved, file=sys.stderr)
    except RunnerError as error:
        print(error, file=sys.stderr)
    return 1


def _check(book: Book, pages: set[str], scripts: list[str]) -> int:
    began = time.monotonic()
    everything = len(scripts) == len(book.scripts) and len(pages) == len(book.pages)
    with Runner() as runner:
        waiting = [runner.submit(book.root / script) for script in scripts]
        problems = [
            problem
            for problem in problems_in_files(book)
            if everything or {problem.file, *problem.pages} & (pages | _files(scripts))
        ]
        problems += problems_in_runs(book, [future.result() for future in waiting])
    if problems := _once(problems):
        print(report(problems), file=sys.stderr)
        return 1
    print(
        f"{_count(scripts, 'snippet')} run and compared, {_count(pages, 'page')} read: "
        f"everything holds ({time.monotonic() - began:.1f} s)."
    )
    return 0


def _update(book: Book, pages: set[str], scripts: list[str]) -> int:
    differences, problems = record(book.root, scripts)
    for difference in differences:
        print(difference, end="\n\n")
    same = len(scripts) - len(differences) - len(problems)
    print(
        f"{_count(differences, 'output')} recorded, {same} as before."
        + (" Read the pages that show what changed." if differences else "")
    )
    if problems:
        print(report(problems).removesuffix(" Nothing was changed."), file=sys.stderr)
    return 1 if problems else 0


def _new(root: Path, name: str) -> int:
    script, *pages = start(root, name)
    differences, problems = record(root, [script])
    if problems:
        raise Unproved(problems)
    print("\n".join(["started:", *(f"  {file}" for file in [script, *pages])]))
    print(
        "now:\n"
        f"  1. write the snippet, then: python -m proof update {script}\n"
        "  2. write both pages\n"
        f"  3. add {pages[0].removeprefix('docs/').replace('.zh.md', '.md')} to the nav of mkdocs.yml\n"
        "  4. python -m proof check"
    )
    return 0


def _chosen(book: Book, paths: list[str]) -> tuple[set[str], list[str]]:
    """The pages and scripts that `paths` name; a page brings its snippets, a snippet its pages."""
    if not paths:
        return {page.file for page in book.pages}, list(book.scripts)
    pages: set[str] = set()
    scripts: set[str] = set()
    for path in paths:
        # From the folder in which the command was given, or from the root of the book.
        absolute = Path(path).resolve() if Path(path).exists() else book.root / path
        name = absolute.relative_to(book.root).as_posix() if book.root in absolute.parents else path
        name = name.removesuffix(".out") + ".py" if name.endswith(".out") else name
        named = {p for p in book.pages if p.file == name or p.file.startswith(name + "/")}
        found = {s for s in book.scripts if s == name or s.startswith(name + "/")}
        if not named and not found:
            raise Unproved(
                [
                    Problem(
                        path, 1, "this names nothing in the book", "a page, a snippet or a folder",
                        "no such file", "python -m proof check (without a path: everything)",
                    )
                ]
            )
        pages |= {p.file for p in named} | {user for s in found for user in book.users(s)}
        scripts |= found | {r.path for p in named for r in p.references} & set(book.scripts)
    return pages, sorted(scripts)


def _files(scripts: list[str]) -> set[str]:
    return {*scripts, *(script.removesuffix(".py") + ".out" for script in scripts)}


def _once(problems: list[Problem]) -> list[Problem]:
    """A file that is not UTF-8, or an output that is not there, is met twice but told once."""
    seen: dict[tuple, Problem] = {}
    for problem in problems:
        seen.setdefault((problem.file, problem.what.removeprefix("the script is ").removeprefix("the file is ")), problem)
    return list(seen.values())


def _count(things, name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"


if __name__ == "__main__":
    sys.exit(main())
