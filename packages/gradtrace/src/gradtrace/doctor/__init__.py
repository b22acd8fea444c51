"""Says in text what is wrong with the gradients of a recorded run, and where.

    findings = diagnose(trace)              # of a trace recorded with `health=True`
    print(report(trace, findings, "en"))

Works on a trace alone, and does not import torch. `checks/` finds, one function a
matter; `kinds.py` says how grave each kind is and which page of the book explains it; `languages/`
has the sentences.
"""

from __future__ import annotations

from gradtrace.doctor.diagnosis import diagnose
from gradtrace.doctor.finding import Finding, Place
from gradtrace.doctor.report import report, report_json

__all__ = ["Finding", "Place", "diagnose", "report", "report_json"]
