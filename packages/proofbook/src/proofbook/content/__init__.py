"""The contents of a book besides its pages: glossary, questions, search words, report."""
