"""The sentences of the doctor, by the short name of the language."""

from __future__ import annotations

from types import ModuleType

from gradtrace.doctor.languages import en, zh

LANGUAGES: dict[str, ModuleType] = {"en": en, "zh": zh}
"""Each has `WORDS`, `ADVICE` and `MEND`, the last two by the kind of a finding."""
