"""One HTML file with the figure of a recording: code, player, style and script, nothing fetched."""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from gradtrace.graph.excerpt import Excerpt
from gradtrace.narrate.phrases import WORDS
from gradtrace.render.figure import fragment, marked

GENERATOR = "gradients-you-can-see: gradtrace"
"""By this a file is known to be made here, and may be made again."""

_HERE = Path(__file__).parent
_LANGUAGES = {"zh": "zh-CN", "en": "en"}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def page(name: str, shown: Excerpt, language: str, notes: Iterable[str]) -> str:
    """The text of the file. `name`: what the script is called; `notes`: sentences on what the
    figure leaves out and how the run ended."""
    words = WORDS[language]
    told = "".join(f"<li>{marked(note)}</li>" for note in notes)
    style = "\n".join(_text(_HERE / name) for name in ("trace.css", "standalone.css"))
    scripts = (_HERE / "trace.js", _HERE / "standalone.js")
    parts = [
        "<!doctype html>",
        f'<html lang="{_LANGUAGES[language]}"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="generator" content="{GENERATOR}">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="color-scheme" content="light dark">',
        f'<link rel="icon" href="data:,"><title>{html.escape(name)}</title>',
        f'<style>\n{style}</style></head><body class="md-typeset">',
        f"<header><h1>{html.escape(name)}</h1>",
        f"<p>{marked(words['about'].format(file=name))}</p>",
        f'<ul class="notes">{told}</ul></header>' if told else "</header>",
        f"<main>{_code(shown.trace.source, words['source'])}",
        fragment(shown.trace, "trace", language, hidden=shown.hidden),
        f"</main><footer>{marked(words['made_by'])}</footer>",
        *(f"<script>\n{_text(file)}</script>" for file in scripts),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def made_here(file: Path) -> bool:
    """Whether a file was made by this module."""
    with file.open(encoding="utf-8", errors="replace") as text:
        return f'<meta name="generator" content="{GENERATOR}">' in text.read(2000)


def _code(source: str, label: str) -> str:
    """The script with its colors, and the numbers of its lines."""
    lexer, formatter = PythonLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True)
    source = source.rstrip("\n")
    told = highlight(source, lexer, formatter).rstrip("\n")
    numbers = "\n".join(str(n + 1) for n in range(source.count("\n") + 1))
    return (
        f'<div class="highlight"><pre tabindex="0" role="group" aria-label="{label}">'
        f'<span class="numbers" aria-hidden="true">{numbers}</span><code>{told}</code></pre></div>'
    )


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
