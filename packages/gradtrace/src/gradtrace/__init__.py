"""Records what autograd did while a script ran, and draws it."""
