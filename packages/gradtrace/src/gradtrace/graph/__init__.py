"""What of a recording is drawn: its nodes and edges, folded into modules, cut to an excerpt."""
