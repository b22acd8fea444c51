"""The blocks that a page may hold, `::: name`, and what each becomes: `registry` lists them."""
