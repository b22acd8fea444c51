"""Recording in a notebook, in a real kernel; a page below a cell, in a real browser."""

from __future__ import annotations

import re
from html import unescape
from textwrap import dedent

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = [
    """
    %load_ext gradtrace
    import gradtrace, torch
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    def loss_of(x):
        return (w * x).sum()
    """,
    """
    with gradtrace.record() as trace:
        loss = loss_of(3)
        loss.backward()
    trace.show("en")
    """,
    """
    print(trace.trace.sources.keys(), [(e["line"], e.get("file")) for e in trace.trace.events])
    """,
    """
    %%gradtrace kept
    v = torch.ones(1, requires_grad=True)
    (v * 2).backward()
    v.grad
    """,
    """
    print(kept.trace.source.split()[0], [e["line"] for e in kept.trace.events], kept.trace.sources)
    """,
    """
    %%gradtrace broken
    u = torch.ones(1, requires_grad=True).exp()
    u.backward()
    u.backward()
    """,
    """
    print(broken.trace.events[-2]["k"], broken.trace.events[-2]["line"])
    """,
    """
    %gradtrace (w * 2).sum().backward()
    """,
    """
    %%gradtrace
    print("no gradients")
    """,
]


@pytest.fixture(scope="module")
def outputs() -> list[list]:
    """What the cells gave, run one after another."""
    cells = [nbformat.v4.new_code_cell(dedent(cell).strip()) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=True).execute()
    return [cell.outputs for cell in notebook.cells]


def page(output) -> str:
    frame = output.data["text/html"]
    assert 'sandbox="allow-scripts allow-popups"' in frame and "src=" not in frame
    return unescape(frame.partition('srcdoc="')[2].partition('"')[0])


def test_a_block_shows_its_page_below_the_cell(outputs):
    (shown,) = outputs[1]
    assert "<h1>In[2]</h1>" in page(shown)
    lines = "[(5, 'In[1]'), (5, 'In[1]'), (3, None)"
    assert outputs[2][0].text.startswith(f"dict_keys(['In[1]']) {lines}")


def test_the_magic_records_its_cell_shows_its_value_and_keeps_the_recording(outputs):
    value, shown = outputs[3]
    assert value.data["text/plain"] == "tensor([2.])"
    assert "<h1>In[4]</h1>" in page(shown)
    assert outputs[4][0].text == "v [1, 2, 2, 2, 2, 2] {}\n"  # and not the text of the magic
    assert "run_cell_magic" not in page(shown)


def test_a_cell_that_fails_shows_how_far_it_came_and_its_error(outputs):
    shown, error = outputs[5]
    assert "In[6]" in page(shown)
    assert (error.output_type, error.ename) == ("error", "RuntimeError")
    assert "u.backward()" in "".join(error.traceback)
    assert "notebook.py" not in "".join(error.traceback)
    assert outputs[6][0].text == "error 3\n"


def test_the_magic_of_a_line_records_the_line(outputs):
    text = re.sub(r"<[^>]*>", "", page(outputs[7][0]).partition("<main>")[2])
    assert "(w * 2).sum().backward()" in text


def test_a_cell_without_gradients_is_told_so(outputs):
    printed = "".join(each.text for each in outputs[8])
    assert printed.startswith("no gradients\nthere is nothing to draw: ")
