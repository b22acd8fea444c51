"""The moving pictures of the READMEs: the doctor and the page of a small transformer, and a figure
of the book that is touched.

    python benchmarks/pictures.py SITE

SITE is the folder of the built book. Needs Chromium or Chrome.
"""

from __future__ import annotations

import html
import subprocess
import sys
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from proofbook.export.pdf import browser_path
from proofbook.testing.browser import serve

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "packages/gradtrace/tests/scripts/small_gpt.py"
SIZE = {"width": 1080, "height": 760}
TERMINAL = """<body style="margin:0;background:#10181f;color:#e2e8ec"><pre style="margin:24px;
font:16px/1.45 ui-monospace,'DejaVu Sans Mono',monospace">{}</pre>"""

ABOVE_THE_OUTPUT = """() => scrollTo({ behavior: "instant", top: scrollY - 100 +
    document.querySelector(".traced .output").getBoundingClientRect().top })"""


class Film:
    """Frames, each with the milliseconds that it is shown."""

    def __init__(self, page: Page) -> None:
        self._page, self._frames, self._times = page, [], []

    def shoot(self, milliseconds: int) -> None:
        """Add what the page shows now."""
        self._page.wait_for_timeout(250)
        self._frames.append(Image.open(BytesIO(self._page.screenshot())).convert("RGB"))
        self._times.append(milliseconds)

    def save(self, file: Path) -> None:
        """Write an animated WebP that begins again at its end."""
        first, *rest = self._frames
        options = {"duration": self._times, "loop": 0, "quality": 60, "method": 6}
        first.save(file, save_all=True, append_images=rest, **options)
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1000:.0f} kB")


def faulty(folder: Path) -> Path:
    """The transformer, with a fault: its second block gets a copy without a graph."""
    script = folder / "train.py"
    text = SCRIPT.read_text("utf-8").replace("x = block(x)", "x = block(x.detach())")
    script.write_text(text, "utf-8")
    return script


def gradtrace(folder: Path, *arguments: str) -> str:
    """What the command prints to stdout."""
    command = [sys.executable, "-m", "gradtrace", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8").stdout


def tour(page: Page, film: Film) -> None:
    """The doctor's report, the page with its findings, a line, some steps."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = faulty(folder).name
        report = gradtrace(folder, "doctor", "--language", "en", script)
        report = "\n".join(report.splitlines()[:26])
        page.set_content(TERMINAL.format(html.escape(f"$ gradtrace doctor train.py\n{report}")))
        film.shoot(4500)
        gradtrace(folder, "--language", "en", "--passes", "1", script)
        page.goto((folder / "train.html").as_uri())
        page.wait_for_selector(".player")
        film.shoot(2500)
        page.locator(".doctor [data-line]").first.click()
        film.shoot(2500)
        page.locator(".player button").nth(4).click()
        for _ in range(8):
            page.keyboard.press("ArrowLeft")
            film.shoot(700)


def touch(page: Page, film: Film) -> None:
    """The first figure of the book, stepped through, with its ball dragged."""
    page.wait_for_selector(".player")
    figure = page.locator(".traced").first
    page.evaluate(ABOVE_THE_OUTPUT)
    film.shoot(1500)
    slider = page.locator("trace-vary input[type=range]").first
    for key in ["ArrowRight"] * 6 + ["ArrowLeft"] * 10:
        slider.press(key)
        film.shoot(350)
    for _ in range(6):
        figure.locator(".player button").nth(3).click()
        film.shoot(700)


def main() -> None:
    site = Path(sys.argv[1])
    made: list[tuple[Callable[[Page, Film], None], str, str]] = [
        (tour, "packages/gradtrace/tour.webp", ""),
        (touch, ".github/touch.webp", "en/"),
    ]
    with sync_playwright() as playwright, serve(site) as address:
        browser = playwright.chromium.launch(
            executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"]
        )
        for play, file, start in made:
            page = browser.new_page(viewport=SIZE)
            if start:
                page.goto(address + start)
            film = Film(page)
            play(page, film)
            film.save(ROOT / file)
        browser.close()


if __name__ == "__main__":
    main()
