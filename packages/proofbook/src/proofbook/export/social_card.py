"""The social card of a page: the picture that a chat or a network shows beside a link to it.

It shows the title of the page. It is drawn at build time with a font of this machine, without the
network, and kept by everything that it depends on, so that only a new title costs time.
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

from proofbook.export import line_breaking
from proofbook.export.line_breaking import balanced_lines, pieces
from proofbook.model.config import FILE, BookConfig, CardColors
from proofbook.model.problem import Problem, Unproved

SIZE = (1200, 630)
NAME = "card.png"
"""What the card is called, in the folder of its page."""

SHADES = 16
"""How many shades the palette has between the background and each color of text."""
LEFT, RIGHT, TOP, BOTTOM = 88, 1112, 96, 500
"""The frame of the title, in pixels."""
_SIZES = (76, 70, 64, 58, 52, 46)
_LEADING = 1.36


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
FONT_MISSING = (
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
    """What a card says. `title` has its code in backticks; `label` stands over it, small; the name
    of the `book` and its `motto` stand at the foot. `language`: the code of the title's language.
    """

    title: str
    label: str
    book: str
    motto: str
    language: str


class TitleTooLong(ValueError):
    """A title for which a card has no room."""


class CardRenderer:
    """Draws cards with one font, and keeps them in the folder `cache`; what it kept is used again.

    `background`: a picture of the size of a card to draw on, or None for one color.
    """

    def __init__(
        self, font: Font, cache: Path, colors: CardColors | None = None, background: bytes = b""
    ):
        self._font, self._cache = font, cache
        self._colors, self._background = colors or CardColors(), background
        self._used: set[str] = set()
        self._widths: dict[tuple[str, str, int], float] = {}
        self._design = hashlib.sha256(
            b"".join(Path(file).read_bytes() for file in (__file__, line_breaking.__file__))
            + background
            + repr((self._colors, font, font.bold.stat().st_size)).encode()
        ).digest()

    def png(self, card: Card) -> bytes:
        """The card as a PNG file, drawn now or before; raises `TitleTooLong`."""
        name = hashlib.sha256(self._design + repr(card).encode()).hexdigest()[:32] + ".png"
        file = self._cache / name
        self._used.add(name)
        with contextlib.suppress(FileNotFoundError):
            return file.read_bytes()
        made = io.BytesIO()
        # Z_RLE: on so flat a picture less than half the time, and 3 kB more.
        self.draw(card).save(made, "PNG", compress_type=zlib.Z_RLE)
        self._cache.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(f".{os.getpid()}")
        beside.write_bytes(made.getvalue())
        beside.replace(file)  # two builds may do this at once
        return made.getvalue()

    def forget_unused(self) -> None:
        """Delete the cards that nobody asked for since this renderer was made."""
        for file in self._cache.glob("*.png"):
            if file.name not in self._used:
                file.unlink(missing_ok=True)

    def draw(self, card: Card) -> Image.Image:
        """The card, with a palette of ramps from the background to each color of text."""
        image, colors = self._ground.copy(), self._colors
        self._write(image, (LEFT, TOP - 34), card.label, "small", 30, colors.code)
        size, lines = self.lines(card)
        height = round(size * _LEADING)
        top = TOP + 30 + max(0, (BOTTOM - TOP - 60 - height * len(lines)) // 2)
        for number, line in enumerate(lines):
            left = LEFT
            for kind, text in line:
                color = colors.code if kind == "code" else colors.title
                self._write(image, (left, top + height * number), text, kind, size, color)
                left += self._width(kind, text, size)
        self._write(image, (LEFT + 72, 540), card.book, "text", 30, colors.title)
        right = RIGHT - self._width("small", card.motto, 24)
        self._write(image, (right, 545), card.motto, "small", 24, colors.motto)
        return image

    def lines(self, card: Card) -> tuple[int, list[list[tuple[str, str]]]]:
        """The size of the title and its lines: as large as fits, each line about as long.

        Raises `TitleTooLong` where no size fits.
        """
        room = BOTTOM - TOP - 40
        parts = pieces(card.title, card.language)
        widths = [sum(self._width(*run, _SIZES[0]) for run in piece.runs) for piece in parts]
        for size in _SIZES:
            most = min(3 if size > 58 else 4, int(room / (size * _LEADING)))
            lines = balanced_lines(parts, widths, (RIGHT - LEFT) * _SIZES[0] / size)
            if lines and len(lines) <= most:
                return size, lines
        raise TitleTooLong(card.title)

    def _width(self, kind: str, text: str, size: int) -> float:
        key = kind, text, size
        if key not in self._widths:
            self._widths[key] = self._font.face(kind, size).getlength(text)
        return self._widths[key]

    def _write(self, image, at, text: str, kind: str, size: int, color: str) -> None:
        """Put text into a picture with a palette: the ink on a pixel says which shade it is."""
        ink = Image.new("L", (round(self._width(kind, text, size)) + 8, size * 2))
        ImageDraw.Draw(ink).text((0, 0), text, 255, self._font.face(kind, size))
        first = self._ramps.index(color) * SHADES
        shade = ink.point([first + value * SHADES // 256 for value in range(256)])
        image.paste(shade, (round(at[0]), round(at[1])), ink.point([0] * 16 + [255] * 240))

    @cached_property
    def _ramps(self) -> list[str]:
        """The colors of text, each once."""
        return list(dict.fromkeys((self._colors.title, self._colors.code, self._colors.motto)))

    @cached_property
    def _ground(self) -> Image.Image:
        """The background; its palette begins with the ramps, then come its own colors."""
        ramps: list[int] = []
        start = _rgb(self._colors.background)
        for color in self._ramps:
            for step in range(SHADES):
                share = step / (SHADES - 1)
                pairs = zip(start, _rgb(color), strict=True)
                ramps += [round(a + (b - a) * share) for a, b in pairs]
        first = len(ramps) // 3
        if not self._background:
            image = Image.new("P", SIZE, 0)
            image.putpalette(ramps)
            return image
        picture = Image.open(io.BytesIO(self._background)).convert("RGB")
        if picture.size != SIZE:
            picture = picture.resize(SIZE, Image.Resampling.LANCZOS)
        picture = picture.quantize(256 - first, dither=Image.Dither.NONE)
        own = picture.getpalette()[: 3 * (256 - first)]
        image = picture.point([min(value + first, 255) for value in range(256)])
        image.putpalette(ramps + own)
        return image


def is_too_long(title: str, language: str, renderer: CardRenderer) -> bool:
    """Whether a card has no room for a title."""
    try:
        renderer.lines(Card(title, "", "", "", language))
    except TitleTooLong:
        return True
    return False


def card_renderer(root: Path, config: BookConfig) -> CardRenderer | None:
    """The renderer for a book, as its settings want it; None where this machine has no font.

    Raises `Unproved` where the background that they name is not there.
    """
    if not (font := find_font()):
        return None
    file = root / config.card_background
    if config.card_background and not file.is_file():
        what, mend = "the background of the cards is not there", "correct card_background"
        found = config.card_background
        raise Unproved([Problem(FILE, 1, what, "a picture", found, mend)])
    background = file.read_bytes() if config.card_background else b""
    return CardRenderer(font, root / ".cache/cards", config.card_colors, background)


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(color.removeprefix("#")))
