"""Fixtures and helpers for tests: of this package, and of a book that is built with it."""
