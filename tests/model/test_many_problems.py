"""A reader's time grows with the size of a file and with nothing else: not with its warnings, not with its faults."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from alice_exp.blocks.rules.memory_formats import basic_memory, claude_md
from alice_exp.finding.rules.statement import text_keys
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.text.tokens import plain_mark
from alice_exp.learning.rules.episode_groups import _steps
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.formats.field_readers import NAMED
from alice_exp.model.formats.record_import import import_episodes, import_timeline
from alice_exp.model.formats.record_schema import read_episodes
from alice_exp.model.rules.private_facts import kinds_of
from alice_exp.model.rules.secrets import findings
from tests.case_tables import cases
from tests.cost import ratio


def blocks(count: int, **more: Any) -> bytes:
    rows = [
        {"id": f"exp-{number:08d}".replace("0", "a").replace("1", "b"), "payload": "x", **more}
        for number in range(count)
    ]
    return json.dumps({"blocks": rows}, indent=1).encode()


def test_the_first_problems_are_named_and_the_rest_is_counted() -> None:
    found = read_blocks(parse(blocks(500, mine=1), "universal/a.jsonc"))[1]
    assert len(found) == NAMED + 1 and {one.severity for one in found} == {"warning"}
    assert found[-1].values == {"count": 480}
    mixed = json.dumps({"blocks": [{"payload": "x", "mine": 1}] * 100 + [{"payload": 7}]}).encode()
    found = read_blocks(parse(mixed, "universal/a.jsonc"))[1]
    assert [one.severity for one in found].count("error") == 1, "an error is never hidden behind warnings"


NOW = "2026-02-20T09:00:00Z"


def _blocks(data: bytes) -> object:
    return read_blocks(parse(data, "universal/a.jsonc"))


def _refused(data: bytes, read: Callable[[bytes, str, str], object] = import_episodes) -> object:
    with pytest.raises(ProblemError) as refused:
        read(data, "x", NOW)
    return refused


def _note(data: bytes) -> object:
    return basic_memory(data.decode())


def _memory(data: bytes) -> object:
    return claude_md(data.decode())


READERS: dict[str, tuple[Callable[[int], bytes], Callable[[bytes], object]]] = {
    "a key of one's own in every block": (lambda n: blocks(n, mine=1), _blocks),
    "a fault in every block": (lambda n: blocks(n, state="none"), _blocks),
    "an import of numbers": (lambda n: json.dumps([1] * n * 10).encode(), _refused),
    "thoughts that are none": (
        lambda n: json.dumps([[]] * n * 10).encode(),
        lambda data: _refused(data, import_timeline),
    ),
    "faulty lines": (lambda n: b'{"task": 1}\n' * n, _refused),
    "episodes with keys of one's own": (
        lambda n: json.dumps(
            {"episodes": [{"id": f"ep-{i}", "task": "t", "mine": 1} for i in range(n)]}
        ).encode(),
        lambda data: read_episodes(parse(data, "records/episodes.jsonc", "episodes")),
    ),
    "comments that never end": (lambda n: b"<!--" * n * 20, _memory),
    "a heading of blanks": (lambda n: b"# " + b" " * n * 10 + b"x" * n, _memory),
    "a heading of its signs": (lambda n: b"# " + b"# " * n * 10 + b"x", _memory),
    "a long block of code": (lambda n: b"- x\n```\n" + b"y\n" * n * 20, _memory),
    "relations that never close": (lambda n: b"- [tip] x " + b"[[a" * n * 20, _note),
    "blanks without a bracket": (lambda n: b"- [tip] x" + b" " * n * 20 + b"y", _note),
    "steps far apart": (lambda n: b"a" + b" " * n * 20 + b"b", lambda data: _steps(data.decode())),
    "numbers that count nothing": (lambda n: ("二" * n * 10).encode(), lambda data: text_keys(data.decode())),
}

_RUNS = cases(__file__, "_RUNS")
"""What a long run may consist of; _ stands for a blank."""


@pytest.mark.parametrize("piece", _RUNS)
def test_a_long_run_takes_no_longer_than_its_length_for_what_looks_for_secrets_and_words(piece: str) -> None:
    small, large = (piece.replace("_", " ") * count for count in (2_000, 16_000))

    def read(text: str) -> None:
        findings(text), kinds_of(text), plain_mark(text)

    assert ratio(lambda: read(large), lambda: read(small), enough=24, runs=2) <= 24, "not the square of eight"


@pytest.mark.parametrize("name", READERS)
def test_time_grows_with_size_alone(name: str) -> None:
    made, read = READERS[name]
    small, large = made(300), made(2400)
    read(small)
    assert ratio(lambda: read(large), lambda: read(small), enough=24, runs=2) <= 24, "not the square of eight"
