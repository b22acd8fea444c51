"""What all observers of one recording share."""

from __future__ import annotations

from dataclasses import dataclass

from gradtrace.recording.event_log import EventLog
from gradtrace.recording.module_names import ModuleNames
from gradtrace.recording.observers.leaf_changes import LeafChanges
from gradtrace.recording.observers.module_calls import ModuleCalls
from gradtrace.recording.registry import GraphRegistry
from gradtrace.recording.suspended import OwnHandleIds
from gradtrace.recording.value_reader import ValueReader


@dataclass(frozen=True)
class Recording:
    """The trace being recorded, and what is known of the script's tensors and names."""

    log: EventLog
    registry: GraphRegistry
    changes: LeafChanges
    names: ModuleNames
    calls: ModuleCalls
    handle_ids: OwnHandleIds
    values: ValueReader
