"""General sentences: each is a claim that a test tries to refute, or speaks of its example.

What one script shows is said of that script. A sentence that says more stands in `claims.toml`,
with how far it holds (`proofbook.content.claims`).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from proofbook.api.index import Index
from proofbook.api.names_in_code import NOT_PYTHON, names_in_code
from proofbook.check.api_names import installed_api
from proofbook.content.claims import FILE, claims_of
from proofbook.content.page_summary import situation
from proofbook.languages.general_sentences import CODE, OTHER, is_general, speaks_of_example
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.sentences import Sentence, sentences

_VALUE = re.compile(r"[\[(]*[-−]?\d[\d.e+\-−,\[\]() ]*")
_DECIMAL = re.compile(r"\d+\.\d|(?<![\w.])\d{2,}(?![\w.])")
_NAME = re.compile(r"\\?[A-Za-z_]\w*")
_ROLES = frozenset(
    (
        *("model", "module", "net", "network", "layer", "loss", "optimizer", "optim", "scheduler"),
        *("scaler", "hook", "handle", "x", "y", "input", "inputs", "output", "outputs", "out"),
        *("grad", "grad_input", "grad_output", "param", "parameter", "params", "p", "name", "i"),
        *("step", "result", "total"),
    )
)
"""Names that scripts give to what any program has: a sentence with one may speak of all of them."""


def general_sentences(book: Book, file: str) -> tuple[tuple[Sentence, bool], ...]:
    """The general sentences of a page, each with whether it says that it speaks of its example."""
    page = book.page(file)
    index, own = installed_api(book), book.fact(_variables, file)
    found = []
    start, end = situation(page)
    for sentence in sentences(page):
        if start <= sentence.start and sentence.end <= end:
            continue  # it tells of a reader, not of PyTorch
        words = _words(page, sentence, index, own)
        if is_general(words, page.language):
            found.append((sentence, _of_example(page, sentence, words, own)))
    return tuple(found)


def unclaimed_sentences(book: Book, file: str) -> tuple[Sentence, ...]:
    """The general sentences of a page that are no claim, and don't speak of an example."""
    language = book.page(file).language
    known = {text for claim in claims_of(book, file) for text in claim.said.get(language, ())}
    return tuple(
        sentence
        for sentence, of_example in book.fact(general_sentences, file)
        if not of_example and sentence.text not in known
    )


def wrong_sentences(page: Page, book: Book) -> Iterator[Problem]:
    """General sentences that nobody tried to refute; none in a book without tests of claims."""
    if not book.files(book.config.claims, ".py"):
        return
    for sentence in unclaimed_sentences(book, page.file):
        yield page.problem(
            sentence.line,
            "this is said in general, and no test tried to refute it",
            'words that name its example ("here", 「这里」), or a claim with its test',
            sentence.text,
            f"say how far it holds, or enter it beside the page in {FILE}: "
            f"proofbook claims {page.file}",
        )


def entry(page: Page, sentence: Sentence, codes: tuple[str, ...]) -> str:
    """A sentence as an entry of `claims.toml`, with what is still to be said left open."""
    name = page.name.rpartition("/")[2]
    said = {code: sentence.text if code == page.language else "" for code in codes}
    rows = [f"{code} = {json.dumps(text, ensure_ascii=False)}" for code, text in said.items()]
    return "\n".join([f"[[{name}]]  # line {sentence.line}", *rows, 'scope = ""', 'test = ""'])


def _words(page: Page, sentence: Sentence, index: Index | None, own: frozenset[str]) -> str:
    """The words of a sentence, with marks for its code."""
    text = list(page.own_words[sentence.start : sentence.end])
    for span in (*page.own_code, *page.maths):
        if sentence.start <= span.start < sentence.end:
            of_library = span.kind == "code" and _of_library(span.one_line, index, own)
            text[span.start - sentence.start] = CODE if of_library else OTHER
    return re.sub(r"[ \n]+", " ", "".join(text)).strip(" *_")


def _of_library(code: str, index: Index | None, own: frozenset[str]) -> bool:
    """Whether code names a function, a class or an attribute of the library."""
    for name in names_in_code(code) if index else ():
        last = name.parts[-1]
        if name.dotted:
            return bool(index.resolve(name.dotted))
        looks_like_one = name.call or len(name.parts) > 1 or "_" in last or last[:1].isupper()
        if looks_like_one and last in index.owned and name.parts[0] not in own:
            return True
    return False


def _of_example(page: Page, sentence: Sentence, words: str, own: frozenset[str]) -> bool:
    """Whether a sentence says that it speaks of the example of its page.

    It does with words; with a value, which a run shows; with a name that a script of the page has
    made up; and where it ends in a colon, right above the script.
    """
    if speaks_of_example(words, page.language) or _DECIMAL.search(words):
        return True
    if sentence.text.endswith((":", "：")) and _script_follows(page, sentence):
        return True
    for span in (*page.own_code, *page.maths):
        if sentence.start <= span.start < sentence.end:
            name = _NAME.match(span.content.strip())
            if _VALUE.fullmatch(span.content.strip()) or (name and name[0] in own):
                return True
            if span.kind == "maths" and re.search(r"=\s*[-−]?\d", span.content):
                return True
    return False


def _script_follows(page: Page, sentence: Sentence) -> bool:
    line = page.line_of(sentence.end) + 1
    while line <= len(page.lines) and not page.line(line).strip():
        line += 1
    return line <= len(page.lines) and page.line(line).lstrip().startswith((":::", "```"))


def _variables(book: Book, file: str) -> frozenset[str]:
    """The names that the scripts of a page make up, without those that any program has."""
    names = set()
    for reference in book.page(file).references:
        try:
            tree = ast.parse(book.text_or_empty(reference.path))
        except NOT_PYTHON:
            continue  # a run reports it
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
    return frozenset(names - _ROLES)
