"""A book as it is read from its files: pages, snippets, recorded outputs, problems."""
