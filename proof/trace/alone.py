"""Runs and records one script in a new interpreter: `proof.child` with a recorder.

python proof/trace/alone.py script.py report.json limit
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    from proof import child
    from proof.trace.recorder import Recorder

    child.run(sys.argv[1], sys.argv[2], float(sys.argv[3]), Recorder(sys.argv[1]))
