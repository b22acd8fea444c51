"""One HTML file with the figure of a trace: code, player, style and script, nothing fetched."""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from gradtrace.graph.excerpt import Excerpt
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.render.assets import read_asset
from gradtrace.render.figure import draw_figure, format_sentence

GENERATOR = "gradtrace"
"""By this a file is recognised as one that may be written again."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def standalone_page(name: str, shown: Excerpt, language: str, notes: Iterable[str]) -> str:
    """The text of the file. `name`: what the script is called; `notes`: sentences on what the
    figure leaves out and how the run ended."""
    phrases = LANGUAGES[language]
    items = "".join(f"<li>{format_sentence(note)}</li>" for note in notes)
    style = "\n".join(map(read_asset, ("trace.css", "standalone.css")))
    parts = [
        "<!doctype html>",
        f'<html lang="{phrases["html_lang"]}"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="generator" content="{GENERATOR}">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="color-scheme" content="light dark">',
        f'<link rel="icon" href="data:,"><title>{html.escape(name)}</title>',
        f'<style>\n{style}</style></head><body class="md-typeset">',
        f"<header><h1>{html.escape(name)}</h1>",
        f"<p>{format_sentence(phrases['about'].format(file=name))}</p>",
        f'<ul class="notes">{items}</ul></header>' if items else "</header>",
        f"<main>{_code(shown.trace.source, phrases['source'])}",
        draw_figure(shown.trace, "trace", language, hidden=shown.hidden),
        f"</main><footer>{format_sentence(phrases['made_by'])}</footer>",
        *(f"<script>\n{read_asset(file)}</script>" for file in ("trace.js", "standalone.js")),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def is_standalone_page(file: Path) -> bool:
    """Whether a file was written by gradtrace."""
    with file.open(encoding="utf-8", errors="replace") as text:
        return f'<meta name="generator" content="{GENERATOR}">' in text.read(2000)


def _code(source: str, label: str) -> str:
    """The script with its colors, and the numbers of its lines."""
    lexer, formatter = PythonLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True)
    source = source.rstrip("\n")
    code = highlight(source, lexer, formatter).rstrip("\n")
    numbers = "\n".join(str(n + 1) for n in range(source.count("\n") + 1))
    return (
        f'<div class="highlight"><pre tabindex="0" role="group" aria-label="{label}">'
        f'<span class="numbers" aria-hidden="true">{numbers}</span><code>{code}</code></pre></div>'
    )
