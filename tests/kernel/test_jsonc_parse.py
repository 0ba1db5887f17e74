"""Reading: exact places of every fault, spans, and agreement of the fast way with json5."""

import json
from collections.abc import Callable
from typing import Any

import json5
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alice_exp.kernel.jsonc.document import Document, find, position
from alice_exp.kernel.jsonc.reader import parse
from tests.case_tables import cases, table
from tests.cost import ratio, seconds
from tests.fuzz import SCALE

FAULTS = [
    *cases(__file__, "FAULTS"),
    ("[\n" + "9" * 4301 + "]", 2, 1, "a whole number has over 4300 digits"),
    ("['', -" + "9" * 4301 + "]", 1, 6, "a whole number has over 4300 digits"),
    ("[0x" + "f" * 4000 + "]", 1, 2, "a whole number has over 4300 digits"),
    ("[" * 65 + "]" * 65, 1, 65, "values are nested deeper than 64 levels"),
    ("{'a':" * 64 + "[]" + "}" * 64, 1, 321, "values are nested deeper than 64 levels"),
    ('{"blocks": [1,' + "[" * 63 + "]" * 63 + "]}", 1, 77, "values are nested deeper than 64 levels"),
]


def read(text: str) -> Document:
    return parse(text.encode(), "some/file.jsonc")


@pytest.mark.parametrize(("text", "line", "column", "message"), FAULTS)
def test_fault(text: str, line: int, column: int, message: str) -> None:
    document = read(text)
    assert document.problem is not None
    assert (document.problem.line, document.problem.column) == (line, column)
    assert document.problem.message == message
    assert document.problem.severity == "error"
    assert document.problem.path == "some/file.jsonc"
    assert document.value is None
    assert find(document, ()) is None


# what stands before a fault can be told apart from it: no bracket before it is open, no key is known
SELF_CONTAINED = [
    fault
    for fault in FAULTS
    if fault[0][:1] in ("{", "[")
    and not any(word in fault[3] for word in ("after the end", "deeper", "closed", "<<"))
]


@pytest.mark.parametrize(("text", "line", "column", "message"), SELF_CONTAINED)
def test_fault_behind_json5(text: str, line: int, column: int, message: str) -> None:
    """What was read before, comments, last commas and JSON5 among it, moves no fault."""
    document = read("{'x': [1, /* y */ +2,], // z\n 'y': " + text + "}")
    assert document.problem is not None
    shifted = column + len(" 'y': ") if line == 1 else column
    assert (document.problem.line, document.problem.column) == (line + 1, shifted)
    assert document.problem.message == message


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        ('{\n "a": "é"}'.encode("latin-1"), 2, 8, "this is not UTF-8 text (it contains byte 0xE9)"),
        (b"\xef\xbb\xbf{\xff}", 1, 2, "this is not UTF-8 text (it contains byte 0xFF)"),
        ('{"漢": "'.encode() + b'\x80"}', 1, 8, "this is not UTF-8 text (it contains byte 0x80)"),
        (b'["\xed\xa0\x80"]', 1, 3, "this is not UTF-8 text (it contains byte 0xED)"),
        ("{}".encode("utf-16"), 1, 1, "this is UTF-16 text, not UTF-8"),
        ("{}".encode("utf-16-le"), 1, 1, "this is UTF-16 text, not UTF-8"),
        ('{"a": 1}'.encode("utf-16-be"), 1, 1, "this is UTF-16 text, not UTF-8"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, line: int, column: int, message: str) -> None:
    problem = parse(data).problem
    assert problem is not None
    assert (problem.line, problem.column, problem.message) == (line, column, message)
    assert problem.hint == "save the file as UTF-8"


def test_a_file_over_the_limit() -> None:
    limit = 64 * 1024 * 1024
    problem = parse(b" " * (limit + 1)).problem
    assert problem is not None
    assert problem.message == f"the file is over 64 MiB ({limit + 1} bytes)"


GOOD: list[tuple[str, Any]] = [
    *cases(__file__, "GOOD"),
    (
        "{a: 'x', $b: +1, \"c\": .5, d: 5., e: 0xFF, f: -0x10}",
        json5.loads("{a:'x',$b:1,c:.5,d:5.,e:255,f:-16}"),
    ),
    (r'{"blocks": ["\ud83d\ude00", ' + r"'\ud83d\ude00', {'\ud83d\ude00': 1}]}", None),
    ("[" * 64 + "]" * 64, None),
    ("{a:" * 64 + "+1" + "}" * 64, None),
    ("[" + "9" * 4300 + "]", [int("9" * 4300)]),
]


@pytest.mark.parametrize(("text", "value"), GOOD)
def test_good(text: str, value: Any) -> None:
    document = read(text)
    assert document.problem is None, document.problem
    if value is not None:
        assert json.dumps(document.value) == json.dumps(value)


