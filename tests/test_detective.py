"""The gradient detective: each script is broken, its repair solves the case, and the pages show
what checker and doctor say. `python tests/test_detective.py` records that anew; with the numbers of
cases, what the doctor says of these alone."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from collections.abc import Container
from pathlib import Path

import pytest
from forks import in_forks
from gradtrace.doctor import Run, diagnose, report
from gradtrace.doctor.command import PASSES
from gradtrace.recording.runner import Job, ScriptProcess
from proofbook.model.book import read_book

ROOT = Path(__file__).resolve().parents[1]
FOLDER, RECORDED = ROOT / "snippets/detective", ROOT / "docs/labs/detective.toml"
LANGUAGES = ("zh", "en")
BROKEN = sorted(FOLDER.glob("case_??.py"))
REPAIRED = [file.with_stem(f"{file.stem}_repaired") for file in BROKEN]


def number(file: Path) -> int:
    """The number of the case of a script."""
    return int(file.stem.split("_")[1])


def verdicts(file: Path) -> dict[str, str]:
    """What the checker says of a script, in both languages."""
    spec = importlib.util.spec_from_file_location("detective", ROOT / "docs/labs/detective.py")
    checker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checker)
    code = file.read_text("utf-8")
    return {language: checker.verdict(number(file), code, language) for language in LANGUAGES}


def diagnosis(file: Path) -> dict[str, str]:
    """What `gradtrace doctor` says of a script, in both languages."""
    job = Job(str(file), passes=PASSES, stop=True, outlines=True, name=file.name)
    with ScriptProcess(job) as process:
        run = Run(process.recorded().trace)
    return {each: report(run, diagnose(run), each, file.name) for each in LANGUAGES}


def solved(case: int) -> dict[str, str]:
    """What the checker says of a solved case."""
    return {"zh": f"案子 {case} 破了。", "en": f"Case {case} is solved."}


@pytest.fixture(scope="module")
def recorded() -> dict[str, dict]:
    """What the pages show, by the number of the case."""
    return tomllib.loads(RECORDED.read_text("utf-8"))


def test_the_checker_sees_what_is_wrong_and_what_is_repaired(recorded):
    said = list(in_forks(verdicts, [*BROKEN, *REPAIRED]))
    first = {number(file): each for file, each in zip(BROKEN, said[: len(BROKEN)], strict=True)}
    assert first == {int(case): each["verdict"] for case, each in recorded.items()}
    assert [case for case, each in first.items() if each == solved(case)] == []
    last = {number(file): each for file, each in zip(REPAIRED, said[len(BROKEN) :], strict=True)}
    assert last == {case: solved(case) for case in first}


def test_each_case_has_its_scripts_and_its_place_on_a_page():
    pages = [page for page in read_book(ROOT).pages if "/labs/detective-" in page.file]
    for language in LANGUAGES:
        shown = [
            reference.path
            for page in sorted(pages, key=lambda page: page.file)
            if page.language == language
            for reference in page.references
            if reference.path.startswith("snippets/")
        ]
        pairs = zip(BROKEN, REPAIRED, strict=True)
        assert shown == [each.relative_to(ROOT).as_posix() for pair in pairs for each in pair]


@pytest.mark.upgrade
@pytest.mark.parametrize("file", BROKEN[::10], ids=lambda file: file.stem)
def test_the_doctor_says_what_the_page_shows(file, recorded):
    assert diagnosis(file) == recorded[str(number(file))]["doctor"]


@pytest.mark.exhaustive
def test_the_doctor_says_it_of_the_other_cases_too(recorded):
    said = {str(number(file)): diagnosis(file) for file in BROKEN}
    assert said == {case: each["doctor"] for case, each in recorded.items()}


def record(cases: Container[str]) -> None:
    """Write what checker and doctor say now; the doctor of these cases alone, if any are named."""
    known = tomllib.loads(RECORDED.read_text("utf-8")) if cases else {}
    lines = [
        "# What checker and doctor say of each case; `python tests/test_detective.py` writes it."
    ]
    for file, verdict in zip(BROKEN, in_forks(verdicts, BROKEN), strict=True):
        case = str(number(file))
        kept = case in known and case not in cases
        doctor = known[case]["doctor"] if kept else diagnosis(file)
        for who, said in (("verdict", verdict), ("doctor", doctor)):
            lines.append(f"\n[{case}.{who}]")
            lines += [f"{language} = '''\n{said[language]}'''" for language in LANGUAGES]
    RECORDED.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    record(sys.argv[1:])
