"""`gradtrace why`: a message is known with other names and numbers, and nothing else is."""

from __future__ import annotations

import io

import pytest
from gradtrace.cli import main
from gradtrace.doctor.known_messages import find

SECOND = "RuntimeError: Trying to backward through the graph a second time (or directly ...)"


@pytest.mark.parametrize(
    ("pasted", "name"),
    [
        (SECOND, "second-time"),
        (f'Traceback (most recent call last):\n  File "t.py", line 3\n{SECOND}', "second-time"),
        (f"[rank1]: {SECOND}", "second-time"),
        (f"E   {SECOND}\n\nt.py:3: RuntimeError", "second-time"),
        (f"ValueError: of the program\n\nDuring handling of it:\n\n{SECOND}", "second-time"),
        ("hook 'mine' has changed the type of value (was torch.HalfTensor got t)", "type-of-value"),
        ("leaf Variable that requires grad", "edited-leaf"),
        ("AttributeError: 'Net' object has no attribute 'head'", None),
        ("ZeroDivisionError: division by zero", None),
        ("hello", None),
        ("", None),
    ],
)
def test_a_message_is_known_however_it_is_pasted(pasted, name):
    found = find(pasted)
    assert (found and found.name) == name


@pytest.mark.parametrize(
    ("language", "run"), [("en", "A run that"), ("zh", "打印出这条报错的脚本")]
)
def test_it_is_read_from_the_arguments_and_from_a_pipe(language, run, monkeypatch, capsys):
    assert main(["why", "--language", language, SECOND]) == 0
    said = capsys.readouterr().out
    assert run in said and "second.backward()" in said and "messages/second-time" in said
    monkeypatch.setattr("sys.stdin", io.StringIO(SECOND))
    assert main(["why", "--language", language]) == 0
    assert capsys.readouterr().out == said
    assert main(["why", "--language", language, "hello"]) == 1
    out, err = capsys.readouterr()
    assert not out and err.count("\n") == 1
