"""The doctor on several ranks: one report, with what differs between them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cases import HEAD, RANKS, changed
from forked_command import PATIENCE, run_command
from gradtrace.doctor import Finding, Place, Run, report
from gradtrace.doctor.ranks import compared, told_once
from gradtrace.doctor.report import rank_names
from gradtrace.words import LANGUAGES, REPORT_WORDS
from health_recording import record_health

ENGLISH = {**os.environ, "LC_ALL": "en_US.UTF-8"}
DDP = """\
import torch, torch.distributed as dist
from torch import nn
dist.init_process_group("gloo")
rank = dist.get_rank()
model = nn.parallel.DistributedDataParallel(nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(40):
    optimizer.zero_grad()
    FAULT
    model(torch.randn(4, 3) + rank).pow(2).mean().backward()
    optimizer.step()
"""


def runs(folder: Path, changes: tuple[str, ...]) -> dict[int, Run]:
    """The case on three ranks, of which the last has the changes."""
    found = {}
    for name, source in {"a": HEAD + RANKS.script, "b": changed(RANKS.script, changes)}.items():
        (folder / f"{name}.py").write_text(source, "utf-8")
        found[name] = Run(record_health(folder / f"{name}.py"))
    return {0: found["a"], 1: found["a"], 2: found["b"]}


@pytest.mark.parametrize("kind", RANKS.faults)
def test_a_difference_between_ranks_is_found(kind, tmp_path):
    ranks = runs(tmp_path, RANKS.faults[kind])
    found = {each.kind: each for each in compared(ranks)}
    assert kind in found, found
    for language in LANGUAGES:
        text = report(ranks[0], [found[kind]], language)
        assert ("(rank 2)" in text) == (kind == "unused-on-rank")
        assert "rank 2" in text or kind == "ranks-apart", text


def test_ranks_in_step_are_left_alone(tmp_path):
    assert not list(compared(runs(tmp_path, ())))


def test_what_is_the_same_on_several_ranks_is_told_once():
    same = [Finding("zero-gradient", Place(3), {"share": share}) for share in (0.1, 0.2)]
    other = Finding("zero-gradient", Place(4))
    found = list(told_once({0: [same[0]], 1: [same[1], other], 2: [same[1]]}))
    assert [(each.place.line, each.ranks) for each in found] == [(3, (0, 1, 2)), (4, (1,))]
    words = REPORT_WORDS["en"]
    named = [rank_names(words, ranks) for ranks in ((1,), (0, 1), (0, 1, 2), (0, 2, 5))]
    assert named == ["rank 1", "ranks 0, 1", "ranks 0-2", "ranks 0, 2, 5"]


def test_the_first_rank_reports_for_all(tmp_path):
    source = HEAD + RANKS.script + "import os\nif os.environ['RANK'] == '1':\n    1 / 0\n"

    def rank(number: int) -> subprocess.CompletedProcess[str]:
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "train.py").write_text(source, "utf-8")
        place = {"RANK": str(number), "LOCAL_RANK": str(number), "LOCAL_WORLD_SIZE": "2"}
        run = {"MASTER_PORT": "29", "TORCHELASTIC_RUN_ID": "none", "TMPDIR": str(tmp_path)}
        return run_command(folder, ("doctor", "--json", "train.py"), ENGLISH | place | run)

    with ThreadPoolExecutor() as pool:
        first, second = pool.map(rank, (0, 1))
    assert (first.returncode, second.returncode) == (1, 1), first.stderr + second.stderr
    found = json.loads(first.stdout)["findings"]
    assert [(each["kind"], each["ranks"]) for each in found] == [("script-failed", [1])]
    assert not second.stdout and not list(tmp_path.glob("gradtrace-*"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("pass", "train.py (ranks 0, 1): nothing found (30 backward passes, 30 steps)"),
        ("assert rank < 1 or step < 3", "error    line 9     script-failed  (rank 1)"),
        ("model = getattr(model, 'module', model)", "At step 1 the ranks have different gradients"),
    ],
)
def test_torchrun(fault, told, tmp_path):
    (tmp_path / "train.py").write_text(DDP.replace("FAULT", fault), "utf-8")
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [*launch, "-m", "gradtrace", "doctor", "train.py"],
        cwd=tmp_path, env=ENGLISH, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert told in done.stdout and done.stdout.count("backward passes") == 1, done.stderr
