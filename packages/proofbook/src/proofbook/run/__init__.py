"""Runs snippets in processes of their own, and judges how each run ended."""
