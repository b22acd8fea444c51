"""The scanner: what it calls code, maths, link or image is what Markdown renders as that."""

from __future__ import annotations

import functools
import time
from html.parser import HTMLParser

import markdown
import pytest
from proofbook.model.page import Page, parse

EXTENSIONS = {
    "admonition": {},
    "attr_list": {},
    "def_list": {},
    "footnotes": {},
    "md_in_html": {},
    "tables": {},
    "toc": {"permalink": "#"},
    "pymdownx.arithmatex": {"generic": True},
    "pymdownx.details": {},
    "pymdownx.highlight": {"anchor_linenums": False},
    "pymdownx.inlinehilite": {},
    "pymdownx.superfences": {},
}
KINDS = {"code": ("code",), "maths": ("maths",), "a": ("link", "autolink"), "img": ("image",)}


class Rendered(HTMLParser):
    """What a browser would show: inline code, formulas, addresses of links, sources of images."""

    def __init__(self, html: str):
        super().__init__()
        self.found: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.kind = ""
        self.blocks = 0
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        known = {key: value or "" for key, value in attributes}
        self.blocks += tag == "pre"
        if tag == "a" and known.get("class", "") in ("", "x"):
            self.found["a"].append(known["href"])
        elif tag == "img":
            self.found["img"].append(known["src"])
        elif known.get("class", "").startswith("arithmatex") or (tag == "code" and not self.blocks):
            self.kind = "code" if tag == "code" else "maths"
            self.found[self.kind].append("")

    def handle_endtag(self, tag):
        self.blocks -= tag == "pre"
        if tag in ("code", "span", "div"):
            self.kind = ""

    def handle_data(self, data):
        if self.kind:
            self.found[self.kind][-1] += data


@functools.cache
def site() -> markdown.Markdown:
    """Markdown as the site of the book has it."""
    return markdown.Markdown(extensions=list(EXTENSIONS), extension_configs=EXTENSIONS)


def rendered(text: str) -> dict[str, list[str]]:
    found = Rendered(site().reset().convert(text)).found
    found["maths"] = [latex.strip()[2:-2] for latex in found["maths"]]
    return {kind: sorted(" ".join(x.split()) for x in found[kind]) for kind in KINDS}


def scanned(page: Page) -> dict[str, list[str]]:
    def what(span) -> str:
        return span.content if span.kind in ("code", "maths") else span.address

    return {
        kind: sorted(" ".join(what(span).split()) for span in page.spans_of(*kinds))
        for kind, kinds in KINDS.items()
    }


