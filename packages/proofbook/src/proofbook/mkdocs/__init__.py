"""The MkDocs plugin; nothing outside of this folder knows MkDocs."""
