"""The maths of a page: its formulas are parsed, and each equality in them is evaluated."""
