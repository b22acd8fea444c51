"""The summary at the end of a check or a build: what was proved, how long it took, what fails."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from proofbook.content.report import Count, count
from proofbook.model.book import Book
from proofbook.model.problem import Problem, format_problems, without_duplicates
from proofbook.other_python import Drill
from proofbook.pipeline import Outcome

SCREEN = 40
"""The maximum number of lines of a list of failures before it is cut."""

SLOWEST = 3
FEW = 3
"""This many failures are always shown in full, without a count of their kinds."""

KINDS, FILES = 8, 8
_SPECIFIC = re.compile(
    r"""(?:docs|snippets|tests)/\S+|`[^`]*`|'[^']*'|"[^"]*"|「[^」]*」|(?<![\w.])-?\d[\d.]*|#[\w-]+"""
    r"|(?<=: ).+"
)


def format_success(outcome: Outcome) -> str:
    """The summary if everything holds."""
    plain = [
        result for result in outcome.results if result.trace is None and result.variants is None
    ]
    recorded = len(outcome.results) - len(plain)
    counts = (outcome.book.fact(count, file) for file in outcome.files)
    total = sum(counts, Count())
    lines = sum(len(result.stdout.splitlines()) for result in plain)
    remembered = len({r.path for r in outcome.results}) - len(outcome.again)
    compared = counted(lines, "line") + " of output"
    if recorded:
        compared += f", {counted(recorded, 'recording')} for figures"
    open_ = f"; {total.open} nobody could evaluate (proofbook unproved)" if total.open else ""
    rows = [
        ("compared", compared),
        ("rounded", _rounded(outcome.otherwise)),
        (
            "not run",
            remembered
            and f"{counted(remembered, 'snippet')} unchanged since the last check (--fresh runs "
            "them too)",
        ),
        ("executed", _executed(outcome.figures, outcome.notebooks_known)),
        ("found", f"{counted(total.values, 'value')} of the text in the runs"),
        ("computed", counted(total.computed, "equation") + open_),
        ("looked up", counted(total.names, "name") + " of PyTorch"),
        ("missing", _untranslated(outcome.book)),
        ("slowest", ", ".join(f"{name} {took:.1f} s" for name, took in _slowest(outcome))),
    ]
    first = (
        f"{counted(plain, 'snippet')} run and compared, {counted(outcome.files, 'page')} read: "
        f"everything holds ({outcome.seconds:.1f} s)."
    )
    return "\n".join([first, *(f"  {label:<10}{text}" for label, text in rows if text)])


def format_drill(found: Drill) -> str:
    """The summary for another version of PyTorch: how many scripts print the recorded output."""
    different = sorted({problem.file for problem in found.problems})
    run = counted(len(found.record.printed), "snippet")
    return (
        f"PyTorch {found.record.version}: {run} known, {len(found.same)} print what is recorded, "
        f"{len(found.otherwise)} the same numbers in another form; {counted(different, 'file')} "
        f"with something else{': ' * bool(different)}{', '.join(different)}"
    )


def _rounded(scripts: Sequence[str]) -> str:
    """Scripts whose result this processor rounds differently from the recorded one."""
    if not scripts:
        return ""
    some = ", ".join(scripts[:FEW]) + (" ..." if len(scripts) > FEW else "")
    return (
        f"{counted(scripts, 'snippet')} with the recorded numbers, printed otherwise here: {some}"
    )


def _executed(figures: Sequence[int], known: int) -> str:
    """Notebooks of labs: the number executed now, and the number unchanged since."""
    told = []
    if figures:
        told.append(f"{counted(figures, 'notebook')}, {counted(sum(figures), 'figure')} drawn")
    if known:
        told.append(f"{counted(known, 'notebook')} before, unchanged since")
    return "; ".join(told)


def _untranslated(book: Book) -> str:
    """Pages that an edition of the book shows in another language."""
    pages = sorted({file for code in book.config.codes for file in book.untranslated(code)})
    some = ", ".join(pages[:FEW]) + (" ..." if len(pages) > FEW else "")
    return f"{counted(pages, 'page')} to translate: {some}" if pages else ""


def _slowest(outcome: Outcome) -> list[tuple[str, float]]:
    """The slowest scripts, by their paths in the book, each with its seconds."""
    took: dict[str, float] = {}
    for result in outcome.results:
        name = Path(result.path).relative_to(outcome.book.root).as_posix()
        took[name] = max(took.get(name, 0), result.seconds)
    return sorted(took.items(), key=lambda item: -item[1])[:SLOWEST]


def format_failures(problems: Sequence[Problem], whole: bool = False) -> str:
    """The failures, as `format_problems` returns them, below a count of their kinds.

    Failures that don't fit on a screen are only counted, unless the `whole` list is requested.
    """
    problems = without_duplicates(problems)
    head = _kinds(problems) if len(problems) > FEW else []
    lines, shown = SCREEN - len(head), 0
    for problem in problems:
        lines -= str(problem).count("\n") + 2
        if lines < 0 and shown >= FEW and not whole:
            break
        shown += 1
    if shown == len(problems):
        return "\n".join([*head, format_problems(problems)])
    files = Counter(problem.file for problem in problems[shown:])
    told = [*head, *(f"{problem}\n" for problem in problems[:shown])]
    told.append(f"and {len(problems) - shown} more; proofbook check FILE shows them:")
    told += [f"  {times:>4}  {file}" for file, times in files.most_common(FILES)]
    if len(files) > FILES:
        told.append(f"        and {counted(len(files) - FILES, 'more file')}")
    return "\n".join([*told, "", f"{counted(problems, 'problem')}. Nothing was changed."])


def format_warnings(problems: Sequence[Problem]) -> str:
    """The warnings, unchanged, with a count at the end."""
    problems = without_duplicates(problems)
    return "\n\n".join(
        [*map(str, problems), f"{counted(problems, 'warning')}. Nothing is stopped."]
    )


def _kinds(problems: Sequence[Problem]) -> list[str]:
    files = {problem.file for problem in problems}
    kinds = Counter(map(_problem_kind, problems)).most_common()
    told = [f"  {times:>4}  {what}" for what, times in kinds[:KINDS]]
    if len(kinds) > KINDS:
        told.append(f"  {sum(times for _, times in kinds[KINDS:]):>4}  of other kinds")
    return [f"{counted(problems, 'problem')} in {counted(files, 'file')}:", *told, ""]


def _problem_kind(problem: Problem) -> str:
    """The kind of a problem: its message without the details of its place."""
    return re.sub(r"…(?:[\s,]*…)+", "…", _SPECIFIC.sub("…", problem.what))


def format_recheck(outcome: Outcome, problems: int) -> str:
    """A rebuild while serving in one line: the scripts run again, the seconds, whether all
    holds."""
    names = outcome.again
    ran = f"{counted(names, 'snippet')} run again"
    if 0 < len(names) <= FEW:
        ran = f"{', '.join(sorted(names))} run again"
    state = counted(problems, "problem") if problems else "everything holds"
    return f"{ran}, {counted(outcome.files, 'page')} read: {state} ({outcome.seconds:.1f} s)."


def counted(things: Collection | int, name: str) -> str:
    """A count with its noun: 1 page, 2 pages."""
    many = things if isinstance(things, int) else len(things)
    return f"{many:,} {name}{'' if many == 1 else 's'}"
