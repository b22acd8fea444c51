"""`proofbook export`: Zensical builds of it, without a hook, the pages that MkDocs builds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import markdown
import pytest
import yaml
from proofbook.cli.main import main
from proofbook.content.glossary import Term, Terms
from proofbook.html.finish import PageContext
from proofbook.html.tree import Tree
from proofbook.html.value_links import PlacedLinks, Proof
from proofbook.model.book import read_book
from proofbook.testing.browser import needs_browser
from proofbook.testing.fixtures import lent
from proofbook.testing.server import serve
from proofbook.testing.tiny_book import write
from proofbook.zensical.export import FOLDER, MARK
from proofbook.zensical.extension import NAME, with_data
from proofbook.zensical.page_data import from_json, to_json
from proofbook.zensical.pages import Edition, _relative_url
from proofbook.zensical.settings import left_out, settings_of_edition, zensical_settings

SETTINGS = """\
site_name: 斜率
site_url: https://example.org/book/
repo_url: https://github.com/someone/book
nav:
  - index.md
  - Slopes:
      - slopes/index.md
      - slopes/slope.md
      - Twice: slopes/double.md
theme:
  name: material
  language: zh
  features: [content.action.edit, navigation.instant]
  font: false
extra_css: [assets/book.css]
plugins:
  - search
  - proofbook: { languages: [zh, en] }
markdown_extensions:
  - attr_list
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.arithmatex: { generic: true }
  - toc: { permalink: "#" }
"""
TERMS = """\
[[term]]
id = "gradient"
part = "all"
zh = "梯度"
en = "gradient"
page = "slopes/index"
says.zh = "导数。"
says.en = "Derivatives."
"""
HOME = """\
---
hide: [navigation]
---
# Slopes { #slopes }

