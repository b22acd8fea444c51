"""What happened, step by step, in sentences of a language."""
