"""The pictures that are shown beside links to the pages, and how their titles are broken."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import pytest
from PIL import Image
from proofbook.export.line_breaking import CLOSING, OPENING, balanced_lines, pieces
from proofbook.export.social_card import (
    LEFT,
    RIGHT,
    Card,
    CardRenderer,
    TitleTooLong,
    card_renderer,
    find_font,
)
from proofbook.model.book import read_book
from proofbook.model.config import BookConfig, CardColors

ROOT = Path(__file__).resolve().parents[3]
FONT = find_font()
needs_font = pytest.mark.skipif(FONT is None, reason="no Chinese font on this machine")
TITLES = [
    ("中间张量的梯度怎样看：`retain_grad` 还是钩子？", "zh"),
    ("为什么 `backward` 两次，梯度变成 60？", "zh"),
    ("「叶子张量」是什么（以及什么不是）？", "zh"),
    ("`nn.BatchNorm1d`，`momentum=0.1`：均值、方差", "zh"),
    ("Why is the gradient 60 (and not 12) after `backward` ran twice?", "en"),
    ("Hook first, in-place edit later: which tensor does the hook belong to?", "en"),
    ("What does “`register_full_backward_hook`” get?", "en"),
]


def broken(text: str, language: str, room: int) -> list[str]:
    """The lines of a title where each Latin character is one wide, each Chinese one two."""
    parts = pieces(text, language)
    widths = [sum(2 if c > "\u2e7f" else 1 for c in part.text) for part in parts]
    return ["".join(text for _, text in line) for line in balanced_lines(parts, widths, room)]


def test_lines_are_as_few_as_can_be_and_then_even():
    assert broken("one two three four five six", "en", 30) == ["one two three four five six"]
    assert broken("one two three four five six", "en", 20) == ["one two three", "four five six"]
    assert broken("aa bb cc dd ee", "en", 6) == ["aa", "bb cc", "dd ee"]


def test_a_pause_is_where_a_line_ends():
    assert broken("Hook first, in-place edit later", "en", 25)[0] == "Hook first,"
    assert broken("为什么 `backward` 两次，梯度变成 60？", "zh", 26) == [
        "为什么 backward 两次，",
        "梯度变成 60？",
    ]


def test_words_and_code_stay_whole():
    assert broken("`a b c d` e", "en", 8) == ["a b c d", "e"]
    lines = broken("中间张量的梯度怎样看", "zh", 12)
    assert "".join(lines) == "中间张量的梯度怎样看"
    assert not any(line.endswith("梯") or line.startswith("度") for line in lines)
    assert broken("indivisible", "en", 5) == []


@pytest.mark.parametrize("room", range(12, 40, 4))
def test_no_line_begins_or_ends_with_punctuation_that_may_not(room):
    for text, language in TITLES:
        lines = broken(text, language, room)
        for before, after in itertools.pairwise(lines):
            assert after[0] not in CLOSING, lines
            assert before[-1] not in OPENING, lines
            assert before == before.strip() and after == after.strip()
        if lines:
            assert "".join(lines).replace(" ", "") == text.replace("`", "").replace(" ", "")


@needs_font
@pytest.mark.parametrize("text, language", TITLES)
def test_a_title_is_seen_whole(tmp_path, text, language):
    cards = CardRenderer(FONT, tmp_path)
    size, lines = cards.lines(Card(text, "", "", "", language))
    assert "".join(t for line in lines for _, t in line).replace(" ", "") == text.replace(
        "`", ""
    ).replace(" ", "")
    assert len(lines) <= 4
    for line in lines:
        wide = sum(FONT.face(kind, size).getlength(text) for kind, text in line)
        assert wide <= 1.01 * (RIGHT - LEFT)


@needs_font
def test_the_picture_is_small_and_has_its_size_and_the_colors_of_the_book(tmp_path):
    book = read_book(ROOT)
    background = (ROOT / book.config.card_background).read_bytes()
    made = CardRenderer(FONT, tmp_path, book.config.card_colors, background).png(
        Card("「为什么」`backward` 两次？", "累加", "看得见的梯度", "每个输出都真的跑过", "zh")
    )
    image = Image.open(io.BytesIO(made))
    assert (image.format, image.size, image.mode) == ("PNG", (1200, 630), "P")
    assert len(made) < 30_000
    colors = {color: count for count, color in image.convert("RGB").getcolors()}
    assert max(colors, key=colors.get) == (0x1D, 0x3A, 0x4F)
    assert colors[0xF2, 0xB7, 0x05] > 1000 and colors[255, 255, 255] > 1000
    # Nothing touches the edges but the ground and its faint graph.
    rgb = image.convert("RGB")
    edge = {rgb.getpixel((x, y)) for x in range(1200) for y in (0, 40, 620, 629)}
    edge |= {rgb.getpixel((x, y)) for x in (0, 60, 1140, 1199) for y in range(630)}
    assert all(
        max(abs(a - b) for a, b in zip(c, (0x1D, 0x3A, 0x4F), strict=True)) < 16 for c in edge
    )


@needs_font
def test_different_titles_have_different_pictures_and_the_same_has_the_same(tmp_path):
    cards = CardRenderer(FONT, tmp_path)
    one, two = (Card(text, "p", "b", "m", "en") for text in ("One?", "Two?"))
    assert cards.png(one) != cards.png(two)
    assert CardRenderer(FONT, tmp_path / "elsewhere").png(one) == cards.png(one)


@needs_font
def test_what_was_drawn_is_kept_and_what_nobody_wants_goes(tmp_path, monkeypatch):
    one, two = (Card(text, "p", "b", "m", "en") for text in ("One?", "Two?"))
    first = CardRenderer(FONT, tmp_path)
    pictures = first.png(one), first.png(two)
    again = CardRenderer(FONT, tmp_path)
    monkeypatch.setattr(CardRenderer, "draw", lambda *_: pytest.fail("drawn again"))
    assert again.png(one) == pictures[0]
    again.forget_unused()
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [pictures[0]]


@needs_font
def test_a_title_without_end_is_refused(tmp_path):
    with pytest.raises(TitleTooLong):
        CardRenderer(FONT, tmp_path).png(Card("Why " * 80 + "?", "p", "b", "m", "en"))


def test_a_machine_without_a_chinese_font_has_none(tmp_path):
    (tmp_path / "DejaVuSans.ttf").write_bytes(b"")
    (tmp_path / "NotoSansCJK-Bold.ttc").write_bytes(b"")
    assert find_font([tmp_path, Path("/nowhere")]) is None
    (tmp_path / "NotoSansCJK-Regular.ttc").write_bytes(b"")
    assert find_font([tmp_path]).plain == tmp_path / "NotoSansCJK-Regular.ttc"


@needs_font
def test_a_book_chooses_the_colors_and_the_background_of_its_cards(tmp_path):
    ground = Image.effect_noise((300, 200), 80).resize((1200, 630)).convert("RGB")
    ground.save(tmp_path / "ground.png")
    colors = CardColors(background="#f0f0f0", title="#102030", code="#a00000", motto="#102030")
    config = BookConfig(card_colors=colors, card_background="ground.png")
    card = Card("Why `w`?", "Waves", "The Book", "Run", "fr")
    drawn = card_renderer(tmp_path, config).draw(card).convert("RGB")
    counts = {color: count for count, color in drawn.getcolors(1 << 20)}
    assert counts[0x10, 0x20, 0x30] > 500 and counts[0xA0, 0, 0] > 500
    plain = CardRenderer(FONT, tmp_path, colors).draw(card).convert("RGB")
    assert plain.getpixel((1100, 300)) == (0xF0, 0xF0, 0xF0) != drawn.getpixel((1100, 300))
