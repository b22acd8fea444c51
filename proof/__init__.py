"""The press: runs every snippet of the book and proves that the pages say what PyTorch prints.

Data flows one way::

    docs/*.md    --> page  --> book  --> check --> problems
    snippets/*.py --> runner (warm process) --> results --^

Nothing here knows MkDocs except `mkdocs_adapter`, `mkdocs_speed` and `mkdocs_material`.
Where to find what:

- Reading: `page`, `prose`, `book` (everything that is checked without a run), `problem`.
- Running a script: `runner`, `warm`, `trial`, `child`, `family`, `result`.
- What it printed against what is recorded: `outputs`, `check`, `record`.
- Building: `press` (all of it, for `mkdocs_adapter`), `swap` (the new site for the old one).
- What a page becomes: `expand`, `grid`, `older`, `report`, `spoiled`, `formula`; `codeblocks` for
  pytest.
- Numbers and messages: `runs`, `values`, `marks` (the links from a value to its line).
- Equations: `maths/`. Both languages of a page: `languages/`.
- Names of PyTorch: `uses`, `names`, `api`, `torch_index`, `official`.
- Words and links: `terms`, `term_links`, `links`.
- Finding: `questions` (their page), `search` (and `search.js`), `related` (what to read next).
- Lists in TOML files: `tables`.
- Recording what autograd did: `trace/`. Drawing it: `figure/`.
- What scripts draw themselves: `plots`, `book.mplstyle`; their notebooks: `labs`.
- Taking it along: `take` (the links), `notebook`, `offline` (the zip), `binding` and `pdf`.
- Beside the pages: `answer` (a page in a sentence), `twin` (as Markdown), `card`, `lines` (its
  picture), `hosted` (what a host is given).
- What an author sees: `progress`, `summary`.
- Commands: `__main__`, `new`, `your_script` (`python -m proof trace`).
"""
