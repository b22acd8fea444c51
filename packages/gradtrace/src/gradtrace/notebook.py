"""The magic `%%gradtrace` of notebooks. IPython is not imported: it already runs."""

from __future__ import annotations

import ast

from gradtrace.api import RecordedBlock


def _number_of_cell() -> int:
    """The number of the cell that is running; IPython's own counter is already one ahead."""
    from gradtrace.recording.position import calling_frame, cell_name

    label = cell_name(calling_frame().f_code.co_filename) or ""
    return int(label.removeprefix("In[").removesuffix("]") or 0)


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
    text = shell.transform_cell(line if cell is None else cell)
    file = shell.compile.cache(text, _number_of_cell())
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
