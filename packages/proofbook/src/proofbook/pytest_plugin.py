"""The pytest plugin: with `--codeblocks`, every code block of every page runs as it is shown."""

from __future__ import annotations

import pytest

from proofbook.run.limits import SECONDS


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "seconds that one code block of a page may take"
    parser.addini("codeblocks_limit", text, type="float", default=SECONDS)


def pytest_configure(config: pytest.Config) -> None:
    root = config.rootpath
    if config.getoption("codeblocks", default=False) and (root / "snippets").is_dir():
        from proofbook.run.code_blocks import Plugin  # only where it is asked for

        config.pluginmanager.register(Plugin(root))
