"""Expressions: read from LaTeX, evaluated, differentiated, and compared."""
