"""Training scripts that are as they should be: the doctor finds nothing but notes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from forked_command import forked_command

FOLDER = Path(__file__).parent / "scripts"
ENGLISH = {**os.environ, "LC_ALL": "en_US.UTF-8", "OMP_NUM_THREADS": "1"}
SAMPLE = ("amp_recipe", "dcgan", "wgan_gp")
SCRIPTS = [
    pytest.param(script.stem, marks=[] if script.stem in SAMPLE else pytest.mark.exhaustive)
    for script in sorted(FOLDER.glob("*.py"))
]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the command runs in a fork")
@pytest.mark.parametrize("name", SCRIPTS)
def test_nothing_is_wrong_with_it(name, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    arguments = ("doctor", "--json", "--passes", "12", str(FOLDER / f"{name}.py"))
    done = forked_command(tmp_path / "elsewhere", arguments, ENGLISH)
    assert done.stdout.startswith("{"), done.stderr
    found = json.loads(done.stdout)
    assert not [each for each in found["findings"] if each["level"] != "note"]
    assert done.returncode == 0 and found["passes"]
