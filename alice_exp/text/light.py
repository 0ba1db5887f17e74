"""Light words: they ask, point or join, and say little about a subject. In a question they count less than the rest.

Closed classes of English and Chinese, by hand; nothing here comes from the data that finding is measured on. The
English words that say nothing at all are ``text.words.STOP_WORDS``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from alice_exp.text.words import is_cjk, stems

if TYPE_CHECKING:
    from collections.abc import Iterable

_ENGLISH = """
some any about which much many long often kind type sort also just like get got make go going tell told please let
want need know think there here thing things something anything someone anyone everything more most other another
such only own same too very ever once recently before after during while again first last time times day one two up
down out over off both each few all being doing having might may must shall mine yours hers theirs himself herself
myself ours themselves because until between through above below under further why say said mention mentioned
remember ask talk give take see come use used new good people way name user
"""

_CHINESE = """
什么 怎么 怎样 怎么样 如何 为什么 为何 为啥 多少 哪个 哪些 哪里 哪儿 哪种 哪一 何时 何处 什么时候 是否
有没有 是不是 能不能 可不可以 可以 我们 你们 他们 她们 它们 自己 这个 那个 这些 那些 这样 那样 这么 那么
有什么 是什么 因为 所以 如果 但是 或者 以及 并且 而且 还是 一个 一下 曾经 咋 啥 请问 告诉 有哪些 是谁 分别
指的是 指 时候 现在 目前 应该 需要 没有 不能 怎么办 怎么回事 多久 几个 几点 哪天 哪位 哪家 哪台 多大 多高 多长
用什么 做什么 用哪 还用 能用 要用 用户
的 了 吗 呢 吧 嘛 啊 呀 是 我 你 您 他 她 它 这 那 哪 谁 在 和 与 及 就 都 也 被 把 其 该 几
"""

LIGHT = 0.6
"""What a light word counts in a question, in [0, 1]: chosen on the public questions, where 0.5 does as well."""


@lru_cache(maxsize=1)
def _light_stems() -> frozenset[str]:
    return frozenset(stems(_ENGLISH.split()).values())


@lru_cache(maxsize=1)
def _light_run() -> re.Pattern[str]:
    return re.compile("|".join(sorted(_CHINESE.split(), key=lambda word: (-len(word), word))))


def is_light(stem: str) -> bool:
    """Whether an English stem is a light word's."""
    return stem in _light_stems()


def weight_of(pieces: Iterable[str]) -> dict[str, float]:
    """What each search token of a question counts, 1 or ``LIGHT``; ``pieces`` are its stems and CJK runs.

    A pair of characters is light where one of them is; what stands anywhere in full counts in full.
    """
    weights: dict[str, float] = {}
    for piece in pieces:
        if not is_cjk(piece):
            weights[piece] = LIGHT if is_light(piece) else 1.0
            continue
        light = _light_places(piece)
        counts = [LIGHT if place else 1.0 for place in light]
        found = [*zip(piece, counts, strict=True)]
        found += [(one + other, min(a, b)) for (one, a), (other, b) in pairwise(found)]
        for token, count in found:
            weights[token] = max(weights.get(token, 0.0), count)
    return weights


def word_weight(word: str) -> float:
    """What a whole word of a question counts: ``LIGHT`` where it is a light English stem or made of light CJK words."""
    light = all(_light_places(word)) if is_cjk(word) else is_light(word)
    return LIGHT if light else 1.0


def words_beside(runs: Iterable[str], known: Iterable[str]) -> int:
    """How many words CJK runs hold beside some known ones and light ones, two characters being one word."""
    taken = sorted(known, key=len, reverse=True)
    count = 0
    for run in runs:
        for word in taken:
            run = run.replace(word, " ")
        rest = "".join(" " if light else char for char, light in zip(run, _light_places(run), strict=True))
        count += sum((len(part) + 1) // 2 for part in rest.split())
    return count


def _light_places(run: str) -> list[bool]:
    """For each character of a run whether it belongs to a light word; the longest is taken, from the left."""
    found = [False] * len(run)
    for match in _light_run().finditer(run):
        found[match.start() : match.end()] = [True] * len(match.group())
    return found
