"""What a reader's browser shows: both languages, formulas, links to lines. Search: test_search;
each page on a phone and in both schemes: test_every_page.

Needs Chromium or Chrome.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from addresses import ADDRESSES
from proofbook.html.tree import Tree
from proofbook.testing.browser import POLICY, needs_browser, serve
from proofbook.testing.fixtures import sample

pytestmark = needs_browser


def follow_next(page, address: str, other: str) -> None:
    """Go to the next page, `address`, by instant navigation; `other` is that page's other edition.

    The address changes before the page does: the switch shows when all of it has changed.
    """
    page.locator(".md-footer__link--next").click()
    page.wait_for_url(address)
    page.wait_for_selector(f".md-header .language[href='{other}']")


def switch_language(page, language: str) -> None:
    page.locator(f".md-header .language[hreflang={language}]").click()
    page.wait_for_function(f"document.documentElement.lang == '{language}'")
    page.wait_for_load_state("networkidle")


def test_the_language_switch_stays_on_the_page_after_instant_navigation_too(site, page):
    page.goto(site)
    switch_language(page, "en")
    assert page.url == f"{site}en/"
    switch_language(page, "zh")
    assert page.url == site
    page.goto(site + "basics/first-gradient/")
    page.evaluate("window.sameDocument = true")
    follow_next(page, site + "basics/leaf/", site + "en/basics/leaf/")
    assert page.evaluate("window.sameDocument"), "the page was loaded anew: no instant navigation"
    switch_language(page, "en")
    assert page.url == site + "en/basics/leaf/"
    follow_next(page, site + "en/basics/lost-leaf/", site + "basics/lost-leaf/")
    switch_language(page, "zh")
    assert page.url == site + "basics/lost-leaf/"
    assert page.complaints == []


@pytest.mark.parametrize("language", ["", "en/"])
def test_a_host_may_forbid_all_but_files_of_the_site(site_folder, published, page, language):
    with serve(site_folder, urlsplit(published).path, published, POLICY) as site:
        page.goto(f"{site}{language}")
        page.locator("trace-vary input").first.press("ArrowRight")
        page.locator(".player button").nth(3).click()
        page.locator(".md-search__input").fill("backward")
        assert page.locator(".md-search-result__item").first.inner_text()
        page.goto(f"{site}{language}accumulate/loss-not-branch/")
        page.wait_for_url("**/two-losses/#loss-not-branch")
        page.locator(".md-header [data-md-component=palette] label:visible").click()
        assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
        assert page.complaints == []


def test_formulas_are_mathml_that_the_browser_lays_out(site, page):
    page.goto(site + "accumulate/two-losses/")
    formula = page.locator("div.formula math").first
    assert formula.locator("mfrac").count() == 2
    assert formula.bounding_box()["height"] > 30
    assert "arithmatex" not in page.content()


@pytest.mark.parametrize(
    ("path", "language", "title"),
    [("no/such/page/", "zh", "没有这一页"), ("en/no/such/page/", "en", "There is no such page")],
)
def test_a_missing_page_is_told_in_its_language(site, page, path, language, title):
    page.goto(site + path)
    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("h1").inner_text() == title
    assert [c for c in page.complaints if "404" not in c] == []
    page.locator("article a").first.click()
    page.wait_for_load_state("networkidle")
    assert page.url == site + ("en/" if language == "en" else "")


@pytest.mark.parametrize("edition", ["", "en/"])
def test_the_home_page_leads_a_newcomer_in_order(site, page, edition):
    page.goto(site + edition)
    page.wait_for_selector(".player")
    parts = ["h1", "h1 + p", ".levels", ".traced", ".asked", ".find", ".check-message"]
    order = page.evaluate(
        """parts => [...document.querySelectorAll(parts)]
            .map(part => (part.className || part.tagName).split(" ")[0])""",
        ", ".join(f"article > {part}" for part in parts),
    )
    assert order == ["H1", "P", "levels", "traced", "asked", "find", "check-message"]
    assert "tensor(-4.)" in page.locator(".output").inner_text()
    assert "tensor(-5.)" in page.locator(".check-message").inner_text()
    assert (page.locator(".asked a").count(), page.locator(".levels strong a").count()) == (3, 3)
    links = page.locator(":is(.asked, .levels) a").all()
    for address in {link.evaluate("link => link.href") for link in links}:
        assert page.request.get(address).ok and address.startswith(site + edition)
    assert page.complaints == []


@pytest.mark.parametrize("width", [390, 1280])
def test_the_field_of_the_home_page_searches_the_book(site, page, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(site + "en/")
    page.fill(".find input", "frozen parameter still moves")
    page.press(".find input", "Enter")
    found = page.locator(".md-search-result__link").first
    found.wait_for()
    assert found.get_attribute("href").startswith(site + "en/freezing/still-moves/")
    assert page.complaints == []


@pytest.mark.parametrize(("width", "part"), [(1280, "trace-vary"), (390, ".levels li:last-child")])
@pytest.mark.parametrize("edition", ["", "en/"])
def test_three_doors_are_seen_at_once(site, page, edition, width, part):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(site + edition)
    seen = page.locator(part).bounding_box()
    assert seen["y"] + seen["height"] < 800, "on a laptop the doors and the top of the figure"
    assert page.locator(".levels").bounding_box()["y"] < seen["y"] + 1


def test_the_home_page_opens_with_a_number_to_change(site, page):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(site)
    slider = page.locator("trace-vary input[type=range]")
    box = slider.bounding_box()
    assert box["y"] + box["height"] < 800, "seen without scrolling"
    follower = page.locator(".follows")
    assert follower.inner_text() == "-4"
    for _ in range(2):
        slider.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.follows').innerText == '0'")
    assert page.complaints == []


@pytest.mark.parametrize("address", ["accumulate/two-losses/", "labs/flow/"])
def test_the_way_back_to_the_top_covers_no_numbers_to_change(site, page, address):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(site + address)
    page.wait_for_selector("trace-vary input")
    seen = "() => getComputedStyle(document.querySelector('.md-top')).visibility == '{}'"
    for place, visibility in (("trace-vary", "hidden"), (".md-footer", "visible")):
        page.evaluate("place => document.querySelector(place).scrollIntoView()", place)
        page.mouse.move(195, 600)
        page.mouse.wheel(0, -40)
        page.wait_for_function(seen.format(visibility))
    assert page.complaints == []


def test_a_term_and_a_proof_are_shown_where_they_are_mentioned(site, page):
    page.goto(site + "en/basics/leaf/")
    box, value, term = page.locator("#says"), page.locator("a.run").nth(2), page.locator("a.term")
    value.hover()
    box.wait_for()
    name = value.get_attribute("href").partition("#")[2]
    line = page.locator(f"[id='{name}']").text_content()
    assert box.inner_text().startswith(line.strip()) and "Proved by line" in box.inner_text()
    page.keyboard.press("Escape")
    assert not box.is_visible() and value.get_attribute("title").startswith("Proved by")
    page.keyboard.press("Tab")
    term.first.evaluate("link => link.focus({ focusVisible: true })")
    box.wait_for()
    assert box.inner_text() == term.first.get_attribute("data-says")
    assert page.complaints == []


def test_a_reader_s_own_version_unfolds_what_it_prints(site, page):
    page.goto(site + "en/basics/leaf/")
    fold, choice = page.locator("details.then").first, page.locator("torch-version")
    assert fold.get_attribute("open") is None and choice.locator("[role=status]").inner_text() == ""
    choice.locator("select").select_option("2.6.0")
    assert fold.get_attribute("open") is not None
    page.reload()
    assert fold.get_attribute("open") is not None, "it is remembered"
    assert "(1)" in choice.locator("[role=status]").inner_text()
    assert page.complaints == []


IN_SIGHT = """[document.querySelector(":target").getBoundingClientRect()].every(
    ({ top, bottom }) => 80 < top && bottom < innerHeight)"""


def target(page) -> dict:
    """The line that is lit: its words, how far from the top it stands, and its color.

    After a page was loaded its theme may put in its contents once more: for that moment none is.
    """
    return page.wait_for_function(
        """() => {
          const line = document.querySelector(":target")
          if (!line) return
          const { top, bottom } = line.getBoundingClientRect(), style = getComputedStyle(line)
          const color = style.backgroundColor, bar = style.boxShadow
          return { words: line.textContent, top, bottom, color, bar, moves: style.animationName }
        }"""
    ).json_value()


@pytest.mark.parametrize(("language", "by"), [("", "mouse"), ("en/", "keyboard")])
def test_a_value_leads_to_the_line_that_proves_it_and_lights_it(site, page, language, by):
    page.goto(site + language + "accumulate/two-losses/")
    mark = page.locator("a.run").first
    assert mark.inner_text() == "48"
    assert ("two_losses.py 第 1 行输出" if not language else "line 1 of what two_losses.py") in (
        mark.get_attribute("title")
    )
    with page.expect_response(page.url):  # instant navigation fetches the page once more
        if by == "mouse":
            mark.click()
        else:
            mark.focus()
            page.keyboard.press("Enter")
    for _ in range(2):  # the line is lit, and stays lit when what was fetched is put in
        page.wait_for_function(f"() => document.querySelector(':target') && {IN_SIGHT}")
        page.wait_for_timeout(700)
        lit = target(page)
        assert lit["words"] == "after loss2, w.grad: tensor(48.)\n"
        assert 80 < lit["top"] < lit["bottom"] < 900
        assert lit["color"] != "rgba(0, 0, 0, 0)" and lit["bar"] != "none"
        assert lit["moves"] == "reached"
    assert page.complaints == []


def test_a_number_within_a_formula_leads_to_its_own_line(site, page):
    page.goto(site + "accumulate/two-losses/")
    number = page.locator("a.run [data-to]").first
    line = number.get_attribute("data-to")
    number.click()
    page.wait_for_url(f"**{line}")
    assert target(page)["color"] != "rgba(0, 0, 0, 0)"
    assert line != number.evaluate("number => number.closest('a').getAttribute('href')")


def test_a_line_on_another_page_and_one_in_a_closed_box_are_reached_too(site, page):
    page.goto(site + "en/then-and-now/")
    page.locator('a.run[href*="old-hook"]').first.click()
    page.wait_for_url("**/then-and-now/old-hook/#old_whole-out-7")
    assert target(page)["words"] == "  in grad_input: tensor([22., 26., 30.])\n"
    page.goto(site + "accumulate/two-losses/#stand_still-out-1")
    page.wait_for_function(f"() => document.querySelector('details[open]') && {IN_SIGHT}")
    lit = target(page)
    assert page.locator("details[open]").count() == 1 and 80 < lit["top"] < 900


DOCS = Path(__file__).resolve().parents[1] / "docs"


def source_of(address: str) -> Path:
    """The Markdown of a page by its address."""
    language, place = ("en", address[3:]) if address.startswith("en/") else ("zh", address)
    own = DOCS / f"{place.rstrip('/')}.{language}.md"
    return own if own.is_file() else DOCS / place / f"index.{language}.md"


EXERCISES = {
    address: found
    for address in ADDRESSES
    if (found := len(re.findall(r"(?m)^\?\?\? question", source_of(address).read_text("utf-8"))))
}
"""How many exercises each page has that has any."""
LOOK = """() => [...document.querySelectorAll(".admonition.question")].map(box => {
    const shown = node => node.checkVisibility()
    const [, ...answer] = box.querySelector("details").children
    const asked = [...box.children].slice(0, -1)
    const before = [asked.map(shown), answer.map(shown)]
    box.querySelector("summary").click()
    return [...before, answer.map(shown)]
})"""


def test_the_site_has_each_exercise_with_its_question_in_the_open(site_folder):
    assert sum(EXERCISES.values()) > 300
    for address, number in EXERCISES.items():
        tree = Tree((site_folder / address / "index.html").read_text("utf-8"))
        boxes = tree.css("article .admonition.question")
        assert len(boxes) == number and not tree.css("details.question"), address
        for box in boxes:
            parts = [node for node in box.iter() if not node.css_matches("reader-guess, .task")]
            tags = [node.tag for node in parts]
            assert tags in (["p", "p", "details"], ["p", "details"])
            assert not box.css("p.admonition-title ~ p .highlight"), address
            assert len(list(box.css_first("details").iter())) > 1, address


def test_one_click_opens_the_answer_of_an_exercise(site, page):
    for address in sample(EXERCISES, 60):
        page.goto(site + address)
        found = page.evaluate(LOOK)
        assert len(found) == EXERCISES[address]
        for asked, before, after in found:
            assert all(asked) and not any(before) and after and all(after), address


def test_an_answer_opens_by_the_keyboard_and_without_scripts(site, browser):
    context = browser.new_context(java_script_enabled=False)
    reader = context.new_page()
    reader.goto(site + "en/accumulate/two-losses/")
    box = reader.locator(".admonition.question").first
    assert box.locator("summary").inner_text() == "Code, output and answer"
    assert not box.locator("reader-guess").is_visible()
    assert box.locator("> p:not(.task)").count() == 2
    assert not box.locator(".highlight").first.is_visible()
    box.locator("summary").focus()
    reader.keyboard.press("Enter")
    box.locator(".highlight").first.wait_for()
    context.close()


def test_on_paper_each_answer_is_open(site, page):
    page.goto(site + "en/accumulate/zero-grad/")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    answers = page.locator("details.answer .highlight")
    assert answers.count() > 2 and all(answer.is_visible() for answer in answers.all())


@pytest.mark.parametrize(
    ("edition", "answers"),
    [
        ("", ["不对", "这是损失只算一份时的斜率。", "对，运行打印的就是 -36。"]),
        (
            "en/",
            ["No.", "That is the slope when the loss counts once.", "Yes, the run prints -36."],
        ),
    ],
)
def test_a_guess_is_answered_and_a_right_one_opens_the_answer(site, page, edition, answers):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site}{edition}gradient/chain-rule/")
    box = page.locator(".admonition.question")
    status = box.get_by_role("status")
    for typed, said in zip(("5", "-12", "−36.0"), answers, strict=True):
        assert not box.locator(".highlight").first.is_visible()
        box.get_by_role("textbox").fill(typed)
        page.keyboard.press("Enter")
        assert status.inner_text().startswith(said)
    assert box.locator(".highlight").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.complaints == []


def test_a_lesson_keeps_its_output_back_until_a_reader_asks(site, page):
    page.goto(site + "en/gradient/record/")
    figure = page.locator("figure.trace").first
    assert not figure.is_visible()
    page.get_by_role("button", name="Show the output").click()
    assert figure.is_visible() and page.locator(".player").first.is_visible()


def test_the_course_shows_what_was_read_after_instant_navigation_too(site, page):
    page.goto(site + "en/gradient/slope/")
    assert page.get_by_role("progressbar").get_attribute("value") == "0"
    page.locator(".md-footer__link--next").scroll_into_view_if_needed()
    page.wait_for_function("localStorage.lessonsRead.includes('gradient/slope')")
    follow_next(page, site + "en/gradient/several/", site + "gradient/several/")
    assert page.get_by_role("progressbar").get_attribute("value") == "1"
    page.goto(site + "gradient/")
    read = page.locator("li:has(> .read) > a").evaluate_all("links => links.map(link => link.href)")
    assert read == [site + "gradient/slope/"]
    page.get_by_role("link", name="接着读第 1 课").click()
    page.wait_for_url(site + "gradient/start/")
    assert page.complaints == []


def test_nothing_of_the_report_is_cut_off(site, page):
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(site + "en/proved/")
    page.wait_for_selector(".md-typeset__table")
    page.evaluate("document.querySelectorAll('article details').forEach(box => box.open = true)")
    cut = page.evaluate(
        """() => [...document.querySelectorAll("article :is(table, li, td, th, p)")]
            .map(e => [e.textContent.slice(0, 60), e.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.left < 0 || box.right > innerWidth))
            .map(([text]) => text)"""
    )
    assert cut == []
    boxes = page.locator(".md-typeset__scrollwrap")
    over = boxes.evaluate_all("all => all.map(box => box.scrollWidth - box.clientWidth)")
    assert len(over) == 2 and max(over) <= 0
    for row in page.locator(".report table").first.locator("td").all():
        assert row.bounding_box()["x"] + row.bounding_box()["width"] <= 390


def test_marks_change_neither_the_color_of_words_nor_the_lines_of_code(site, page):
    page.emulate_media(reduced_motion="reduce")
    page.goto(site + "updates/adam/#adam_first_step-out-1")
    assert target(page)["moves"] == "none"
    # Where a line of code has an id of its own, Material may lay out each word as a line.
    assert page.locator(".md-code__content").count() == 0
    code = page.locator("pre > code").first
    lines = code.evaluate("code => code.textContent.trimEnd().split('\\n').length")
    assert 15 < code.bounding_box()["height"] / lines < 30
    color = "a => [getComputedStyle(a).color, getComputedStyle(a.parentElement).color]"
    for mark in page.locator("p > a.run").all():
        assert len(set(mark.evaluate(color))) == 1
    page.emulate_media(media="print")
    line = "a => getComputedStyle(a).textDecorationLine"
    assert {mark.evaluate(line) for mark in page.locator("a.run").all()} == {"none"}


@pytest.mark.parametrize(
    ("path", "width"), [("accumulate/second-time/", 390), ("en/tensor-hooks/in-place/", 1280)]
)
def test_no_title_of_the_navigation_is_cut(site, page, path, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(site + path)
    if width == 390:
        page.locator(".md-header label[for=__drawer]").click()
    cut = page.evaluate(
        """() => [...document.querySelectorAll(
            ".md-sidebar--primary :is(.md-ellipsis, .md-nav__title), .md-footer .md-ellipsis"
        )].filter(title => title.checkVisibility() && title.clientWidth).filter(title =>
            title.scrollWidth > title.clientWidth + 1 ||
            title.scrollHeight > title.clientHeight && getComputedStyle(title).overflow != "visible"
        ).map(title => title.innerText)"""
    )
    assert cut == []
    shown = page.locator(".md-footer__title .md-ellipsis")
    assert shown.count() == 2 and all(title.is_visible() for title in shown.all())


def test_no_gap_is_between_code_and_punctuation_and_a_page_shows_its_part(site, page):
    page.goto(site + "en/accumulate/two-losses/")
    ends = page.locator("article p code.ends")
    padding = "code => parseFloat(getComputedStyle(code).paddingInlineEnd)"
    assert ends.count() > 2 and all(code.evaluate(padding) < 1 for code in ends.all())
    assert page.locator("h1 + .where").inner_text().count(" of ") == 1
    size = "p => parseFloat(getComputedStyle(p).fontSize)"
    assert page.locator(".where + p").evaluate(size) > page.locator(".take").evaluate(size) + 3


def test_on_a_phone_tables_scroll_and_lit_lines_of_code_wrap(site, page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(site + "en/freezing/five-ways/")
    page.wait_for_selector(".md-typeset__scrollwrap")
    page.add_style_tag(content="td { white-space: nowrap }")
    widths = "box => [box.scrollWidth, box.clientWidth, getComputedStyle(box).overflowX]"
    whole, seen, overflow = page.locator(".md-typeset__scrollwrap").first.evaluate(widths)
    assert whole > seen == 390 and overflow == "auto"
    page.goto(site + "labs/noise/")
    page.evaluate("document.querySelectorAll('details.code').forEach(code => code.open = true)")
    lines = page.locator(".highlight:not(.output) .hll")
    sizes = [
        line.evaluate("e => [e.scrollWidth - e.clientWidth, e.clientHeight]")
        for line in lines.all()
    ]
    assert max(height for _, height in sizes) > 40 and max(over for over, _ in sizes) <= 0


def test_english_is_set_in_latin_fonts(site, page):
    page.goto(site + "en/basics/leaf/")
    family = "e => getComputedStyle(e).fontFamily"
    for part in ("h1", "h1 ~ p"):
        fonts = page.locator(f"article {part}").first.evaluate(family)
        assert not any(name in fonts for name in ("CJK", "PingFang", "Songti", "YaHei", "Hiragino"))
    page.goto(site + "basics/leaf/")
    assert "PingFang" in page.locator("article p").first.evaluate(family)


def test_hints_cost_stars_and_the_browser_keeps_what_was_won(site, page):
    page.goto(site + "en/labs/detective-1/")
    row, clues = page.locator(".case-stars").first, page.locator("details.clue > summary")
    counted = []
    for clue in (0, 2, 3):
        counted.append(row.locator("span").inner_text())
        clues.nth(clue).click()
    counted.append(row.locator("span").inner_text())
    assert counted == ["★★★ worth 3 now"] * 2 + ["★★☆ worth 2 now", "★☆☆ worth 1 now"]
    row.locator("button").click()
    clues.nth(4).click()
    clues.nth(9).click()
    page.reload()
    assert row.inner_text() == "★☆☆ 1 won" and not row.locator("button").is_visible()
    assert page.locator(".case-stars").nth(1).inner_text() == "☆☆☆ 0 won"
    assert page.locator(".stars").inner_text() == "★ 1 of 30 stars"
    switch_language(page, "zh")
    assert row.inner_text() == "★☆☆ 得了 1 颗星"
    assert page.locator(".stars").inner_text() == "★ 30 颗星里得了 1 颗"
    assert page.complaints == []
