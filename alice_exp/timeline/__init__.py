"""The diary of thoughts: events, segments, compaction."""
