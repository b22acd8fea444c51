"""The picture of a page that a chat or a network shows beside a link to it: its title, drawn.

Drawn at build time from a font of this machine, without the network; kept in `.cache/cards/` by
everything that it depends on, so that only a new title costs time.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from proofbook.export.line_breaking import balanced, pieces

SIZE = (1200, 630)
NAME = "card.png"
"""What the picture is called, in the folder of its page."""

_BLUE, _FAINT, _LINE = "#1d3a4f", "#24465e", "#335a75"
_AMBER, _WHITE, _GREY = "#f2b705", "#ffffff", "#b4c3ce"
_SHADES = 16
_LEFT, _RIGHT, _TOP, _BOTTOM = 88, 1112, 96, 500
_SIZES = (76, 70, 64, 58, 52, 46)
_LEADING = 1.36
_MOTTO = {"zh": "每个输出都真的跑过", "en": "Every output is from a real run"}


@dataclass(frozen=True)
class Font:
    """A font that has Chinese: its files, and which of their faces are text, code, small text."""

    bold: Path
    text: int
    code: int
    plain: Path
    small: int

    @lru_cache(maxsize=32)  # noqa: B019  there is one font
    def face(self, kind: str, size: int) -> ImageFont.FreeTypeFont:
        """`kind`: "text", "code" or "small"."""
        file = self.plain if kind == "small" else self.bold
        return ImageFont.truetype(str(file), size, index=getattr(self, kind))


# Noto Sans CJK holds ten faces in a file; the third is that of Simplified Chinese, the eighth its
# monospaced sister. What is named here is what the systems bring, or their packages install.
_KNOWN = (
    ("NotoSansCJK-Bold.ttc", 2, 7, "NotoSansCJK-Regular.ttc", 2),
    ("SourceHanSansSC-Bold.otf", 0, 0, "SourceHanSansSC-Regular.otf", 0),
    ("NotoSansSC-Bold.ttf", 0, 0, "NotoSansSC-Regular.ttf", 0),
    ("NotoSansCJKsc-Bold.otf", 0, 0, "NotoSansCJKsc-Regular.otf", 0),
    ("Hiragino Sans GB.ttc", 2, 2, "Hiragino Sans GB.ttc", 0),
    ("msyhbd.ttc", 0, 0, "msyh.ttc", 0),
)
MISSING = (
    "no pictures for links are drawn: no Chinese font was found. Install Noto Sans CJK "
    "(Debian, Ubuntu: apt-get install fonts-noto-cjk)"
)


def find_font(folders: Sequence[Path] | None = None) -> Font | None:
    """A font of this machine that has Chinese, or None."""
    folders = _folders() if folders is None else folders
    found = {file.name: file for folder in folders for file in sorted(folder.rglob("*.[ot]t[cf]"))}
    for bold, text, code, plain, small in _KNOWN:
        if bold in found and plain in found:
            return Font(found[bold], text, code, found[plain], small)
    return None


def _folders() -> list[Path]:
    home = Path.home()
    if sys.platform == "win32":
        return [Path(os.environ.get("WINDIR", r"C:\Windows"), "Fonts")]
    if sys.platform == "darwin":
        return [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    return [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".local/share/fonts"]


@dataclass(frozen=True)
class Card:
    """What a picture says. `title` has its code in backticks; `above` stands over it, small."""

    title: str
    above: str
    book: str
    language: str


class NoRoom(ValueError):
    """A title that is too long for its picture."""


class Drawer:
    """Draws cards with one font, and keeps them in `folder`; what it kept is used again."""

    def __init__(self, font: Font, folder: Path):
        self._font, self._folder = font, folder
        self._used: set[str] = set()
        self._design = hashlib.sha256(
            b"".join(Path(file).read_bytes() for file in (__file__, balanced.__code__.co_filename))
            + repr((font, font.bold.stat().st_size)).encode()
        ).digest()

    def png(self, card: Card) -> bytes:
        """The picture, drawn now or before."""
        name = hashlib.sha256(self._design + repr(card).encode()).hexdigest()[:32] + ".png"
        file = self._folder / name
        self._used.add(name)
        with contextlib.suppress(FileNotFoundError):
            return file.read_bytes()
        made = io.BytesIO()
        # Z_FILTERED: a third faster on so flat a picture, and no larger.
        self.draw(card).save(made, "PNG", compress_level=6, compress_type=zlib.Z_FILTERED)
        self._folder.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(f".{os.getpid()}")
        beside.write_bytes(made.getvalue())
        beside.replace(file)  # two builds may do this at once
        return made.getvalue()

    def forget_unused(self) -> None:
        """Remove what nobody asked for since this was made."""
        for file in self._folder.glob("*.png"):
            if file.name not in self._used:
                file.unlink(missing_ok=True)

    def draw(self, card: Card) -> Image.Image:
        """The picture, in a palette of four ramps that begin at the blue of the book."""
        image = self._ground.copy()
        self._write(image, (_LEFT, _TOP - 34), card.above, "small", 30, _AMBER)
        size, lines = self.lines(card)
        height = round(size * _LEADING)
        top = _TOP + 30 + max(0, (_BOTTOM - _TOP - 60 - height * len(lines)) // 2)
        for number, line in enumerate(lines):
            left = _LEFT
            for kind, text in line:
                color = _AMBER if kind == "code" else _WHITE
                self._write(image, (left, top + height * number), text, kind, size, color)
                left += self._wide(kind, text, size)
        self._write(image, (_LEFT + 72, 540), card.book, "text", 30, _WHITE)
        motto = _MOTTO[card.language]
        right = _RIGHT - self._wide("small", motto, 24)
        self._write(image, (right, 545), motto, "small", 24, _GREY)
        return image

    def lines(self, card: Card) -> tuple[int, list[list[tuple[str, str]]]]:
        """The size of the title and its lines: as large as fits, each line about as long."""
        room = _BOTTOM - _TOP - 40
        parts = pieces(card.title, card.language)
        widths = [sum(self._wide(*run, _SIZES[0]) for run in piece.runs) for piece in parts]
        for size in _SIZES:
            most = min(3 if size > 58 else 4, int(room / (size * _LEADING)))
            lines = balanced(parts, widths, (_RIGHT - _LEFT) * _SIZES[0] / size)
            if lines and len(lines) <= most:
                return size, lines
        raise NoRoom(card.title)

    def _wide(self, kind: str, text: str, size: int) -> float:
        return self._font.face(kind, size).getlength(text)

    def _write(self, image, at, text: str, kind: str, size: int, color: str) -> None:
        """Put text into a picture with a palette: the ink on a pixel says which shade it is."""
        ink = Image.new("L", (round(self._wide(kind, text, size)) + 8, size * 2))
        ImageDraw.Draw(ink).text((0, 0), text, 255, self._font.face(kind, size))
        first = _RAMPS.index(color) * _SHADES
        shade = ink.point([first + value * _SHADES // 256 for value in range(256)])
        image.paste(shade, (round(at[0]), round(at[1])), ink.point([0] * 16 + [255] * 240))

    @cached_property
    def _ground(self) -> Image.Image:
        """What all cards have: a large faint graph, a line, the small graph of the book."""
        scale = 3
        large = Image.new("RGB", (SIZE[0] * scale, SIZE[1] * scale), _BLUE)
        pen = ImageDraw.Draw(large)
        _graph(pen, 905 * scale, 52 * scale, 20 * scale, _FAINT, _FAINT)
        pen.line([(_LEFT * scale, 512 * scale), (_RIGHT * scale, 512 * scale)], _LINE, 2 * scale)
        _graph(pen, (_LEFT - 4) * scale, 534 * scale, 2.4 * scale, _WHITE, _AMBER)
        small = large.resize(SIZE, Image.Resampling.LANCZOS)
        palette = Image.new("P", (1, 1))
        palette.putpalette(_palette())
        return small.quantize(palette=palette, dither=Image.Dither.NONE)


_RAMPS = (_WHITE, _AMBER, _GREY, _LINE)


def _palette() -> list[int]:
    """Ramps from the blue of the book to each color of the text."""
    told: list[int] = []
    start = _rgb(_BLUE)
    for color in _RAMPS:
        for step in range(_SHADES):
            share = step / (_SHADES - 1)
            told += [round(a + (b - a) * share) for a, b in zip(start, _rgb(color), strict=True)]
    return told + list(_rgb(_FAINT))


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(color.removeprefix("#")))


def _graph(pen, left: float, top: float, unit: float, line: str, leaf: str) -> None:
    """The logo: one node above two leaves. `unit`: a 24th of its size."""

    def disk(x: float, y: float, radius: float, color: str) -> None:
        x, y, radius = left + x * unit, top + y * unit, radius * unit
        pen.ellipse([x - radius, y - radius, x + radius, y + radius], color)

    for x, end in ((10.3, 6.6), (13.7, 17.4)):
        ends = [(left + x * unit, top + 9.2 * unit), (left + end * unit, top + 15.5 * unit)]
        pen.line(ends, line, round(1.8 * unit))
    disk(5, 18.5, 3, leaf)
    disk(19, 18.5, 3, leaf)
    disk(12, 5, 3.5, line)
