"""The names of PyTorch that pages write as code are real, and said to be old where they are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import proofbook.api.index
import pytest
from proofbook.api.index import read_index
from proofbook.check.api_names import wrong_dtypes, wrong_names
from proofbook.model.book import read_book
from proofbook.model.problem import Unproved
from proofbook.testing.tiny_book import Book

pytestmark = pytest.mark.upgrade

ZH, EN = "docs/t/q.zh.md", "docs/t/q.en.md"


def wrong(book: Book, text: str, *others: tuple[str, str]) -> list[tuple[str, str]]:
    read = read_book(book.root).with_texts({EN: text, **dict(others)})
    return [(p.found, p.expected) for p in wrong_names(read.page(EN), read)]


def names(book: Book, text: str) -> list[str]:
    return [found for found, _ in wrong(book, text)]


def test_number_formats_in_words_have_a_size_that_exists(book):
    text = (
        "# T { #bfloat26 }\n\nIn float26 and bfloat15, not float16, float8, int24, complex128, "
        "`float33`, $float44$ or float16_thing; complex65，int9。\n"
    )
    read = read_book(book.root).with_texts({EN: text})
    found = [problem.found for problem in wrong_dtypes(read.page(EN), read)]
    assert found == ["float26", "bfloat15", "complex65", "int9"]


def snippet(book: Book, code: str, output: str = "a\n") -> str:
    """A page that shows this code and its output."""
    book.write("snippets/t/n.py", code)
    book.write("snippets/t/n.out", output)
    return "\n\n::: snippets/t/n.py\n"


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("torch.autograd.gard(o, z)", "grad"),
        ("nn.Lineer(2, 1)", "Linear"),
        ("torch.optim.SGD.zero_gradd()", "zero_grad"),
        ("torch.stack(parts).retain_grads()", "retain_grad"),
        ("with torch.no_gard():", "no_grad"),
        ("require_grad_(False)", "requires_grad_"),
        (".register_post_accumulate_hook(h)", "register_post_accumulate_grad_hook"),
        ("w.detahc()", "detach"),
        ("w.detch()", "detach"),
        ("w.detacb()", "detach"),
        ("w.detachh()", "detach"),
    ],
)
def test_a_name_that_torch_does_not_have_is_refused(book, text, near):
    ((found, expected),) = wrong(book, f"# A {{ #a }}\n\nCall `{text}` once.\n")
    assert expected == near
    assert found in text


@pytest.mark.parametrize(
    "text",
    [
        *("torch.autograd.grad(o, z)", "torch.Tensor.is_leaf", "torch.nn.Linear.weight"),
        *("torch.nn.BatchNorm2d.running_mean", "torch.optim.SGD.param_groups"),
        *("torch.optim.Optimizer.state", "torch.float32.is_floating_point", "torch.ops.aten.sum"),
        *("torch.backends.cudnn.deterministic", "torch.onnx.export"),
        *("torch.distributed.whatever", "torch.utils.flop_counter.FlopCounterMode"),
        *("torch.cuda.is_available()", "torch.special.expit(x)", "torch.linalg.norm(x, dim=0)"),
        *("torch.__version__", "import torch", "nn.Sequential(...)", "F.relu(z, inplace=True)"),
        *("optim.step()", "F.T", ".backward(inputs=...)", "conv.data = …"),
        *("zero_grad(set_to_none=False)", "register_forward_hook(..., with_kwargs=True)"),
        *("x.sum(axis=0, keepdims=True)", "max(dim)", "sum(parts, start=1)", "np.sum(x, axes=0)"),
        *("names.sort(key=len)", "model(ids, labels=labels)", "my_register_hook(x)"),
        *("conv_transpose", "BackwardHookFunction is a view"),
        *("a leaf Variable that requires grad", "{'params': w}", "max_norm", "1 is 1", "\\d"),
        *("torch/nn/functional.py", "pytorch.org", "torch.py", "for p in net: p.add_(1)"),
        *("inputs=", "retain_graph=True", "error_if_nonfinite=True", "(" * 500),
    ],
)
def test_what_is_right_or_nobody_can_tell_passes(book, text):
    assert names(book, f"# A {{ #a }}\n\nCall `{text}` once.\n") == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("torch.autograd.grad(o, z, retain_graphs=True)", ("retain_graphs=", "retain_graph=")),
        ("nn.Linear(4, 1, biased=False)", ("biased=", "bias=")),
        ("retain_graphs=True", ("retain_graphs=", "retain_graph=")),
        ("optim.SGD(p, lr=1, momentums=0.9)", ("momentums=", "momentum=")),
    ],
)
def test_an_argument_that_nobody_takes_is_refused(book, text, told):
    assert wrong(book, f"Call `{text}` once.\n") == [told]


def test_what_a_snippet_of_the_page_shows_is_proved_by_its_run(book):
    shows = snippet(
        book,
        "import torch\n\ndef retain_grads(x, always_on=1):\n    return x\n\n"
        "w = torch.ones(1)\nw.require_grad_now = True\n"
        "try:\n    torch.gard(w)\nexcept AttributeError as error:\n    print(error)\n"
        "try:\n    w.sum(dimm=0)\nexcept TypeError as error:\n    print(error)\n",
        "module 'torch' has no attribute 'gard'\nsum() got an unexpected keyword argument 'dimm'\n",
    )
    text = "`retain_grads(x, always_on=2)` `torch.gard` `x.sum(dimm=0)` `require_grad_now`"
    assert names(book, text + shows) == []
    assert names(book, text) == ["torch.gard", "dimm="]


def test_an_alias_counts_as_the_page_uses_it(book):
    text = "Call `F.nothing_of_torch` and `nn.nothing_of_torch`."
    assert names(book, text) == []
    shows = snippet(book, "import torch.nn.functional as F\nfrom torch import nn\n")
    assert names(book, text + shows) == ["F.nothing_of_torch", "nn.nothing_of_torch"]
    shows = snippet(book, "F = 3\nnn = 4\n")
    assert names(book, "`F.relo` and `nn.Lineer`" + shows) == []


@pytest.mark.parametrize(
    "text",
    [
        "Some write “`torch.gard`”.",
        "有人写「`torch.gard`」。",
        "[`torch.gard` fails](https://example.org/1)",
        "```text\n`torch.gard`\n```",
        "<!-- `torch.gard` --> $torch.gard$",
    ],
)
def test_what_is_quoted_is_somebody_elses(book, text):
    assert names(book, text) == []


def test_what_the_author_says_is_no_quotation(book):
    link = "[`torch.gard`](https://docs.pytorch.org/docs/stable/generated/torch.grad.html)"
    in_code = 'Put `"` before `torch.gard` and `"` after it.'
    assert names(book, link) == names(book, in_code) == ["torch.gard"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Use `register_backward_hook`.", "register_backward_hook"),
        ("Use `torch.nn.Module.register_backward_hook`.", "torch.nn.Module.register_backward_hook"),
        ("Use `torch.cuda.amp.GradScaler()`.", "torch.cuda.amp.GradScaler"),
        ("Use `torch.norm(x)`.", "torch.norm"),
    ],
)
def test_a_deprecated_name_must_be_said_to_be_so(book, text, found):
    assert names(book, text) == [found]
    assert names(book, text + "\n\nIt is deprecated.") == []
    assert names(book, text + "\n\n它已经弃用了。") == []
    assert names(book, "Use `norm()`, `x.norm()` and `Optimizer.step`.") == []


def test_a_page_that_the_paragraph_leads_to_may_say_it(book):
    other = "docs/t/r.en.md", "# R { #r }\n\nIt is deprecated.\n"
    text = "- `register_backward_hook`\n- see [the old hook](r.en.md#why)\n"
    assert wrong(book, text, other) == []
    assert wrong(book, text) != []
    assert wrong(book, text.replace("\n-", "\n\n-"), other) != []


def test_a_torch_that_cannot_be_asked_is_told(book, proof_command, tmp_path, monkeypatch):
    script = tmp_path / "script.py"
    script.write_text("raise ValueError('no torch here')\n")
    monkeypatch.setattr(proofbook.api.index, "_SCRIPT", script)
    asked_again = proofbook.api.index._installed.__wrapped__
    monkeypatch.setattr(proofbook.api.index, "_installed", asked_again)
    with pytest.raises(Unproved, match="no torch here"):
        read_index(tmp_path)
    book.change("docs/t/p.en.md", "It is 6.", "It is `6`.")
    status, _, err = proof_command("check")
    assert status == 1
    assert "the names of torch cannot be read" in err


def test_the_index_is_built_once_for_many_at_a_time(tmp_path, monkeypatch):
    """Whoever finds no file builds one; none is ever seen half written."""
    script = tmp_path / "script.py"
    body = "import json, sys\n"
    body += "index = dict(modules={'torch': {}}, dynamic=[], classes={}, attributes={})\n"
    script.write_text(body + "open(sys.argv[1], 'w').write(json.dumps(index))\n")
    monkeypatch.setattr(proofbook.api.index, "_SCRIPT", script)
    asked_again = proofbook.api.index._installed.__wrapped__
    monkeypatch.setattr(proofbook.api.index, "_installed", asked_again)
    cache = tmp_path / "cache"
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: read_index(cache).modules, range(8)))
    assert found == [{"torch": {}}] * 8
    assert [file.suffix for file in cache.iterdir()] == [".json"]
    script.write_text(script.read_text() + "# another version\n")
    assert read_index(cache).modules == {"torch": {}} and len(list(cache.iterdir())) == 2
