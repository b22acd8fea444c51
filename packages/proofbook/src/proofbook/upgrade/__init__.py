"""What another PyTorch changes in a book: its outputs, by their causes, and what to read again."""
