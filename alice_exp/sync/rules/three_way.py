"""One block's fields in three ways: what both sides grew from, and what each made of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from alice_exp.model.formats.block_schema import block_json
from alice_exp.model.values.block import Arms, Block, Record


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """The three versions of a block, merged field by field; ``was`` is None if both sides created it."""

    was: Block | None
    one: Block
    other: Block

    def settled(self, name: str, decide: Callable[[Any, Any], Any]) -> Any:
        """The field of the side that changed it; the result of ``decide`` if both did."""
        x, y = getattr(self.one, name), getattr(self.other, name)
        if self.was is not None:
            before = getattr(self.was, name)
            if x == before:
                return y
            if y == before:
                return x
        return x if x == y else decide(x, y)

    def later(self, name: str) -> Any:
        """``settled``, decided in favour of the side that was updated later."""
        return self.settled(name, lambda x, y: x if later(self.one, self.other) is self.one else y)

    def count(self, name: str) -> int:
        """What was there and what each side added; the higher where nothing is known of before."""
        was = getattr(self.was, name) if self.was is not None else None
        return added(was, getattr(self.one, name), getattr(self.other, name))

    def record(self) -> Record | None:
        """Outcomes added up as counts are; None where neither side has any."""
        if self.one.record is None and self.other.record is None:
            return None
        was = (self.was.record or Record()) if self.was is not None else None
        one, other = self.one.record or Record(), self.other.record or Record()
        return Record(
            added(was.ok if was else None, one.ok, other.ok),
            added(was.failed if was else None, one.failed, other.failed),
        )

    def trial(self) -> dict[str, Arms]:
        """The same for each arm of each share."""
        before = self.was.trial if self.was is not None else None
        result: dict[str, Arms] = {}
        for share in sorted({*self.one.trial, *self.other.trial}):
            was = before.get(share, _NO_ARMS) if before is not None else (None,) * 4
            one, other = self.one.trial.get(share, _NO_ARMS), self.other.trial.get(share, _NO_ARMS)
            a, b, c, d = map(added, was, one, other)
            result[share] = (a, b, c, d)
        return result

    def words(self, name: str) -> tuple[str, ...]:
        """A list merged as a set: without what either side removed, with what either added."""
        x, y = getattr(self.one, name), getattr(self.other, name)
        before = getattr(self.was, name) if self.was is not None else ()
        stay = [word for word in before if word in x and word in y]
        new = sorted({word for word in (*x, *y) if word not in before})
        return x if x == y else tuple(dict.fromkeys((*stay, *new)))

    def keyed(self, name: str) -> dict[str, Any]:
        """An object merged key by key; if both sides set a key, the larger value in canonical order."""
        before = dict(getattr(self.was, name)) if self.was is not None else {}
        x, y = dict(getattr(self.one, name)), dict(getattr(self.other, name))
        result = {}
        for key in dict.fromkeys((*before, *sorted({*x, *y}))):
            mine, yours, old = x.get(key, _MISSING), y.get(key, _MISSING), before.get(key, _MISSING)
            value = yours if mine == old else mine if yours == old else _larger(mine, yours)
            if value is not _MISSING:
                result[key] = value
        return result


_NO_ARMS: Arms = (0, 0, 0, 0)


def added(was: int | None, one: int, other: int) -> int:
    """What was there and what each side added; the higher where nothing is known of before."""
    return max(one, other) if was is None else max(0, one + other - was)


class _Missing:
    """Stands for a key that is not there."""


_MISSING: Any = _Missing()


def _larger(x: Any, y: Any) -> Any:
    if x is _MISSING or y is _MISSING:
        return y if x is _MISSING else x
    return max(x, y, key=canonical)


def canonical(value: Any) -> str:
    """A value as text that does not depend on the order of keys: what breaks ties alike on both machines."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


def later(one: Block, other: Block) -> Block:
    """The block that was updated later; on a tie the choice does not depend on the order of the arguments."""
    return max((one, other), key=age)


def age(block: Block) -> tuple[str, str]:
    """The order of two versions of a block: by update, then by content, so that both machines agree."""
    return block.updated_at, canonical(block_json(block, "universal"))
