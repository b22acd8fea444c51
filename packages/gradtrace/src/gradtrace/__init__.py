"""Records what autograd does while a script runs, and draws it step by step.

    with record() as trace:                         # records what runs in the block
        loss.backward()
    trace.save("step.html")                         # writes a page that plays it

    trace = record_script("train.py")               # runs the script in this process, with torch
    html = draw_figure(trace, "figure-1", "en")     # its page needs trace.css and trace.js as well

How a trace is recorded and used, folder by folder:

    recording/ runs a script and observes it            -> Trace (`gradtrace.trace`)
    graph/     the boxes and edges that are drawn       -> Graph
    story/     what each event changes, and a sentence  -> Step
    words/     the words of figures and reports, one module per language
    draw/      SVG, HTML, the player's files            -> text
    doctor/    what is wrong with the gradients         -> Finding

The names below are imported lazily; only the names from `recording.recorder`
import torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradtrace.api import RecordedBlock, load_ipython_extension, record
    from gradtrace.compare import (
        Difference,
        comparable_lines,
        first_difference,
        same_but_for_rounding,
        trace_path,
    )
    from gradtrace.draw.figure import (
        PLAYER_ASSETS,
        VariedFigure,
        VariedNumber,
        VariedRun,
        asset_path,
        draw_figure,
        draw_varied_figure,
        number_controls,
        read_asset,
    )
    from gradtrace.graph.build import Graph, build_graph
    from gradtrace.graph.passes import backward_passes, select_passes
    from gradtrace.recording.recorder import Recorder, RecordingFailed, record_script
    from gradtrace.recording.script import execute
    from gradtrace.story.steps import Step, list_steps
    from gradtrace.story.value_text import format_number
    from gradtrace.trace import Trace, format_trace, parse_trace
    from gradtrace.values import scalar
    from gradtrace.words import LANGUAGES

_MODULE_OF = {
    name: module
    for module, names in {
        "api": "RecordedBlock record",
        "compare": "Difference comparable_lines first_difference trace_path",
        "graph.build": "Graph build_graph",
        "graph.passes": "backward_passes select_passes",
        "words": "LANGUAGES",
        "story.steps": "Step list_steps",
        "story.value_text": "format_number",
        "notebook": "load_ipython_extension",
        "recording.script": "execute",
        "recording.recorder": "Recorder RecordingFailed record_script",
        "draw.figure": "PLAYER_ASSETS VariedFigure VariedNumber VariedRun asset_path draw_figure"
        " draw_varied_figure number_controls read_asset",
        "same_numbers": "same_but_for_rounding",
        "trace": "Trace format_trace parse_trace",
        "values": "scalar",
    }.items()
    for name in names.split()
}
__all__ = [
    "LANGUAGES",
    "PLAYER_ASSETS",
    "Difference",
    "Graph",
    "RecordedBlock",
    "Recorder",
    "RecordingFailed",
    "Step",
    "Trace",
    "VariedFigure",
    "VariedNumber",
    "VariedRun",
    "asset_path",
    "backward_passes",
    "build_graph",
    "comparable_lines",
    "draw_figure",
    "draw_varied_figure",
    "execute",
    "first_difference",
    "format_number",
    "format_trace",
    "list_steps",
    "load_ipython_extension",
    "number_controls",
    "parse_trace",
    "read_asset",
    "record",
    "record_script",
    "same_but_for_rounding",
    "scalar",
    "select_passes",
    "trace_path",
]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
