"""The IPython in which this code runs. It is never imported: where it runs, it is there."""

from __future__ import annotations

import sys
from typing import Any


def running_ipython() -> Any:
    """The shell of the notebook or terminal, or None."""
    find = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return find() if find else None
