"""What a page is finished with, as JSON: it goes with the Markdown of the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from proofbook.content.glossary import Term, Terms
from proofbook.html.finish import PageContext
from proofbook.html.value_links import PlacedLinks, Proof

_APART = ("values", "terms", "name_address")
"""The fields of a context that are no plain texts, lists and mappings."""


def to_json(context: PageContext, names: Mapping[str, str]) -> str:
    """A context in one line. `names`: the addresses of all code on the page that has one."""
    values = context.values
    plain = [field.name for field in fields(context) if field.name not in _APART]
    return _line(
        {
            **{name: getattr(context, name) for name in plain},
            "marked": [asdict(proof) for proof in values.marked],
            "formulas": {
                latex: [
                    [[number, [p and asdict(p) for p in proofs]] for number, proofs in each.items()]
                    for each in found
                ]
                for latex, found in values.formulas.items()
            },
            "line_ids": [[*line, name] for line, name in values.line_ids.items()],
            "terms": [_said(term) for term in context.terms.all],
            "names": dict(names),
        }
    )


def from_json(text: str) -> PageContext:
    """The context that `to_json` wrote."""
    data = json.loads(text)
    formulas = {
        latex: [{number: [_proof(p) for p in proofs] for number, proofs in each} for each in found]
        for latex, found in data.pop("formulas").items()
    }
    marked = [Proof(**proof) for proof in data.pop("marked")]
    line_ids = {(script, part, line): name for script, part, line, name in data.pop("line_ids")}
    terms = Terms(tuple(_term(said) for said in data.pop("terms")))
    names = data.pop("names")
    values = PlacedLinks(marked, formulas, line_ids)
    return PageContext(values=values, terms=terms, name_address=names.get, **data)


def _proof(data: dict[str, str] | None) -> Proof | None:
    return data and Proof(**data)


def _said(term: Term) -> dict[str, Any]:
    """What links need of a term: not its explanation."""
    return {name: getattr(term, name) for name in ("id", "zh", "en", "page", "forms", "common")}


def _term(said: Mapping[str, Any]) -> Term:
    return Term(**{**said, "forms": tuple(said["forms"])}, part="", says={})


def _line(data: dict[str, Any]) -> str:
    """JSON that may stand in a comment of HTML, which a `>` could end."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace(">", "\\u003e")
