"""The press: runs every snippet of the book and proves that the pages say what PyTorch prints.

Data flows one way::

    docs/*.md    --> page  --> book  --> check --> problems
    snippets/*.py --> runner (warm process) --> results --^

Nothing here knows MkDocs except `mkdocs_adapter` and `mkdocs_speed`.
"""
