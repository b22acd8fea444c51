"""benchmarks/gpu.py, as far as a machine without a GPU can try it."""

import pytest
import torch

from benchmarks import gpu


@pytest.mark.parametrize("name", ["mixed_precision/scaler_steps", "gradient/by_hand"])
def test_a_moved_script_prints_the_same_on_the_cpu(name):
    script = gpu.ROOT / f"snippets/{name}.py"
    moved = gpu.moved(script.read_text(encoding="utf-8"), "cpu")
    assert gpu.printed(moved) == script.with_suffix(".out").read_text(encoding="utf-8")


def test_a_script_that_fails_prints_nothing_that_is_recorded():
    assert gpu.printed("print(1)\nraise ValueError\n") is None


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so_and_writes_nothing():
    with pytest.raises(SystemExit, match="run this on a machine with a GPU"):
        gpu.main()
    assert not (gpu.ROOT / gpu.GPU_RECORD).exists()