CASES = {
    "a dollar is no maths": "costs $5 [here](q.en.md) or $6",
    "dollars around a link are": "costs $5 [here](q.en.md) or 6$",
    "maths": r"costs $ y$ or $x$ \(2 + 2 = 5\) $a\$b$ \$x$ $ x $ $x $ \\(y\\) $a"
    + "\n"
    + "b$ $$z$$",
    "displayed": "$$\nx\n$$\n\n\\[\ny\n\\]\n\n\\begin{align}\nz\n\\end{align}\n\nx\n$$\nno\n$$\n",
    "displayed in a list": "- $$a$$\n\n    $$\n    b\n    $$\n\n1. \\[c\\]\n",
    "code": "`a` `j `` k` ``b ` c`` ```3``` `[d](e.md)` `$f$` \\`g` \\\\`h` `i\nj`",
    "code is stronger than maths": "$`a`$ `$`x`$`",
    "code does not cross paragraphs": "`a\n\nb`\n\n- `c\n- d`\n",
    "indented code": "    `no` $x$\n\n- item\n\n    `yes`\n\n        `no`\n\n!!! note\n    `yes`\n",
    "fences": "```\n`a`\n```\n\n~~~~ py\n$x$\n~~~\n~~~~\n\n  ```\n `c`\n  ```\n",
    "a longer fence": "````\n`b`\n```\n````\n",
    "fence in a box": '!!! note "A `b` $c$"\n    ```text\n    `d`\n    ```\n\n    $e$\n\n`f`\n',
    "links": '[a](b.md) [c [d]](e.md#f "t") [`g`](h(i).md) [j](<k l.md>) \\[m](n.md) [o] (p.md)',
    "links within": "[a [b](c.md)](d.md) [![e](f.png)](g.md) ![h [i](j.md)](k.png)",
    "autolinks": "<https://e.org/a_b> `<https://e.org>` \\<https://e.org/c>",
    "footnotes": "a[^1] `b`\n\n[^1]: `c` [d](e.md)\n",
    "comments": "<!-- `a` [b](c.md) -->\n\nd <!-- `e` --> f\n\n<!-- g\n\n`h`\n-->\n\n`i`\n",
    "raw HTML": '<div class="x">\n`a` $b$ [c](d.md)\n</div>\n\n`e` <b title="[f](g.md)">`h`</b>\n',
    "Markdown in HTML": "<div markdown>\n\n`a` [b](c.md)\n\n</div>\n\n`d`\n",
    "tables": "| `a|b` | $c$ |\n|---|---|\n| [d](e.md) | `f` |\n| `g | h` | \\| $i$ |\n",
    "headings": "# A `b` { #c }\nd `e`\n\nf $g$\n-----\n\n##h `i` #\n",
    "quotations": "> `a\n> b` $c$\n>\n> - [d](e.md)\n>\n>         `no`\n",
    "attributes": "`a`{ .x } [b](c.md){ .x } $d${ .x } **e**{ .x }\n",
    "escapes": "\\`a` \\[b](c.md) \\$d$ `\\` e` `f\\`",
    "emphasis": "**`a`** *[b](c.md)* __$d$__",
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_found_is_what_is_rendered(name):
    assert scanned(parse("a.en.md", CASES[name])) == rendered(CASES[name])


def test_each_part_has_its_place():
    text = "---\na: b\n---\n# T { #t }\n\nA `b`{ .c }, $d$ and [e `f`](g.md#h){ .i }.\n"
    page = parse("x.en.md", text)
    for span in page.spans:
        assert text.count("\n", 0, span.start) + 1 == span.line == page.line_of(span.start)
        if span.content:
            assert text[span.content_start : span.content_end] == span.content
        if span.address:
            assert text[span.address_start :].startswith(span.address)
        if span.attributes:
            assert text[span.end : span.whole_end] == span.attributes
    kinds = ["front-matter", "heading", "attributes", "code", "attributes", "maths", "link"]
    assert [span.kind for span in page.spans] == [*kinds, "code", "attributes"]


def test_what_is_left_is_prose():
    text = '!!! note "A 1"\n    B `2` $3$ [C 4](5.md){ .x6 } <!-- 7 --> <b a="8">9</b>\n'
    words = parse("x.en.md", text).prose
    assert len(words) == len(text)
    assert [letter for letter in words if letter.isdigit()] == ["1", "4", "9"]


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "`",
            "``x ",
            "$",
            "$x ",
            "\\(",
            "[",
            "[a](",
            "(",
            "![",
            "<",
            "<a b ",
            "<!--",
            "{ .",
            "\\",
        ),
        *("    ```a\n", "```\n", "- a\n", "> a\n", "!!! a\n    ", "| a ", "$$\n", "# a\n"),
        *("<div>\n", "\\begin{a}\n\n", "“", "a `b` $c$ [d](e.md)\n\n"),
    ],
)
def test_time_is_proportional_to_the_length(piece):
    """A page of 50,000 characters takes well below a second; what is quadratic takes a minute."""
    text = piece * (50_000 // len(piece))
    began = time.process_time()
    page = parse("x.en.md", text)
    assert len(page.prose) == len(page.own_words) == len(text)
    assert time.process_time() - began < 5
