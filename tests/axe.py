"""axe-core, which finds what keeps people out of a page. A page gets it by `page.evaluate(AXE)`."""

from __future__ import annotations

from pathlib import Path

AXE = (Path(__file__).parent / "axe-core/axe.min.js").read_text("utf-8")
