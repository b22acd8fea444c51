"""Ordinary correct edits of a page are accepted, and false ones refused, by all checks together."""

from __future__ import annotations

import pytest
from proofbook.check.registry import problems_of_page
from proofbook.model.book import read_book
from proofbook.model.problem import errors
from proofbook.testing.tiny_book import Book

SCRIPT = """\
import torch

w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(40.0, requires_grad=True)
loss = w**3 - 12 * b
loss.backward()
print("loss:", loss.item())
print("w.grad:", w.grad)
print("b.grad:", b.grad)
print("saved:", 4096, "bytes")
print("shapes:", (3, 1), (4,), (3, 4))
print("at the end, loss:", loss.item(), " b:", b.item(), " rate: 0.5")
"""
OUTPUT = """\
loss: -453.0
w.grad: tensor(27.)
b.grad: tensor(-12.)
saved: 4096 bytes
shapes: (3, 1) (4,) (3, 4)
at the end, loss: -453.0  b: 40.0  rate: 0.5
"""
PAGES = {
    "en": "# How large is it? { #size }\n\n::: snippets/t/s.py\n\n## More { #more }\n\nMore.\n\n",
    "zh": "# 有多大？ { #size }\n\n::: snippets/t/s.py\n\n## 更多 { #more }\n\n更多。\n\n",
}
EDITS = {
    "en": (
        "The gradient of `w` is `27`.",
        "The loss is -453, or `-453.0`.",
        "It saves 4096 bytes; `4096` bytes are little, and 4096 is a power.",
        "`w.grad` is 27, `b.grad` is `-12`, and `w` is 3.",
        "When `w.grad` is 9, and so `b.grad` is 4, look again.",
        "Suppose the loss is `w` alone. Then `w.grad` is 1.",
        "The root of `w.grad` is 5 or 6, and `w.grad` is 9 times 3.",
        "The loss is −453.",
        "The gradient of `b` is `-12`.",
        "With `b` one larger, the loss falls by 12.",
        "The gradient of `b` has the size 12.",
        "With $w = 3$, $w^3 = 27$.",
        "$w^3 = 27$, and $27 - 12 \\times 40 = -453$.",
        "$\\partial L / \\partial b = -12$",
        "$\\frac{\\partial L}{\\partial w} = 3 w^2 = 27$",
        "If `w` were 17, everything would be larger.",
        "Suppose the loss were 99.",
        "Say the batch has 64 rows.",
        "Train it on an RTX 3090.",
        "On an H100-80GB this is fast.",
        "A GPU with 24 GB is enough, as is an A100 with 80 GB.",
        "The meeting is at 14:30.",
        "We meet at 9 am, or at 10 pm.",
        "This was written on 2026-11-26.",
        "This was written on November 26, 2026.",
        "The idea goes back to 1986.",
        "Adam was published in 2014 (arXiv:1412.6980).",
        "A 45-minute lesson, with a break of 15 seconds.",
        "One epoch took 12 hours, another 90 s.",
        "With a batch size of 256 the noise is smaller.",
        "It saves 4,096 bytes, $4{,}096$ of them, or $4.096 \\times 10^3$.",
        "On an iPhone 15, or with 64 cores at 350 W, on 24/12/2025.",
        "The shapes are `(3, 1)`, `(4,)` and `(3, 4)`.",
        "Since $27 / 54 = 0.5$, the gradient is 50% of 54.",
        "The gradient is $27 / 54 = 0.5 = 50\\%$ of 54.",
        "The bill fell from 27 to 12, by 56 percent. That is 56% less.",
        "float16 has 16 bits, a double 64 bits.",
        "It is an 8-bit or a 32-bit number.",
        "Python 3.12 and CUDA 12.4 are fine, as are Python 3.11 or 3.13.",
        "At the end `loss` is still -453, although `b` is 40. Before that, `b` is 9.",
        "`rate` stays 0.5.",
        "Train it for 10,000 steps, or 1000 times.",
        "It takes 10 to 15 minutes, or between 20 and 30 s.",
        "A machine with 64 GB of RAM, or 32 GB memory.",
        "A 4090 is enough. The server answers HTTP 404 on port 8080.",
        "IEEE 754 has the rules, ISO 8601 the dates, RFC 2119 the words.",
        "The 1986 paper was read by many at 20 °C.",
        "You only need the loss, and you need not restart.",
        "Since PyTorch 2.1 there is another way.",
        "Read section 6.5 of the book, page 214.",
        "Chapter 12 has the proof.",
        "Issue [#12345](https://github.com/pytorch/pytorch/issues/12345) has the details.",
        "- The first line is the loss.\n- The other two are gradients.",
        "| Name | Value |\n|---|---|\n| loss | `-453.0` |",
        '!!! note "A note"\n    The loss is negative.',
    ),
    "zh": (
        "`w` 的梯度是 `27`。",
        "存了 4096 字节。",
        "`w.grad` 是 27，如果 `b.grad` 是 9。",
        "`w.grad` 的平方根是 5，`w.grad` 是 9 的三倍。",
        "损失是 -453。",
        "`b` 大 1，损失就减少 12。",
        "$w = 3$ 时 $w^3 = 27$。",
        "见「[有多大](#size)」。",
        "在 RTX 3090 上也能跑，A100（80 GB）也行。",
        "显卡有 24 GB 显存就够了。",
        "下午 14:30 开始。",
        "写于 2026 年 11 月 26 日。",
        "从 27 降到 12，少了 56%。",
        "要花 30 分钟。",
        "训练用了 12 个小时。",
        "一批 32 个样本放得下。",
        "float16 是 16 位。",
        "如果 `w` 是 17，会怎样？",
        "要是有 50 层呢？",
        "第 12 页有证明。",
        "训练 10000 步，重复 100 次。",
        "大约 10 到 15 分钟。",
        "70 亿参数的模型，20 摄氏度。",
        "不一定要重新启动，只要一行。",
    ),
}
FALSE = {
    "en": (
        "The gradient of `w` is `28`.",
        "It saves 4096 kB.",
        "It saves `4096` MiB.",
        "`w.grad` is 9.",
        "At the end, `b` is still -453.",
        "`rate` stays 40.",
        "The loss is small, and `w.grad` is `-12`.",
        "The loss is `453.0`.",
        "The gradient of `b` is `-21`.",
        "The loss is -435.",
        "The loss falls by 13.",
        "$w^3 = 28$",
        "$\\partial L / \\partial b = 27$",
        "$\\frac{\\partial L}{\\partial w} = -12$",
        "The result is 2026.5.",
        "It saves 9,096 bytes.",
        "It saves $4{,}097$ bytes.",
        "It saves $4.097 \\times 10^3$ bytes.",
        "The shape is `(4, 3)`.",
        "The gradient is 60% of 54.",
        "$27 / 54 = 60\\%$",
        "It fell from 27 to 12, by 65 percent.",
        "The norm is 14.30.",
        "It is 16 at the end.",
        "The node is `AddBackward0`.",
        "`RuntimeError: the loss is no number at all`",
        "See [there](#nowhere).",
        "Call `torch.no_grid()`.",
        "vary: w = 3.0 | 1 to 5 step 1.0",
    ),
    "zh": (
        "`w` 的梯度是 `28`。",
        "存了 4096 MB。",
        "所以 `w.grad` 是 9。",
        "`b` 还是 -453。",
        "`b.grad` 等于 27。",
        "损失是 453。",
        "`b` 大 1，损失就减少 13。",
        "$w^3 = 28$。",
        "结果是 30。",
        "节点是 `AddBackward0`。",
        "调用 `torch.no_grid()`。",
    ),
}


