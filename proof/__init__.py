"""The press: runs every snippet of the book and proves that the pages say what PyTorch prints.

Data flows one way::

    docs/*.md    --> page  --> book  --> check --> problems
    snippets/*.py --> runner (warm process) --> results --^

Nothing here knows MkDocs except `mkdocs_adapter` and `mkdocs_speed`. Where to find what:

- Reading: `page`, `prose`, `book` (everything that is checked without a run), `problem`.
- Running a script: `runner`, `warm`, `trial`, `child`, `family`, `result`; then `check`, `record`.
- What a page becomes: `expand`, `grid`, `older`, `report`, `formula`, `codeblocks` (pytest).
- Numbers and messages: `runs`, `values`, `marks` (the links from a value to its line).
- Equations: `maths/`. Both languages of a page: `languages/`.
- Names of PyTorch: `uses`, `names`, `api`, `torch_index`, `official`.
- Words and links: `terms`, `term_links`, `links`.
- Recording what autograd did: `trace/`. Drawing it: `figure/`.
- What scripts draw themselves: `plots`, `book.mplstyle`; their notebooks: `labs`, `notebook`.
- Commands: `__main__`, `new`, `your_script` (`python -m proof trace`).
"""
