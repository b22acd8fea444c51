"""How Hypothesis tries: the same cases in each run, and so few that `pytest` stays short.

`pytest tests/claims --hypothesis-profile=many` tries many more, others each time.
"""

import gc
from collections.abc import Iterator

import pytest
import torch
from hypothesis import HealthCheck, settings

from claims.ranks import Ranks

# A machine that is busy is slow, and no reason to fail. Nothing is kept between runs.
ALWAYS = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("few", max_examples=30, derandomize=True, **ALWAYS)
settings.register_profile("many", max_examples=1000, **ALWAYS)


def pytest_configure(config: pytest.Config) -> None:
    """Another profile only where it is asked for."""
    if not config.getoption("--hypothesis-profile", None):
        settings.load_profile("few")


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """These tensors are small: threads only wait for each other, long on a machine that is busy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", autouse=True)
def little_garbage() -> Iterator[None]:
    """`gc.collect()` looks at what these tests have made, not at all that is imported."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="session")
def ranks() -> Iterator[Ranks]:
    """Calls a function in two processes at once; started for the first that needs them."""
    both = Ranks()
    yield both
    both.stop()
