"""The names of the installed libraries, and their addresses in their documentation."""
