"""Draws a trace: an SVG of its graph, a figure or a page of HTML, and their player."""
