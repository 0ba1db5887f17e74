"""Decides whether two blocks are the same: by an equal outside key, or by equal trigger and payload in one project
(DESIGN 3)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import Hint
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.tokens import (
    bag,
    fingerprint_text,
    fold,
    plain_mark,
    same_inference,
    tokens,
    words,
)
from alice_exp.kernel.value_class import blake2b, dataclass, sha256
from alice_exp.model.values.block import KEYED, OPEN, Archived, Block, Placed, content_hash, path_of, place_of
from alice_exp.model.values.snapshot import Decisions, Snapshot

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc.edits import Edit
    from alice_exp.model.values.block import Payload


REFUSED, REFUSED_AS = "Refused", "Refused-As"
"""The trailers, in pairs, of an act that removed what was rejected before: the block's id, the rejected block's id."""


@dataclass(frozen=True, slots=True)
class Returned:
    """A hand-written block that says the same as ``rejected``; it does not stay in the pool (DESIGN 6, D26).

    ``placed`` is the block as it was typed, None if it has been removed already.
    """

    block_id: str
    rejected: Placed
    placed: Placed | None = None


@dataclass(frozen=True, slots=True)
class Rejections:
    """An index of rejected blocks: by their folded text, with and without its plain words, and by their words in any
    order; ``decisions`` knows those that no file holds."""

    by_text: dict[str, Placed]
    by_words: dict[tuple[str, ...], Placed]
    decisions: Decisions | None = None

    @classmethod
    def of(cls, rejected: Iterable[Placed], decisions: Decisions | None = None) -> Rejections:
        """Index the rejected archive; of equal texts the later rejection wins."""
        by_text: dict[str, Placed] = {}
        by_words: dict[tuple[str, ...], Placed] = {}
        for placed in rejected:
            text = inference(placed.block.payload)
            by_text[_plain(text)] = by_text[_mark(text)] = placed
            if in_any_order := bag(text):
                by_words[in_any_order] = placed
        return cls(by_text, by_words, decisions)

    @classmethod
    def within(cls, snapshot: Snapshot) -> Rejections:
        """Index the rejected blocks of a snapshot that includes the archive."""
        return cls.of(snapshot.rejected(), snapshot.decisions)

    def find(self, payload: Payload) -> Placed | None:
        """The rejected block that says the same, whatever its trigger; None if there is none."""
        text = inference(payload)
        if known := self.by_text.get(_mark(text)) or self.by_text.get(_plain(text)):
            return known
        in_any_order = bag(text) if self.by_words else None
        likely = self.by_words.get(in_any_order) if in_any_order else None
        if likely and same_inference(inference(likely.block.payload), text):
            return likely
        entry = self.decisions.rejection(text) if self.decisions is not None else None
        if entry is None:
            return None
        # No file holds it: it said the same as this payload.
        block = Block(entry.id, payload, archived=Archived("", entry.at, "rejected"), entry=entry)
        return Placed(block, path_of("archive", "rejected"))


def lifted_by(rejected: Placed) -> Hint:
    """What a person does who wants a rejected inference after all; what stands in no file cannot be revived."""
    archived = rejected.block.archived
    return Hint(
        "see 'alice-exp why {id}'; to lift it: alice-exp revive {id} --from-rejected"
        if archived is None or archived.origin
        else "see 'alice-exp why {id}'; no file holds it; if it is right after all: alice-exp remember …",
        id=rejected.block.id,
    )


def fingerprints(text: str, key: bytes = b"") -> tuple[str, ...]:
    """The names under which the ledger knows a rejected text: hashes of it folded, with and without its plain words.

    ``key`` makes them an HMAC-SHA256, which tells nothing of the text to who has not that: short texts are guessed.
    """
    found = dict.fromkeys((_mark(text), plain_mark(text) or _mark(text)))
    marks = [mark.encode("utf-8", "surrogatepass") for mark in found]
    if not key:
        return tuple(f"{OPEN}{sha256(mark).hexdigest()[:32]}" for mark in marks)
    return tuple(f"{KEYED}{_keyed(key, mark)[:32]}" for mark in marks)


def twin(payload: Payload, blocks: Iterable[Placed], counts: Callable[[Placed], bool]) -> Placed | None:
    """The block among ``blocks`` that ``counts`` and says the same to the word (DESIGN 13, identical), whatever its
    trigger."""
    # One search for the longest word spares the marks of all blocks that do not have it.
    needle = max(words(inference(payload)), key=len, default="")
    having = (p for p in blocks if needle in inference(p.block.payload).lower())
    return Rejections.of(filter(counts, having)).find(payload)


def typed_again(
    blocks: Iterable[Block], path: str, before: Mapping[str, Placed], decisions: Decisions
) -> tuple[Returned, ...]:
    """The blocks of a hand-edited file that say what was rejected and did not already do so in the last commit.

    ``blocks`` have ids; ``before`` is every block of the last commit, by id.
    """
    fresh = [
        block
        for block in blocks
        if (was := before.get(block.id)) is None
        or was.place != place_of(path)
        or inference(was.block.payload) != inference(block.payload)
    ]
    archive = path_of("archive", "rejected")
    rejected = (placed for placed in before.values() if placed.path == archive) if fresh else ()
    known = Rejections.of(rejected, decisions)
    found = ((block, known.find(block.payload)) for block in fresh)
    return tuple(Returned(block.id, held, Placed(block, path)) for block, held in found if held is not None)


def taken_out(acts: Iterable[Commit], snapshot: Snapshot) -> tuple[Returned, ...]:
    """What acts removed because it was rejected before, oldest first, except what is no longer rejected.

    ``acts`` are newest first; ``snapshot`` includes the archive.
    """
    pairs: dict[str, str] = {}
    for act in reversed(tuple(acts)):
        ids, known = ([one for key, one in act.trailers if key == name] for name in (REFUSED, REFUSED_AS))
        pairs.update(zip(ids, known, strict=False))
    if not pairs:
        return ()
    rejected = {placed.block.id: placed for placed in snapshot.rejected()}
    return tuple(
        Returned(block_id, rejected[known]) for block_id, known in pairs.items() if known in rejected
    )


def refusals(back: Sequence[Returned]) -> tuple[tuple[str, str], ...]:
    """The trailers from which ``taken_out`` reads."""
    return tuple(
        row for one in back for row in ((REFUSED, one.block_id), (REFUSED_AS, one.rejected.block.id))
    )


def inference(payload: Payload) -> str:
    """What a block claims: its content and steps as one text."""
    return " ".join((payload.content, *payload.steps))


def _mark(text: str) -> str:
    """A text's fingerprint, or the text itself if nothing of it is left ("!!!")."""
    return fingerprint_text(text) or f"={text}"


