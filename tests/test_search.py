"""The search of the built site finds what readers type, in a real browser."""

from __future__ import annotations

import html
import json
import re
import tomllib
from pathlib import Path

import jieba
import pytest
from proofbook.content.glossary import Term, Terms, read_terms
from proofbook.content.page_summary import answer
from proofbook.content.questions import Question, read_questions
from proofbook.content.search import (
    FIELD,
    REST,
    address,
    asked_of,
    elsewhere,
    names_of,
    own_words,
    with_asked,
    with_excerpts,
)
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.testing.browser import needs_browser

ROOT = Path(__file__).resolve().parents[1]

UNSEEN = tomllib.loads((ROOT / "tests/queries_unseen.toml").read_text("utf-8"))
EDITIONS = {"zh": "", "en": "en/"}
QUESTIONS = [q for q in read_questions(read_book(ROOT)) if q.to]
ELSEWHERE = {q.see.partition("#")[0] for q in read_questions(read_book(ROOT)) if q.see}
"""The addresses of answers that the book doesn't have."""
RIGHT, RIGHT_UNSEEN = 0.95, 0.9
"""The share of queries whose page must be among the first three results: of the book's own
questions, and of those that somebody wrote down who had not seen the search."""
EVERY = 8
"""Of the book's questions so many less are asked in a run that is not exhaustive."""

ASK = """async queries => {
    const worker = new Worker(JSON.parse(document.getElementById("__config").textContent).search)
    const found = {}
    for (const query of queries) {
        const answered = new Promise(done => {
            worker.onmessage = ({ data: { type, data } }) => type === 3 && done(data)
        })
        worker.postMessage({ type: 2, data: query })
        const { items } = await answered
        found[query] = items.slice(0, 3).map(([best]) => best.location.split("#")[0])
    }
    worker.terminate()
    return found
}"""
"""Asks the worker of a page as the field of the search does; the addresses of three results."""


def search(page, query: str) -> list[str]:
    """The addresses of the results, best first, as a reader who types `query` sees them."""
    field = page.locator(".md-search__input")
    field.fill("")
    page.wait_for_function("!document.querySelector('.md-search-result__item')")
    field.fill(query)
    page.wait_for_selector(".md-search-result__item")
    links = page.locator(".md-search-result__item > a")
    return [
        a.split("?")[0].split("#")[0] for a in links.evaluate_all("all => all.map(a => a.href)")
    ]


def check_queries(site, page, language: str, wanted: dict[str, list[str]], share: float) -> None:
    """Have `share` of the queries find one of their pages."""
    page.goto(site + EDITIONS[language])
    found = page.evaluate(ASK, list(wanted))
    failed = [
        f"{query!r}: wanted {' or '.join(pages)}, found {', '.join(found[query])}"
        for query, pages in wanted.items()
        if not set(pages) & set(found[query])
    ]
    assert len(failed) <= (1 - share) * len(wanted), "\n".join(failed)
    assert page.complaints == []


@needs_browser
@pytest.mark.parametrize("language", EDITIONS)
@pytest.mark.parametrize(
    "questions",
    [QUESTIONS[::EVERY], pytest.param(QUESTIONS, marks=pytest.mark.exhaustive)],
    ids=["some", "all"],
)
def test_a_question_of_the_book_leads_to_its_page(site, page, language, questions):
    wanted: dict[str, list[str]] = {}
    for question in questions:
        asked = question.message or question.text(language)
        wanted.setdefault(asked, []).append(address(question.page))
    check_queries(site, page, language, wanted, RIGHT)


@needs_browser
@pytest.mark.parametrize("language", EDITIONS)
def test_the_right_page_is_among_the_first_three_for_queries_it_was_never_tuned_to(
    site, page, language
):
    check_queries(site, page, language, UNSEEN[language], RIGHT_UNSEEN)


ABSENT = {
    "zh": {"张量并行": "tensor.parallel", "DataLoader": "data.html", "学习率 预热": "optim.html"},
    "en": {
        "tensor parallelism": "tensor.parallel",
        "DataLoader num_workers": "data.html",
        "warmup scheduler": "optim.html",
    },
}
"""What readers look for and the book doesn't have, and a part of the address that has it."""


