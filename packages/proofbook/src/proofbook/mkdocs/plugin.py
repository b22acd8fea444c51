"""The one place that knows MkDocs: hooks that expand and prove pages, and build both languages.

Chinese at `/`, English at `/en/`: the English edition is a second build (`mkdocs.en.yml`), started
from within the first. `docs/a/b.zh.md` and `docs/a/b.en.md` become `a/b/` in their editions. A
build goes to a folder beside `site_dir` and takes the place of the old site only when everything is
proved and nothing else failed.
"""

from __future__ import annotations

import json
import logging
import os
import posixpath
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import jieba
from gradtrace import PLAYER_ASSETS, asset_path
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.config_options import Optional, Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.utils import get_relative_url

from proofbook.check.api_names import shown
from proofbook.cli import summary
from proofbook.content.page_summary import answer
from proofbook.content.search import asked_of, with_asked
from proofbook.export import downloads as take
from proofbook.export import host_files, markdown_copy, notebook, social_card
from proofbook.html.finish import PageContext, finish_page
from proofbook.html.formulas import wrong_formula
from proofbook.html.math_font import FILE as MATH_FONT
from proofbook.html.math_font import font
from proofbook.html.value_markers import PageValueLinks
from proofbook.languages.parity import LANGUAGES
from proofbook.markdown.expand import expand
from proofbook.mkdocs.material import patch_theme, show_problems
from proofbook.mkdocs.swap import take_place
from proofbook.model.config import OPTIONS
from proofbook.model.page import parse
from proofbook.model.problem import Unproved, errors, once, warnings
from proofbook.pipeline import Press
from proofbook.run.kernels import kernel_environment
from proofbook.run.notebooks import Notebooks
from proofbook.run.runner import RunnerError

log = logging.getLogger("mkdocs.proofbook")

HOME = {"zh": "首页", "en": "Home"}


@dataclass
class Building:
    """What is built: for whom, from which settings, and where it goes in the end."""

    serving: bool
    config: MkDocsConfig | None = None
    site: Path | None = None
    nav: Navigation | None = None
    cards: social_card.CardRenderer | None = None
    kernels: tempfile.TemporaryDirectory | None = None
    proved: bool = False


_press: Press | None = None
_building: Building | None = None


def _edition(config: MkDocsConfig) -> str:
    return config.theme["language"]


def on_startup(command: str, dirty: bool) -> None:
    global _press, _building
    for talkative in ("jieba", "mkdocs.mkdocs-jupyter"):
        logging.getLogger(talkative).setLevel(logging.WARNING)
    if _press is None:
        # `mkdocs serve --clean` says that it is a build.
        _building = Building(command == "serve" or "serve" in sys.argv)
        _press = Press(Notebooks(keep_ready=_building.serving))
        _building.kernels = tempfile.TemporaryDirectory(prefix="proof-")
        os.environ |= kernel_environment(Path(_building.kernels.name))


@event_priority(100)
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    language = _edition(config)
    config.nav = _in_language(config.nav, language)
    if config.plugins["material/offline"].config.enabled:
        # From the file system a browser fetches no page; and the shim is ours, not one from afar.
        kept = [x for x in config.theme["features"] if not x.startswith("navigation.instant")]
        config.theme["features"] = kept
        config.extra["polyfills"] = ["assets/iframe-worker.js"]
    if language == LANGUAGES[0]:
        config.extra["book_url"] = config.site_url
        config.extra["root_url"] = urlsplit(config.site_url or "/").path or "/"
        _building.proved = False
        if not _building.serving:
            _building.config, _building.site = config, Path(config.site_dir)
            _building.site.parent.mkdir(parents=True, exist_ok=True)
            # A folder of its own for each build: two may run at once.
            config.site_dir = tempfile.mkdtemp(
                prefix=f"{_building.site.name}.next-", dir=_building.site.parent
            )
        try:
            _press.start(Path(config.config_file_path).parent)
            if not _building.serving:
                _building.cards = social_card.card_renderer(_press.book.root, _press.book.config)
                if not _building.cards:
                    log.info(social_card.FONT_MISSING)
        except Unproved as error:
            raise PluginError(str(error)) from error
    elif "root_url" not in config.extra:
        raise PluginError("this edition is not built alone: mkdocs.yml builds both (mkdocs build)")
    return config


