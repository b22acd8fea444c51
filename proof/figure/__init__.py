"""Draws what autograd did: the figure of a recording (`proof.trace`), as HTML."""
