"""What happened, step by step, in sentences of either language."""