def _in_language(nav: list | dict | str | None, language: str):
    """The navigation names `a/b.md`; each edition has `a/b.zh.md` or `a/b.en.md`."""
    if isinstance(nav, list):
        return [_in_language(item, language) for item in nav]
    if isinstance(nav, dict):
        return {title: _in_language(item, language) for title, item in nav.items()}
    if isinstance(nav, str) and not nav.startswith(("http:", "https:")):
        stem, extension = posixpath.splitext(nav)
        return f"{stem}.{language}{extension}"
    return nav


@event_priority(-50)  # after mkdocs-jupyter, which puts files of its own in place of notebooks
def on_files(files: Files, config: MkDocsConfig) -> Files:
    kept = []
    for file in files:
        stem, _ = posixpath.splitext(file.src_uri)
        name, _, language = stem.rpartition(".")
        if not file.is_documentation_page() or language not in LANGUAGES:
            kept.append(file)
        elif language == _edition(config):
            kept.append(_without_language(file, name, config))
    for name in PLAYER_ASSETS:
        player = str(asset_path(name))
        kept.append(File.generated(config, f"assets/{name}", abs_src_path=player))
    return Files(kept)


def _without_language(file: File, name: str, config: MkDocsConfig) -> File:
    """The file keeps its own name in `docs/`; its address is that of the page in any language."""
    plain = File(name + ".md", config.docs_dir, config.site_dir, config.use_directory_urls)
    file.name, file.dest_uri = plain.name, plain.dest_uri
    file.url, file.abs_dest_path = plain.url, plain.abs_dest_path
    return file


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    _building.nav = nav


def on_page_read_source(page, config: MkDocsConfig) -> str | None:
    try:
        page.file.content_string  # noqa: B018
    except UnicodeDecodeError:
        return "\n"  # told at the end, like everything else that does not hold
    return None


def on_page_markdown(markdown: str, page, config: MkDocsConfig, files: Files) -> str:
    root = Path(config.config_file_path).parent
    page.meta.setdefault("description", answer(markdown) or config.site_description)
    markdown = _press.value_links.get(f"docs/{page.file.src_uri}", PageValueLinks()).with_markers(
        markdown
    )
    parsed = parse(page.file.src_uri, markdown, whole=False)
    _press.shown[page.file.src_uri] = shown(parsed, root)
    try:
        expanded = expand(parsed, _press.book)
    except Unproved:
        _press.unshown.add(f"docs/{page.file.src_uri}")
        return markdown  # the problems are told once, with their lines in the file, at the end
    if path := _notebook(page.file):
        shown_page = _press.pages[f"docs/{page.file.src_uri}"]
        file = Path(config.site_dir, path)
        take.write_notebook(
            shown_page, _press.book, _edition(config), config.extra["book_url"], file
        )
    return expanded


def on_page_content(content: str, page, config: MkDocsConfig, files: Files) -> str:
    source = page.file.src_uri
    finished = finish_page(content, _context(page, config, files))
    _press.letters |= finished.formula_characters
    if finished.wrong_formulas:
        text = Path(page.file.abs_src_path).read_text("utf-8")
        wrong = [wrong_formula(f"docs/{source}", text, *each) for each in finished.wrong_formulas]
        _press.formulas += wrong
    return finished.html


def _context(page, config: MkDocsConfig, files: Files) -> PageContext | None:
    """What a page is finished with; None for one in no language of the book."""
    source, url = page.file.src_uri, page.file.url
    name, _, language = source.removesuffix(".md").rpartition(".")
    if language not in LANGUAGES:
        return None
    known = _press.pages.get(f"docs/{source}")
    top = _press.book.config.prefix(language) + url

    def page_address(file: str) -> str:
        return get_relative_url(files.get_file_from_path(file.removeprefix("docs/")).url, url)

    glossary = f"glossary/index.{language}.md"
    links = {}
    if name not in ("index", "glossary/index"):
        if documentation := _press.documentation:
            shown_here = _press.shown[source]
            links["name_address"] = lambda text: documentation.address_of_code(text, shown_here)
        if files.get_file_from_path(glossary):
            links |= {"terms": _press.terms, "glossary": page_address(glossary)}
    return PageContext(
        language,
        name,
        page_address,
        file_address=lambda file: get_relative_url(file, top),
        asset_address=lambda file: get_relative_url(f"assets/{file}", url),
        values=_press.value_links.get(f"docs/{source}", PageValueLinks()),
        scripts={reference.path for reference in known.references} if known else (),
        related=_related(page, name, language, page_address),
        taken_as=_taken(page, config),
        **links,
    )