def _plain(text: str) -> str:
    """A text's plain mark, told apart from fingerprints."""
    return f"~{plain_mark(text) or _mark(text)}"


Sameness = tuple[str, ...]
"""A value that is equal for blocks that are the same; opaque otherwise."""


def sameness(block: Block) -> Sameness:
    """Type and outside key, or else the project with the fingerprints of trigger and payload (NFKC, case folded, no
    punctuation)."""
    if block.key:
        return ("key", block.type, block.key)
    parts = (block.trigger.text, block.payload.content, *block.payload.steps)
    return ("text", block.project.partition(" ")[0], *(fingerprint_text(part) for part in parts))


def marks(block: Block) -> frozenset[int]:
    """Numbers (64 bits, signed), of which two blocks share one at least if they are the same.

    The same by outside key or by trigger and payload (``identity.sameness``), or by what they claim, whatever the
    trigger (``rejection.Rejections``). The reverse does not hold: whoever finds a block by its marks compares.
    """
    payload = block.payload
    text = inference(payload)
    mark = fingerprint_text(text)
    found = {mark or f"={text}", plain_mark(text) or f"={text}"}
    found.add(fingerprint_text(payload.content) if payload.steps else mark)
    if in_any_order := bag(text):
        found.add("\0bag\0" + " ".join(in_any_order))
    if block.key:
        found.add(f"\0key\0{block.type}\0{block.key}")
    hashed = (blake2b(one.encode("utf-8", "surrogatepass"), digest_size=8).digest() for one in found)
    return frozenset(int.from_bytes(one, "little", signed=True) for one in hashed)


_ALPHABET = "abcdefghijklmnopqrstuvwxyz23456789"


