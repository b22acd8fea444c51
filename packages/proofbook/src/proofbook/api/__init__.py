"""The names of the installed PyTorch, and their addresses in its documentation."""
