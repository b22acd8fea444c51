"""The story of a figure: for each event a sentence, and the changes in the picture."""
