"""What one run of a snippet may take."""

SECONDS = 20.0
"""Wall-clock time of one snippet."""
