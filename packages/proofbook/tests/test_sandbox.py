"""A check in a sandbox: its scripts reach nothing."""

from __future__ import annotations

import shutil
import socket
import subprocess

import pytest
from proofbook.__main__ import main

REACHES = """
import socket
from pathlib import Path
w = 2.0
print("y:", 3 * w)
for name, reach in {
    "network": lambda: socket.create_connection(("127.0.0.1", PORT), timeout=5),
    "book": lambda: Path(BOOK, "left").touch(),
    "cache": lambda: print("remembered:", Path(BOOK, ".cache/known").exists()),
}.items():
    try:
        reach()
    except OSError as error:
        print(name, type(error).__name__)
"""
OUTPUT = "y: 6.0\nnetwork ConnectionRefusedError\nbook OSError\nremembered: False\n"


def works() -> bool:
    """Whether bubblewrap is installed, and may make a sandbox."""
    try:
        command = ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not works(), reason="no bubblewrap on this machine")
def test_a_script_in_the_sandbox_reaches_nothing(book, capfd):
    (book.root / ".cache").mkdir(exist_ok=True)
    (book.root / ".cache/known").touch()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        text = REACHES.replace("PORT", str(port)).replace("BOOK", repr(str(book.root)))
        book.write("snippets/t/s.py", text)
        book.write("snippets/t/s.out", OUTPUT)
        assert main(["--root", str(book.root), "check", "--sandbox"]) == 0, capfd.readouterr()
    assert "1 snippet run and compared" in capfd.readouterr().out
    assert not (book.root / "left").exists() and (book.root / ".cache/known").exists()


def test_without_bubblewrap_it_is_said_what_is_missing(book, monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["--root", str(book.root), "check", "--sandbox"]) == 1
    assert "fix:      apt install bubblewrap" in capsys.readouterr().err
