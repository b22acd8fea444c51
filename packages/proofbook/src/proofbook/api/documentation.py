"""Where the official documentation tells a name of PyTorch, and the links to it from a page.

PyTorch's own tests hold its documentation to these rules: each documented function of torch, method
of a tensor, and class of torch.nn and torch.optim has a page with its name. Where a name has none,
or nobody can tell, there is no link.
"""

from __future__ import annotations

import builtins
import html
import re
from functools import cache

from proofbook.api.index import Index
from proofbook.api.references import uses
from proofbook.check.api_names import OTHERS, Shown
from proofbook.html.term_links import CLOSED, pieces

SITE = "https://docs.pytorch.org/docs/stable/"

_MODULES = {"torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim", "torch.autograd"}
_ANCHORED = {
    "torch.nn.init": "nn.init.html",
    "torch.autograd.graph": "autograd.html",
    "torch.utils.checkpoint": "checkpoint.html",
    "torch.special": "special.html",
}
"""Modules that are told on one page, each name at its anchor."""

_PLACES = {
    "torch.Tensor": "tensors.html#torch.Tensor",
    "torch.optim.Optimizer": "optim.html#torch.optim.Optimizer",
    "torch.autograd.Function": "autograd.html#torch.autograd.Function",
    "torch.autograd.detect_anomaly": "autograd.html#torch.autograd.detect_anomaly",
    "torch.autograd.set_detect_anomaly": "autograd.html#torch.autograd.set_detect_anomaly",
    "torch.autograd.gradcheck": "generated/torch.autograd.gradcheck.gradcheck.html",
    "torch.autograd.gradgradcheck": "generated/torch.autograd.gradcheck.gradgradcheck.html",
    "torch.autograd.graph.Node": None,
    "torch.nn.Container": None,
    "torch.nn.CrossMapLRN2d": None,
    "torch.nn.NLLLoss2d": None,
    "torch.nn.RNNCellBase": None,
    "torch.thread_safe_generator": None,
    "torch.typename": None,
}
"""Names that keep to no rule."""

_ATTRIBUTES = {"grad", "requires_grad", "is_leaf", "retains_grad", "device", "ndim"}
_OWN_PAGE = re.compile(
    r"""torch\.(?:
        (?:no_grad|enable_grad)
      | autograd\.(?:backward|grad)
      | autograd\.functional\.(?:jacobian|hessian|vjp|jvp|vhp|hvp)
      | autograd\.Function\.(?:forward|backward|jvp|vmap)
      | autograd\.graph\.Node\.(?:name|metadata|next_functions|register_hook|register_prehook)
      | autograd\.graph\.increment_version
      | func\.(?:grad|grad_and_value|vmap|functionalize|hessian|jacfwd|jacrev|jvp|linearize|vjp)
      | func\.(?:functional_call|stack_module_state)
      | linalg\.[a-z]\w*
      | nn\.modules\.module\.register_module_\w+
      | nn\.utils\.(?:parametrizations\.(?:orthogonal|weight_norm|spectral_norm))
      | nn\.utils\.parametrize\.(?:\w+_parametrizations?|cached|is_parametrized)
      | nn\.utils\.rnn\.(?:pack|pad|unpack|unpad)_\w+
      | optim\.lr_scheduler\.[A-Z]\w+
    )""",
    re.VERBOSE,
)
_FUNCTIONS = re.compile(
    r"torch\.(?:_VariableFunctionsClass|functional|serialization|random|_tensor_str)\."
)
_NO_FUNCTIONAL = re.compile(r"_$|_with_indices$|_dispatch$|_tbc$|_mm$|_forward$|channel_shuffle$")
_CODE = re.compile(r"\.?[A-Za-z_][\w.]*(?:\(.*\))?")
_SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"


@cache
def address(name: str, index: Index) -> str | None:
    """The address at which the official documentation tells a full name, where that is certain."""
    place = _place(name, index)
    return SITE + place if place else None


