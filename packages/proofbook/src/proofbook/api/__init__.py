"""The names of the installed PyTorch, and where its documentation describes them."""
