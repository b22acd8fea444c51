"""Records a part of a program, wherever it runs: `with gradtrace.record() as trace:`."""

from __future__ import annotations

import html
import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from gradtrace import doctor
from gradtrace.drawing.page import standalone_page
from gradtrace.graph.build import build_graph
from gradtrace.options import language_of_terminal
from gradtrace.trace import Trace
from gradtrace.words import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from torch import nn
    from torch.optim import Optimizer
import ast

HEIGHT = 640
"""The height of a page in a notebook, in pixels; a reader can change it."""

_FRAME = (
    '<iframe title="gradtrace" sandbox="allow-scripts allow-popups" srcdoc="{page}" '
    'style="width:100%;height:{height}px;border:0;resize:vertical;overflow:auto"></iframe>'
)


def record(
    model: nn.Module | None = None, optimizer: Optimizer | Sequence[Optimizer] | None = None
) -> RecordedBlock:
    """Record what autograd does in a block of code.

        with gradtrace.record(model, optimizer) as trace:
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        trace.save("step.html")

    Both arguments are optional: parameters of `model` are named ("model.0.weight") where the code
    has no name for them; of `optimizer` (or several) it is recorded which parameters it holds.
    Other threads are not recorded, and torch is not seeded.
    """
    return RecordedBlock(model, optimizer)


def draw(
    model: nn.Module, *inputs: object, loss: Callable | None = None, **named: object
) -> RecordedBlock:
    """Record one forward and one backward pass of a model, without a training loop.

        gradtrace.draw(model, x).save("model.html")

    The model is called with `inputs` and `named`; `loss` makes one number of its output, by default
    the output's own `loss`, or else the sum of all numbers in it. A notebook shows the page where
    this is the last line of a cell. Afterwards `.grad`, the buffers and torch's random numbers are
    what they were.
    """
    import torch

    block = RecordedBlock(model, code=_code_of_draw(model, len(inputs), named))
    leaves = [*model.parameters(), *(x for x in inputs if getattr(x, "is_leaf", False))]
    grads = [leaf.grad for leaf in leaves]
    buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
    devices = {leaf.device.index for leaf in leaves if leaf.is_cuda}
    variables = {"model": model, "loss_of": loss or _own_loss, **named}
    variables |= zip(_names_of(len(inputs)), inputs, strict=True)
    with torch.random.fork_rng(devices), torch.inference_mode(False), torch.enable_grad():
        try:
            for leaf in leaves:
                leaf.grad = None
            file, text = block._code
            with block:
                exec(compile(text, file, "exec"), variables)
        finally:
            for leaf, grad in zip(leaves, grads, strict=True):
                leaf.grad = grad
            with torch.no_grad():
                for buffer, before in buffers:
                    buffer.copy_(before)
    return block


def _names_of(inputs: int) -> list[str]:
    return ["x"] if inputs == 1 else [f"x{number + 1}" for number in range(inputs)]


def _code_of_draw(model: nn.Module, inputs: int, named: Iterable[str]) -> tuple[str, str]:
    """The title of the page, and the script that it shows."""
    arguments = ", ".join([*_names_of(inputs), *(f"{name}={name}" for name in named)])
    lines = f"output = model({arguments})", "loss = loss_of(output)", "loss.backward()"
    return type(model).__name__, "".join(f"{line}\n" for line in lines)


def _own_loss(output: object) -> object:
    """The loss that a model returns with its output, or else the sum of its output."""
    from gradtrace.recording.tensor_values import tensors_in

    if (own := getattr(output, "loss", None)) is not None:
        return own
    found = [each for each in tensors_in(output) if each.requires_grad]
    if not found:
        raise ValueError(
            "no tensor in the model's output requires a gradient: say what to start from, "
            "`gradtrace.draw(model, x, loss=lambda output: ...)`"
        )
    return sum((each.sum() for each in found[1:]), found[0].sum())