def derived_id(said: str) -> str:
    """An id (``exp-`` and eight characters) for a text: a hash of it, so equal on all machines."""
    number, base = int.from_bytes(sha256(said.encode()).digest(), "big"), len(_ALPHABET)
    return "exp-" + "".join(_ALPHABET[number // base**at % base] for at in range(8))


def id_of_nameless(block: Block, path: str, taken: Collection[str]) -> str:
    """The id of a block that git brought without one: of its file and its content, the next one if that is taken."""
    said = f"{path} {content_hash(block)}"
    while (found := derived_id(said)) in taken:
        said += " again"
    return found


def naming(blocks: Sequence[Block], path: str, taken: set[str]) -> Iterator[Edit]:
    """The edits that give each block of a file without an id its own, which is then ``taken``."""
    from alice_exp.kernel.jsonc.edits import Set

    for index, block in enumerate(blocks):
        if not block.id:
            own = id_of_nameless(block, path, taken)
            taken.add(own)
            yield Set(("blocks", index, "id"), own)


SIGNS = "=<@"
"""How a mark begins that is no pair: negation, order and numbers together; what comes later, where that is said; which
word stands where, in a short sentence that sets one thing against another."""

ENOUGH, NEAR = 0.5, 3
"""Share of all pairs (Jaccard) from which two sentences are one order, and how far the words of a pair lie apart."""

_CJK = "\u2e80"
_POLITE = LazyPattern(
    r"\b(?:please|from now on|make sure|remember|(?:do not|don['’]?t|never) forget)\b"
    # What is compared was said in one project.
    r"|\b(?:here|(?:in|for) (?:this|our|the) (?:repo|repository|project|codebase))\b|在?(?:这个|本)(?:项目|仓库)[里中]?"
    r"|(?:不要|别)忘[了记]?|以后|今后|每次|必须|记得|务必|一定|请|再|先|都|要"
)
_NOT = LazyPattern(
    r"\b(?:no|not|never|nothing|none|without|stop|avoid|neither|nor|except|unless|instead|rather|dont)\b|n['’]t\b|"
    r"[不别没勿]|无需|禁止|停止|除了|除非"
)
# What comes later ("before you commit", "first …, then commit", 提交前, 先…再提交), and what comes earlier.
_BEFORE = LazyPattern(
    r"(?:\b(?:before|until|prior to)\b|\bfirst\b.*\bthen\b)([^,;.]*)|(.{2})之?前(?![面端])|先.+再(.{2})"
)
_AFTER = LazyPattern(r"\bafter\b([^,;.]*)|(.{2})之?后(?![面端])")
_NUMBER = LazyPattern(
    r"\d+(?:\.\d+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|hundred|twice)\b"
    r"|[二两三四五六七八九十百千]+(?=[个次条行层种天周月年秒分小遍名位份页字级倍空])"
)
# "X, not Y", "X over Y", "X for A and Y for B": the other way round it is another order.
_AGAINST = LazyPattern(r"\b(?:not|never|over|instead|rather|prefer|but|and|while)\b|[不而非,，;；、]")
_SHORT = 12
"""Words of a sentence up to which their places count."""
_LIGHT = frozenset(
    "alway just mean now ok on also must should each every time again when whenever not no never noth none don "  # noqa: SIM905
    "without stop avoid neither nor except unless instead rather befor after until prior make keep use first then "
    "want need let get like give prefer all everi per "
    "我 你 您 的 一 次 遍 到 在 给 会 了 吧 不 别 没 勿 之 前 后".split()
)


def marks_of(text: str) -> frozenset[str]:
    """The pairs of words at most ``NEAR`` apart, in either order, ``=`` with negation, before or after, numbers, and
    ``<`` with what comes later.

    A sentence of less than three words has these, too. Empty where nothing is left of it but such marks.
    """
    whole = fold(text)
    plain = _POLITE.sub(" ", whole)
    words = _words(plain)
    pairs = {
        " ".join(sorted((word, other)))
        for at, word in enumerate(words)
        for other in words[at + 1 : at + 1 + NEAR]
    }
    if len(words) < 3:
        pairs |= set(words)
    signs = ["not"] if _NOT.search(plain) else []
    later = set()
    for sign, shape in (("<", _BEFORE), (">", _AFTER)):
        if found := shape.search(whole):
            signs.append(sign)
            held = _words(_POLITE.sub(" ", next(filter(None, found.groups()), "")))
            # "Before you start" is before whatever is started.
            told = [word for word in held if word not in ("start", "begin")]
            # Of a Chinese word the second character, which stands next to 前.
            later |= {f"<{sign}{told[-1 if told[0] >= _CJK else 0]}"} if told else set()
    signs += sorted(_NUMBER.findall(plain))
    places = enumerate(words) if len(words) <= _SHORT and _AGAINST.search(whole) else ()
    marks = (*pairs, *later, *(f"@{at} {word}" for at, word in places), " ".join(("=", *signs)))
    return frozenset(marks) if pairs else frozenset()


def _words(plain: str) -> list[str]:
    return [word for word in tokens(plain) if word not in _LIGHT and (len(word) == 1 or word[0] < _CJK)]


def keyed(marks: Iterable[str], key: bytes) -> frozenset[str]:
    """Marks as hashes by a secret key, 12 digits each; those that are no pair keep their first character."""
    return frozenset((one[0] if one[0] in SIGNS else "") + _keyed(key, one.encode())[:12] for one in marks)


def _keyed(key: bytes, data: bytes) -> str:
    import hmac  # Loads OpenSSL: for homes alone that have such a key.

    return hmac.digest(key, data, "sha256").hex()


def are_one(marks: Collection[str], others: Collection[str]) -> bool:
    """Whether two sentences, by their marks, give the same order: never where negation, order or numbers differ, or two
    words have changed places."""
    one, two = ({mark for mark in each if mark[0] not in SIGNS} for each in (marks, others))
    (signs, later, places), (theirs, others_later, others_places) = (
        [{mark for mark in each if mark[0] == sign} for sign in SIGNS] for each in (marks, others)
    )
    if not signs or signs != theirs or (later and others_later and later != others_later):
        return False
    if len(places) == len(others_places) == len(places & others_places) + 2:
        return False
    return len(one & two) >= ENOUGH * max(1, len(one | two))
