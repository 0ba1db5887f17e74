"""The fields that the rows of each list can have, so that ``--fields`` knows a wrong one where there are no rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_BLOCK = """
id key type about trigger payload state verifications verifications_local observations open_failures record doubt
project importance emotional_weight tags related supersedes shareable origin access_count last_accessed_at
consolidation_score evidence reported approved suggested archived created_at updated_at set namespace level
trigger_detail payload_detail confidence trust decay stale
"""
_MATCH = """
id set namespace state key trigger payload score match confidence trust decay approved stale project
"""
_EPISODE = """
id task context action result success reward at reflection type timestamp result_truncated result_length access_count
unreported
"""
_SEGMENT = """
id start end segment_length compression_level summary key_events events is_compressed start_timestamp end_timestamp
"""
_THOUGHT = "number at thought context action result metadata"
_IMPORTED = "payload trigger type about"
_REMOTE = "name address private at synced"

FIELDS: Mapping[str, str] = {
    "heartbeat": """
        number id trigger payload state confidence type about suggested evidence expires_at days_left new changed
        explicit proposed_by proposed_at session seen project approval group relations secrets
    """,
    "context": f"{_MATCH} source at",
    "recall": f"{_MATCH} explain",
    "decide": f"{_MATCH} doubt",
    "list": _BLOCK,
    "log": "commit act at op actor blocks subject trailers from to changes",
    "diff": "id from to fields",
    "check": "path line column message severity hint",
    "doctor": "name severity mended problems",
    "impact": "id uses with without low high verdict payload proposal",
    "config list": "key value default kind doc proposed",
    "namespace list": "set namespace path blocks stale",
    "namespace show": _BLOCK,
    "episode list": _EPISODE,
    "episode similar": f"{_EPISODE} score explain",
    "event list": _SEGMENT,
    "event segments": _SEGMENT,
    "event narrative": "id start end segment_length text key_events",
    "event search": f"{_THOUGHT} segment score text",
    "event expand": _THOUGHT,
    "distill": "id verdict kind type payload trigger context episodes explain",
    "import claude-md": _IMPORTED,
    "import mem0": _IMPORTED,
    "import basic-memory": _IMPORTED,
    "import jsonl": _IMPORTED,
    "session extract": "id payload importance type explicit supersedes quote",
    "session list": "id at last_at messages unextracted ended",
    "session show": "index ref role content tool_calls tool_call_id at speaker key extracted",
    "session search": "ref key session index role speaker at text score by_words by_day by_speaker",
    "session window": "role content tool_calls tool_call_id",
    "share list": "id set namespace state level payload shareable verifications_local leaves lacks",
    "share log": "at to way sha256 blocks",
    "peer list": "name id paired_at address",
    "peer discover": "instance addresses name invites",
    "sync": f"{_REMOTE} taken given commit conflicts overruled published candidates merged error",
    "sync list": _REMOTE,
    "owner verify": "id set namespace state standing",
    "help": "group name summary",
}
"""The names of each list's fields, parted by blanks, by its command."""