@needs_browser
@pytest.mark.parametrize("language", EDITIONS)
def test_what_the_book_does_not_have_is_said_first_and_where_it_is(site, page, language):
    page.goto(site + EDITIONS[language])
    page.locator(".md-search__input").click()
    for query, wanted in ABSENT[language].items():
        first = search(page, query)[0]
        assert first in ELSEWHERE and wanted in first, query
        said = page.locator(".md-search-result__item").first.inner_text()
        assert {"zh": "这本书里没有", "en": "Not in this book"}[language] in said, query
    for query in ("retain_graph", "zero_grad"):  # what it does have comes first
        assert search(page, query)[0] not in ELSEWHERE
    page.locator(".md-search__input").fill("kubernetes")
    said = {"zh": "这本书里没有", "en": "Not in this book"}[language]
    page.wait_for_function(
        "said => document.querySelector('.md-search-result__meta').innerText.startsWith(said)",
        arg=said,
    )
    assert page.complaints == []


RECORD = """said => {
    window.shown = []
    const list = document.querySelector(".md-search-result")
    const note = () => list.innerText.match(said) && window.shown.push(list.innerText)
    const all = { childList: true, subtree: true, characterData: true }
    new MutationObserver(note).observe(list, all)
    note()
}"""
"""Notes each text of the results, also one that is gone at once, that matches an expression."""
NOISE = {
    "zh": "这本书里没有。|缺少|^找到|^\\d+ 个",
    "en": r"Not in this book\. Try|Missing|matching document",
}
MESSAGE = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"


def put(page, text: str) -> None:
    """Change the text of the field as a menu, a touch or a voice does: no key is pressed."""
    page.evaluate("text => document.execCommand('insertText', false, text)", text)


def type_keys(page, text: str) -> None:
    page.keyboard.type(text, delay=20)


def compose(page, text: str) -> None:
    """Type as an editor for Chinese does: letters that become another text at the end."""
    keyboard = page.context.new_cdp_session(page)
    for end in range(1, 6):
        place = {"text": "ti'du"[:end], "selectionStart": end, "selectionEnd": end}
        keyboard.send("Input.imeSetComposition", place)
    keyboard.send("Input.insertText", {"text": text})


@needs_browser
@pytest.mark.parametrize(("language", "enter"), [("en", put), ("en", type_keys), ("zh", compose)])
def test_what_is_entered_in_any_way_is_found_and_nothing_else_is_said(site, page, language, enter):
    field, results = page.locator(".md-search__input"), page.locator(".md-search-result__item")
    index = "**/search_index.json"
    page.route(index, lambda route: (page.wait_for_timeout(300), route.continue_()))
    page.goto(site + EDITIONS[language])
    page.evaluate(RECORD, NOISE[language])
    field.focus()
    for text in (MESSAGE, "retain_graph"):  # before the index is there, and after
        enter(page, text)
        results.first.wait_for()
        page.wait_for_timeout(1500)
        assert results.count() > 1 and page.evaluate("shown") == []
        assert page.locator(".md-search-result__meta").is_hidden()
        page.locator(".md-search__form [type=reset]").click()
        results.first.wait_for(state="detached")
    put(page, "  (")  # no word: nothing is asked
    page.wait_for_timeout(1500)
    page.unroute(index)
    assert page.evaluate("shown") == [] and page.complaints == []


ALIKE = {
    "zh": [
        ("register_post_accumulate_grad_hook", "registerpostaccumulategradhook"),
        ("zero_grad", "zerograd"),
        ("retain_graph", "retain graph"),
        ("叶子张量", "叶子节点"),  # another name of a term
        ("反向传播 两次", "请问 反传 两次 怎么回事"),
        ("zero_grad", "zero_gr"),  # half a word
        ("梯度裁剪", "嗯嗯梯度裁剪"),  # a word that no page has, before one that pages have
    ],
    "en": [
        ("register_multi_grad_hook", "registermultigradhook"),
        ("GradScaler", "grad scaler"),
        ("retain_grad", "retaingrad"),
        ("micro-batch", "microbatch"),
        ("leaf tensor", "leaf node"),  # another name of a term
        ("zero_grad", "why do I need to call zero_grad"),
        (
            "element 0 of tensors does not require grad and does not have a grad_fn",
            "Traceback (most recent call last):\n"
            '  File "/home/me/hooks/freezing/nan.py", line 12, in <module>\n'
            "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
        ),
        (
            "is at version 2; expected version 1 instead",
            "is at version 17; expected version 5 instead",
        ),
    ],
}
"""What readers type for the same, once and then in other ways."""


