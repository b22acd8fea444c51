"""The drawn part of a trace: the selected passes, the boxes and edges, the texts of each box."""
