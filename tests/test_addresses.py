"""README, CONTRIBUTING and what GitHub reads lead somewhere, also after the first deployment."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path

import pytest
import yaml
from proofbook.testing.browser import POLICY

ROOT = Path(__file__).parents[1]
PLACEHOLDERS = re.compile(r"https://(?:book|repository)\.invalid|@owner\b|filled in by the first")
ADDRESSES = runpy.run_path(str(ROOT / ".github/addresses.py"))
SITE, REPOSITORY = "https://someone.github.io/gradients/", "https://github.com/someone/gradients"


def test_the_first_deployment_fills_in_every_address(tmp_path):
    for file in ADDRESSES["FILES"]:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text((ROOT / file).read_text("utf-8"), "utf-8")
    expected = [file for file in ADDRESSES["FILES"] if PLACEHOLDERS.search(_text(ROOT / file))]
    assert ADDRESSES["main"](SITE, REPOSITORY, tmp_path) == expected
    texts = {file: _text(tmp_path / file) for file in ADDRESSES["FILES"]}
    assert not any(PLACEHOLDERS.search(text) for text in texts.values())
    if expected:
        assert SITE in texts["README.md"] and "* @someone\n" in texts[".github/CODEOWNERS"]
    assert ADDRESSES["main"](SITE, REPOSITORY, tmp_path) == []
    with pytest.raises(SystemExit, match="two addresses"):
        ADDRESSES["main"]("example.org", REPOSITORY, tmp_path)


def test_no_other_file_has_a_placeholder():
    command = ["git", "grep", "-lE", r"https://(book|repository)\.invalid"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.split()
    known = {*ADDRESSES["FILES"], ".github/addresses.py", "tests/test_addresses.py"}
    assert set(found) <= known


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_between_files_lead_to_files(file):
    links = re.findall(r"\]\(([^)#:]+)\)", _text(ROOT / file))
    assert links and not [link for link in links if not (ROOT / link).exists()]


def test_the_policy_that_a_host_can_set_is_the_one_of_the_tests():
    assert _text(ROOT / "CONTRIBUTING.md").count(f"Content-Security-Policy: {POLICY}\n") == 2


def test_what_github_reads_is_yaml():
    files = [*(ROOT / ".github").rglob("*.yml"), ROOT / "CITATION.cff"]
    assert all(isinstance(yaml.safe_load(_text(file)), dict) for file in files)


def _text(file: Path) -> str:
    return file.read_text("utf-8")