def cases(edits: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(language, edit) for language, some in edits.items() for edit in some]


def told(book: Book, language: str, edit: str) -> list[str]:
    """What the checks of the page find wrong with it after an edit."""
    book.write("snippets/t/s.py", SCRIPT)
    book.write("snippets/t/s.out", OUTPUT)
    for each, text in PAGES.items():
        # Directly below the directive stands what looks like one of its options.
        place = "s.py\n" if edit.startswith("vary:") else "\n\n"
        head, _, rest = text.partition(place)
        said = f"{head}{place}{edit}\n{rest}" if place == "s.py\n" else f"{text}{edit}\n"
        book.write(f"docs/t/p.{each}.md", said if each == language else text)
    page = f"docs/t/p.{language}.md"
    return [str(problem) for problem in errors(problems_of_page(read_book(book.root), page))]


@pytest.mark.parametrize(("language", "edit"), cases(EDITS))
def test_an_ordinary_correct_edit_is_accepted(book, language, edit):
    assert told(book, language, edit) == []


@pytest.mark.parametrize(("language", "edit"), cases(FALSE))
def test_a_false_edit_is_refused(book, language, edit):
    assert told(book, language, edit)


def test_a_number_of_another_section_names_the_section(book):
    book.write("snippets/t/more.py", "print(7.5)\n")
    book.write("snippets/t/more.out", "7.5\n")
    more = "\n## More { #more }\n\n::: snippets/t/more.py\n\nThe first printed `6.0`.\n"
    page = "docs/t/p.en.md"
    book.write(page, book.read(page) + more)
    (problem,) = errors(problems_of_page(read_book(book.root), page))
    assert problem.fix == "correct it, or link to #three-times, whose run shows it"
    book.change(page, "The first", "[The first](#three-times)")
    assert errors(problems_of_page(read_book(book.root), page)) == []
