"""What of a trace is drawn: the selected passes, the boxes and edges, the texts of each box."""
