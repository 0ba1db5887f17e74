"""Pure rules of learning: decision tiers, assessments, lessons from episodes, and the impact of blocks."""
