"""A section that explains a finding of `gradtrace doctor` has a line that says so."""

from __future__ import annotations

import html
import re
from collections import defaultdict

from gradtrace.doctor import KINDS
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

_SAYS = {"zh": "{doctor} 能在你的脚本里找到它：", "en": "{doctor} finds this in your own script: "}
_HEADING = r'<h[1-6] id="{}"[^>]*>.*?</h[1-6]>(?:\s*<div class="where".*?</div>)?'
_FIRST = r'<h1 [^>]*>.*?</h1>(?:\s*<div class="where".*?</div>)?'


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Put the line below the headings of the page's sections."""
    kinds = defaultdict(list)
    for name, kind in KINDS.items():
        path, _, section = kind["page"].partition("#")
        if f"{path.removesuffix('index').rstrip('/')}/" == page.url:
            kinds[section].append(name)
    tool = get_relative_url("your-script/", page.url)
    doctor = f'<a href="{tool}"><code>gradtrace doctor</code></a>'
    says = _SAYS[config.theme["language"]].format(doctor=doctor)
    for section, names in kinds.items():
        found = ", ".join(f"<code>{html.escape(name)}</code>" for name in names)
        line = f'<p class="found" data-search-exclude>{says}{found}</p>'
        pattern = _HEADING.format(re.escape(section)) if section else _FIRST
        output = re.sub(
            pattern, lambda heading, line=line: heading[0] + line, output, count=1, flags=re.S
        )
    return output
