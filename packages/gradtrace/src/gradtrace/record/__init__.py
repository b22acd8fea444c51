"""Records what autograd did while a script ran. Nothing here imports torch before a script does."""
