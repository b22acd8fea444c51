"""Changes to Material for MkDocs: to its settings, and to what it wrote into a site.

Each patch names the one place in a script that it changes, and fails where an upgrade of Material
has moved it.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

from proofbook.html.tree import Tree, element, prepend
from proofbook.mkdocs.swap import write_whole
from proofbook.model.config import BookConfig, in_language
from proofbook.model.page_file import language_of, name_of
from proofbook.model.problem import Problem, format_problems

_SEARCH = Path(__file__).parents[1] / "content/search.js"

_UNPROVED = {
    "zh": "这一页现在有没被证明的地方",
    "en": "Something on this page doesn't hold right now",
}
_OWN_STYLES = "assets/book.css"
_SHEETS = "assets/stylesheets/*.min.css"

QUERY = (
    # What a reader typed is read, and what answers is found, by search.js, which begins the worker.
    "workers/search",
    rb'if\((\w)=\1\.replace\(new RegExp\("\\\\p\{sc=Han\}\+","gu"\),.{1,80}?'
    rb"\1=\w+\(\1\),!\1\)return\{items:\[\]\};let (\w)=\w+\(\1\)\.filter\(.{1,80}?\),"
    rb"(\w)=this\.index\.search\(\1\)",
    rb"let \2=[],found=answers(\1,this);if(!found)return{items:[],asked:!1};let \3=found",
)
TYPED = (
    # The search listens to keys, and there is none when a reader pastes from a menu, dictates, or
    # drops a text. A composition (of Chinese, say) ends without another input in some browsers.
    "bundle",
    rb'(\w)\((\w),"keyup"\)(,\w\)\.pipe\(\w\(\(\)=>\2\.value\))',
    rb'\1(\2,"input"),\1(\2,"compositionend")\3',
)
CLEARED = (
    # The button that clears the field is no key either.
    "bundle",
    rb'(\(\w\.form,"reset"\)\.pipe\(\w+\(\w\)\)\.subscribe\(\(\)=>)(\w)\.focus\(\)\)',
    rb"\1{\2.value='';\2.focus();\2.dispatchEvent(new Event('input'))})",
)
NOTHING_FOUND = (
    # A result may belong to what was typed before, and half a word may have none: that nothing was
    # found is said when the reader has stopped typing. How many results there are says nothing.
    "bundle",
    rb"\(\[\{items:(\w)\},\{value:(\w)\}\]\)=>\{switch\(\1\.length\)\{case 0:(\w)\.textContent="
    rb'\2\.length\?(\w+\("search\.result\.none"\):\w+\("search\.result\.placeholder"\));break;'
    rb'.{1,150}?"search\.result\.other",\w\)\}\}',
    rb"([{items:\1,asked:asked=!0},{value:\2}])=>{clearTimeout(\3.late);\3.textContent='';"
    rb"if(!\1.length)\3.late=setTimeout(()=>{\3.textContent=asked?\4},\2.length?1e3:0)}",
)
OWN_ORDER = (
    # Material lets the entry of a page count for more than that of a section: so does search.js.
    "workers/search",
    rb"score:(\w)\*\(1\+\w+\(\w,2\)\)",
    rb"score:\1",
)
NAMES = (
    # A name such as zero_grad is in the index as a whole and by its words.
    "workers/search",
    rb"this\.tokenizer=(\w+),(lunr\.tokenizer)",
    rb"this.tokenizer=named(\1),\2",
)
RANKING = (
    # The ranking is made with the index, before a reader types.
    "workers/search",
    rb"(\w+)=new (\w+)\((\w)\.data\),\{type:1\}",
    rb"\1=new \2(\3.data),\1.ranking=new Ranking(\1,\3.data.config),{type:1}",
)
INDEX_WAITS = (
    # Each page fetches the search index at once, 140 kB, unless it is read from a file: then it
    # waits until the reader turns to the search.
    "bundle",
    rb'\(location\.protocol!=="file:"\)(,\w+\("search"\))',
    rb"(!1)\1",
)
WORKER_WAITS = (
    # So does the program that searches, 13 kB more: it is loaded with the first thing it is told.
    "bundle",
    rb"=new Worker\((\w)\)",
    rb"=(u=>{let w,late=new EventTarget;late.postMessage=told=>{w||(w=new Worker(u),"
    rb'w.addEventListener("message",m=>late.dispatchEvent(new MessageEvent("message",{data:m.data'
    rb"})))),w.postMessage(told)};return late})(\1)",
)
COPY_BUTTONS = (
    # The copy button of each code block is called a navigation; a page has one or two.
    "bundle",
    rb'"nav",\{class:"md-code__nav"\}',
    rb'"div",{class:"md-code__nav"}',
)
WHOLE_ANSWER = (
    # Of a text, a result shows the paragraphs in which something was found; of a page, its answer.
    "workers/search",
    rb'(\w)\[(\w)\]=(\w)\(\1\[\2\],(\w),(\w),\2!=="text"\)',
    rb'\1[\2]=\3(\1[\2],\4,\5,\2!=="text"||!\1.parent)',
)
ANSWER_FIRST = (
    # A page shows its answer also where one of its sections was found before it.
    "bundle",
    rb"(\w\(\w,)2\|\+\(!\w&&\w===0\)\)",
    rb"\g<1>3)",
)


PATCHES = (
    *(QUERY, OWN_ORDER, NAMES, RANKING, TYPED, CLEARED, NOTHING_FOUND),
    *(INDEX_WAITS, WORKER_WAITS, COPY_BUTTONS, WHOLE_ANSWER, ANSWER_FIRST),
)
"""Each as the name of a script, the pattern of the place in it, and what takes its place."""


def fit_for_files(config: MkDocsConfig) -> None:
    """Change the settings of a book that is read from the file system, without a host."""
    offline = config.plugins.get("material/offline")
    if offline and offline.config.enabled:
        # From the file system a browser fetches no page; the shim is ours, not one from afar.
        kept = [x for x in config.theme["features"] if not x.startswith("navigation.instant")]
        config.theme["features"] = kept
        config.extra["polyfills"] = ["assets/iframe-worker.js"]


def patch_theme(site: Path) -> None:
    """Patch an edition of the site; raises `ValueError` where a place is not there."""
    for script, place, better in PATCHES:
        for file in site.glob(f"assets/javascripts/{script}.*.min.js"):
            code, count = re.subn(place, better, file.read_bytes())
            if count != 1:
                raise ValueError(
                    f"{file.name}: the place to patch is not there. Has mkdocs-material changed? "
                    "See proofbook/mkdocs/material.py"
                )
            file.write_bytes(code)
    for worker in site.glob("assets/javascripts/workers/search.*.min.js"):
        worker.write_bytes(_SEARCH.read_bytes() + worker.read_bytes())
    _one_style_sheet(site)


def _one_style_sheet(site: Path) -> None:
    """Put the style sheets of Material into that of the book, if it has one: two requests less for
    each page. Comments and indentation of the book stay behind."""
    own = site / _OWN_STYLES
    if own.is_file():
        sheets = [sheet.read_text("utf-8") for sheet in sorted(site.glob(_SHEETS))]
        texts = [re.sub(r"/\*# source.*?\*/", "", text) for text in sheets]
        without = re.sub(r"(?s)/\*.*?\*/", "", own.read_text("utf-8"))
        texts.append(re.sub(r"\n\s+", "\n", without))
        own.write_text("\n".join(texts), "utf-8")


def show_problems(problems: list[Problem], site: Path, config: BookConfig) -> None:
    """While serving, put the problems of each page at its top."""
    by_page: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        for page in problem.pages or [f"docs/index.{language}.md" for language in config.codes]:
            language = language_of(page) or config.default.code
            folder = name_of(page).removesuffix("index")
            by_page.setdefault((language, folder), []).append(problem)
    for (language, folder), here in by_page.items():
        prefix = config.prefix(language) if language in config.codes else ""
        file = site / prefix / folder / "index.html"
        if not file.is_file():
            continue
        tree = Tree(file.read_text("utf-8"))
        if article := tree.css_first("article"):
            box = element(tree, "div", {"class": "admonition failure", "role": "alert"})
            title = in_language(_UNPROVED, language)
            for tag, attributes, text in (
                ("p", {"class": "admonition-title"}, title),
                ("pre", {"lang": "en"}, format_problems(here)),
            ):
                box.insert_child(element(tree, tag, attributes, text), move=True)
            prepend(article, box)
            write_whole(file, tree.html)