def _place(name: str, index: Index) -> str | None:
    if name in _PLACES:
        return _PLACES[name]
    entry = index.resolve(name)
    owner, _, last = name.rpartition(".")
    if entry is None or last.startswith("_"):
        return None
    if "module" in entry:
        return f"{name.removeprefix('torch.')}.html" if name in _MODULES else None
    if not entry.get("doc") and owner != "torch.autograd.graph.Node":
        return None
    if _OWN_PAGE.fullmatch(name):
        return f"generated/{name}.html"
    of = entry.get("of", "")
    if owner in _ANCHORED:
        return f"{_ANCHORED[owner]}#{name}" if of.startswith(owner + ".") else None
    if owner == "torch.Tensor":
        return f"generated/{name}.html" if of or last in _ATTRIBUTES else None
    if owner == "torch":
        if of.startswith("torch.autograd.grad_mode."):  # inference_mode, set_grad_enabled
            return f"generated/{of}.html"
        known = entry.get("function") and (_FUNCTIONS.match(of) or of == name)
        return f"generated/{name}.html" if known else None
    if owner == "torch.nn.functional":
        known = of.startswith(("torch.nn.functional.", "torch._VariableFunctions", "torch._C._nn."))
        return f"generated/{name}.html" if known and not _NO_FUNCTIONAL.search(last) else None
    if owner == "torch.nn.utils":
        return f"generated/{name}.html" if of.startswith(owner + ".") else None
    if owner in ("torch.nn", "torch.nn.parameter", "torch.optim") and "class" in entry:
        return _place_of_class(name, of)
    return _place_in_class(owner, last, of, index)


def _place_of_class(name: str, of: str) -> str | None:
    if of.startswith(("torch.nn.parameter.", "torch.nn.modules.flatten.")):
        return f"generated/{of}.html"
    known = of.startswith(("torch.nn.modules.", "torch.nn.parallel.", "torch.optim."))
    return f"generated/{name}.html" if known else None


def _place_in_class(owner: str, name: str, of: str, index: Index) -> str | None:
    """A method stands on the page of its class; that of the optimizers' base has its own."""
    if of == f"torch.optim.optimizer.Optimizer.{name}":
        return f"generated/torch.optim.Optimizer.{name}.html"
    if of == f"torch.nn.modules.module.Module.{name}":
        return f"generated/torch.nn.Module.html#torch.nn.Module.{name}"
    cls = index.resolve(owner) or {}
    page = _place(owner, index) if "class" in cls and of == f"{cls['class']}.{name}" else None
    ours = page and owner.startswith(("torch.nn.", "torch.optim."))
    return f"{page}#{owner}.{name}" if ours else None


def meant(text: str, page: Shown, index: Index) -> str | None:
    """The address for a piece of code that is a name or a call, where only one can be meant."""
    found = uses(text) if _CODE.fullmatch(text) else ()
    if not found or ".".join(found[0].parts).lstrip(".") != text.partition("(")[0].lstrip("."):
        return None
    use = found[0]
    name, first = use.parts[-1], use.parts[0]
    if use.dotted:
        ours = first == "torch" or not page.defines(first) or page.imports(first)
        return address(use.dotted, index) if ours else None
    bare = len(use.parts) == 1
    if first in OTHERS or (bare and (page.defines(name) or hasattr(builtins, name))):
        return None
    if bare and not use.call and "_" not in name.strip("_") and not name[0].isupper():
        return None  # a plain word
    if index.member(_SCHEDULER, name) is not None:
        return None  # `step()`: of an optimizer or of a scheduler?
    owned = [full for full, _ in index.owned.get(name, ())]
    places = {address(full, index) for full in owned if _in_class(full, index)}
    if bare:  # a function too; `x.name` is of an object
        places |= {place for full in owned if (place := address(full, index))}
    return places.pop() if len(places) == 1 else None


def _in_class(name: str, index: Index) -> bool:
    return "class" in (index.resolve(name.rpartition(".")[0]) or {})


def link_names(content: str, page: Shown, index: Index) -> str:
    """The HTML of a page with the first code for each name linked to the official documentation.

    Headings, tables, titles of boxes and links stay as they are.
    """
    seen: set[str] = set()
    told: list[str] = []
    opened = False
    for piece, free in pieces(content, CLOSED - {"code"}):
        if free and opened and not piece.startswith("<"):
            place = meant(html.unescape(piece), page, index)
            if place and place not in seen:
                seen.add(place)
                told[-1] = f'<a class="api" href="{html.escape(place)}"><code>'
                piece += "</code></a>"
        elif piece == "</code>" and told and told[-1].endswith("</code></a>"):
            piece = ""
        opened = piece == "<code>"
        told.append(piece)
    return "".join(told)
