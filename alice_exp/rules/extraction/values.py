"""What extraction finds: frozen inferences with their importance, slot and concept (R4.17-R4.19, B4.8-B4.10)."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from alice_exp.core.model import BlockType

Concept = Literal[
    "name",
    "occupation",
    "place",
    "person",
    "tools",
    "likes",
    "dislikes",
    "health",
    "habit",
    "goal",
    "project",
    "family",
    "instruction",
    "correction",
    "other",
]
"""What an inference is about: chooses its tags, and tells whether the assistant had asked about it."""

TAGS: Mapping[Concept, tuple[str, ...]] = MappingProxyType(
    {
        "name": ("名字", "姓名", "称呼", "name"),
        "occupation": ("工作", "职业", "job", "work", "occupation"),
        "place": ("地点", "城市", "住处", "place", "city", "lives"),
        "person": ("个人", "资料", "about", "personal"),
        "tools": ("工具", "技术", "软件", "tools", "stack"),
        "likes": ("喜欢", "爱好", "偏好", "likes", "favorite", "hobby"),
        "dislikes": ("不喜欢", "讨厌", "dislikes", "avoid"),
        "health": ("健康", "过敏", "饮食", "health", "diet"),
        "habit": ("习惯", "日常", "habit", "routine"),
        "goal": ("目标", "计划", "goal", "plan"),
        "project": ("项目", "进行中", "project", "current"),
        "family": ("家庭", "家人", "family"),
        "instruction": ("要求", "规则", "instruction", "rule"),
        "correction": ("更正", "correction"),
        "other": (),
    }
)
"""Words by which a question finds an inference though its text does not hold them (B4.10)."""

ASKED: Mapping[Concept, tuple[str, ...]] = MappingProxyType(
    {
        "name": ("名字", "姓名", "称呼", "怎么叫", "your name", "call you"),
        "occupation": (
            "工作",
            "职业",
            "做什么的",
            "你是做",
            "job",
            "occupation",
            "for a living",
            "profession",
        ),
        "place": ("住", "城市", "哪里人", "来自", "where", "which city"),
        "person": ("多大", "年龄", "生日", "how old", "birthday"),
        "tools": ("什么语言", "工具", "编辑器", "which language", "which tool", "editor", "tech stack"),
        "likes": ("喜欢", "爱好", "兴趣", "like", "hobb", "favorite", "favourite", "enjoy"),
        "dislikes": ("不喜欢", "讨厌", "dislike", "hate"),
        "health": ("过敏", "忌口", "allerg", "diet"),
        "habit": ("习惯", "平时", "usually", "routine"),
        "goal": ("目标", "打算", "计划", "goal", "plan"),
        "project": ("项目", "忙什么", "project", "working on"),
        "family": ("家人", "孩子", "结婚", "宠物", "family", "kids", "married", "pet"),
    }
)
"""How an assistant asks about a concept (B4.8)."""

Slot = Literal["", "name", "job", "city"]
"""What a person has one of at a time (B4.14); empty: any number."""


@dataclass(frozen=True, slots=True)
class Inference:
    """One thing that a user said, as a sentence that stands alone, in the language it was said in.

    ``importance`` lies in [0, 1] (R4.17); ``value`` is the part of the content that was said, ``slot`` says that
    a newer value takes its place; ``replaces`` is the content that it takes the place of, where this text shows
    it; ``quote`` is the sentence, ``index`` its message's place in what was read; ``explicit``: the user asked to
    have it remembered (B4.18).
    """

    content: str
    importance: float
    type: BlockType = "fact"
    concept: Concept = "other"
    slot: Slot = ""
    value: str = ""
    replaces: str = ""
    quote: str = ""
    index: int = 0
    explicit: bool = False

    @property
    def tags(self) -> tuple[str, ...]:
        """The concept's words, and ``slot:…`` where the slot holds one value."""
        return (*TAGS[self.concept], *([f"slot:{self.slot}"] if self.slot else []))


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a conversation yields, in the order it was said, and how much was too unimportant (B4.9)."""

    inferences: tuple[Inference, ...] = ()
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Pattern:
    """A row of a language's table: a predicate after the speaker (我, "I"), and what it says of the user (R4.17).

    ``content`` is told with the groups of ``says`` in its places; empty: the predicate in the third person. ``narrow``
    refuses values about this very moment.
    """

    says: re.Pattern[str]
    content: str
    type: BlockType
    concept: Concept
    importance: float
    slot: Slot = ""
    narrow: bool = True
