"""The timeline of thoughts: events, segments, and their compaction."""
