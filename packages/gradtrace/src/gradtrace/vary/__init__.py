"""Scripts with other numbers in them: which, where they stand, and their runs."""
