"""The Markdown of a page: its parts, and what it is expanded to."""
