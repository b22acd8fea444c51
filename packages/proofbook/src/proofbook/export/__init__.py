"""The book in other forms: notebooks, zip, PDF, social cards, Markdown."""
