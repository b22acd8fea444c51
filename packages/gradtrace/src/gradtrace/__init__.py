"""Records what autograd does while a script runs, and draws it step by step.

    with record() as trace:                         # records what runs in the block
        loss.backward()
    trace.save("step.html")                         # writes a page that plays it
    print(report(trace))                            # the doctor; diagnose(trace) for a program
    draw(model, x).save("model.html")               # one pass of a model, without a loop
    assert_healthy(trace)                           # the doctor in a test

    watch(model, optimizer)                         # looks on while a loop trains, at little cost

    trace = record_script("train.py")               # runs the script in this process, with torch
    html = draw_figure(trace, "figure-1", "en")     # its page needs trace.css and trace.js as well

How a trace is recorded and used, folder by folder:

    recording/ runs a script and observes it            -> Trace (`gradtrace.trace`)
    graph/     the boxes and edges that are drawn       -> Graph
    story/     what each event changes, and a sentence  -> Step
    words/     the words of figures and reports, one file per language
    drawing/   SVG, HTML, the player's files            -> text
    doctor/    what is wrong with the gradients         -> Finding

The names below are imported lazily; only `watch` and those of `recording.recorder` import torch.
"""

from importlib import import_module, metadata

__all__ = ["assert_healthy", "diagnose", "draw", "record", "report", "watch"]
"""What users want; what draws the figures of a book can be imported as well."""

_MODULE_OF = {
    name: module
    for module, names in {
        "api": "RecordedBlock assert_healthy diagnose draw load_ipython_extension record report",
        "drawing.figure": "PLAYER_ASSETS VariedFigure VariedNumber VariedRun asset_path draw_figure"
        " draw_varied_figure number_controls read_asset",
        "graph.build": "Graph build_graph",
        "graph.passes": "backward_passes select_passes",
        "monitor": "watch",
        "recording.recorder": "Recorder RecordingFailed record_script",
        "recording.script": "execute",
        "story.steps": "Step list_steps",
        "story.value_text": "format_number",
        "tolerance": "Difference comparable_lines first_difference same_but_for_rounding"
        " trace_path",
        "trace": "Trace format_trace parse_trace",
        "values": "scalar",
        "words": "LANGUAGES",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return metadata.version(__name__)
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__version__"]
