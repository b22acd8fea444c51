"""Records what autograd does while a script runs, without changing what the script does."""
