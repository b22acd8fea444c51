"""Records what autograd does while a script runs, and draws it step by step.

    trace = record_script("train.py")               # imports torch; runs the script in this process
    html = draw_figure(trace, "figure-1", "en")     # with style and script: with_player(html, ...)

How a trace comes to be and what becomes of it, folder by folder:

    record/    runs a script and observes it            -> Trace (`gradtrace.trace`)
    graph/     the boxes and edges that are drawn       -> Graph
    layout/    where they are placed                    -> Layout
    narrate/   sentences for each event, per language   -> Step
    render/    SVG, HTML, the player's files            -> text

`Recorder` and `record_script` import torch when they are first asked for; nothing else does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradtrace.compare import Difference, first_difference, trace_path
from gradtrace.graph.build import Graph, build_graph
from gradtrace.graph.passes import backward_passes, select_passes
from gradtrace.narrate.languages import LANGUAGES
from gradtrace.narrate.steps import Step, list_steps
from gradtrace.narrate.value_format import format_number, scalar
from gradtrace.record.execute import execute
from gradtrace.render.assets import PLAYER_ASSETS, asset_path
from gradtrace.render.figure import draw_figure, with_player
from gradtrace.trace import Trace, format_trace, parse_trace

if TYPE_CHECKING:
    from gradtrace.record.recorder import Recorder, RecordingFailed, record_script

__all__ = [
    "LANGUAGES",
    "PLAYER_ASSETS",
    "Difference",
    "Graph",
    "Recorder",
    "RecordingFailed",
    "Step",
    "Trace",
    "asset_path",
    "backward_passes",
    "build_graph",
    "draw_figure",
    "execute",
    "first_difference",
    "format_number",
    "format_trace",
    "list_steps",
    "parse_trace",
    "record_script",
    "scalar",
    "select_passes",
    "trace_path",
    "with_player",
]


def __getattr__(name: str) -> object:
    if name in ("Recorder", "RecordingFailed", "record_script"):
        from gradtrace.record import recorder

        return getattr(recorder, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
