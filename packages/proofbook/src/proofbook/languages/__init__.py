"""The two languages of a page: what must be the same in both, and when that was last so."""
