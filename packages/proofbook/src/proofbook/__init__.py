"""Runs the snippets of a book and compares what its pages say with what they print."""
