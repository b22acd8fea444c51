"""The adapter to Zensical: the proved book as a folder that it builds without Python hooks."""
