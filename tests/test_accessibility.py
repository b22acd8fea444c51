"""Nobody is kept out: the keyboard alone, the language that a reader prefers. axe: test_every_page.

Needs Chromium or Chrome.
"""

from __future__ import annotations

import pytest
from proofbook.testing.browser import needs_browser

pytestmark = needs_browser

REACHED = """() => {
  const at = document.activeElement
  const shown = at.matches(".md-option") ? at.nextElementSibling : at
  const { outlineStyle, outlineWidth } = getComputedStyle(shown)
  const box = shown.getBoundingClientRect()
  return {
    what: [...at.classList].find(name => name != "focus-visible") || at.localName,
    visible: outlineStyle != "none" && parseFloat(outlineWidth) >= 1 && box.width > 5 &&
      box.height > 5 && box.bottom > 0 && box.top < innerHeight,
  }
}"""


def test_the_keyboard_reaches_everything_and_shows_where_it_is(site, page):
    page.emulate_media(reduced_motion="reduce")
    page.goto(site + "en/accumulate/two-losses/")
    page.wait_for_selector(".player")
    reached, hidden = [], []
    for _ in range(150):
        page.keyboard.press("Tab")
        at = page.evaluate(REACHED)
        if at["what"] == "body":
            break
        reached.append(at["what"])
        hidden += [] if at["visible"] else [at["what"]]
    assert reached[0] == "md-skip"
    expected = {"md-header__button", "md-option", "language", "md-search__input", "md-nav__link"}
    expected |= {"md-code__button", "graph", "button", "input", "summary", "run", "api", "term"}
    assert expected - set(reached) == set()
    assert (
        reached.count("md-code__button") == page.locator(".highlight:not(.output):visible").count()
    )
    assert reached[-1] == "md-footer__link" and hidden == []


def test_the_skip_link_the_theme_and_a_folded_box_work_by_keyboard(site, page):
    page.goto(site + "accumulate/two-losses/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.url.endswith("#two-losses")
    scheme = "document.body.dataset.mdColorScheme"
    assert page.evaluate(scheme) == "default"
    page.locator(".md-option").first.focus()
    for then in ("slate", "default"):
        page.keyboard.press("Enter")
        assert page.evaluate(scheme) == then
    box = page.locator("article details").first
    was = box.evaluate("box => box.open")
    box.locator("summary").focus()
    page.keyboard.press("Enter")
    assert box.evaluate("box => box.open") is not was


def test_the_search_opens_and_closes_by_keyboard(site, page):
    page.goto(site + "en/")
    page.keyboard.press("/")
    assert page.locator(".md-search__input").evaluate("e => e == document.activeElement")
    page.keyboard.type("hook")
    page.wait_for_selector(".md-search-result__item")
    page.keyboard.press("ArrowDown")
    assert "md-search-result__link" in page.evaluate("document.activeElement.className")
    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('#__search').checked")


@pytest.fixture
def reader(page):
    """The page, in a browser that asks for these languages, in this order."""
    session = page.context.new_cdp_session(page)
    agent = page.evaluate("navigator.userAgent")

    def reader(*languages: str):
        asked = {"userAgent": agent, "acceptLanguage": ",".join(languages)}
        session.send("Emulation.setUserAgentOverride", asked)
        assert page.evaluate("navigator.languages") == [*languages]
        return page

    yield reader
    session.detach()


@pytest.fixture
def without_storage(browser):
    """A page of a browser that lets nothing be stored, and asks for English."""
    context = browser.new_context(locale="en-US")
    refuse = "{ get: () => { throw new DOMException('no', 'SecurityError') } }"
    context.add_init_script(f"Object.defineProperty(window, 'localStorage', {refuse})")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(
    ("languages", "path", "offered"),
    [
        (["en-US", "zh-CN"], "basics/leaf/", "en"),
        (["zh-TW", "en"], "en/basics/leaf/", "zh"),
        (["zh-CN", "en"], "basics/leaf/", None),
        (["fr", "de"], "basics/leaf/", None),
    ],
)
def test_the_other_language_is_offered_to_those_who_prefer_it(
    site, reader, languages, path, offered
):
    page = reader(*languages)
    page.goto(site + path)
    page.wait_for_timeout(200)
    assert page.url == site + path
    offer = page.locator("aside.offer")
    assert offer.count() == (offered is not None)
    if offered is None:
        return
    assert offer.get_attribute("lang") == offered
    assert offer.get_attribute("aria-label") == {"zh": "语言", "en": "Language"}[offered]
    assert all(part.bounding_box()["height"] >= 24 for part in offer.locator("a, button").all())
    below = page.locator("h1").bounding_box()["y"]
    assert offer.bounding_box()["y"] + offer.bounding_box()["height"] < below, "it covers no text"
    offer.locator("a").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(site + {"zh": "basics/leaf/", "en": "en/basics/leaf/"}[offered])
    page.go_back()
    page.wait_for_timeout(200)
    assert page.locator("aside.offer").count() == 0, "it is not offered again"


def refuse_the_offer(page, site) -> None:
    """Refuse what is offered, and read on: nothing is offered, nor fetched from the other side."""
    requests = []
    page.goto(site + "basics/leaf/", wait_until="networkidle")
    page.on("request", lambda request: requests.append(request.url))
    page.locator("aside.offer button").click()
    assert page.locator("aside.offer").count() == 0
    page.locator(".md-footer__link--next").click()
    page.wait_for_url(site + "basics/lost-leaf/")
    page.wait_for_selector(f".language[href='{site}en/basics/lost-leaf/']")
    assert page.locator("aside.offer").count() == 0
    assert requests and not [url for url in requests if "/en/" in url]
    page.reload(wait_until="networkidle")


def test_an_offer_that_is_refused_does_not_come_back(site, reader):
    page = reader("en-US")
    refuse_the_offer(page, site)
    assert page.locator("aside.offer").count() == 0


def test_an_offer_that_cannot_be_remembered_comes_back_with_the_next_document(
    site, without_storage
):
    refuse_the_offer(without_storage, site)
    assert without_storage.locator("aside.offer").count() == 1


def test_the_switch_keeps_the_place_and_settles_the_offer(site, reader):
    page = reader("en-US")
    page.goto(site + "basics/leaf/")
    page.locator(".md-footer__link--next").click()
    page.wait_for_url(site + "basics/lost-leaf/")
    page.wait_for_selector(f"aside.offer a[href='{site}en/basics/lost-leaf/']")
    page.goto(site + "basics/lost-leaf/#why")
    page.locator(".language").click()
    page.wait_for_url(site + "en/basics/lost-leaf/#why")
    page.goto(site + "basics/")
    page.wait_for_timeout(200)
    assert page.locator("aside.offer").count() == 0
