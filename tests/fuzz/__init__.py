"""Texts and messages that nobody meant, made by hypothesis; ``make soak`` lets them run long."""

import os

SCALE = int(os.environ.get("ALICE_FUZZ", "1"))
"""How many times as many examples as every day."""
