"""`--module`: the page opens at a module that is named."""

from __future__ import annotations

import pytest
from gradtrace import record_script
from gradtrace.drawing.player_data import fold
from gradtrace.graph.groups import ROOT
from gradtrace.graph.passes import excerpts
from recording import write
from test_gradtrace_command import command

BLOCKS = """\
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.ModuleList(Block() for _ in range(6))
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        for block in self.h:
            x = block(x)
        return self.head(x)

model = Model()
model(torch.randn(4, 8)).sum().backward()
"""


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    script = write(tmp_path_factory.mktemp("blocks") / "blocks.py", BLOCKS)
    return excerpts(record_script(script), None)[0]


@pytest.mark.parametrize("module", ["model.h.3", "model.h.3.norm", "model.h.0.up"])
def test_a_figure_opens_at_the_module(part, module):
    figure = fold(part, "en", module=module)
    group = figure.groups.by_key[figure.first_view]
    assert part.trace.calls[group.call]["path"] == module
    assert 'data-k="' in figure.picture(figure.first_view, "")
    assert figure.outline()["start"] == [group.key, 0]


def test_the_outermost_module_and_one_that_made_nothing_are_seen_from_afar(part):
    assert fold(part, "en", module="model").first_view == ROOT
    assert fold(part, "en", module="gone").first_view == ROOT


def test_the_command_names_the_modules_that_there_are(tmp_path):
    write(tmp_path / "blocks.py", BLOCKS)
    done = command(tmp_path, "--module", "model.heat", "blocks.py")
    assert done.returncode == 1 and not (tmp_path / "blocks.html").exists()
    assert "no module model.heat was called in what was recorded" in done.stderr
    assert "model.h.0, model.h.0.norm" in done.stderr and "--module model.head" in done.stderr
