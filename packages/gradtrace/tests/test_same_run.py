"""A script runs with gradtrace as it runs without: exit status, output, the bits of parameters."""

from __future__ import annotations

import os
import re
from pathlib import Path
from textwrap import dedent

import pytest
from forked_command import forked_command, plain_run
from recording import HEAD, write
from same_run_scripts import SCRIPTS

FOLDER = Path(__file__).parent / "scripts"
PROGRAMS = SCRIPTS | {file.stem: file.read_text("utf-8") for file in FOLDER.glob("*.py")}
ENGLISH = {**os.environ, "LC_ALL": "en_US.UTF-8", "OMP_NUM_THREADS": "1"}
BITS = """
def _bits(thing):
    if isinstance(thing, nn.Module):
        return [_bits(p) for p in thing.state_dict().values()] + [*map(_bits, thing.parameters())]
    if type(thing) in (torch.Tensor, nn.Parameter):
        grad = _bits(thing.grad) if thing.is_leaf and thing.grad is not None else None
        bits = thing.detach().reshape(-1).view(torch.uint8)
        return bits.numpy().tobytes().hex(), grad
if __name__ == "__main__":
    print({name: _bits(thing) for name, thing in list(globals().items()) if _bits(thing)})
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the commands run in forks")
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n in SCRIPTS else pytest.mark.exhaustive) for n in PROGRAMS],
)
def test_it_is_the_same_with_gradtrace_and_without(name, tmp_path):
    source = HEAD + "torch.manual_seed(0)\n" + dedent(PROGRAMS[name]).strip("\n") + "\n" + BITS
    write(tmp_path / "run" / "script.py", source)
    plain = plain_run(tmp_path / "run", "script.py", ENGLISH)
    assert plain.returncode == 0, plain.stderr
    drawn = forked_command(tmp_path / "run", ("script.py",), ENGLISH)
    assert (drawn.stdout, drawn.returncode) == (plain.stdout, plain.returncode), drawn.stderr
    assert (tmp_path / "run" / "script.html").is_file()
    doctor = forked_command(tmp_path / "run", ("doctor", "--passes", "99", "script.py"), ENGLISH)
    assert doctor.stdout.startswith(plain.stdout), doctor.stderr
    assert doctor.returncode in (0, 1), doctor.stderr
    assert re.search(r"^script\.py: .* \(\d+ backward pass", doctor.stdout, re.MULTILINE)