@needs_browser
@pytest.mark.parametrize("language", EDITIONS)
def test_a_page_is_found_however_its_subject_is_typed(site, page, language):
    page.goto(site + EDITIONS[language])
    found = page.evaluate(ASK, [typed for pair in ALIKE[language] for typed in pair])
    for typed, other in ALIKE[language]:
        assert found[typed][0] in found[other], other
    assert page.complaints == []


@pytest.mark.parametrize("language", EDITIONS)
def test_the_index_is_small_and_each_question_is_in_it(site, language):
    from urllib.request import urlopen

    raw = urlopen(f"{site}{EDITIONS[language]}search/search_index.json").read()
    pages = len(list((ROOT / "docs").rglob(f"*.{language}.md")))
    assert len(raw) < 8_000 * pages  # it grows with the book, not with what it keeps of a page
    told = {entry["location"]: entry.get(FIELD, "") for entry in json.loads(raw)["docs"]}
    for question in QUESTIONS:
        assert told[address(question.page)]
        if question.page == "messages/index":
            assert told[f"messages/{question.anchor}/"]
        elif question.anchor:
            assert told[f"{address(question.page)}#{question.anchor}"]
    assert {"questions/#absent", "glossary/#graph"} <= set(told)


@pytest.mark.parametrize("language", EDITIONS)
def test_what_results_show_of_a_page_is_its_answer(site, language):
    from urllib.request import urlopen

    raw = urlopen(f"{site}{EDITIONS[language]}search/search_index.json").read()
    entries = {entry["location"]: entry for entry in json.loads(raw)["docs"]}
    assert "<pre>" not in raw.decode()
    for page in read_book(ROOT).pages:
        if page.language == language and (said := answer(page)):
            shown = entries[address(page.name)]["text"].replace("\u200b", "")
            seen = re.sub("<.*?>", "", html.unescape(shown))
            assert said[:6].replace("`", "") in seen.replace("`", ""), page.file
    where = entries["accumulate/two-losses/"]
    assert "48 + 12 = 60" in where["text"] and "retain_graph" in where[REST].split()


@needs_browser
@pytest.mark.parametrize("edition", EDITIONS.values())
def test_a_result_shows_the_answer_and_marks_what_was_found_once(site, page, edition):
    page.goto(site + edition)
    page.locator(".md-search__input").click()
    search(page, "zero_grad")
    results = page.locator(".md-search-result__item > a")
    assert results.count() > 10
    assert all(len(result.inner_text().split("\n", 1)[1].strip()) > 20 for result in results.all())
    assert page.locator(".md-search-result pre").count() == 0
    marks = page.locator(".md-search-result mark")
    assert {text.lower() for text in marks.all_inner_texts()} >= {"zero_grad"}
    assert page.locator(".md-search-result mark mark").count() == 0
    assert page.complaints == []


def test_a_place_is_found_by_questions_terms_and_threads():
    term = Term("leaf", "graph", "t/p", {}, "叶子张量", "leaf tensor", wrong=("叶子节点",))
    also = ("fp16", "半精度")
    ask = Question(1, "怎样改？", "How do I edit `w`?", also=also, part="t", to="t/p#three-times")
    paste = Question(2, message="a leaf Variable", part="messages", to="t/p")
    absent = Question(3, "没有", "none", see="https://example.org")
    page = parse(
        "docs/t/p.en.md",
        "# T { #t }\n\n[Why?](https://example.org/1) [here](q.en.md) "
        "[`sum`](https://docs.pytorch.org/docs/stable/)\n",
    )
    told = asked_of([page], Terms((term,)), [ask, paste, absent], "en")
    assert told == {
        "t/p/": ["Why?", "leaf tensor", "How do I edit `w`?", "fp16", "a leaf Variable"],
        "t/p/#three-times": ["How do I edit `w`?", "fp16"],
    }
    assert asked_of([], Terms((term,)), [], "zh") == {
        "t/p/": ["叶子张量", "leaf tensor", "叶子节点"]
    }