class RecordedBlock:
    """What happened in one `with` block: a page (`save`, `show`), a report, the data (`trace`).

    If the block ends with an error, the events before it are recorded, and the error.
    `code`: the file name and the text that runs in the block, where it isn't its own.
    """

    def __init__(
        self,
        model: nn.Module | None = None,
        optimizer: Optimizer | Sequence[Optimizer] | None = None,
        code: tuple[str, str] | None = None,
    ) -> None:
        self._model, self._code = model, code
        if model is not None and not hasattr(model, "named_parameters"):
            raise TypeError(f"model is not an nn.Module but of type {type(model).__name__}")
        several = isinstance(optimizer, (list, tuple))
        self._optimizers = list(optimizer) if several else [optimizer] * (optimizer is not None)
        for each in self._optimizers:
            if not hasattr(each, "param_groups"):
                kind = type(each).__name__
                raise TypeError(f"optimizer is not a torch.optim.Optimizer but of type {kind}")
        self._recorder = None
        self._running = self._failed = False
        self._name = ""

    def __enter__(self) -> RecordedBlock:
        from gradtrace.recording.recorder import begin, is_recording

        if is_recording():
            raise RuntimeError(
                "a recording is running already, and there can be only one at a time: take away "
                "the inner one (`gradtrace train.py` records the whole script)"
            )
        self._recorder, self._name = begin(self._model, self._optimizers, self._code)
        self._running = True
        return self

    def __exit__(self, *error: object) -> None:
        self._running = False
        self._failed = isinstance(error[1], Exception) and self._recorder.is_open
        self._recorder.__exit__(*error)

    @property
    def trace(self) -> Trace:
        """The data. Raises `RecordingFailed` where the recorder has failed, not the code."""
        if self._recorder is None or self._running:
            raise RuntimeError("what was recorded is there after the `with` block, not before")
        return self._recorder.trace()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not build_graph(self.trace).boxes

    def save(
        self, file: str | os.PathLike, language: str | None = None, name: str | None = None
    ) -> None:
        """Write the page: one HTML file that fetches nothing. `name` is its title."""
        text = self._page(language, name)
        Path(file).write_text(text, encoding="utf-8", newline="\n")

    def show(self, language: str | None = None, height: int = HEIGHT) -> None:
        """Show the page: below the cell of a notebook, elsewhere in the browser."""
        from gradtrace.recording.position import running_ipython

        text, shell = self._page(language, None), running_ipython()
        if hasattr(shell, "kernel"):
            shown = {"text/html": page_in_cell(text, height)}
            shell.display_pub.publish({**shown, "text/plain": "gradtrace: a page of HTML"})
            return
        with tempfile.NamedTemporaryFile(prefix="gradtrace-", suffix=".html", delete=False) as file:
            file.write(text.encode())
        # Without a screen, as on a server, there is at best a text browser.
        has_screen = os.name == "nt" or sys.platform == "darwin" or os.environ.get("DISPLAY")
        if not has_screen or not webbrowser.open(Path(file.name).as_uri()):
            print(file.name)

    def report(self, language: str | None = None, name: str | None = None) -> str:
        """A text report of what is wrong with the gradients, as `gradtrace doctor` prints it.
        `name` is the title; by default the name of the file or of the notebook cell."""
        return report(self, language, name or self._name)

    def _repr_html_(self) -> str | None:
        """What a notebook shows where this is the last line of a cell."""
        if self._recorder is None or self._running or self.is_empty:
            return None
        return page_in_cell(self._page(None, None), HEIGHT)

    def _page(self, language: str | None, name: str | None) -> str:
        trace, language = self.trace, known_language(language)
        if self.is_empty:
            raise ValueError(
                "there is nothing to draw: in the `with` block no operation used a tensor that "
                "requires a gradient. Put the forward pass and loss.backward() inside"
            )
        notes: list[tuple[str, dict]] = [("note_eager", {})] if trace.eager else []
        if trace.left_out:
            notes.append(("note_full", dict(trace.left_out)))
        if self._failed:
            error = [event for event in trace.events if event["k"] == "error"][-1]
            notes.append(("note_error", {"line": error["line"], "message": error["msg"]}))
        sentences = [LANGUAGES[language][key].format(**parts) for key, parts in notes]
        run = doctor.Run(trace)
        diagnosis = doctor.page_diagnosis(run, doctor.diagnose(run), language)
        title = name or self._name
        return standalone_page(title, trace, language, sentences, diagnosis=diagnosis)


