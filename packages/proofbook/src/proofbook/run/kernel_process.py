"""Inside the process of a Jupyter kernel that was forked: becomes what `ipykernel_launcher` is."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence

from proofbook.run.entry import die_with_parent


def run_kernel(arguments: Sequence[str], environment: Mapping[str, str], folder: str) -> None:
    """Run a kernel until it is shut down.

    `arguments`: of `python -m ipykernel_launcher`; `environment`: all its variables; `folder`: its
    working directory.
    """
    os.setsid()
    die_with_parent()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    os.chdir(folder)
    del sys.path[0]  # the folder of this process: nobody's modules for a notebook
    sys.argv = ["ipykernel_launcher", *arguments]

    from ipykernel.kernelapp import launch_new_instance  # it reads the environment

    # It looks once a second whether that process still lives, where the system does not tell it.
    launch_new_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])
