"""Pure rules of the timeline: compaction, digests, and results that come later."""
