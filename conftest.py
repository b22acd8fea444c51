"""The fixtures that all tests share, those of the packages and those of the book."""

pytest_plugins = ["proofbook.testing.runners", "proofbook.testing.browser"]
