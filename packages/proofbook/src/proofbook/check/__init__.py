"""Checks of a page's statements against the output of its snippets."""
