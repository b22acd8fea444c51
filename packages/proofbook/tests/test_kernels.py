"""Each notebook has a kernel of its own, started when it is needed or ahead of time."""

from __future__ import annotations

from concurrent.futures import CancelledError

import pytest
from proofbook.run.kernels import CellFailed, KernelPool

PATIENCE = 120


def texts(outputs) -> list[str]:
    return ["".join(output.get("text", "") for output in cell) for cell in outputs]


@pytest.mark.parametrize("keep_ready", [False, True])
def test_each_notebook_has_a_kernel_of_its_own(keep_ready):
    pool = KernelPool("import os; here = os.getpid()", workers=1, keep_ready=keep_ready)
    try:
        first = pool.submit(["print(here == os.getpid())", "x = 1", "print(x, os.listdir())"])
        second = pool.submit(["print('x' in globals())", "1 / 0", "print(3)"])
        assert texts(first.result(PATIENCE)) == ["True\n", "", "1 []\n"]
        with pytest.raises(CellFailed, match="ZeroDivisionError: division by zero") as failed:
            second.result(PATIENCE)
        assert failed.value.cell == 1
        third = pool.submit(["print('x' in globals())"])
        assert texts(third.result(PATIENCE)) == ["False\n"]
    finally:
        pool.close()


def test_a_kernel_that_dies_or_cannot_be_set_up_is_told():
    pool = KernelPool("import os; broken = os.path.exists('/nowhere') or undefined", workers=1)
    try:
        with pytest.raises(CellFailed, match="NameError") as failed:
            pool.submit(["1"]).result(PATIENCE)
        assert failed.value.cell == -1
    finally:
        pool.close()
    pool = KernelPool("import os", workers=1)
    try:
        with pytest.raises(CellFailed, match="DeadKernelError") as failed:
            pool.submit(["1", "os._exit(1)"]).result(PATIENCE)
        assert failed.value.cell == 1
    finally:
        pool.close()


def test_closing_forgets_what_was_not_begun():
    pool = KernelPool("", workers=1)
    futures = [pool.submit(["import time; time.sleep(1)"]) for _ in range(3)]
    pool.close()
    done = [future for future in futures if not future.cancelled()]
    assert len(done) <= 1 and all(future.done() for future in futures)
    with pytest.raises(CancelledError):
        futures[-1].result()
    KernelPool("").close()  # none was started
