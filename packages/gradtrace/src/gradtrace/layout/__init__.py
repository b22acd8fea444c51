"""Where the boxes and edges of a graph are drawn: a layered layout with few crossings."""
