"""`proofbook shake`: which results are moved, and which snippets are told to depend on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from proofbook.run.shake import SEEDS
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.tiny_book import write

SCRIPT, OUTPUT = "snippets/t/s.py", "snippets/t/s.out"


@pytest.fixture
def printed(runner, tmp_path) -> Callable[[str, int | None], str]:
    """What a script prints, with moved last bits if there is a seed."""

    def printed(source: str, seed: int | None = None) -> str:
        script = write(tmp_path / "s.py", f"import torch\n{source}")
        result = runner.submit(script, seed=seed).result(PATIENCE)
        assert result.refusal is None, result.refusal
        return result.stdout

    return printed


X = "torch.manual_seed(0)\nx = torch.randn(64)\n"
INEXACT = {
    "a sum": X + "y = x.sum()",
    "a matrix product": X + "y = x.view(8, 8) @ x.view(8, 8)",
    "a convolution": X + "y = torch.conv1d(x.view(1, 1, 64), x[:3].view(1, 1, 3))",
    "in place": X + "y = x.exp_()",
    "a fused product and sum": X + "y = torch.add(x, x.flip(0), alpha=0.3)",
    "an optimizer": X + "x.requires_grad_()\nx.grad = x.detach().flip(0).clone()\n"
    "torch.optim.Adam([x]).step()\ny = x.detach()",
    "a gradient": X + "x.requires_grad_()\n(x.exp()).sum().backward()\ny = x.grad",
    "float64": X + "y = x.double().exp()",
}
EXACT = {
    "drawn numbers": X
    + "y = torch.cat([x, torch.rand(5), torch.nn.Linear(3, 3).weight.flatten()])",
    "a sum of single numbers": X + "y = 3 * x + x / 7 - x.flip(0)",
    "a matrix product of whole numbers": "m = torch.arange(16.).view(4, 4)\ny = m @ m",
    "a choice": X + "y = torch.cat([x.sort().values, x.max().view(1), x.relu()])",
    "views": X + "y = x.view(8, 8).t()[1:].unsqueeze(0)",
    "numbers of float64 that are copied": X
    + "y = torch.stack([x.double() / 3, x.double() / 7]).sort().values.relu()",
}


def shown(source: str) -> str:
    return f"{source}\nprint(y.double().flatten().tolist())\n"


@pytest.mark.parametrize("source", INEXACT.values(), ids=INEXACT)
def test_results_that_a_processor_rounds_in_its_own_way_are_moved(printed, source):
    here = printed(shown(source))
    assert any(printed(shown(source), seed) != here for seed in SEEDS)


@pytest.mark.parametrize("source", EXACT.values(), ids=EXACT)
def test_results_that_are_the_same_everywhere_are_not_moved(printed, source):
    here = printed(shown(source))
    assert all(printed(shown(source), seed) == here for seed in SEEDS)


def test_a_result_is_moved_by_one_unit_at_most(printed):
    source = "x = torch.linspace(0.1, 5, 200)\ny = x.exp()\nprint(y.view(torch.int32).tolist())\n"
    here, moved = (eval(printed(source, seed)) for seed in (None, 0))
    steps = {b - a for a, b in zip(here, moved, strict=True)}
    assert steps == {-1, 1}


RANKS = """
import torch.distributed as dist
from concurrent.futures import ProcessPoolExecutor
from tempfile import TemporaryDirectory


def not_two(rank, meeting):
    store = dist.FileStore(meeting, 2)
    dist.init_process_group("gloo", rank=rank, world_size=2, store=store)
    counts = [torch.ones(1) for _ in range(200)]
    for count in counts:
        dist.all_reduce(count, async_op=True).wait()
    dist.destroy_process_group()
    return sum(int(count) != 2 for count in counts)


if __name__ == "__main__":
    with TemporaryDirectory() as folder, ProcessPoolExecutor(2) as ranks:
        print(*ranks.map(not_two, [0, 1], [f"{folder}/meet"] * 2))
"""


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this torch has no processes")
def test_what_processes_exchange_is_exchanged_once(printed):
    assert [printed(RANKS, seed) for seed in SEEDS] == ["0 0\n"] * len(SEEDS)


# The command

STEADY = "import torch\nprint('y:', torch.arange(4.).mean(), torch.tensor([0.1, 0.2]).exp())\n"
FRAGILE = "import torch\nx = torch.full((3,), 0.1).exp()\nprint('same:', len(set(x.tolist())))\n"


def test_a_snippet_that_depends_on_last_bits_is_told(book, proof_command):
    book.write(SCRIPT, FRAGILE)
    book.write(OUTPUT, "same: 1\n")
    status, _, problems = proof_command("shake")
    assert status == 1
    assert f"{OUTPUT}:1: {SCRIPT} prints something else with the last bits of results" in problems
    assert "expected: same: 1    (recorded)" in problems
    assert "fix:      take numbers that need no rounding" in problems


def test_a_snippet_of_which_only_last_digits_move_is_not_told(book, proof_command):
    book.write(SCRIPT, STEADY)
    proof_command("update")
    assert proof_command("shake") == (
        0,
        "1 snippet with PyTorch: the same numbers wherever results are rounded otherwise.\n",
        "",
    )


def test_a_snippet_about_last_digits_says_so_and_is_left_alone(book, proof_command):
    book.write(SCRIPT, FRAGILE.replace("print", "# About the last bits.\nprint"))
    proof_command("update")
    assert proof_command("shake")[0] == 0


def test_a_snippet_that_compiles_is_run_on_the_other_processor_alone(book, proof_command):
    """While results are moved, nothing is compiled."""
    call = 'torch.compile(lambda x: x + torch.compiler.is_compiling(), backend="eager")'
    book.write(SCRIPT, f"import torch\nprint('compiled:', {call}(torch.zeros(2)))\n")
    proof_command("update")
    assert book.read(OUTPUT) == "compiled: tensor([1., 1.])\n"
    assert proof_command("shake")[0] == 0


def test_update_tells_that_what_it_recorded_is_fragile(book, proof_command):
    book.write(SCRIPT, FRAGILE)
    status, _, problems = proof_command("update")
    assert (status, book.read(OUTPUT)) == (0, "same: 1\n")
    assert "prints something else with the last bits of results moved" in problems
    assert "Nothing was changed" not in problems
