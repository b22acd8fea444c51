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

from proofbook.model.older_outputs import older_file, output_in, then_text
from proofbook.model.page import read

ROOT = Path(__file__).resolve().parent.parent
TEXT = {"capture_output": True, "text": True, "encoding": "utf-8"}


def main(version: str, python: str, *scripts: str) -> int:
    try:
        ask = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], **TEXT)
    except OSError as error:
        sys.exit(f"{python} cannot be started: {error}")
    if ask.stdout.strip().partition("+")[0] != version:
        sys.exit(f"{python} has PyTorch {ask.stdout.strip()}, not {version}\n{ask.stderr}")
    for script in scripts:
        file, text = older_file(ROOT / script, version), read(ROOT / script)
        file.write_text(
            then_text(text, version, run(python, script)), encoding="utf-8", newline="\n"
        )
        print(f"recorded: {file.relative_to(ROOT)}")
    if scripts:
        return 0
    files = sorted((ROOT / "snippets").rglob(f"*.{version}.then"))
    wrong = 0
    for file in files:
        script = file.with_name(file.name.removesuffix(f".{version}.then") + ".py")
        if (output := run(python, script.relative_to(ROOT).as_posix())) != output_in(read(file)):
            wrong += 1
            print(f"{file.relative_to(ROOT)}: PyTorch {version} prints\n{output}")
    print(f"{len(files)} files, {wrong} differ")
    return 1 if wrong else 0


def run(python: str, script: str) -> str:
    """What a script prints under this interpreter; ends the program if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, str(ROOT / script)], cwd=folder, **TEXT)
    if done.returncode:
        sys.exit(f"{script} does not run on this PyTorch:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
