"""Runs and records one script in a new interpreter: `entry` with a recorder.

python -m proofbook.run.record_entry script.py report.json limit
"""

from __future__ import annotations

import sys

from gradtrace.record.recorder import Recorder

from proofbook.run import entry

if __name__ == "__main__":
    entry.run(sys.argv[1], sys.argv[2], float(sys.argv[3]), Recorder(sys.argv[1]))
