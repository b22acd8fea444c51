"""Compares two builds of the site, page by page: `python benchmarks/compare_sites.py OLD NEW`.

HTML is compared as the tree that a browser makes of it: order of attributes, blanks between tags
and hashed names of files do not count. Every other file is compared by its bytes. Prints each
difference; exits with 1 if any.
"""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

_HASHED = re.compile(r"(\.)[0-9a-f]{8}(\.min\.)")
_KEEP_BLANKS = {"pre", "code", "script", "style", "samp", "span"}


def normalised(text: str) -> list[str]:
    """One line for each tag and each text of a page."""
    rows: list[str] = []

    def walk(node: LexborNode) -> None:
        attributes = " ".join(
            f'{k}="{_HASHED.sub("*", v or "")}"' for k, v in sorted(node.attributes.items())
        )
        rows.append(f"<{node.tag} {attributes}>")
        keep = node.tag in _KEEP_BLANKS
        words: list[str] = []
        for child in node.iter(include_text=True):
            if child.is_text_node:
                words.append(child.text_content)
            else:
                _add(rows, words, keep)
                walk(child)
        _add(rows, words, keep)
        rows.append(f"</{node.tag}>")

    walk(LexborHTMLParser(text).root)
    return rows


def _add(rows: list[str], words: list[str], keep: bool) -> None:
    text = "".join(words)
    words.clear()
    if text and (keep or text.strip()):
        rows.append(text if keep else " ".join(text.split()))


def main(old: Path, new: Path, most: int = 6) -> int:
    """Print what differs; gives the number of files that do."""
    files = {p.relative_to(root).as_posix() for root in (old, new) for p in root.rglob("*.*")}
    differ = 0
    for name in sorted(file for file in files if not (old / file).is_dir()):
        one, other = old / name, new / name
        if not one.is_file() or not other.is_file():
            print(f"{name}: only in {old if one.is_file() else new}")
            differ += 1
        elif one.read_bytes() != other.read_bytes():
            if one.suffix != ".html":
                print(f"{name}: other bytes")
                differ += 1
                continue
            rows = [normalised(file.read_text("utf-8")) for file in (one, other)]
            if rows[0] != rows[1]:
                differ += 1
                print(f"{name}:")
                changes = list(difflib.unified_diff(*rows, n=0, lineterm=""))[2:]
                print("\n".join(f"    {row[:220]}" for row in changes[:most]))
    print(f"{len(files)} files, {differ} differ")
    return differ


if __name__ == "__main__":
    sys.exit(bool(main(Path(sys.argv[1]), Path(sys.argv[2]))))
