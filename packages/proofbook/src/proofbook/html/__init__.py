"""Changes of a page's HTML: links to values and terms, formulas, languages."""
