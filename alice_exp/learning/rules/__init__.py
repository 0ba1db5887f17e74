"""Tiers, assessments, lessons, what a block brings."""
