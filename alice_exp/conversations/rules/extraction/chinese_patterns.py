"""The Chinese pattern tables, and rewriting of Chinese text into the third person (R4.17, R4.19)."""

from __future__ import annotations

import re

from alice_exp.kernel.text.data_files import Patterns

SENTENCES_FILE = "conversations/rules/data/chinese_sentences.toml"
STATEMENTS_FILE = "conversations/rules/data/chinese_statements.toml"

SENTENCES = Patterns(SENTENCES_FILE)
"""Patterns for cutting sentences, finding their subject, and recognising instructions, corrections and small talk."""

STATEMENTS = Patterns(STATEMENTS_FILE)
"""Statements that need more than a row of the table."""


def spaced(text: str) -> str:
    """The text with a space between Chinese characters and Latin words, as in the source (R4.19)."""
    text = re.sub(r"(?<=[\u3400-\u9fff])(?=[A-Za-z](?![0-9]))", " ", text)
    return re.sub(r"(?<=[A-Za-z+#])(?=[\u3400-\u9fff])", " ", text)


def of_user(text: str) -> str:
    """The text with the speaker in the third person (我 becomes 用户)."""
    return re.sub(r"我(?!们)", "用户", text.replace("我们", "用户的团队").replace("我的", "用户的"))


_PLACES = {"司": "公司", "校": "学校", "厂": "工厂"}


def in_full(text: str) -> str:
    """The text with the speaker's company or school written out: 我司 becomes 我们公司."""
    return SENTENCES.our_place.sub(lambda found: "我们" + _PLACES.get(found["place"], found["place"]), text)
