"""Where the boxes of a graph are placed: in layers, with few crossings."""
