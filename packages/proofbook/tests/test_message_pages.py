"""Each message of a page has a page of its own, and is found by what a reader pastes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from proofbook.content.messages import data, messages_of
from proofbook.directives.registry import expand
from proofbook.html.messages import divide
from proofbook.html.tree import Tree
from proofbook.model.book import read_book
from proofbook.model.problem import Unproved
from proofbook.testing.tiny_book import Book, with_site

ROOT = Path(__file__).resolve().parents[3]
CONTENT = ROOT / "packages/proofbook/src/proofbook/content"
EN = """\
# Messages { #messages }

::: paste-error

## Division { #division }

### `division by zero` { #by-zero }

The divisor was 0. Check it first.

??? example "The run"

    ::: snippets/t/zero.py

### `a & b have 3 elements` { #elements }

See [the lesson](../t/p.en.md). Back to [the first](#by-zero).
"""
ZERO = """\
try:
    print(1 / 0)
except ZeroDivisionError as error:
    print("by zero:", error)
print("after the fix:", 1 / 2)
"""
SCRIPTS = {
    "snippets/t/zero.py": ZERO,
    "snippets/t/zero.out": "by zero: division by zero\nafter the fix: 0.5\n",
    "snippets/t/s.py": 'print("twice:", "a & b have 3 elements, not 2")\n',
    "snippets/t/s.out": "twice: a & b have 3 elements, not 2\n",
}


def with_messages(book: Book) -> Book:
    for file, text in SCRIPTS.items():
        book.write(file, text)
    for language in ("zh", "en"):
        book.change(f"docs/t/p.{language}.md", "    highlight: 3 * w\n", "")
        book.change(f"docs/t/p.{language}.md", "6", "a & b")
        book.write(f"docs/messages/index.{language}.md", EN.replace(".en.", f".{language}."))
    return book


def test_a_message_has_its_group_its_wordings_and_the_script_that_prints_it(book):
    with_messages(book)
    questions = '[[question]]\nmessage = "have 3 elements"\nalso = ["3 of them"]\nto = "t/p"\n'
    book.write("docs/questions/questions.toml", questions)
    first, second = messages_of(read_book(book.root), "docs/messages/index.en.md")
    assert (first.anchor, first.text, first.group) == ("by-zero", "division by zero", "division")
    assert (first.page, first.script) == ("docs/messages/index.en.md", "snippets/t/zero.py")
    assert first.wordings == ("division by zero",)
    assert (second.page, second.script) == ("docs/t/p.en.md", "snippets/t/s.py")
    whole = "a & b have 3 elements, not 2"
    assert second.wordings == ("have 3 elements", "3 of them", whole)


def test_a_page_is_divided_into_an_index_and_a_page_for_each_message(book):
    messages = messages_of(read_book(with_messages(book).root), "docs/messages/index.en.md")
    content = (
        '<h1 id="m">M: all</h1><paste-error></paste-error><h2 id="division">Division</h2>'
        '<h3 id="by-zero"><code>division by zero</code><a class="headerlink" href="#by-zero">#</a>'
        '</h3><p>The divisor was <a class="run" href="#zero-out-1">0</a>. Check it &amp; go.</p>'
        '<details class="example"><summary>The run</summary><p id="zero-out-1">0</p></details>'
        '<h3 id="elements"><code>a &amp; b</code></h3><p>See.</p><nav class="take"></nav>'
    )
    of_lesson = '<div class="highlight"><b id="x">print</b></div>'

    def address(anchor: str) -> str:
        return f"{anchor}/"

    index, pages = divide(content, messages, "en", address, lambda _: of_lesson)
    tree = Tree(index)
    links = [a.attributes["href"] for a in tree.css("h3 > a:first-child")]
    assert links == ["by-zero/", "elements/"]
    assert tree.css_first("#by-zero .headerlink") and not tree.css_first("details")
    assert tree.css_first("a.run").attributes["href"] == "by-zero/#zero-out-1"
    assert len(tree.css("message-filter ~ .message-entry")) == 2
    assert not tree.css_first(".message-entry .take")
    first, second = pages
    assert first.description == "The divisor was 0. Check it & go."
    assert '<h1 id="by-zero"><code>division by zero</code></h1>' in first.content
    assert "<strong>The run</strong>" in first.content and "<details" not in first.content
    assert '<a href="#division">M · Division</a>' in first.content
    assert "<b>print</b>" in second.content and "The run that prints it" in second.content
    kept, _ = divide(content, messages, "en", address, lambda _: "", whole=True)
    assert Tree(kept).css_first(".message-entry details")


def test_a_site_has_a_page_for_each_message(book, build):
    with_messages(book)
    for language in ("zh", "en"):
        book.write(f"docs/index.{language}.md", "# Home { #home }\n\n::: paste-error\n")
    with_site(book, ROOT, "[index.md, {messages: [messages/index.md]}, t/p.md]")
    status, said = build(book.root, "--strict", SITE_URL="https://e.org/b/")
    assert status == 0, said
    site = book.root / "site"
    for edition in ("", "en/"):
        folder = site / edition
        page = Tree((folder / "messages/elements/index.html").read_text("utf-8"))
        assert page.css_first("title").text().startswith("a & b have 3 elements - ")
        assert page.css_first("h1").text() == "a & b have 3 elements"
        address = f"https://e.org/b/{edition}messages/elements/"
        assert page.css_first('link[rel="canonical"]').attributes["href"] == address
        assert f"<loc>{address}</loc>" in (folder / "sitemap.xml").read_text("utf-8")
        assert "a &amp; b have 3 elements, not 2" in page.css_first(".output").html
        for link in page.css("article a[href]"):
            path = link.attributes["href"].partition("#")[0]
            assert (folder / "messages/elements" / path).exists(), link.html
        other = {"": "/b/en/messages/elements/", "en/": "/b/messages/elements/"}[edition]
        assert page.css_first("a.language").attributes["href"] == other
        index = Tree((folder / "messages/index.html").read_text("utf-8"))
        assert not index.css_first("article details.example") and index.css_first("#by-zero")
        home = Tree((folder / "index.html").read_text("utf-8")).css_first("paste-error")
        assert (folder / home.attributes["data-data"]).is_file()
        assert (folder / home.attributes["data-page"]).is_dir()


def test_a_field_without_a_page_of_messages_is_refused(book):
    book.write("docs/t/p.en.md", "# T { #t }\n\n::: paste-error\n")
    read = read_book(book.root)
    with pytest.raises(Unproved, match="no page of messages"):
        expand(read.page("docs/t/p.en.md"), read)


BOOK = ROOT / "docs/messages/index.en.md"
FOUND = [
    ("RuntimeError: mat1 and mat2 must have the same dtype, but got Half and Float", "two-dtypes"),
    ("AttributeError: 'tuple' object has no attribute 'backward'", "float-backward"),
    (
        "Traceback (most recent call last):\n  File 'a.py', line 3\n    loss.backward()\n"
        "RuntimeError: one of the variables needed for gradient computation has been modified by "
        "an inplace operation: [torch.cuda.FloatTensor [64, 128]], which is output 0 of Relu, is "
        "at version 17; expected version 1 instead.",
        "modified",
    ),
    (
        "/usr/lib/torch/loss.py:535: UserWarning: Using a target size (torch.Size([32])) that is "
        "different to the input size (torch.Size([32, 1])).\n  return F.mse_loss(a, b)",
        "target-size",
    ),
    (
        "[rank0]: RuntimeError: Expected to have finished reduction in the prior iteration before "
        "starting a new one.\nTraceback (most recent call last):\n  File 'run.py'\n"
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n====",
        "finished-reduction",
    ),
    ("element 0 of tensors does not require grad", "no-grad-fn"),
    ("AttributeError: 'Foo' object has no attribute 'bar'", None),
    ("KeyError: 'weight'", None),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB", None),
    ("hello", None),
]


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")
def test_what_readers_paste_finds_its_message_or_none(tmp_path):
    read = read_book(ROOT)
    messages = messages_of(read, BOOK.relative_to(ROOT).as_posix())
    told = data(messages, {each.anchor: (each.anchor, "") for each in messages})
    program = (CONTENT / "paste.js").read_text("utf-8")
    program = program.replace("let loading", "w.answer = answer\nlet loading")
    script = (
        f"globalThis.window = globalThis; globalThis.w = {{}}\n{told}\n{program}\n"
        f"const asked = {json.dumps([asked for asked, _ in FOUND])}\n"
        "const said = asked.map(text => w.answer(messagesOfBook, text).message?.to ?? null)\n"
        "console.log(JSON.stringify(said))\n"
    )
    (tmp_path / "paste.js").write_text(script, "utf-8")
    done = subprocess.run(["node", tmp_path / "paste.js"], capture_output=True, text=True)
    assert json.loads(done.stdout or "null") == [found for _, found in FOUND], done.stderr
