"""What all observers of one recording share."""

from __future__ import annotations

from dataclasses import dataclass

from gradtrace.record.event_log import EventLog
from gradtrace.record.names import ScriptNames
from gradtrace.record.observers.leaf_changes import LeafChanges
from gradtrace.record.registry import GraphRegistry
from gradtrace.record.suspended import OwnHandleIds


@dataclass(frozen=True)
class Recording:
    """The trace being recorded, and what is known of the script's tensors and names."""

    log: EventLog
    registry: GraphRegistry
    changes: LeafChanges
    names: ScriptNames
    handle_ids: OwnHandleIds
