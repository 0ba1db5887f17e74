"""The commands about decisions, knowledge and lessons."""
