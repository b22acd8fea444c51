"""What the scripts of the book print on a GPU, and what only a GPU shows.

    python benchmarks/gpu.py

Runs the scripts that name a device, use a fused optimizer or compile, with the GPU as the default
device and "cuda" in place of "cpu", and the programs in `benchmarks/on_gpu`. Writes the outputs
with the name of the GPU to `snippets/versions/gpu.json`; the pages show, folded, those that differ
from the CPU's. A script that can't run there, because a part of it stays on the CPU, is listed and
not recorded.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
from proofbook.model.torch_records import GPU_RECORD, TorchRecord, hashes, record_text
from proofbook.other_python import ask_interpreter

ROOT = Path(__file__).resolve().parent.parent
AT_ONCE = 8
"""How many programs run at a time: most of their time they import torch."""
LIMIT = 120.0
"""The maximum seconds of one program."""
ON_A_DEVICE = re.compile(r'"cpu"|\bfused=|torch\.compile\(')


def moved(text: str, device: str = "cuda") -> str:
    """The text of a script of the book, moved to a device; its line numbers stay."""
    start = f"import torch; torch.set_default_device({device!r}); "
    return start + text.replace('"cpu"', f'"{device}"')


def printed(text: str) -> str | None:
    """What a script prints in a process and an empty folder of its own; None if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.py")
        script.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run(
                [sys.executable, script], cwd=folder, capture_output=True, text=True, timeout=LIMIT
            )
        except subprocess.TimeoutExpired:
            return None
    return done.stdout if done.returncode == 0 else None


def _texts(folder: str) -> list[tuple[str, str]]:
    """The programs of a folder and of those in it, with their texts."""
    files = sorted((ROOT / folder).rglob("*.py"))
    return [(f.relative_to(ROOT).as_posix(), f.read_text(encoding="utf-8")) for f in files]


def main() -> None:
    """Run the scripts and the programs, and write the record. Raises `SystemExit` without a GPU."""
    if not torch.cuda.is_available():
        raise SystemExit("torch.cuda.is_available() is False: run this on a machine with a GPU")
    scripts = {name: text for name, text in _texts("snippets") if ON_A_DEVICE.search(text)}
    programs = dict(_texts("benchmarks/on_gpu"))
    texts = scripts | programs
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(printed, [*map(moved, scripts.values()), *programs.values()])
    outputs = {name: text for name, text in zip(texts, found, strict=True) if text is not None}
    for name in texts.keys() - outputs.keys():
        print("does not run:", name)
    for name in programs.keys() & outputs.keys():
        print(f"\n{name}\n{outputs[name]}", end="")
    version, packages = ask_interpreter(sys.executable)
    hashed = {name: hashes(texts[name], output) for name, output in outputs.items()}
    gpu = torch.cuda.get_device_name()
    record = TorchRecord(f"{version} ({gpu})", packages, False, hashed, outputs)
    (ROOT / GPU_RECORD).write_text(record_text(record), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
