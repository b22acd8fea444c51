"""What other versions of PyTorch print: a record for each, `snippets/versions/2.15.0.json`.

A record names each script that was run with that version, with a hash of the script and one of
what was printed, so that none goes stale unseen. What was printed is kept where it is another text
than the recorded output of the book:

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
from typing import Any

from proofbook.model.book import Book
from proofbook.model.problem import Problem, Unproved
from proofbook.model.sources import RECORDS

VERSION = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,3}")
COMMAND = "proofbook versions PYTHON"
"""What records a version; PYTHON is an interpreter that has it."""

_FIELDS = {"torch": str, "with": dict, "whole book": bool, "printed": dict, "outputs": dict}


@dataclass(frozen=True)
class VersionRecord:
    """What one version of PyTorch printed.

    `packages`: the versions of Python and of what was installed beside it. `whole`: whether the
    whole book was run. `printed`: for each script two hashes, of the script and of what it printed.
    `outputs`: what it printed, where the book's version prints another text.
    """

    version: str
    packages: Mapping[str, str]
    whole: bool
    printed: Mapping[str, str]
    outputs: Mapping[str, str]

    def output(self, script: str, book: Book) -> str | None:
        """What this version printed for a script as it is now; None where that is not known.

        Not known is also what an edited output says, which `wrong_records` reports.
        """
        recorded = book.text_or_empty(script.removesuffix(".py") + ".out")
        output = self.outputs.get(script, recorded)
        known = self.printed.get(script) == hashes(book.text_or_empty(script), output)
        return output if known else None

    def why_unknown(self, script: str, book: Book) -> str:
        """Why it is not known what this version prints for a script."""
        of_script, _, of_output = self.printed.get(script, "").partition(" ")
        if not of_script:
            return "it was not run"
        if of_script != _hash(book.text_or_empty(script)):
            return "the script has changed since"
        if script in self.outputs and of_output != _hash(self.outputs[script]):
            return "it was edited by hand"
        return "what the script prints with the version of the book has changed since"


def record_file(version: str) -> str:
    """The file with the record of a version."""
    return f"{RECORDS}/{version}.json"


def record_text(record: VersionRecord) -> str:
    """The text of the file of a record."""
    fields = {
        "torch": record.version,
        "with": dict(record.packages),
        "whole book": record.whole,
        "printed": dict(sorted(record.printed.items())),
        "outputs": {
            script: output.split("\n") for script, output in sorted(record.outputs.items())
        },
    }
    return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"


def version_order(version: str) -> tuple[int, ...]:
    """A version as versions are ordered: 2.10 comes after 2.9."""
    return tuple(map(int, version.split(".")))


def known_records(book: Book) -> tuple[VersionRecord, ...]:
    """The records of a book, the oldest version first, as far as they can be read."""
    found = (_read(book, file) for file in book.files(RECORDS, ".json"))
    records = (record for record in found if isinstance(record, VersionRecord))
    return tuple(sorted(records, key=lambda record: version_order(record.version)))


def outputs_by_version(book: Book, script: str) -> tuple[tuple[str, str], ...]:
    """The versions of which it is known what they print for a script, each with that output."""
    found = [(r.version, r.output(script, book)) for r in book.remember(known_records)]
    return tuple((version, output) for version, output in found if output is not None)


def output_with(book: Book, script: str, version: str) -> str | None:
    """What a version printed for a script; None where that is not known."""
    return dict(book.fact(outputs_by_version, script)).get(version)


def hashes(script: str, output: str) -> str:
    """What a record keeps of a script and of what it printed. Both are texts."""
    return f"{_hash(script)} {_hash(output)}"


def line_of_script(book: Book, version: str, script: str) -> int:
    """The line of the record of a version in which the output of a script begins, from 1."""
    text = book.text_or_empty(record_file(version))
    start = max(text.find('"outputs"'), 0)
    place = text.find(json.dumps(script, ensure_ascii=False), start)
    return text.count("\n", 0, max(place, 0)) + 1


def wrong_records(book: Book) -> Iterator[Problem]:
    """Records that cannot be read, and outputs in them that nobody printed."""
    for file in book.files(RECORDS, ".json"):
        record = _read(book, file)
        if isinstance(record, Unproved):
            yield from record.problems
            continue
        for script in record.outputs:
            of_output = record.printed.get(script, "").partition(" ")[2]
            if of_output != _hash(record.outputs[script]):
                line = line_of_script(book, record.version, script)
                what = f"PyTorch {record.version} did not print this for {script}"
                expected, found = f"the output with the hash {of_output}", "it was edited by hand"
                yield Problem(file, line, what, expected, found, _mend(script))


def stale_records(book: Book) -> Iterator[Problem]:
    """One warning, where scripts have changed since versions were recorded, or are new."""
    changed: dict[str, set[str]] = {}
    for record in book.remember(known_records):
        asked = set(book.scripts) if record.whole else set(book.scripts) & record.printed.keys()
        for script in asked:
            if record.output(script, book) is None:
                changed.setdefault(script, set()).add(record.version)
    if not changed:
        return
    versions = sorted(set().union(*changed.values()), key=version_order)
    some = ", ".join(sorted(changed)[:3]) + (" ..." if len(changed) > 3 else "")
    yield Problem(
        record_file(versions[-1]),
        1,
        f"changed since other versions of PyTorch were recorded: {len(changed)} of the scripts",
        "a record of each script as it is; until then pages do not speak of these versions",
        f"{some} (PyTorch {', '.join(versions)})",
        f"{COMMAND} (or --install {' '.join(versions)})",
        severity="warning",
    )


def _read(book: Book, file: str) -> VersionRecord | Unproved:
    def wrong(line: int, what: str, expected: str, found: str) -> Unproved:
        mend = f"record it again: {COMMAND}, or delete {file}"
        return Unproved([Problem(file, line, what, expected, found, mend)])

    try:
        fields = json.loads(book.text_or_empty(file))
    except json.JSONDecodeError as error:
        return wrong(error.lineno, "this is no JSON", "a record of a version", error.msg)
    except RecursionError:
        return wrong(1, "this is no JSON", "a record of a version", "nested too deep to be read")
    name = file.rpartition("/")[2].removesuffix(".json")
    if not isinstance(fields, dict) or fields.keys() != _FIELDS.keys():
        keys = ", ".join(fields) if isinstance(fields, dict) else repr(fields)[:60]
        return wrong(1, "this is no record of a version", ", ".join(_FIELDS), keys)
    for key, kind in _FIELDS.items():
        if not isinstance(fields[key], kind):
            return wrong(1, f"{key!r} is of another kind", kind.__name__, repr(fields[key])[:60])
    if fields["torch"] != name or not VERSION.fullmatch(name):
        return wrong(1, "the file has another name than its version", name, fields["torch"])
    if found := _not_texts(fields):
        return wrong(1, "an entry is of another kind", "texts, and lists of lines", found)
    outputs = {script: "\n".join(lines) for script, lines in fields["outputs"].items()}
    return VersionRecord(name, fields["with"], fields["whole book"], fields["printed"], outputs)


def _not_texts(fields: Mapping[str, Any]) -> str:
    """An entry of a record that is not what it should be; empty where there is none."""
    for key in ("with", "printed"):
        for name, value in fields[key].items():
            if not isinstance(value, str):
                return f"{name}: {value!r}"
    for script, lines in fields["outputs"].items():
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            return f"{script}: {lines!r}"[:80]
    return ""


def _mend(script: str) -> str:
    return f"record it again: {COMMAND} --only {script}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