def test_emoji_escapes_are_joined() -> None:
    document = read(r'{"blocks": ["\ud83d\ude00", ' + r"'\ud83d\ude00', {'\ud83d\ude00': 1}]}")
    assert document.value == {"blocks": ["😀", "😀", {"😀": 1}]}


def test_hostile_nesting_answers_at_once() -> None:
    for unit in (b"[", b'{"a":', b"[/**/", b"{a:"):
        assert seconds(lambda unit=unit: parse(unit * 100_000), 1) < 1  # type: ignore[misc]
        assert parse(unit * 100_000).problem is not None


@table("piece")
def test_hostile_repetition_is_linear(piece: str) -> None:
    for frame in ("", '{"blocks": [1, ', "[1,] //", '["', "['"):
        assert seconds(lambda frame=frame: parse((frame + piece * 60_000).encode()), 1) < 2  # type: ignore[misc]


def test_many_json5_blocks_cost_no_square() -> None:
    def reading(count: int) -> Callable[[], Any]:
        text = '{"blocks": [\n' + ",\n".join(f"{{id: {number}}}" for number in range(count)) + "\n]}"
        return lambda: read(text)

    document = reading(1600)()
    assert document.problem is None and len(document.elements) == 1600
    assert ratio(reading(1600), reading(200), enough=24, runs=1) <= 24, (
        "eight times as much, and not its square"
    )


def test_elements_are_the_spans_of_the_blocks() -> None:
    text = '{"blocks": [ // c\n {"a": "}]"}, /* x */ \'two\', [3, /* ] */ 4,],\n 5 ]}'
    document = read(text)
    assert [text[start:end] for start, end in document.elements] == [
        '{"a": "}]"}',
        "'two'",
        "[3, /* ] */ 4,]",
        "5",
    ]
    assert document.value == {"blocks": [{"a": "}]"}, "two", [3, 4], 5]}


def test_spans_of_another_member() -> None:
    document = parse(b'{"episodes": [1, 2], "blocks": [3]}', spans_of="episodes")
    assert document.elements == ((14, 15), (17, 18))
    assert (one := find(document, ("blocks", 0))) and (one.value, one.end) == (32, 33)
    assert parse(b'{"blocks": {"a": 1}}').elements == ()
    assert parse(b"[[1]]").elements == ()


def test_bom_and_line_endings_are_kept_apart() -> None:
    document = parse(b"\xef\xbb\xbf{\r\n}")
    assert document.bom
    assert document.text == "{\r\n}"
    assert position(document.text, 3) == (2, 1)
    assert not parse(b"{}").bom


LOCATED = '{ // c\n \'a\' : 1, b: [10, {"c": \'x\' /* y */}], "blocks": [ {id: "}"}, [2] ], "d\\u0065": {} }'


@pytest.mark.parametrize(("pointer", "value", "key"), [*cases(__file__, "test_locate"), ((), LOCATED, None)])
def test_locate(pointer: tuple[str | int, ...], value: str, key: str | None) -> None:
    child = find(read(LOCATED), pointer)
    assert child is not None
    assert LOCATED[child.value : child.end] == value
    assert LOCATED.startswith(key, child.start) if key else child.key is None


@table("pointer")
def test_locate_nothing(pointer: tuple[str | int, ...]) -> None:
    assert find(read(LOCATED), pointer) is None


MARKS = ["{", "}", "[", "]", ":", ",", "/*c*/", "/*", '"', "'", "\\", " ", "\n", "\r\n", "\ufeff", "// c\n"]
WORDS = ["b", "1", "+1", "0x1", "5.", "1e999", "NaN", "null", "blocks:", "=======\n", "\\ude00"]
TEXTS = ['"a"', "'a'", '"\\ud83d', '"blocks"']
TOKENS = st.sampled_from([*MARKS, *WORDS, *TEXTS])


@settings(max_examples=350 * SCALE, deadline=None)
@given(st.lists(TOKENS, max_size=14).map("".join))
@pytest.mark.covers("B2.32")
def test_any_tokens_are_read_as_json5_reads_them(text: str) -> None:
    """Whatever is read is what json5 reads; whatever is refused json5 refuses, or it is a listed difference."""
    document = read(text)
    if document.problem is None:
        assert document.value == json5.loads(text, allow_duplicate_keys=False)
        return
    assert document.problem.line >= 1
    reason = document.problem.message
    if any(word in reason for word in ("too large", "kept", "surrogate", "control", "twice")):
        return
    with pytest.raises(ValueError):
        json5.loads(text, allow_duplicate_keys=False)


@settings(max_examples=200 * SCALE, deadline=None)
@given(
    st.binary(max_size=40)
    | st.lists(TOKENS, max_size=10).map(lambda tokens: "".join(tokens).encode("utf-16"))
)
def test_no_bytes_raise(data: bytes) -> None:
    document = parse(data)
    assert (document.problem is None) or document.problem.column >= 1