def _taken(page, config: MkDocsConfig) -> dict[str, str | None]:
    """What the page can be taken along as, with the addresses."""
    links = {"markdown": markdown_copy.NAME} if _published(config) else {}
    if not (path := _notebook(page.file)):
        return links
    opened = take.colab(config.repo_url, _press.book.config.prefix(_edition(config)) + path)
    return {"notebook": posixpath.basename(path), "colab": opened, **links}


def _notebook(file: File) -> str | None:
    """Where the notebook of a page lies in its edition; None for a page without a script."""
    source = f"docs/{file.src_uri}"
    if source not in _press.pages or not notebook.has_scripts(_press.pages[source]):
        return None
    return posixpath.join(posixpath.dirname(file.dest_uri), notebook.file_name(source))


def _related(
    page, name: str, language: str, address: Callable[[str], str]
) -> list[tuple[str, str]]:
    """The pages to read on: title and address of each."""
    beside = [
        near.file.src_uri.removesuffix(f".{language}.md")
        for near in (page.previous_page, page.next_page)
        if near
    ]
    names, titles = _press.related.to(name, beside), _press.related.titles
    known = [name for name in names if (name, language) in titles]
    return [(titles[name, language], address(f"{name}.{language}.md")) for name in known]


def on_env(env, config: MkDocsConfig, files: Files):
    """A part of the book is called what its first page is called, in either language."""
    for file in files.documentation_pages():
        if file.page.is_homepage:
            file.page.title = HOME[_edition(config)]  # its own title is that of the site
        elif file.page.is_index and file.page.parent:
            file.page.parent.title = file.page.title
    return env


def on_page_context(context: dict, page, config: MkDocsConfig, nav) -> dict:
    context["alternates"] = _alternates(config, page.url)
    context["subtitle"] = _press.book.config.language(_edition(config)).subtitle
    if _published(config) and page.file.src_uri.endswith(".md"):
        context["markdown"] = markdown_copy.NAME
        context["card"] = social_card.NAME if _building.cards else None
    return context


def on_post_page(output: str, page, config: MkDocsConfig) -> str:
    return _press.with_figures(
        output
    )  # last: by now notebooks have been executed, and search is done


def on_template_context(context: dict, template_name: str, config: MkDocsConfig) -> dict:
    context["alternates"] = _alternates(config, "")
    context["alternates_of"] = lambda url: _alternates(config, url)  # for the sitemap
    return context


def _alternates(config: MkDocsConfig, url: str) -> list[dict]:
    """A page in each language: `href` on this host, `whole` with the host at its front."""
    page, book = "" if url == "./" else url, _press.book.config

    def href(language: str) -> str:
        if not config.use_directory_urls and page:  # the book as files, wherever they lie
            here = book.prefix(_edition(config)) + page
            return get_relative_url(book.prefix(language) + page, here)
        return config.extra["root_url"] + book.prefix(language) + page

    links = [{"language": x.code, "name": x.name, "href": href(x.code)} for x in book.languages]
    return [link | {"whole": urljoin(config.site_url or "/", link["href"])} for link in links]


@event_priority(-100)
def on_post_build(config: MkDocsConfig) -> None:
    try:
        patch_theme(Path(config.site_dir))
    except ValueError as error:
        raise PluginError(str(error)) from error
    _tell_search(config)
    if _published(config):
        _write_beside(config)
    if _edition(config) != LANGUAGES[0]:
        return
    warned = None
    take.copy_scripts(_press.book.pages, _press.book.root, Path(config.site_dir))
    try:
        _build_english(config)
    except Abort as error:  # its warnings are told; what does not hold should be told with them
        warned = error
    for edition in map(_press.book.config.prefix, _press.book.config.codes):
        if _press.letters and (assets := Path(config.site_dir, edition)).is_dir():
            assets.joinpath(MATH_FONT).write_bytes(font(_press.letters))
    try:
        found = _press.problems()
    except RunnerError as error:
        raise PluginError(str(error)) from error
    problems = errors(found)
    if told := warnings(found):
        log.info(summary.warns(told))  # not as a warning of MkDocs: that stops a strict build
    if not problems:
        if warned:
            raise warned
        _building.proved = True
    proof, again = _press.proof(), _press.again
    if _building.serving:
        if problems:
            log.error(summary.fails(problems))
            show_problems(problems, Path(config.site_dir), _press.book.config)
        log.info(summary.again(again, proof, len(once(problems))))
    elif problems:
        told = summary.fails(problems)
        raise PluginError(f"the book does not hold; the last good site stays\n\n{told}")
    else:
        log.info(summary.holds(proof))


