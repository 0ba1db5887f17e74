"""The commands for creating, checking, configuring and watching a home."""
