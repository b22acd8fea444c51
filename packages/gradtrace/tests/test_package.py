"""The package stands alone: what it imports, and what an installation of it holds."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import gradtrace
import pytest

PACKAGE = Path(gradtrace.__file__).parent
PROJECT = Path(__file__).parents[1]
ALLOWED = {*sys.stdlib_module_names, "gradtrace", "torch", "pygments"}
TORCH_FREE = "import sys, gradtrace.cli; print('torch' in sys.modules)"
SCRIPT = "import torch\nw = torch.ones(1, requires_grad=True)\n(w * 2).sum().backward()\n"


def imported(file: Path) -> set[str]:
    """The top-level packages that a module imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            names.add(node.module.partition(".")[0])
    return names


def test_it_imports_torch_pygments_and_nothing_else():
    files = list(PACKAGE.rglob("*.py"))
    assert len(files) > 30
    unknown = {f.name: found for f in files if (found := imported(f) - ALLOWED)}
    assert unknown == {  # loaded by these alone
        "pytest_plugin.py": {"pytest"},
        "lightning.py": {"lightning"},
        "transformers.py": {"transformers"},
    }


def test_the_command_itself_does_not_import_torch():
    done = subprocess.run([sys.executable, "-c", TORCH_FREE], capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_every_name_of_the_public_functions_is_there():
    assert all(getattr(gradtrace, name) is not None for name in gradtrace._MODULE_OF)
    assert all(getattr(gradtrace, name).__doc__ for name in gradtrace.__all__)
    assert {*gradtrace.__all__, "__version__"} <= set(dir(gradtrace))
    assert not {"draw_figure", "import_module"} & set(dir(gradtrace))  # nothing for TAB but these
    assert gradtrace.__version__.count(".") == 2


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """A folder with a blank in its name, into which the package is installed without the rest of
    the repository. Its dependencies, setuptools among them, are those of this interpreter."""
    folder = tmp_path_factory.mktemp("stands alone")
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "tests")
    shutil.copytree(PROJECT, folder / "source", ignore=ignored)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    site = folder / "site packages"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", str(site), "./source"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ""},
        check=True,
    )
    return site


def test_an_installation_holds_all_files(installed):
    here, there = (
        {f.relative_to(folder).as_posix() for f in folder.rglob("*.*") if f.suffix != ".pyc"}
        for folder in (PACKAGE, installed / "gradtrace")
    )
    assert there == here


def test_an_installation_writes_a_page(installed, tmp_path):
    folder = tmp_path / "any folder"
    folder.mkdir()
    (folder / "train.py").write_text(SCRIPT, "utf-8")
    where = "import gradtrace; print(gradtrace.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(installed)}

    def run(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout + done.stderr

    assert Path(run("-c", where).strip()).is_relative_to(installed)
    assert run("-m", "gradtrace", "train.py").startswith("train.html: ")
    assert "<figure>" in (folder / "train.html").read_text("utf-8")
