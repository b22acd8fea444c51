"""The extension that colors code, with a cache: both languages of a page show the same code."""

from __future__ import annotations

from typing import Any

from markdown import Markdown
from pymdownx.highlight import Highlight, HighlightExtension


class RememberingHighlight(Highlight):
    """Colors code once for its text and options. `known`: the cached results, by both."""

    def __init__(self, known: dict[tuple, str], md: Markdown, **options: Any) -> None:
        super().__init__(md, **options)
        self._known, self._options = known, repr(sorted(options.items()))

    def highlight(self, src: str, language: str, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("inline") or self.anchor_linenums:  # an element; ids that count blocks
            return super().highlight(src, language, *args, **kwargs)
        rest = {key: value for key, value in kwargs.items() if key != "code_block_count"}
        key = self._options, src, language, repr(args), repr(sorted(rest.items()))
        if key not in self._known:
            self._known[key] = super().highlight(src, language, *args, **kwargs)
        return self._known[key]


class RememberingExtension(HighlightExtension):
    """`pymdownx.highlight` with a cache passed by its owner."""

    def __init__(self, known: dict[tuple, str], **options: Any) -> None:
        self._known = known
        super().__init__(**options)

    def get_pymdownx_highlighter(self):
        """Called by the extensions that find code: fences, and inline code."""

        def highlighter(md: Markdown, **options: Any) -> RememberingHighlight:
            return RememberingHighlight(self._known, md, **options)

        return highlighter
