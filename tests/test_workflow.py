"""The workflow that publishes the book, and the weekly one that tries the newest PyTorch: what they
may do, what they trust, what they run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml
from proofbook.export.downloads import BRANCH

ROOT = Path(__file__).resolve().parents[1]

FILE = ROOT / ".github/workflows/book.yml"
TEXT = FILE.read_text("utf-8")
WORKFLOW = yaml.safe_load(TEXT)
STEPS = [step for job in WORKFLOW["jobs"].values() for step in job["steps"]]
TRIGGERS = WORKFLOW[True]  # YAML 1.1 reads "on" as true
WEEKLY_TEXT = (FILE.parent / "newest-torch.yml").read_text("utf-8")
WEEKLY = yaml.safe_load(WEEKLY_TEXT)


def without_comments(text: str) -> str:
    return re.sub(r"(?m)\s*#.*$", "", text)


def test_every_action_is_pinned_to_a_commit_with_its_version_beside_it():
    used = re.findall(r"(?m)^ *(?:- )?uses: (.*)$", TEXT + WEEKLY_TEXT)
    steps = [*STEPS, *WEEKLY["jobs"]["upgrade"]["steps"]]
    assert len(used) == sum("uses" in step for step in steps) >= 7
    for action in used:
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action
    versions = dict(action.split(" # ") for action in used)
    assert len(versions) == len({action.partition("@")[0] for action in used})  # one of each


def test_each_job_may_write_what_it_publishes_and_nothing_else():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    granted = {name: job.get("permissions") for name, job in WORKFLOW["jobs"].items()}
    assert granted == {
        "prove": {"contents": "read", "pages": "read"},
        "elsewhere": None,  # as the whole workflow: it reads
        "publish": {"pages": "write", "id-token": "write"},
        "notebooks": {"contents": "write"},
    }
    told = str(WORKFLOW["jobs"]["notebooks"]["steps"])
    assert '-fq "https://x-access-token:$TOKEN@${GITHUB_SERVER_URL#https://}' in told
    assert told.count("git push") == 1 and f" {BRANCH}\\n" in told
    assert [
        step.get("uses", "").partition("@")[0] for step in WORKFLOW["jobs"]["publish"]["steps"]
    ] == ["actions/deploy-pages"]
    checkouts = [step for step in STEPS if step.get("uses", "").startswith("actions/checkout")]
    assert all(step["with"] == {"persist-credentials": False} for step in checkouts)
    assert "secrets" not in TEXT and "pull_request_target" not in TRIGGERS


def test_a_pull_request_is_proved_and_only_main_is_published():
    assert set(TRIGGERS) == {"push", "pull_request", "workflow_dispatch"}
    assert TRIGGERS["push"] == {"branches": ["main"]}
    assert "if" not in WORKFLOW["jobs"]["prove"]
    publish, notebooks = WORKFLOW["jobs"]["publish"], WORKFLOW["jobs"]["notebooks"]
    assert (publish["if"], publish["needs"]) == ("github.ref == 'refs/heads/main'", "prove")
    assert (notebooks["if"], notebooks["needs"]) == (publish["if"], "publish")
    for step in STEPS:
        published = re.search("configure-pages|upload-pages", step.get("uses", ""))
        if published or "OFFERED" in step.get("run", ""):
            assert step["if"] == publish["if"]


def test_runs_do_not_disturb_each_other_and_end():
    assert "github.ref" in WORKFLOW["concurrency"]["group"]
    assert all(0 < job["timeout-minutes"] <= 90 for job in WORKFLOW["jobs"].values())


def test_what_it_runs_is_what_anybody_runs():
    steps = [step for step in WORKFLOW["jobs"]["prove"]["steps"] if "run" in step]
    fonts, prove, take_along = (step["run"] for step in steps)
    assert prove == ".ci/run"
    # What is published is built as that was, and offers the book as files besides.
    assert take_along.split("\n")[1:-1] == [
        "proofbook offline && proofbook pdf",
        "OFFERED=dist mkdocs build --strict",
    ]
    same = ("SITE_URL", "REPO_URL")
    assert [steps[2]["env"][name] for name in same] == [steps[1]["env"][name] for name in same]
    script = without_comments((ROOT / ".ci/run").read_text("utf-8"))
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.search(r"apt-get install .*\bfonts-noto-cjk\b", script), "the fonts of .ci/run"
    assert re.fullmatch(
        r"sudo apt-get update -q && sudo apt-get install [-\w ]+ fonts-noto-cjk", fonts
    )
    # .ci/run installs, builds and tests as the README says; what is published is what is tested.
    lines = script.replace(" -q ", " ").split("\n")
    command = next(line for line in readme.split("\n") if line.endswith("&& pytest"))
    install, _, test = command.rpartition(" && ")
    build = "mkdocs build --strict"
    steps = [install, build, "export BOOK_SITE=site", test, "pytest -m exhaustive"]
    assert [line for line in lines if line in steps] == steps and build in readme
    if os.name != "nt":  # Windows keeps no such right of a file
        assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_other_systems_prove_the_book_too_and_nothing_waits_for_them():
    elsewhere = WORKFLOW["jobs"]["elsewhere"]
    assert {
        (one["system"], one["python"]) for one in elsewhere["strategy"]["matrix"]["include"]
    } == {
        ("ubuntu-24.04", "3.12"),
        ("ubuntu-24.04", "3.13"),
        ("ubuntu-24.04-arm", "3.11"),
        ("macos-15", "3.11"),
        ("windows-2025", "3.11"),
    }
    run = [step["run"] for step in elsewhere["steps"] if "run" in step]
    assert run == ["pip install -r requirements.txt", "mkdocs build --strict", "pytest"]
    assert (
        elsewhere["env"]["CI"] == ""
    )  # not all have a browser; with CI set, that would be a fault
    assert not any(job.get("needs") == "elsewhere" for job in WORKFLOW["jobs"].values())


def test_the_newest_torch_is_tried_every_week_and_nothing_else_depends_on_it():
    assert {path.name for path in FILE.parent.iterdir()} == {"book.yml", "newest-torch.yml"}
    (when,) = WEEKLY[True]["schedule"]
    assert set(WEEKLY[True]) == {"schedule", "workflow_dispatch"}
    assert re.fullmatch(r"\d+ \d+ \* \* [0-6]", when["cron"])
    # It reads, and can neither publish nor write into the repository.
    assert WEEKLY["permissions"] == {"contents": "read"} and "secrets" not in WEEKLY_TEXT
    (job,) = WEEKLY["jobs"].values()
    assert "permissions" not in job and 0 < job["timeout-minutes"] <= 90
    assert job["strategy"]["fail-fast"] is False  # the one says nothing about the other
    assert [one["torch"] for one in job["strategy"]["matrix"]["include"]] == ["newest", "nightly"]
    assert job["steps"][0]["with"] == {"persist-credentials": False}


def test_the_weekly_run_tells_what_does_not_hold_with_another_torch():
    (job,) = WEEKLY["jobs"].values()
    steps = [step for step in job["steps"] if "run" in step]
    install, new, drill, torch, tests, tell = steps
    assert install["run"] == "pip install -r requirements.txt"
    # The lock has another torch: it is no part of these commands.
    assert "\npython -m venv new\n" in f"\n{new['run']}" and "-c " not in torch["run"]
    assert torch["run"].startswith("pip install --upgrade ") and torch["run"].endswith(" torch")
    assert torch["run"].partition("--upgrade ")[2] in new["run"]
    assert (drill["run"], tests["run"]) == (
        "proofbook upgrade new/bin/python 2>&1 | tee upgrade.txt",
        "pytest -m upgrade 2>&1 | tee tests.txt",
    )
    # Where something differs the run fails, and the rest is tried and told all the same.
    assert job["defaults"]["run"]["shell"] == "bash"  # pipefail
    assert (drill["id"], torch["id"]) == ("drill", "torch") and "if" not in drill
    tried = "${{ !cancelled() && steps.drill.outcome != 'skipped' }}"
    assert torch["if"] == tell["if"] == tried
    assert tests["if"] == "${{ !cancelled() && steps.torch.outcome == 'success' }}"
    assert "$GITHUB_STEP_SUMMARY" in tell["run"] and "upgrade.txt tests.txt" in tell["run"]


def test_the_site_knows_its_address_and_its_repository():
    step = next(step for step in STEPS if step.get("run") == ".ci/run")
    assert step["env"]["SITE_URL"].startswith("${{ steps.pages.outputs.base_url ||")
    assert step["env"]["SITE_URL"].endswith("}}/")
    assert step["env"]["REPO_URL"] == "${{ github.server_url }}/${{ github.repository }}"
    upload = next(step for step in STEPS if "upload-pages" in step.get("uses", ""))
    assert upload["with"] == {"path": "site"}  # where .ci/run builds


@pytest.mark.parametrize("name", ["python-version", "PIP_EXTRA_INDEX_URL"])
def test_versions_and_indexes_are_those_of_the_readme(name):
    readme = (ROOT / "README.md").read_text("utf-8")
    value = re.search(rf'{name}: "?([^"\s]+)', TEXT)[1]
    assert value in readme
