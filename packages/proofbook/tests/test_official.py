"""Names lead to the official documentation, where it is certain that it tells them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sphobjinv
from proofbook.api.documentation import Documentation, read_inventories
from proofbook.api.index import ShownText, read_index
from proofbook.html.text import link_names
from proofbook.html.tree import parse, serialize
from proofbook.model.book import read_book
from proofbook.model.config import InventorySource, read_config
from proofbook.model.problem import Unproved

pytestmark = pytest.mark.upgrade

ROOT = Path(__file__).resolve().parents[3]

EMPTY = ShownText("", "")
SITE = "https://docs.pytorch.org/docs/stable/"


@pytest.fixture(scope="module")
def documentation() -> Documentation:
    return Documentation(read_index(), read_inventories(ROOT, read_config(ROOT).inventories))


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("torch.where", "generated/torch.where.html"),
        ("torch.Tensor", "tensors.html#torch.Tensor"),
        ("torch.Tensor.retain_grad", "generated/torch.Tensor.retain_grad.html"),
        ("torch.autograd.graph.save_on_cpu", "autograd.html#torch.autograd.graph.save_on_cpu"),
        ("torch.nn", "nn.html"),
        ("torch.nn.Linear", "generated/torch.nn.Linear.html"),
        ("torch.nn.Parameter", "generated/torch.nn.parameter.Parameter.html"),
        ("torch.nn.Module.zero_grad", "generated/torch.nn.Module.html#torch.nn.Module.zero_grad"),
        ("torch.nn.Linear.zero_grad", "generated/torch.nn.Module.html#torch.nn.Module.zero_grad"),
        ("torch.nn.init.zeros_", "nn.init.html#torch.nn.init.zeros_"),
        ("torch.optim.SGD.zero_grad", "generated/torch.optim.Optimizer.zero_grad.html"),
    ],
)
def test_a_name_has_its_address(name, place, documentation):
    assert documentation.address(name) == SITE + place


@pytest.mark.parametrize(
    "name",
    [
        *("torch", "torch.gard", "torch.Tensor.gard", "torch.Tensor.data", "torch.Tensor.T"),
        *("torch.nn.Container", "torch.nn.Linear.weight", "torch.nn.functional.boolean_dispatch"),
        *("torch.import_ir_module", "torch.float32", "torch.distributed.x", "torch.conv2d"),
        *("torch.detach", "torch.nn.Container"),
        *("torch.optim.lr_scheduler", "torch.optim.lr_scheduler.Any", "torch._assert"),
        *("torch.nn.functional.handle_torch_function", "torch.nn.init.math", "torch.Tensor.kron"),
    ],
)
def test_what_is_not_documented_has_no_address(name, documentation):
    assert documentation.address(name) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("torch.autograd.grad(o, z)", "torch.autograd.grad"),
        ("nn.Linear(4, 1)", "torch.nn.Linear"),
        ("F.relu", "torch.nn.functional.relu"),
        ("retain_grad()", "torch.Tensor.retain_grad"),
        (".grad", "torch.Tensor.grad"),
        ("w.grad", "torch.Tensor.grad"),
        ("clip_grad_norm_", "torch.nn.utils.clip_grad_norm_"),
        ("AdamW", "torch.optim.AdamW"),
        ("torch.tensor(…)", "torch.tensor"),
    ],
)
def test_code_that_is_a_name_or_a_call_means_it(text, name, documentation):
    found = documentation.address_of_code(text, EMPTY)
    assert found == documentation.address(name) is not None


@pytest.mark.parametrize(
    "text",
    [
        *("w", "view", "detach", "sum()", "eval()", "np.sum", "math.sqrt(2)", "copy.copy"),
        *("zero_grad()", "optimizer.zero_grad()", "step()", "register_hook", "backward()"),
        *("net.forward(x)", "clone()", "state_dict", "handle.remove()", "fc1.weight"),
        *("p.grad is None", "w.grad + 1", "torch.stack(parts).gard(0)", "z = torch.ones(1)"),
        *("a leaf", "None", "retain_graph=True", "", "3.0", "(a)", "torch.gard", "optim.step()"),
    ],
)
def test_what_may_mean_something_else_is_not_linked(text, documentation):
    assert documentation.address_of_code(text, EMPTY) is None


@pytest.fixture
def linked(documentation):
    def linked(html: str) -> str:
        tree = parse(html)
        link_names(tree, lambda text: documentation.address_of_code(text, EMPTY))
        return serialize(tree)

    return linked


def test_the_first_code_for_a_name_leads_to_its_documentation(linked):
    place = f"{SITE}generated/torch.Tensor.grad.html"
    assert linked("<p><code>.grad</code>, <code>w.grad</code> <code>w</code></p>") == (
        f'<p><a class="api" href="{place}"><code>.grad</code></a>, <code>w.grad</code> '
        "<code>w</code></p>"
    )
    assert linked("<p><code>torch.where(a &gt; 0)</code></p>") == (
        f'<p><a class="api" href="{SITE}generated/torch.where.html">'
        "<code>torch.where(a &gt; 0)</code></a></p>"
    )


@pytest.mark.parametrize(
    "html",
    [
        "<h2><code>.grad</code></h2>",
        '<a href="x"><em><code>.grad</code></em></a>',
        "<pre><span></span><code>.grad</code></pre>",
        "<p>.grad</p><p><code></code></p>",
    ],
)
def test_some_places_are_no_place_for_a_link(html, linked):
    assert linked(html) == html
    after = linked(html + "<p><code>.grad</code></p>")
    assert after.startswith(html) and after.count('class="api"') == 1


def test_the_links_that_the_book_has_by_hand_are_those_that_would_be_made(documentation):
    link = re.compile(rf"\[`(torch\.[\w.]+)`\]\(({re.escape(SITE)}[^)]*)\)")
    by_hand = {pair for page in read_book(ROOT).pages for pair in link.findall(page.text)}
    assert len(by_hand) > 30
    assert {(name, documentation.address(name)) for name, _ in by_hand} == by_hand


def test_the_inventory_is_that_of_the_installed_torch():
    """If this fails after an update: docs/inventories/README.txt says where the next one is."""
    (source,) = read_config(ROOT).inventories
    inventory = sphobjinv.Inventory(ROOT / source.file)
    assert inventory.project == "PyTorch"
    assert read_index().title.startswith(f"PyTorch {inventory.version}.")


@pytest.mark.parametrize("content", [None, b"<html></html>", b"# Sphinx inventory version 2"])
def test_an_inventory_that_cannot_be_read_is_told(tmp_path, content):
    if content:
        (tmp_path / "a.inv").write_bytes(content)
    with pytest.raises(Unproved, match=r"a\.inv:1(.|\n)*download it: https://a\.org/objects\.inv"):
        read_inventories(tmp_path, [InventorySource("a.inv", "https://a.org/")])
