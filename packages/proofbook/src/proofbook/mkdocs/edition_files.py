"""What lies beside the pages of an edition on a host: see `proofbook.export.host_files`."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation

from proofbook.export import host_files
from proofbook.mkdocs.places import source_of
from proofbook.mkdocs.session import Session


def write_beside_pages(
    config: MkDocsConfig, nav: Navigation, language: str, session: Session
) -> None:
    """Write what a host or a program asks for next to the pages of an edition."""
    book, settings = session.book, session.book.config
    site = config.extra["book_url"] or "/"
    entries = []
    for page in nav.pages:
        source = source_of(page.file)
        if source in book.page_files and source not in session.findings.unshown:
            part = page.ancestors[-1].title if page.ancestors else ""
            url = page.url.removeprefix("./")
            entries.append(host_files.SitePage(book.page(source), url, part))
    edition = host_files.Edition(
        settings.language(language),
        settings.prefix(language),
        config.site_name,
        config.site_description or "",
        site,
        entries,
    )
    host_files.write_edition_files(edition, book, Path(config.site_dir))


def write_at_root(config: MkDocsConfig, session: Session) -> None:
    """Write what lies at the root of the book, for all editions."""
    settings = session.book.config
    prefixes = [settings.prefix(code) for code in settings.codes]
    site = config.extra["book_url"] or "/"
    for name, text in host_files.root_files(site, prefixes).items():
        Path(config.site_dir, name).write_text(text, "utf-8", newline="\n")
