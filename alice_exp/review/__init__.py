"""The daily review: heartbeat, approve, reject, reply."""
