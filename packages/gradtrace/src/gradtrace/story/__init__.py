"""What a figure tells: for each event a sentence, and what changes in the picture."""
