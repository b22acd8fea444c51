"""What holds for the texts of the book as a whole."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from gradtrace import LANGUAGES
from proofbook.check.registry import problems_in_files
from proofbook.content.glossary import read_terms
from proofbook.content.lessons import minutes, where_in_book
from proofbook.content.page_summary import SHORT, WIDTH, answer, width
from proofbook.content.questions import read_questions
from proofbook.content.report import changed_digits, claims, table, total
from proofbook.export.site_files import markdown_copy
from proofbook.html.formulas import font
from proofbook.maths.check import equation_verdicts
from proofbook.model.book import Book, read_book
from proofbook.model.page import Page, parse, read
from proofbook.model.problem import errors

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def book() -> Book:
    return read_book(ROOT)


@pytest.mark.upgrade
def test_nothing_that_the_files_say_is_wrong(book):
    """Names of PyTorch, numbers, equations, words of the glossary, links, both languages ..."""
    assert [str(problem) for problem in errors(problems_in_files(book))] == []


def test_the_readme_installs_the_version_that_is_pinned():
    pinned = re.findall(r"(?m)^torch==(\S+)", (ROOT / "requirements.txt").read_text("utf-8"))
    files = ("README.md", ".devcontainer/devcontainer.json")
    texts = [(ROOT / file).read_text("utf-8") for file in files]
    named = [version for text in texts for version in re.findall(r"\btorch==([\d.]+)", text)]
    assert len(named) == 2 and set(named) == set(pinned)


def test_a_changed_digit_passes_only_where_both_mean_the_same_float(book):
    """The rule that takes rounding for no difference lets no wrong digit through."""
    tried, passed = changed_digits(book)
    assert tried > 50_000
    for line, changed in passed:
        one, other = (re.findall(r"\d+\.\d*(?:e[-+]\d+)?", text) for text in (line, changed))
        assert one != other and list(map(float, one)) == list(map(float, other)), (line, changed)
    assert len(passed) <= 0.001 * tried


def test_every_page_answers_in_plain_words_of_its_own(book):
    said = {page.file: answer(page) for page in book.pages if page.headings}
    assert len(said) > 100
    assert [file for file, text in said.items() if len(text) < 10] == []
    assert [text for text, times in Counter(said.values()).items() if times > 1] == []
    # No Markdown and no LaTeX is left; names in code may have an underline or a bracket.
    odd = re.compile(r"[`$\\]|\]\(|\*\*|\{ ?[#.:]|<[a-z/]|\s{2}")
    assert [text for text in said.values() if odd.search(text)] == []
    # A search engine cuts what is much longer.
    assert [f for f, text in said.items() if width(text) > max(WIDTH, 2 * SHORT) + 130] == []


def test_every_markdown_copy_is_free_of_what_only_the_site_understands(book):
    odd = re.compile(
        r"(?m)^(?:!!!|\?\?\?|:::)|\{ ?[#.:][\w-]+|</?(?:div|span|td|table|img)\b|\]\((?!http)"
        r"|base64"
    )
    for page in (page for page in book.pages if page.file.endswith(".en.md")):
        copy = markdown_copy(book, page.file, "en", "https://x.org/", "https://x.org/p/")
        prose = re.sub(r"(?ms)^[> ]*```.*?^[> ]*```$|`[^`\n]+`|\$[^$\n]+\$", "", copy)
        assert not odd.search(prose), (page.file, odd.search(prose)[0])
        if page.file == "docs/accumulate/two-losses.en.md":  # it leads to the figure
            figure = "https://x.org/en/accumulate/two-losses/#trace-accumulate-two-losses)"
            assert copy.count(figure) == 1


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_glossary_shows_every_term_and_its_page_and_the_figures_use_it(book, language):
    terms = read_terms(book).all
    shown = parse("", read(ROOT / f"docs/glossary/index.{language}.md")).references
    assert {r.option("part") for r in shown} == {term.part for term in terms}
    for term in terms:
        file = f"docs/{term.page}.{language}.md"
        text, names = parse(file, read(ROOT / file)).own_words.lower(), term.names(language)
        assert any(name.lower() in text for name in names), f"{file} never says {names[0]}"
    right = {name.lower() for term in terms for name in term.names(language)}
    wrong = "|".join(re.escape(n) for t in terms for n in t.wrong if n.lower() not in right)
    for text in LANGUAGES[language].values():
        plain = re.sub("`[^`]*`|{[^}]*}", "", text)
        assert not re.search(rf"(?i)(?<![a-z])(?:{wrong})(?![a-z])", plain), text


def test_the_book_answers_what_is_asked_most_or_says_that_it_does_not(book):
    questions = read_questions(book)
    assert sorted(q.often for q in questions if q.often) == list(range(1, 41))
    assert sum(bool(q.to) and not q.message for q in questions) >= 100
    assert sum(bool(q.message) for q in questions) >= 40


def test_the_font_of_the_whole_book_is_small_and_made_alike_each_time():
    texts = [read(file) for file in sorted((ROOT / "docs").rglob("*.md"))]
    latex = {part for text in texts for part in text.split("$")[1::2]}
    every = frozenset(c for part in latex for c in part if part.isprintable())
    assert 4_000 < len(font(every)) < 20_000
    assert font(every) == font.__wrapped__(every)


def quotes_a_title(before: str, words: str, after: str) -> bool:
    """Whether a link names its page: by a question, as a whole cell of a table, or in "See ….".

    `before` and `after`: what stands around it in its line.
    """
    cell = before.endswith("| ") and after.startswith(" |")
    alone = re.search(r"(^|[.?!。？！] ?)(See |见)$", before) and after[:1] in ("", ".", "。")
    return words.endswith(("?", "？")) or cell or bool(alone and not words[0].islower())


def shortens(words: str, title: str) -> bool:
    """Whether the words are those of the title; some may be missing, or "it" stand for them."""
    said, of_title = (re.findall(r"[a-z0-9_]+|[\u4e00-\u9fff]", t.lower()) for t in (words, title))
    rest = iter(of_title)
    return all(word in rest for word in said if word not in ("it", "its", "they", "them", "它"))


def other_titles(page: Page, book: Book) -> Iterator[str]:
    """The links of a page that quote a title, and not that of the page or section they lead to."""
    for link in page.links:
        file, anchor = page.target(link)
        if link.kind == "image" or file == page.file or file not in book.page_files:
            continue
        before = page.text[: link.start].rpartition("\n")[2]
        after = page.text[link.end :].partition("\n")[0]
        headings = book.page(file).headings
        titles = [h.text for h in headings[:1] + tuple(h for h in headings if h.anchor == anchor)]
        if not quotes_a_title(before, link.content.strip(), after):
            continue
        if not any(shortens(link.content, title) for title in titles):
            yield f"{page.file}:{link.line}: [{link.content}] leads to {' / '.join(titles)}"


def test_a_link_that_quotes_a_title_leads_there(book):
    assert [link for page in book.pages for link in other_titles(page, book)] == []


def test_the_report_counts_each_page_of_the_navigation_once(book):
    """The table, the lines of the pages and the text below them say the same, in both languages."""
    found = {}
    for language in ("zh", "en"):
        file = f"docs/proved/index.{language}.md"
        lines = table(file, book)
        rows = dict(re.findall(r"(?m)^\| ([^|]+) \| ([\d,]+) \|$", "\n".join(lines)))
        summed, links = Counter(), []
        for line in lines:
            if page := re.match(r" +- \[.*\]\((\S+)\.\w+\.md\)(?:: |：)?(.*)$", line):
                links.append(posixpath.normpath(f"proved/{page[1]}"))
                for label, number in re.findall(r"([^·]+?) (\d+)(?: · |$)", page[2]):
                    summed[label] += int(number)
        assert links == list(book.reading_order)
        of_pages, *others = rows.items()
        assert of_pages[1] == str(len(links))
        assert {label: f"{number:,}" for label, number in summed.items()} == dict(others)
        said = re.findall(r"\d[\d,]*", claims(file, book)[0])
        counted = total(book, language)
        numbers = (counted.sections, counted.attacked, counted.sentences, counted.unread)
        assert {f"{number:,}" for number in numbers} < set(said) and counted.attacked > 400
        assert list(rows.values())[6] == f"{counted.attacked:,}"
        assert "::: report" in read(ROOT / file)
        found[language] = counted
    zh, en = found.values()
    assert (zh.runs, zh.lines, zh.attacked) == (en.runs, en.lines, en.attacked)


def test_few_equations_are_left_open(book):
    judged = [one for page in book.pages for one in book.remember(equation_verdicts, page.file)]
    left = [one for one in judged if one.state == "open"]
    assert len(left) <= 0.09 * len(judged), f"{len(left)} of {len(judged)} are not evaluated"


@pytest.mark.parametrize(
    ("text", "spent"),
    [
        ("一。", 1),
        ("字" * 1200, 3),
        ("word " * 880, 4),
        ("字" * 1200 + " `code`" * 400, 3),
        ("字" * 1200 + "\n\n::: snippets/t/s.py\n" * 4, 5),
    ],
)
def test_the_minutes_of_a_page_are_those_of_its_words_and_scripts(text, spent):
    assert minutes(parse("docs/t/p.zh.md", f"# T {{ #t }}\n\n{text}\n")) == spent


@pytest.mark.parametrize(
    ("file", "where"),
    [
        ("labs/index.zh.md", "共 6 页"),
        ("labs/depth.zh.md", "实验室 · 第 1 页，共 6 页 · 约 {} 分钟"),
        ("labs/depth.en.md", "Labs · 1 of 6 · about {} minutes"),
        ("index.en.md", ""),
        ("glossary/index.en.md", ""),
    ],
)
def test_the_line_below_a_title_says_where_in_the_book_a_page_is(book, file, where):
    spent = minutes(book.page(f"docs/{file}"))
    assert where_in_book(book, f"docs/{file}") == where.format(spent)
