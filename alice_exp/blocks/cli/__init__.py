"""The commands about single blocks and their provenance."""
