"""The page on choosing a hook: an event of its timeline leads to the section of its kind."""

from __future__ import annotations

from proofbook.testing.browser import needs_browser

pytestmark = needs_browser

SHOWN = "reader-choice > section:not(.unchosen) > h3"


def shown(page) -> str:
    assert page.locator(SHOWN).count() == 1
    return page.locator(SHOWN).get_attribute("id")


def test_a_chosen_hook_shows_its_section_by_click_keyboard_and_address(site, page):
    page.goto(site + "en/module-hooks/which-hook/")
    assert shown(page) == "forward-pre-hook"
    page.locator(".timeline a", has_text="full backward hook").click()
    assert shown(page) == "full-backward-hook" and page.url.endswith("#full-backward-hook")
    page.keyboard.press("ArrowLeft")
    assert shown(page) == "post-accumulate-grad-hook"
    page.goto(site + "module-hooks/which-hook/#node-hooks")
    page.wait_for_function(f"document.querySelector('{SHOWN}').id == 'node-hooks'")
    current = page.locator(".timeline a[aria-current]")
    assert current.get_attribute("href").endswith("#node-hooks")
