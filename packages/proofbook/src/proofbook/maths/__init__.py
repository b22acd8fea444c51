"""The maths of a page: its formulas are read, and each equality in them is evaluated."""