def test_what_is_answered_elsewhere_is_an_entry_that_says_so_once_for_each_page():
    asked = [
        Question(1, "怎样改 `w`？", "How do I edit `w`?", part="t", to="t/p"),
        Question(2, "复数", "`complex` & more", also=("Wirtinger",), see="https://e.org/a#c"),
        Question(3, "稀疏", "sparse", see="https://e.org/a"),
    ]
    assert elsewhere(asked, "en", list) == [
        {
            "location": "https://e.org/a",
            "title": "Not in this book: complex &amp; more; sparse",
            "text": "<p>Answered elsewhere: e.org/a</p>",
            FIELD: "复 数 ¶ complex &amp; more ¶ Wirtinger ¶ 稀 疏 ¶ sparse",
        }
    ]
    assert elsewhere(asked, "zh", list)[0]["title"] == "这本书里没有：复数；稀疏"
    assert elsewhere(asked[:1], "en", list) == []


def test_a_term_is_known_by_its_name_first_and_by_what_else_is_typed_for_it():
    term = Term(
        "leaf", "graph", "t/p", {}, "叶子张量", "leaf tensor", wrong=("叶节点", "Leaf node")
    )
    assert names_of(Terms((term,)), "zh") == [["叶子张量", "leaf tensor", "叶节点", "leaf node"]]
    assert names_of(Terms((term,)), "en") == [["leaf tensor", "leaf node"]]


def test_what_readers_type_stays_apart_and_is_no_markup():
    told = with_asked([{"location": "a/"}], {"a/": ["`x` < 2", "two  words", "two  words"]}, list)
    assert told[0][FIELD] == "x &lt; 2 ¶ two words"


ITEMS = "".join(f"<li><p>item {number}</p></li>" for number in range(30))
CODE = "snippets/t/p.py<pre><code>w = 0.5\nw.grad &lt; w\n</code></pre>"
ANSWER = "<p>It\u200b is <code>w</code>, six &lt; 7.</p>"


@pytest.mark.parametrize(
    ("text", "answers", "shown", "rest"),
    [
        # No list is cut.
        (
            f"<p>first</p><ul>{ITEMS}</ul><p>last item</p><pre>code</pre>",
            {},
            f"<p>first</p><ul>{ITEMS}</ul>",
            "last code",
        ),
        ("<p>first</p><p>last</p>", {}, "<p>first</p><p>last</p>", None),
        # Scripts are found, and not shown.
        (f"<p>Why.</p> {CODE}", {}, "<p>Why.</p>", "snippets t p py w 0.5 grad"),
        ("cells", {}, "", "cells"),
        # The paragraph with the answer.
        (f"<p>Q.</p>{ANSWER}<p>So.</p>", {"t/p/": "It is w, six < 7."}, ANSWER, "Q So"),
        (f"<p>Q.</p>{ANSWER}<p>So.</p>", {"t/p/": "Elsewhere."}, "<p>Q.</p>", None),
    ],
)
def test_a_result_shows_an_excerpt_and_all_of_the_text_is_found(text, answers, shown, rest):
    place = "t/p/" if answers or text == "cells" else "t/p/#s"
    (entry,) = with_excerpts([{"location": place, "text": text}], answers)
    assert entry["text"] == shown
    if rest is not None:
        assert entry[REST] == rest


def test_the_words_that_jieba_is_told_are_those_it_would_break():
    broken = {"雅可比": ["雅", "可比"], "叶子张量": ["叶子", "张量"]}
    terms = [Term(zh, "m", "t/p", {}, zh, zh) for zh in broken]
    assert own_words(Terms(tuple(terms)), broken.__getitem__) == ["雅可比"]
    plain = jieba.Tokenizer()
    assert own_words(read_terms(read_book(ROOT)), plain.cut)


@needs_browser
def test_the_program_and_the_index_are_fetched_when_the_search_is_used(site, page):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}basics/leaf/", wait_until="networkidle")
    page.wait_for_timeout(500)
    assert [url.count("/workers/search.") for url in asked if "/search" in url] == [1]
    page.locator(".md-search__input").click()
    assert search(page, "叶子张量")
    assert len([url for url in asked if "/search" in url]) == 3


def test_no_glossary_and_no_questions_leave_everything_as_it_is(book):
    assert read_questions(read_book(book.root)) == ()
    assert asked_of([], read_terms(read_book(book.root)), (), "zh") == {}
