"""Checks of what a page says against what its snippets print."""
