"""The book in other forms: notebooks, zip, PDF, Markdown."""
