"""Each notebook has a kernel of its own, started when it is needed."""

from __future__ import annotations

import os
import time
from concurrent.futures import CancelledError

import pytest
from proofbook.run.kernels import CellFailed, KernelPool
from proofbook.run.runner import Runner

PATIENCE = 120

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def texts(outputs) -> list[str]:
    return ["".join(output.get("text", "") for output in cell) for cell in outputs]


def test_each_notebook_has_a_kernel_of_its_own():
    pool = KernelPool("import os; here = os.getpid()", workers=1)
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


@needs_fork
def test_a_forked_kernel_has_torch_already_and_ends_with_its_notebook(runner):
    pool = KernelPool("import os, sys", workers=1, fork=runner.fork_kernel)
    try:
        probe = "print(os.getpid(), os.getppid(), 'torch' in sys.modules, os.listdir())"
        here = pool.submit([probe, "print(os.read(0, 1))"])
        first, stdin = texts(here.result(PATIENCE))
        second = pool.submit([probe]).result(PATIENCE)
        with pytest.raises(CellFailed, match="DeadKernelError"):
            pool.submit(["os._exit(1)"]).result(PATIENCE)
    finally:
        pool.close()
    kernel, parent, *rest = first.split()
    assert (int(parent), rest, stdin) == (runner._process.pid, ["True", "[]"], "b''\n")
    assert kernel != texts(second)[0].split()[0]
    assert not _alive(int(kernel))


@needs_fork
def test_forked_kernels_end_with_the_runner(tmp_path):
    sign = tmp_path / "sign"
    with Runner() as runner:
        pool = KernelPool("", workers=1, fork=runner.fork_kernel)
        begins = f"import os, pathlib\npathlib.Path({str(sign)!r}).write_text(str(os.getpid()))"
        waiting = pool.submit([begins, "while True: pass"])
        end = time.monotonic() + PATIENCE
        while not (sign.exists() and sign.read_text()):
            assert time.monotonic() < end, "the kernel did not start"
            time.sleep(0.01)
    with pytest.raises(CellFailed, match="DeadKernelError"):
        waiting.result(PATIENCE)
    pool.close()
    assert not _alive(int(sign.read_text()))


@needs_fork
def test_where_nothing_can_be_forked_a_kernel_starts_in_an_interpreter(fresh_runner):
    pool = KernelPool("import os", workers=1, fork=fresh_runner.fork_kernel)
    try:
        assert texts(pool.submit(["print(os.getppid())"]).result(PATIENCE)) == [f"{os.getpid()}\n"]
    finally:
        pool.close()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
