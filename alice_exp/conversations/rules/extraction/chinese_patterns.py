"""The Chinese tables, and how a part of a Chinese sentence is told of the user (R4.17, R4.19)."""

from __future__ import annotations

import re

from alice_exp.kernel.text.data_files import Patterns

SENTENCES_FILE = "conversations/rules/data/chinese_sentences.toml"
STATEMENTS_FILE = "conversations/rules/data/chinese_statements.toml"

SENTENCES = Patterns(SENTENCES_FILE)
"""How sentences are cut, whose they are, and which of them order, correct or say nothing."""

STATEMENTS = Patterns(STATEMENTS_FILE)
"""Statements that take more than a row."""


def spaced(text: str) -> str:
    """A space between Chinese characters and Latin words, as the source writes it (R4.19)."""
    text = re.sub(r"(?<=[\u3400-\u9fff])(?=[A-Za-z](?![0-9]))", " ", text)
    return re.sub(r"(?<=[A-Za-z+#])(?=[\u3400-\u9fff])", " ", text)


def of_user(text: str) -> str:
    """The text with the speaker in the third person."""
    return re.sub(r"我(?!们)", "用户", text.replace("我们", "用户的团队").replace("我的", "用户的"))
