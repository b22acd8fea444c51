"""Draws a trace as HTML: an SVG of its graph, the list of its steps, and the player's files.

To add a kind of figure: a module here that takes a `Trace`, builds on `graph`, `layout` and
`narrate`, and gives HTML or SVG; then a function in `gradtrace/__init__.py` for others to call.
"""
