"""Draws what autograd did: the figure of a recording (`gradtrace.record`), as HTML."""
