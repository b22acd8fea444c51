"""The two languages of a page: their common contents, and edits of only one of them."""
