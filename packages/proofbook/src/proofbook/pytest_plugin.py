"""The pytest plugin: with `--codeblocks`, every code block of every page runs as it is shown.

pytest loads this in every project of the environment, so it imports nothing until it is used.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "seconds that one code block of a page may take"
    parser.addini("codeblocks_limit", text, type="float", default=None)


def pytest_configure(config: pytest.Config) -> None:
    root = config.rootpath
    if config.getoption("codeblocks", default=False) and (root / "snippets").is_dir():
        from proofbook.pytest_code_blocks import CodeBlocks

        config.pluginmanager.register(CodeBlocks(root))
