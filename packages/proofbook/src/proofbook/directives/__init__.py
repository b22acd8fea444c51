"""The blocks that a page may contain, `::: name`, and their expansions: `registry` lists them."""
