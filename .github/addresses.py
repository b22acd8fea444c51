"""Puts the addresses of the site and of its repository where a file has a placeholder.

    python .github/addresses.py https://someone.github.io/gradients/ https://github.com/someone/gradients

The first deployment does it (.github/workflows/book.yml). A second run changes nothing.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = (
    *("README.md", "CITATION.cff", ".github/CODEOWNERS"),
    *("packages/gradtrace/pyproject.toml", "packages/gradtrace/README.md"),
)
UNTIL_THEN = " （第一次发布时填上 · filled in by the first deployment）"


def main(site: str, repository: str, root: Path = ROOT) -> list[str]:
    """Fill in the addresses in the files below `root`; returns those that had a placeholder."""
    if not site.startswith("https://") or not repository.startswith("https://"):
        raise SystemExit(f"two addresses with https:// are expected, found {site} {repository}")
    site, repository = site.rstrip("/") + "/", repository.rstrip("/")
    values = {
        UNTIL_THEN: "",
        "https://book.invalid/": site,
        "https://repository.invalid": repository,
        "@owner": "@" + repository.split("/")[-2],
    }
    changed = []
    for file in FILES:
        text = filled = (root / file).read_text("utf-8")
        for placeholder, value in values.items():
            filled = filled.replace(placeholder, value)
        if filled != text:
            (root / file).write_text(filled, encoding="utf-8", newline="\n")
            changed.append(file)
    return changed


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    print("\n".join(main(*sys.argv[1:])))
