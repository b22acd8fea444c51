"""What an older PyTorch prints: checks or records the `.then` files, shown beside today's output.

    python benchmarks/then.py 1.9.0 <python>                     compare all files of that version
    python benchmarks/then.py 1.9.0 <python> snippets/a/b.py     record this snippet (again)

`<python>` is an interpreter with that PyTorch, say of `python3.8 -m venv old; old/bin/pip install
torch==1.9.0 numpy`. The tests cannot do this: old versions need old interpreters.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(version: str, python: str, *scripts: str) -> int:
    ask = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], **_TEXT)
    if ask.stdout.strip().partition("+")[0] != version:
        sys.exit(f"{python} has PyTorch {ask.stdout.strip()}, not {version}\n{ask.stderr}")
    recorded = sorted((ROOT / "snippets").rglob(f"*.{version}.then"))
    wrong = 0
    for file in [_then(script, version) for script in scripts] or recorded:
        printed = _printed(python, file.with_name(file.name.partition(".")[0] + ".py"))
        if scripts:
            file.write_text(printed, encoding="utf-8", newline="\n")
        elif printed != file.read_text(encoding="utf-8"):
            wrong += 1
            print(f"{file.relative_to(ROOT)}: PyTorch {version} prints\n{printed}")
    print(f"{len(scripts) or len(recorded)} files, {wrong} differ" if not scripts else "recorded")
    return 1 if wrong else 0


_TEXT = {"capture_output": True, "text": True, "encoding": "utf-8"}


def _then(script: str, version: str) -> Path:
    return (ROOT / script).with_suffix(f".{version}.then")


def _printed(python: str, script: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([python, str(script)], cwd=folder, **_TEXT)
    if run.returncode:
        sys.exit(f"{script} does not run on this PyTorch:\n{run.stderr}")
    return run.stdout


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
