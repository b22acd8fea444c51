"""No snippet prints something else where a processor rounds otherwise."""

from pathlib import Path

import pytest
from proofbook.model.problem import format_problems
from proofbook.run.machine import MACHINES
from proofbook.run.shake import fragile

ROOT = Path(__file__).parent.parent
LABS = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "snippets/labs").glob("*.py"))
COMPILED = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "snippets/compile").glob("*.py"))
"""Where last bits are moved, everything runs eagerly, and these scripts are about what does not."""
OTHERS = sorted(
    name
    for p in (ROOT / "snippets").rglob("*.py")
    if (name := p.relative_to(ROOT).as_posix()) not in {*LABS, *COMPILED}
)


@pytest.mark.exhaustive  # `proofbook update` looks at each snippet when it is recorded
@pytest.mark.parametrize(
    ("scripts", "machines"),
    # To move the last bits of a training costs minutes: `proofbook shake` does it with all seeds.
    [(OTHERS, MACHINES), (LABS, MACHINES[-3:])],
    ids=["snippets", "laboratories"],
)
def test_no_snippet_depends_on_how_a_processor_rounds(scripts, machines):
    found = fragile(ROOT, scripts, machines)
    assert not found, format_problems(found)
