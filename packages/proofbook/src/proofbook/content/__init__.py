"""What a book has beside its pages: glossary, questions, search words, report."""
