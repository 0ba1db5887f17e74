"""The day's review: heartbeat, approve, reject, reply."""
