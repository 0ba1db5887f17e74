"""The English pattern tables (R4.17, R4.19)."""

from __future__ import annotations

import re

from alice_exp.kernel.text.data_files import Patterns

SENTENCES_FILE = "conversations/rules/data/english_sentences.toml"
STATEMENTS_FILE = "conversations/rules/data/english_statements.toml"

SENTENCES = Patterns(SENTENCES_FILE, flags=re.IGNORECASE)
"""Patterns for cutting sentences, finding their subject, and recognising instructions, corrections and small talk."""

CASED = Patterns(SENTENCES_FILE, "cased")
"""Patterns that are case-sensitive."""

STATEMENTS = Patterns(STATEMENTS_FILE, flags=re.IGNORECASE)
"""Statements that need more than a row of the table."""