def diagnose(trace: Trace | RecordedBlock) -> list[doctor.Finding]:
    """What is wrong with the gradients of a recording: the findings, the most severe first.

    Each has a `kind` ("parameter-detached"), a `level` ("error", "warning", "note"), a `place` (its
    `line`, and its `file` if that isn't the script) and `facts`.
    """
    return doctor.diagnose(doctor.Run(_trace_of(trace)))


def report(trace: Trace | RecordedBlock, language: str | None = None, name: str = "script") -> str:
    """The findings as a text, as `gradtrace doctor` prints it. `name` is its title."""
    run = doctor.Run(_trace_of(trace))
    return doctor.report(run, doctor.diagnose(run), known_language(language), name)


def assert_healthy(trace: Trace | RecordedBlock, allow: Collection[str] = ()) -> None:
    """Raise `AssertionError`, with the report, if the doctor finds an error or a warning, but for
    those whose kinds are in `allow`: for a test of a training step."""
    found = [each for each in diagnose(trace) if each.level != "note" and each.kind not in allow]
    if found:
        run = doctor.Run(_trace_of(trace))
        raise AssertionError(doctor.report(run, found, language_of_terminal()))


def _trace_of(recorded: Trace | RecordedBlock) -> Trace:
    return recorded.trace if isinstance(recorded, RecordedBlock) else recorded


def known_language(language: str | None) -> str:
    """The language, by default that of the terminal; raises `ValueError` if it isn't known."""
    if language is None:
        return language_of_terminal()
    if language not in LANGUAGES:
        raise ValueError(f"language is {language!r}, and one of {', '.join(LANGUAGES)} is known")
    return language


def page_in_cell(page: str, height: int) -> str:
    """A page embedded in another one, isolated from it."""
    # Without it a link to a place in the page leads to the notebook.
    page = page.replace("<head>", '<head><base href="about:srcdoc">', 1)
    return _FRAME.format(page=html.escape(page), height=height)


def load_ipython_extension(shell) -> None:
    """IPython calls this for `%load_ext gradtrace`."""

    def magic(line: str, cell: str | None = None) -> None:
        __tracebackhide__ = True  # from IPython, which shows the user's lines alone then
        _magic(shell, line, cell)

    shell.register_magic_function(magic, "line_cell", "gradtrace")


def _magic(shell, line: str, cell: str | None) -> None:
    """`%%gradtrace` records its cell and shows the page below it; `%gradtrace` records its line.

    `%%gradtrace trace` also stores the recording in a variable of this name.
    """
    __tracebackhide__ = True
    name = line.strip() if cell is not None else ""
    if name and not name.isidentifier():
        raise ValueError(f"%%gradtrace takes the name of a variable, and {name!r} is none")
    from gradtrace.recording.position import calling_frame, cell_name

    # The number of the cell that is running; IPython's own counter is already one ahead.
    label = cell_name(calling_frame().f_code.co_filename) or ""
    number = int(label.removeprefix("In[").removesuffix("]") or 0)
    text = shell.transform_cell(line if cell is None else cell)
    file = shell.compile.cache(text, number)
    tree = ast.parse(text, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    recorded, value = RecordedBlock(code=(file, text)), None
    try:
        with recorded:
            exec(compile(tree, file, "exec"), shell.user_ns)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), file, "eval"), shell.user_ns)
        shell.displayhook(value)
    finally:
        if name:
            shell.user_ns[name] = recorded
        try:
            recorded.show()
        except ValueError as error:  # there is nothing to draw, which is not an error of the cell
            print(error)
