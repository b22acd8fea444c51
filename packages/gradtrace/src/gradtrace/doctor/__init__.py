"""Says in text what is wrong with the gradients of a recorded run, and where.

    run = Run(trace)                        # of a trace recorded with `health=True`
    print(report(run, diagnose(run), "en"))

Works on a trace alone, and does not import torch. Each module of checks declares its kinds of
findings: how severe each is, its words, and which page of the book explains it.
"""

from __future__ import annotations

from gradtrace.doctor.diagnosis import diagnose
from gradtrace.doctor.finding import Finding, Place
from gradtrace.doctor.report import report, report_json
from gradtrace.doctor.run import Run

__all__ = ["Finding", "Place", "Run", "diagnose", "report", "report_json"]
