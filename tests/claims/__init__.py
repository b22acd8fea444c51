"""Tests that try to refute what the pages say in general, beyond the case that a snippet shows."""
