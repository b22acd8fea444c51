"""The outputs of other versions of PyTorch: a record for each, `snippets/versions/2.15.0.json`.

A record names each script that was run with that version, with a hash of the script and one of its
output, so that a stale record is noticed. It contains the outputs that differ from the recorded
output of the book:

    {"torch": "2.15.0", "with": {"python": "3.11.7", "numpy": "2.4.6"}, "whole book": true,
     "printed": {"snippets/a/b.py": "28c75c64b993 dedeac53c125"},
     "outputs": {"snippets/a/b.py": ["line", "line", ""]}}
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from proofbook.model.book import Book
from proofbook.model.problem import Problem, warning
from proofbook.model.sources import RECORDS

VERSION = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,3}")
COMMAND = "proofbook check --python PYTHON --record"
"""The command that records a version; PYTHON is an interpreter that has it."""
GPU_RECORD = f"{RECORDS}/gpu.json"
"""A record of the same form of what scripts print on a GPU; its "torch" names the GPU, too."""


@dataclass(frozen=True)
class TorchRecord:
    """The outputs of one version of PyTorch.

    `packages`: the versions of Python and of the other packages. `whole`: whether the whole book
    was run. `printed`: for each script two hashes, of the script and of its output. `outputs`: its
    output, if it differs from the book's version.
    """

    version: str
    packages: Mapping[str, str]
    whole: bool
    printed: Mapping[str, str]
    outputs: Mapping[str, str]

    def output(self, script: str, book: Book) -> str | None:
        """This version's output for the current script; None if it is not known.

        An edited output counts as unknown, which `wrong_records` reports.
        """
        recorded = book.text_or_empty(script.removesuffix(".py") + ".out")
        output = self.outputs.get(script, recorded)
        known = self.printed.get(script) == hashes(book.text_or_empty(script), output)
        return output if known else None


def record_file(version: str) -> str:
    """The file with the record of a version."""
    return f"{RECORDS}/{version}.json"


def record_text(record: TorchRecord) -> str:
    """The text of the file of a record."""
    outputs = {script: output.split("\n") for script, output in sorted(record.outputs.items())}
    fields = {
        "torch": record.version,
        "with": dict(record.packages),
        "whole book": record.whole,
        "printed": dict(sorted(record.printed.items())),
        "outputs": outputs,
    }
    return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"


def version_order(version: str) -> tuple[int, ...]:
    """The sort key of a version: 2.10 comes after 2.9."""
    return tuple(map(int, version.split(".")))


def known_records(book: Book) -> tuple[TorchRecord, ...]:
    """The readable records of a book, the oldest version first."""
    files = [file for file in book.files(RECORDS, ".json") if file != GPU_RECORD]
    found = (_read(book, file) for file in files)
    records = (record for record in found if isinstance(record, TorchRecord))
    return tuple(sorted(records, key=lambda record: version_order(record.version)))


def outputs_by_version(book: Book, script: str) -> tuple[tuple[str, str], ...]:
    """The versions with a known output of a script, each with that output."""
    found = [(r.version, r.output(script, book)) for r in book.remember(known_records)]
    return tuple((version, output) for version, output in found if output is not None)


def output_with(book: Book, script: str, version: str) -> str | None:
    """The output of a script in a version; None if it is not known."""
    return dict(book.fact(outputs_by_version, script)).get(version)


def gpu_record(book: Book) -> TorchRecord | None:
    """The record of a GPU, if there is a readable one."""
    found = _read(book, GPU_RECORD) if GPU_RECORD in book.files(RECORDS, ".json") else None
    return found if isinstance(found, TorchRecord) else None


def output_on_gpu(book: Book, script: str) -> tuple[str, str] | None:
    """The version and the GPU with a known output of a script, and that output; or None."""
    record = book.remember(gpu_record)
    output = record.output(script, book) if record else None
    return (record.version, output) if record and output is not None else None


def hashes(script: str, output: str) -> str:
    """The hashes in a record of a script and of its output. Both arguments are texts."""
    return " ".join(hashlib.sha256(text.encode()).hexdigest()[:12] for text in (script, output))


def line_of_script(book: Book, file: str, script: str) -> int:
    """The line at which the output of a script begins in the file of a record, from 1."""
    text = book.text_or_empty(file)
    place = text.find(json.dumps(script, ensure_ascii=False), max(text.find('"outputs"'), 0))
    return text.count("\n", 0, max(place, 0)) + 1


def wrong_records(book: Book) -> Iterator[Problem]:
    """Records that cannot be read, and outputs in them that were edited."""
    for file in book.files(RECORDS, ".json"):
        record = _read(book, file)
        if isinstance(record, Problem):
            yield record
            continue
        for script, output in record.outputs.items():
            of_output = record.printed.get(script, "").partition(" ")[2]
            if of_output != hashes("", output).partition(" ")[2]:
                line = line_of_script(book, file, script)
                what = f"PyTorch {record.version} did not print this for {script}"
                expected, found = f"the output with the hash {of_output}", "it was edited by hand"
                yield Problem(file, line, what, expected, found, f"{COMMAND} {script}")


def stale_records(book: Book) -> Iterator[Problem]:
    """One warning, if scripts have changed since versions were recorded, or are new."""
    changed: dict[str, set[str]] = {}
    for record in book.remember(known_records):
        asked = set(book.scripts) if record.whole else set(book.scripts) & record.printed.keys()
        for script in asked:
            if record.output(script, book) is None:
                changed.setdefault(record.version, set()).add(script)
    if not changed:
        return
    scripts = sorted(set().union(*changed.values()))
    some = ", ".join(scripts[:3]) + (" ..." if len(scripts) > 3 else "")
    newest = max(changed, key=version_order)
    many = f"changed since other versions of PyTorch were recorded: {len(scripts)} of the scripts"
    expected = "a record of each script as it is; until then pages do not speak of these versions"
    found = f"{some} (PyTorch {', '.join(sorted(changed, key=version_order))})"
    yield warning(Problem(record_file(newest), 1, many, expected, found, COMMAND))


def _read(book: Book, file: str) -> TorchRecord | Problem:
    try:
        fields = json.loads(book.text_or_empty(file))
        outputs = {script: "\n".join(lines) for script, lines in fields["outputs"].items()}
        version, others = fields["torch"], (fields["with"], fields["whole book"], fields["printed"])
        if file != GPU_RECORD and (record_file(version) != file or not VERSION.fullmatch(version)):
            raise ValueError(f"the version {version} in a file of another name")
        return TorchRecord(version, *others, outputs)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        what, expected = "this is not a record of a version of PyTorch", f"what {COMMAND} writes"
        line, found = getattr(error, "lineno", 1), f"{type(error).__name__}: {error}"
        return Problem(file, line, what, expected, found, f"{COMMAND}, or delete {file}")
