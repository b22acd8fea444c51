"""What a Chinese page quotes in English says so, for who has it read aloud: `lang="en"`.

Code and what it printed, the titles of English threads, messages. A name in code font stays as it
is: it is a name in any language. (English pages quote Chinese in the glossary, which marks it.)
"""

from __future__ import annotations

import re

_BLOCK = re.compile(r"<pre>(?=<span></span><code>)")
_LINK = re.compile(r'<a (?=[^>]*href="https?://)((?:(?! lang=)[^>])*)>((?:(?!</a>).)*)</a>', re.S)
_CODE = re.compile(r"<code>(?=[^<]*[A-Za-z']{2,} [a-z']{2,} [a-z']{2,}[^<]*</code>(?!</pre>))")
_TAG = re.compile(r"<[^>]*>")
_HAN = re.compile("[\u4e00-\u9fff]")


def mark_english(content: str, language: str) -> str:
    """The HTML of a page with its English marked, if it is a Chinese page."""
    if language != "zh":
        return content
    content = _BLOCK.sub('<pre lang="en">', content)
    content = _CODE.sub('<code lang="en">', content)
    return _LINK.sub(_title, content)


def _title(link: re.Match[str]) -> str:
    """A link to elsewhere with several words, none of them Chinese, is a title in English."""
    words = _TAG.sub("", link[2])
    if _HAN.search(words) or len(re.findall("[A-Za-z]{2,}", words)) < 2 or "class=" in link[1]:
        return link[0]
    return f'<a {link[1]} lang="en">{link[2]}</a>'
