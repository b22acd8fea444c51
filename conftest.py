"""What holds for all tests, those of the packages and those of the book: fixtures and workers."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["proofbook.testing.fixtures", "proofbook.testing.browser"]
# The commands in them are for readers: pytest-codeblocks would run `pip install`.
collect_ignore_glob = ["packages/*/*.md"]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """`pytest` alone, the whole suite, takes up to four cores; tests that are named take one."""
    option, whole = config.option, config.args_source is config.ArgsSource.TESTPATHS
    if option.markexpr == "upgrade":  # the sample, as `pytest` by itself
        option.markexpr = "upgrade and not exhaustive"
    if not config.pluginmanager.hasplugin("xdist") or option.numprocesses is not None:
        return
    if hasattr(config, "workerinput"):  # a worker comes here too, and must start no workers
        option.loadgroup = True  # xdist hands on to it what is typed, and not what is set below
        return
    if whole and not (option.usepdb or option.collectonly):
        # Those that this process may use: psutil, which xdist would ask, counts those of the host.
        able = getattr(os, "sched_getaffinity", None)
        cores = len(able(0)) if able else os.cpu_count() or 1
        option.numprocesses, option.dist = min(cores, 4), "loadgroup"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The code blocks of the pages are for an upgrade too. Tests that share what one of them has
    made stay together, so that it is made once."""
    pages = config.rootpath / "docs"
    for item in items:
        if pages in item.path.parents:
            item.add_marker(pytest.mark.upgrade)
        # A browser on a busy machine is late now and then; two failures in a row are a defect.
        # What was run again is named at the end (-rR).
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        if group := _group(item):
            item.add_marker(pytest.mark.xdist_group(group))


def _group(item: pytest.Item) -> str | None:
    """The name of what a test shares with others: the fixtures of its module, all of the book
    as files, or two processes for DDP. (The site is built once for all workers.)"""
    used = getattr(item, "fixturenames", ())
    if together := {"book_as_files", "ranks"}.intersection(used):
        return min(together)
    if not used or item.get_closest_marker("xdist_group"):
        return None
    made = item.session._fixturemanager.getfixturedefs
    scopes = {found[-1].scope for name in used if (found := made(name, item))}
    return item.path.stem if "module" in scopes else None
