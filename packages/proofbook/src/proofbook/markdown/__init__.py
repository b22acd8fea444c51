"""The Markdown of a page: its parts, and its expansion."""
