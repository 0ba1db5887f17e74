"""The English tables (R4.17, R4.19)."""

from __future__ import annotations

import re

from alice_exp.kernel.text.data_files import Patterns

SENTENCES_FILE = "conversations/rules/data/english_sentences.toml"
STATEMENTS_FILE = "conversations/rules/data/english_statements.toml"

SENTENCES = Patterns(SENTENCES_FILE, flags=re.IGNORECASE)
"""How sentences are cut, whose they are, and which of them order, correct or say nothing."""

CASED = Patterns(SENTENCES_FILE, "cased")
"""Those in which capital letters count."""

STATEMENTS = Patterns(STATEMENTS_FILE, flags=re.IGNORECASE)
"""Statements that take more than a row."""
