"""A script is run once for its text, those that took longest first, by a runner started for it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

from proofbook.run.judge import Result, Variant
from proofbook.run.runs import VARIED, Runs


class FakeRunner:
    """Notes what it is asked to run."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []

    def alive(self) -> bool:
        return True

    def submit(
        self, script: Path, trace: bool = False, variants: Sequence[Variant] = ()
    ) -> Future[Result]:
        self.asked.append((script.name, [text for _, text in variants] or trace))
        future: Future[Result] = Future()
        future.set_result(Result(str(script), script.read_text("utf-8"), 0.1))
        return future


def test_a_script_with_other_numbers_is_run_once_for_these(tmp_path):
    runs, runner = runs_in(tmp_path)
    for number in (1, 1, 2):
        runs.start(["a"], ["a"], {"a": [("n", f"n = {number}")]})
    assert runner.asked == [("a", False), ("a", True), ("a", ["n = 1"]), ("a", ["n = 2"])]
    assert runs.last("a").result().stdout == "of a"


def test_what_another_process_found_with_other_numbers_is_not_run_again(tmp_path):
    variants = {"a": [("n", "n = 1")]}
    before, _ = runs_in(tmp_path)
    before.start(["a"], [], variants)
    runs, runner = runs_in(tmp_path)
    runs.known = {key: run for key, run in before.results().items() if key[2] == VARIED}
    runs.start(["a"], [], variants)
    assert runner.asked == [("a", False)] and set(runs.results()) == set(before.results())


def test_what_is_known_is_known_in_another_folder_too(tmp_path):
    (tmp_path / "before").mkdir()
    before, _ = runs_in(tmp_path / "before")
    before.start("ab", "")
    (tmp_path / "before").rename(tmp_path / "after")
    runs, runner = runs_in(tmp_path / "after")
    runs.known = before.results()
    paths = [future.result().path for future in runs.start("ab", "")]
    assert paths == [str(tmp_path / "after" / name) for name in "ab"] and runner.asked == []


def runs_in(root: Path, **took: float) -> tuple[Runs, FakeRunner]:
    for name in "abc":
        (root / name).write_text(f"of {name}", "utf-8")
    runner = FakeRunner()
    return Runs(root, lambda **_: runner, took=took), runner


def test_what_took_longest_is_run_first_and_what_never_ran_last(tmp_path):
    runs, runner = runs_in(tmp_path, b=0.5, c=2.0)
    runs.start("abc", "b")
    assert runner.asked == [("c", False), ("b", False), ("b", True), ("a", False)]


def test_a_script_is_run_once_for_its_text_and_its_last_run_is_that_of_its_last_text(tmp_path):
    runs, runner = runs_in(tmp_path)
    runs.start("ab", "a")
    assert runs.last("a").result().stdout == "of a" and runs.last("a").result().trace is None
    assert runs.last("c") is None
    (tmp_path / "a").write_text("anew", "utf-8")
    runs.start("ab", "")
    assert runner.asked[3:] == [("a", False)] and runs.again == {"a"}
    assert runs.last("a").result().stdout == "anew"
    runs.start("ab", "")
    assert runs.again == set() and runs.last("a").result().stdout == "anew"


def test_a_runner_is_prepared_only_for_scripts_without_a_known_result(tmp_path):
    before, _ = runs_in(tmp_path)
    before.start("ab", "")
    runners: list[FakeRunner] = []

    def start(**_) -> FakeRunner:
        runners.append(FakeRunner())
        return runners[-1]

    runs = Runs(tmp_path, start, known=before.results())
    runs.prepare("ab")
    assert not runners
    (tmp_path / "b").write_text("edited", "utf-8")
    runs.prepare("ab")
    runs.prepare("ab")
    runs.start("ab", "")
    assert [runner.asked for runner in runners] == [[("b", False)]]
