"""With `--codeblocks`, pytest runs every code block of the book as its page shows it."""

from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("codeblocks", default=False):
        from proof.codeblocks import Plugin

        config.pluginmanager.register(Plugin(Path(__file__).parent))