Start with [a slope](slopes/slope.en.md#slope "a < b").

$$ 2 \\times 3 = 6 $$
"""
SLOPE = """\
# What is the slope of `w**2`? { #slope }

At $w = 12$ the slope of $w^2$ is `24.`, which is the gradient. See [twice three][double].

[double]: double.en.md

::: snippets/slopes/slope.py
    figure: trace

## A figure { #figure }

::: snippets/slopes/drawn.py
    figure: plot
    alt: a line
"""
DOUBLE = """\
# What is twice three? { #double }

It is 6, and the [slope](slope.en.md) is 6.

::: snippets/slopes/double.py
    highlight: 2 * x
"""
PART = "# Slopes, `one` by one { #part }\n\n[A slope](slope.en.md), [twice](double.en.md)\n"
GLOSSARY = "# Terms { #terms }\n\n::: docs/glossary/terms.toml\n    part: all\n"
PAGES = {
    "index": HOME,
    "slopes/index": PART,
    "slopes/slope": SLOPE,
    "slopes/double": DOUBLE,
    "glossary/index": GLOSSARY,
}
FILES = {
    "mkdocs.yml": SETTINGS,
    "mkdocs.en.yml": "INHERIT: mkdocs.yml\nsite_name: Slopes\ntheme: { language: en }\n",
    "docs/glossary/terms.toml": TERMS,
    "docs/assets/book.css": "a.run { color: green }\n",
    "docs/.hidden": "not for readers",
    "snippets/slopes/double.py": 'x = 3\nprint("twice:", 2 * x)\n',
    "snippets/slopes/slope.py": """\
import torch

w = torch.tensor(12.0, requires_grad=True)
y = w**2
y.backward()
print("w.grad:", w.grad)
""",
    "snippets/slopes/drawn.py": """\
import matplotlib.pyplot as plt

plt.plot([1, 2], [1, 2])
plt.show()
print("drawn: 2")
""",
    **{f"docs/{name}.en.md": text for name, text in PAGES.items()},
    **{
        f"docs/{name}.zh.md": text.replace(".en.md", ".zh.md").replace("the gradient", "梯度")
        for name, text in PAGES.items()
    },
}
ONE_LANGUAGE = """\
theme: material
plugins: [proofbook: { languages: [en] }]
markdown_extensions: [attr_list]
"""
SHOWN = ["index.html", "slopes/slope/index.html", "slopes/double/index.html"]


def run(runner, other_runner, root: Path, *arguments: str) -> int:
    with lent(runner, other_runner):
        return main(["--root", str(root), *arguments])


def zensical(folder: Path, settings: str) -> subprocess.CompletedProcess[str]:
    """Build a site; where a link leads nowhere, that fails."""
    command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", settings]
    known = {**os.environ, "PYTHONUTF8": "1"}  # it draws boxes, also on a Chinese Windows
    return subprocess.run(
        command, cwd=folder, env=known, capture_output=True, text=True, encoding="utf-8"
    )


@pytest.fixture(scope="module")
def root(tmp_path_factory, runner, other_runner) -> Path:
    """A book in two languages, in a folder whose name has a blank and a Chinese letter."""
    root = tmp_path_factory.mktemp("书 1")
    for name, text in FILES.items():
        write(root / name, text)
    assert run(runner, other_runner, root, "update") == 0
    return root


@pytest.fixture(scope="module")
def exported(root, runner, other_runner) -> Path:
    """The folder that the command writes."""
    assert run(runner, other_runner, root, "export") == 0
    return root / "dist" / FOLDER


@pytest.fixture(scope="module")
def site(exported) -> Path:
    """What Zensical builds of it, as the settings of the export say."""
    for settings in ("mkdocs.yml", "mkdocs.en.yml"):
        done = zensical(exported, settings)
        assert done.returncode == 0, done.stdout + done.stderr
    return exported / "site"


def facts(file: Path) -> dict[str, list]:
    """What a page tells and where it leads; addresses from the root of the site."""
    article = Tree(file.read_text("utf-8")).css_first("article")
    folder = file.parent

    def leads(link) -> str:
        to, mark, anchor = (link.attributes["href"] or "").partition("#")
        if re.match(r"https?:", to):
            return to + mark + anchor
        target = (folder / to).resolve() if to else folder
        return target.as_posix().rpartition("site")[2].removeprefix("/en") + mark + anchor

    links = [a for a in article.css("a[href]") if not (a.attributes["href"] or "").endswith("d")]
    samples = {svg.mem_id for svg in article.css("figcaption svg")}
    return {
        "links": [(a.attributes.get("class"), a.text(), leads(a)) for a in links],
        "titles": [a.attributes["title"] for a in article.css("a.run")],
        "formulas": [math.html for math in article.css("math")],
        "lines": [(line.id, line.text()) for line in article.css("samp")],
        "code": [code.html for code in article.css("pre code")],
        "figures": [svg.html for svg in article.css("figure svg") if svg.mem_id not in samples],
        "headings": [(h.id, h.text()) for h in article.css("h1, h2")],
        "paragraphs": [p.text() for p in article.css("p")],
    }


@pytest.mark.parametrize("language", ["", "en/"])
@pytest.mark.parametrize("name", [*SHOWN, "slopes/index.html", "glossary/index.html"])
def test_pages_are_those_that_mkdocs_builds(built_by_mkdocs, site, language, name):
    ours, theirs = facts(site / language / name), facts(built_by_mkdocs / language / name)
    assert ours == theirs
    assert any(ours.values())


@pytest.fixture(scope="module")
def built_by_mkdocs(root, build) -> Path:
    status, said = build(root)
    assert status == 0, said
    return root / "site"


def test_pages_hold_what_the_test_looks_for(site):
    slope = facts(site / "en" / SHOWN[1])
    assert [link[1] for link in slope["links"] if link[0] == "run"] == ["w=12w = 12", "24."]
    assert [link[1] for link in slope["links"] if link[0] == "term"] == ["gradient"]
    assert slope["formulas"] and slope["lines"] and len(slope["figures"]) == 2


def test_no_directive_and_no_marker_is_left(site, exported):
    for file in [*site.rglob("*.html"), *exported.rglob("*.md")]:
        assert ":::" not in file.read_text("utf-8"), file
    for file in site.rglob("*.html"):
        assert not re.search("[\ue000-\ue002]|proofbook:|arithmatex", file.read_text("utf-8")), file


def test_what_pages_offer_is_there(site):
    for edition in (site, site / "en"):
        assert (edition / "snippets/slopes/slope.py").read_text("utf-8").startswith("import torch")
        notebook = json.loads((edition / "slopes/slope/slope.ipynb").read_text("utf-8"))
        assert notebook["nbformat"] == 4
        for name in ("trace.js", "trace.css", "formulas.woff2", "book.css"):
            assert (edition / "assets" / name).stat().st_size
        assert not (edition / ".hidden").exists()


def test_settings_name_no_hook_and_no_plugin_of_ours(exported, root):
    for language, name in (("zh", "mkdocs.yml"), ("en", "mkdocs.en.yml")):
        settings = yaml.safe_load((exported / name).read_text("utf-8"))
        assert settings["plugins"] == ["search"] and "hooks" not in settings
        assert settings["markdown_extensions"][-1] == NAME
        assert settings["docs_dir"] == f"docs.{language}"
    assert settings["site_name"] == "Slopes" and settings["site_dir"] == "site/en/"
    assert settings["site_url"] == "https://example.org/book/en/"
    assert settings["theme"]["features"] == ["navigation.instant"], "no page is edited there"
    assert settings["nav"] == [
        {"Home": "index.md"},
        {
            "Slopes, one by one": [
                "slopes/index.md",
                "slopes/slope.md",
                {"Twice": "slopes/double.md"},
            ]
        },
    ]


def test_what_zensical_does_not_know_is_named(root):
    book = read_book(root)
    site = settings_of_edition(root, book, "en")
    site["plugins"] = ["search", {"proofbook": None}, {"mkdocs-jupyter": {"execute": True}}]
    site["hooks"], site["theme"] = ["hooks/a.py"], {"custom_dir": "theme"}
    named = ["plugin mkdocs-jupyter", "hook hooks/a.py", "templates in theme/"]
    assert left_out(site) == named
    site["markdown_extensions"] = {"pymdownx.emoji": {"emoji_index": None}, "toc": {"depth": 2}}
    extensions = zensical_settings(site, book, "en")["markdown_extensions"]
    assert extensions == ["pymdownx.emoji", {"toc": {"depth": 2}}, NAME]


@pytest.fixture(scope="module")
def address(site) -> Iterator[str]:
    with serve(site, "/book/", "https://example.org/book/") as address:
        yield address


@needs_browser
@pytest.mark.parametrize("language", ["", "en/"])
def test_three_pages_open_in_a_browser(page, address, language):
    here, there = ("zh", "en") if not language else ("en", "zh")
    for name in SHOWN:
        place = language + name.removesuffix("index.html")
        page.goto(address + place)
        assert page.locator("html").get_attribute("lang") == here
        assert ":::" not in page.locator("body").inner_text()
        page.locator(".language").click()
        other = name.removesuffix("index.html")
        page.wait_for_url(address + ("en/" if not language else "") + other)
        assert page.locator("html").get_attribute("lang") == there
    page.goto(f"{address}{language}slopes/slope/")
    assert page.locator("math").first.evaluate("m => m.getBoundingClientRect().width") > 5
    page.locator("a.run", has_text="24.").first.click()
    assert page.locator(":target").inner_text().strip() == "w.grad: tensor(24.)"
    figure = page.locator("figure.trace")
    figure.get_by_role("button").first.click()
    first = figure.inner_text()
    figure.get_by_role("button").nth(3).click()
    assert figure.inner_text() != first
    assert page.complaints == []


@needs_browser
def test_a_figure_plays_on_a_page_reached_within_the_document(page, address):
    page.goto(f"{address}en/slopes/double/")
    page.evaluate("window.same = true")
    page.locator("article a", has_text="slope").first.click()
    page.wait_for_url("**/slopes/slope/")
    assert page.evaluate("window.same")
    figure = page.locator("figure.trace")
    figure.get_by_role("button").first.click()
    figure.get_by_text("1 /").wait_for()
    assert page.complaints == []


def test_a_folder_of_somebody_else_is_not_replaced(book, proof_command):
    book.write(f"dist/{FOLDER}/thesis.md", "years of work")
    status, _, err = proof_command("export")
    assert status == 1 and "this folder is not replaced" in err and "proofbook export -o" in err
    assert book.read(f"dist/{FOLDER}/thesis.md") == "years of work"


def test_a_book_in_one_language_has_no_editions_and_may_go_into_an_empty_folder(
    book, proof_command
):
    book.write("mkdocs.yml", SETTINGS[: SETTINGS.index("nav:")] + ONE_LANGUAGE)
    book.remove("docs/t/p.zh.md")
    (book.root / "out" / FOLDER).mkdir(parents=True)
    status, _, err = proof_command("export", "-o", str(book.root / "out"))
    assert status == 0, err
    folder = book.root / "out" / FOLDER
    assert {"mkdocs.yml", "docs.en", "overrides"} < {file.name for file in folder.iterdir()}
    assert "mkdocs.en.yml" not in {file.name for file in folder.iterdir()}
    done = zensical(folder, "mkdocs.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    page = (folder / "site/t/p/index.html").read_text("utf-8")
    assert "hreflang" not in page and 'class="language"' not in page and "It is 6." in page


def test_what_is_not_proved_leaves_the_last_export(book, proof_command):
    status, out, err = proof_command("export")
    assert status == 0, err
    assert "4 pages" not in out and "2 pages; in it: zensical build -f mkdocs.yml" in out
    before = book.read(f"dist/{FOLDER}/docs.en/t/p.md")
    book.change("docs/t/p.en.md", "It is 6", "It is 71")
    status, out, err = proof_command("export")
    assert status == 1 and "the last good export stays" in err and "71" in err
    assert book.read(f"dist/{FOLDER}/docs.en/t/p.md") == before
    book.change("docs/t/p.en.md", "It is 71", "It is 6")
    book.write(f"dist/{FOLDER}/old.md", "of the last export")
    assert proof_command("export")[0] == 0
    assert not (book.root / f"dist/{FOLDER}/old.md").exists()
    assert [file.name for file in (book.root / "dist").iterdir()] == [FOLDER]
    assert (book.root / f"dist/{FOLDER}/{MARK}").is_file()


@pytest.mark.parametrize(
    ("directory_urls", "names", "url"),
    [
        (True, ("t/p", "t/q"), "../q/"),
        (True, ("t/index", "index"), "../"),
        (True, ("index", "t/q"), "t/q/"),
        (True, ("t/p", "t/index"), "../"),
        (False, ("t/p", "u/q"), "../u/q.html"),
        (False, ("t/p", "t/q"), "q.html"),
    ],
)
def test_a_page_is_addressed_as_on_the_site(directory_urls, names, url):
    edition = Edition("en", frozenset(names), names, directory_urls=directory_urls)
    here, there = map(edition.url, names)
    assert _relative_url(there, here) == url


def test_what_a_page_is_finished_with_is_kept_as_json():
    values = PlacedLinks(
        [Proof("../b.md#one-out-1", 'says "a --> b"')],
        {"3w = 6.5": [{6.5: [None, Proof("#x", "y")]}, {}]},
        {("snippets/t/s.py", "1.12.1", 3): "s-3"},
    )
    terms = Terms((Term("leaf", "", "叶子", "leaf", "t/o", {}, ("leaves",), common=True),))
    context = PageContext(
        *("en", "t/p", "../assets/", values, terms, "../glossary/index.md"),
        scripts={"snippets/t/s.py": "../snippets/t/s.py"},
        taken_as={"notebook": "p/p.ipynb", "colab": None},
        versions=["2.6.0", "2.13.0"],
        differs=True,
    )
    text = to_json(context, {".grad": "https://docs.example/grad"})
    assert "\n" not in text and ">" not in text
    read = from_json(text)
    assert read.name_address(".grad") == "https://docs.example/grad"
    assert read.name_address("w") is None
    assert replace(read, name_address=None) == context


def test_the_extension_finishes_pages_that_have_data_and_no_other():
    context = PageContext("en", "t/p", "assets/", taken_as={"notebook": "p.ipynb"})
    text = "# A { #a }\n\nB\n\n```text\n<!-- proofbook: no data -->\n```\n"
    options = {"extensions": ["toc", "attr_list", "fenced_code"]}
    plain = markdown.markdown(text, **options)
    parser = markdown.Markdown(extensions=[*options["extensions"], NAME])
    finished = parser.convert(with_data(text, to_json(context, {})))
    assert finished.startswith(plain) and '<nav class="take"' in finished
    assert finished.count("<nav") == 1  # and none in the heading, which `toc` processes alone
    assert parser.reset().convert(text) == plain


def test_the_extension_needs_neither_pytorch_nor_mkdocs():
    code = f"import sys, {NAME}; print({{'torch', 'mkdocs', 'sympy'}} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr
