"""What is said in general is a claim: it names its example, or a test that tried to refute it."""

from __future__ import annotations

import pytest
from proofbook.check.claims import general_sentences, unclaimed_sentences
from proofbook.check.registry import problems_in_files
from proofbook.cli.main import main
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.sentences import sentences
from proofbook.testing.tiny_book import EN, ZH, Book

TESTS, CLAIMS = "tests/claims/test_t.py", "docs/t/claims.toml"
SAID = {"en": "It never changes the sign.", "zh": "它从不改变符号。"}
CLAIM = f"""\
[[p]]
en = "{SAID["en"]}"
zh = "{SAID["zh"]}"
scope = "floats; zero and infinity too"
test = "{TESTS}::test_sign"
"""


@pytest.fixture
def claiming(book: Book) -> Book:
    """A book with a general sentence in both languages, and the claim that it is."""
    book.write(TESTS, "def test_sign():\n    assert 3 * -1.0 < 0 < 3 * 1.0\n")
    book.write(CLAIMS, CLAIM)
    book.change("docs/t/p.en.md", "It is 6.", f"It is 6. {SAID['en']}")
    book.change("docs/t/p.zh.md", "是 6。", f"是 6。{SAID['zh']}")
    return book


def told(book: Book) -> list[str]:
    return [str(problem) for problem in problems_in_files(read_book(book.root))]


def test_a_claim_with_its_test_is_accepted(claiming):
    assert told(claiming) == []


def test_a_book_without_tests_of_claims_is_not_asked(claiming):
    claiming.remove(TESTS)
    claiming.remove(CLAIMS)
    assert told(claiming) == []


def test_a_general_sentence_without_a_claim_is_refused_in_its_line(claiming):
    claiming.remove(CLAIMS)
    first, second = told(claiming)
    assert first.startswith("docs/t/p.en.md:3: this is said in general")
    assert SAID["en"] in first and "proofbook claims docs/t/p.en.md" in first
    assert second.startswith("docs/t/p.zh.md:3: ") and SAID["zh"] in second


def test_a_changed_sentence_is_a_claim_no_longer(claiming):
    claiming.change("docs/t/p.en.md", "never changes", "always changes")
    page, claim = told(claiming)
    assert page.startswith("docs/t/p.en.md:3: this is said in general")
    assert claim.startswith(f"{CLAIMS}:1: this sentence doesn't stand on the page")


def test_a_sentence_that_is_general_no_longer_leaves_its_claim_behind(claiming):
    claiming.change("docs/t/p.zh.md", "它从不改变符号。", "符号没有变。")
    (claim,) = told(claiming)
    assert claim.startswith(f"{CLAIMS}:1: this sentence doesn't stand on the page")


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("test_sign", "test_sine", 1, "there is no such test"),
        ("test_t.py", "test_u.py", 1, "there is no such file of tests"),
        ("[[p]]", "\n[[q]]", 2, "there is no such page"),
        ("scope =", "scop =", 1, "a claim has no such field"),
        (CLAIM.splitlines()[4], "", 1, "was it tried or not?"),
        ("test =", 'untested = "why"\ntest =', 1, "was it tried or not?"),
        (CLAIM[CLAIM.index("scope") :], 'untested = "hard"', 1, "this is no reason"),
        ('zh = "', 'zh = " ', 1, "zh is no text in one line"),
        (f'zh = "{SAID["zh"]}"', "", 1, "a language is missing"),
        ('scope = "f', "scope = f", 4, "this is not TOML"),
        ("[[p]]", "[p]", 1, "this is no list of p"),
    ],
)
def test_what_is_wrong_with_a_claim_is_told_with_its_line(claiming, old, new, line, what):
    claiming.change(CLAIMS, old, new)
    assert any(text.startswith(f"{CLAIMS}:{line}: {what}") for text in told(claiming))


def test_a_claim_twice_is_told(claiming):
    claiming.write(CLAIMS, f"{CLAIM}\n{CLAIM}")
    (twice,) = told(claiming)
    assert twice.startswith(f"{CLAIMS}:7: this claim stands here twice")


def test_a_mended_file_is_read_again(claiming):
    claiming.change(CLAIMS, "scope =", "scop =")
    book = read_book(claiming.root)
    assert problems_in_files(book)
    claiming.change(CLAIMS, "scop =", "scope =")
    assert problems_in_files(book.reopened()) == []


def test_a_faulty_claim_leaves_the_others(claiming):
    claiming.write(CLAIMS, f"{CLAIM}\n[[p]]\nen = 3\n")
    assert all(text.startswith(f"{CLAIMS}:7: ") for text in told(claiming))


def test_a_claim_may_name_the_installed_version_as_its_page_does(claiming):
    for language, said in (
        ("en", "Every version up to {{ torch.version }} agrees."),
        ("zh", "到 {{ torch.version }} 为止，每个版本都一样。"),
    ):
        claiming.change(f"docs/t/p.{language}.md", SAID[language], said)
        claiming.change(CLAIMS, SAID[language], said)
    claiming.write("requirements.txt", "torch==2.13.0\n")
    assert told(claiming) == []


def test_a_claim_of_another_page_is_none_of_this_one(claiming):
    for language in ("en", "zh"):
        page = claiming.read(f"docs/t/p.{language}.md")
        claiming.write(f"docs/t/q.{language}.md", page)
    assert {text.partition(":")[0] for text in told(claiming)} == {
        "docs/t/q.en.md",
        "docs/t/q.zh.md",
    }


def test_a_claim_may_be_said_in_several_sentences_and_remain_untested(claiming):
    claiming.change(CLAIMS, f'en = "{SAID["en"]}"', f'en = ["{SAID["en"]}", "It is 6."]')
    assert told(claiming) == []
    claiming.change(CLAIMS, CLAIM[CLAIM.index("scope") :], 'untested = "definition"\n')
    claiming.change(CLAIMS, f'["{SAID["en"]}", "It is 6."]', f'"{SAID["en"]}"')
    assert told(claiming) == []


def test_the_command_prints_entries_to_fill_in(claiming, capsys):
    assert main(["--root", str(claiming.root), "claims"]) == 0
    claiming.remove(CLAIMS)
    capsys.readouterr()
    assert main(["--root", str(claiming.root), "claims", "docs/t/p.en.md"]) == 1
    printed = capsys.readouterr().out
    assert f'[[p]]  # line 3\nzh = ""\nen = "{SAID["en"]}"\nscope = ""\ntest = ""\n' in printed
    assert "1 general sentence on 1 page" in printed


GENERAL = {
    "en": (
        "A leaf always gets a gradient.",
        "`detach()` shares the storage with the original.",
        "Every optimizer skips a parameter without a gradient.",
        "So `torch.no_grad()` also turns off the version counter.",
        "You must call `zero_grad()` first.",
        "Hooks fire only once.",
        "Nothing raises.",
        "A hook that returns nothing leaves the gradient alone.",
        "No optimizer reads the loss.",
        "Call `step()` whenever the gradients are ready, and never before.",
    ),
    "zh": (
        "叶子张量都有梯度。",
        "`detach()` 和原来的张量共用存储。",
        "每个优化器都跳过没有梯度的参数。",
        "必须先调用 `zero_grad()`。",
        "钩子只触发一次。",
        "任何张量上都能注册钩子。",
        "所以 `torch.no_grad()` 也关掉版本计数器。",
        "这样一定报错。",
        "无论训练还是评估，结果一样。",
        "它总是返回一个视图。",
    ),
}
ORDINARY = {
    "en": (
        "Here each branch adds its share.",
        "In this script every gradient is the same.",
        "Both calls of this example print `60`, never `48`.",
        "What does every call add?",
        "See every step in [the figure](q.en.md).",
        "All of them are 6.",
        "The loss is a number, so its derivative has the shape of `w`.",
        "You want a gradient for the input.",
        "The gradient flows from the loss toward the inputs.",
        "No: the weight moved.",
        "The second line prints a number no longer.",
        "Let's follow the backward pass through the network.",
        "The hook was called, and it never saw the loss.",
        "First the forward pass runs, then the backward pass.",
        "Multiply the two numbers by hand and compare.",
        "Only the first row changes in the figure.",
        "The old documentation says “every tensor has a gradient”.",
        "Then `w` is the only one with a `grad_fn`.",
        "A friend asked: does every tensor have one?",
        "The next lesson shows why.",
    ),
    "zh": (
        "这里每个分支都加上自己的一份。",
        "在这个例子里，所有梯度都相同。",
        "图里只有一个节点。",
        "每次调用加了什么？",
        "看[图](q.zh.md)里的每一步。",
        "三个都是 6。",
        "损失是一个数，它的导数和 `w` 形状一样。",
        "你想要输入的梯度。",
        "梯度从损失流向输入。",
        "不是：权重动了。",
        "只要再调用一次就行。",
        "我们跟着反向传播走一遍。",
        "上面那段代码没有一行改了权重。",
        "先前向，再反向。",
        "用手把两个数乘起来，比一比。",
        "第 3 行只打印一个数。",
        "旧文档说「每个张量都有梯度」。",
        "于是只有 `w` 有 `grad_fn`。",
        "这不只是快慢的问题。",
        "下一课说明原因。",
    ),
}


def general(book: Book, language: str, said: str) -> list[str]:
    """What is left without a claim of a page that says this."""
    page = {"en": EN, "zh": ZH}[language].replace({"en": "6.", "zh": "6。"}[language], said, 1)
    book.write(TESTS, "")
    book.write(f"docs/t/p.{language}.md", page)
    found = unclaimed_sentences(read_book(book.root), f"docs/t/p.{language}.md")
    return [sentence.text for sentence in found]


@pytest.mark.parametrize("language", GENERAL)
def test_what_is_taken_for_general(book, language):
    said = " ".join(GENERAL[language]) if language == "en" else "".join(GENERAL[language])
    assert general(book, language, f"6.\n\n{said}") == list(GENERAL[language])


@pytest.mark.parametrize("language", ORDINARY)
def test_ordinary_sentences_are_let_through(book, language):
    said = " ".join(ORDINARY[language]) if language == "en" else "".join(ORDINARY[language])
    assert general(book, language, f"6.\n\n{said}") == []


def test_a_sentence_right_above_the_script_speaks_of_it(book):
    assert general(book, "en", "6. Each term is a number:") == []
    assert general(book, "en", "6. Each term is a number: three times two.") != []


def test_a_name_that_the_script_made_up_names_the_example_and_one_of_any_program_does_not(book):
    book.write("snippets/t/s.py", 'w = 2.0\nloss = 3 * w\nprint("y:", loss)\n')
    assert general(book, "en", "6. Each term adds to `w`.") == []
    assert general(book, "en", "6. Each term adds to `loss`.") != []


def test_general_sentences_of_an_example_are_counted(book):
    general(book, "en", "6. Here each branch adds up. Each branch adds up.")
    found = general_sentences(read_book(book.root), "docs/t/p.en.md")
    assert [of_example for _, of_example in found] == [True, False]


def test_another_language_is_not_read(tmp_path):
    (tmp_path / "mkdocs.yml").write_text("plugins: {proofbook: {languages: [de]}}", "utf-8")
    book = Book(tmp_path)
    book.write(TESTS, "")
    book.write("docs/t/p.md", "# Immer { #a }\n\nJeder, all, only.\n\n::: snippets/t/s.py\n")
    for name in ("docs/t/p.zh.md", "docs/t/p.en.md"):
        book.remove(name)
    assert told(book) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("See `a. B` and $x. Y$. Next", ["See `a. B` and $x. Y$.", "Next"]),
        ("It is 1.5, e.g. this.", ["It is 1.5, e.g. this."]),
        ("一。二！三？四", ["一。", "二！", "三？", "四"]),
        ("看[为什么？](a.md)再说。`b` 也是。", ["看[为什么？](a.md)再说。", "`b` 也是。"]),
        ("He said “Go.” Then\nhe went.", ["He said “Go.”", "Then he went."]),
        ("- One item.\n- Another\n\n| Cell | With a stop. |\n|---|---|\n| a | b |", None),
    ],
)
def test_where_a_sentence_ends(text, found):
    expected = found or ["One item.", "Another", "With a stop."]
    page = parse("docs/t/p.en.md", f"# Title. Here {'{'} #t {'}'}\n\n{text}\n")
    cut = sentences(page)
    assert [sentence.text for sentence in cut] == expected
    for one in cut:
        assert " ".join(page.text[one.start : one.end].split()) == one.text
        assert one.text.split()[0] in page.line(one.line)


def test_what_is_in_bold_says_the_same():
    page = parse("docs/t/p.en.md", "# T\n\nYou ask. **It is `w**2`, and $a**b$.** *So* be it.\n")
    cut = [sentence.text for sentence in sentences(page)]
    assert cut == ["You ask.", "It is `w**2`, and $a**b$.", "*So* be it."]
