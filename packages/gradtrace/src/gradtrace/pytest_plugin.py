"""A fixture for pytest: a test that fails if the gradients of its training step are not healthy.

def test_one_step(healthy_gradients):
    with healthy_gradients(model, optimizer):
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest


@pytest.fixture
def healthy_gradients() -> Callable[..., AbstractContextManager]:
    """`with healthy_gradients(model, optimizer):` records the block as `gradtrace.record` does, and
    fails as `gradtrace.assert_healthy` does; `allow`: the kinds of findings that may be there."""
    import gradtrace

    @contextmanager
    def healthy(model=None, optimizer=None, allow: Collection[str] = ()) -> Iterator:
        with gradtrace.record(model, optimizer) as trace:
            yield trace
        gradtrace.assert_healthy(trace, allow)

    return healthy