def _published(config: MkDocsConfig) -> bool:
    """Whether this is what a host gets: not a site being served here, nor the book as files."""
    return not _building.serving and config.use_directory_urls


def _write_beside(config: MkDocsConfig) -> None:
    """Write what a host, a program or a chat asks for beside the pages."""
    language, folder, site = (
        _edition(config),
        Path(config.site_dir),
        config.extra["book_url"] or "/",
    )
    entries = []
    for page in _building.nav.pages:
        source = f"docs/{page.file.src_uri}"
        if source in _press.pages and source not in _press.unshown:
            part = page.ancestors[-1].title if page.ancestors else ""
            url = page.url.removeprefix("./")
            entries.append(host_files.SitePage(_press.pages[source], url, part))
    book = _press.book.config
    edition = host_files.Edition(
        book.language(language),
        book.prefix(language),
        config.site_name,
        config.site_description or "",
        site,
        entries,
    )
    _press.formulas += host_files.write_edition_files(edition, _press.book, folder, _building.cards)
    if language == LANGUAGES[0]:
        prefixes = [book.prefix(code) for code in book.codes]
        for name, text in host_files.root_files(site, prefixes).items():
            (folder / name).write_text(text, "utf-8", newline="\n")
    elif _building.cards:
        _building.cards.forget_unused()


def _build_english(config: MkDocsConfig) -> None:
    english = load_config(
        str(Path(config.config_file_path).with_name("mkdocs.en.yml")),
        site_dir=os.path.join(config.site_dir, "en"),
        site_url=posixpath.join(config.site_url or "/", "en/"),
        strict=config.strict,
    )
    english.extra |= {name: config.extra[name] for name in ("book_url", "root_url")}
    english.plugins.on_startup(command="build", dirty=False)
    build(english)


def _tell_search(config: MkDocsConfig) -> None:
    """Let the search find pages by what readers type, in either language."""
    site, language = Path(config.site_dir), _edition(config)
    asked = asked_of(_press.book.pages, _press.terms, _press.questions, language)
    index = site / "search/search_index.json"
    told = json.loads(index.read_text("utf-8"))
    told["docs"] = with_asked(told["docs"], asked, jieba.cut_for_search)
    index.write_text(json.dumps(told, ensure_ascii=False, separators=(",", ":")), "utf-8")


def on_build_error(error: Exception) -> None:
    _building.proved = False


def on_shutdown() -> None:
    """The last event, also after a failure: only now may the new site take its place."""
    global _press, _building
    press, building, _press, _building = _press, _building, None, None
    if press is None:
        return
    press.close()
    building.kernels.cleanup()
    if building.site is None:
        return
    new = Path(building.config.site_dir)
    if building.proved:
        take_place(new, building.site)
        building.config.site_dir = str(building.site)  # for what comes after a build: gh-deploy
    shutil.rmtree(new, ignore_errors=True)


class ProofbookPlugin(BasePlugin):
    """Expands, proves and finishes the pages of a book in each of its languages."""

    config_scheme = tuple((name, Optional(Type(kinds))) for name, kinds in OPTIONS.items())

    def on_startup(self, *positional, **named):
        return on_startup(*positional, **named)

    @event_priority(100)
    def on_config(self, *positional, **named):
        return on_config(*positional, **named)

    @event_priority(-50)
    def on_files(self, *positional, **named):
        return on_files(*positional, **named)

    def on_nav(self, *positional, **named):
        return on_nav(*positional, **named)

    def on_page_read_source(self, *positional, **named):
        return on_page_read_source(*positional, **named)

    def on_page_markdown(self, *positional, **named):
        return on_page_markdown(*positional, **named)

    def on_page_content(self, *positional, **named):
        return on_page_content(*positional, **named)

    def on_env(self, *positional, **named):
        return on_env(*positional, **named)

    def on_page_context(self, *positional, **named):
        return on_page_context(*positional, **named)

    def on_post_page(self, *positional, **named):
        return on_post_page(*positional, **named)

    def on_template_context(self, *positional, **named):
        return on_template_context(*positional, **named)

    @event_priority(-100)
    def on_post_build(self, *positional, **named):
        return on_post_build(*positional, **named)

    def on_build_error(self, *positional, **named):
        return on_build_error(*positional, **named)

    def on_shutdown(self, *positional, **named):
        return on_shutdown(*positional, **named)
