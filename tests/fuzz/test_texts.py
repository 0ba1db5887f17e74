"""JSONC against json5 and against parse-change-parse, on mutations of the public vectors."""

import base64
import json
import re
from functools import cache
from typing import Any

import json5
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from alice_exp.kernel.jsonc.edits import Append, Edit, Remove, Set, edit
from alice_exp.kernel.jsonc.reader import parse
from tests.data import VECTORS
from tests.fuzz import SCALE

PIECES = [
    *"{}[]:,\"'\\/ \n",
    *("//", "/*", "*/", "\r\n", "\ufeff", "\u2028", "0x", "1e9", "+1", ".5", "5.", "-0", "\\u12", "\\x4"),
    *(
        "null",
        "tru",
        "NaN",
        "-Infinity",
        "\ud83d",
        "\\ud83d\\ude00",
        "key:",
        '"a":1',
        "漢",
        "\x00",
        "\t",
        "\x0b",
    ),
]
KEPT = ("too large", "kept", "surrogate", "control", "twice", "deep", "digits", "UTF-8")
"""Where we are stricter than json5 and say so: our own sentences hold one of these."""


@cache
def vectors() -> tuple[str, ...]:
    """Every text of the public suites that is not huge."""
    found: list[str] = []
    for path in sorted(VECTORS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n"):
            row = json.loads(line)
            text = (
                base64.b64decode(row["b64"]).decode("utf-8", "replace")
                if "b64" in row
                else row.get("input", "")
            )
            if 0 < len(text) < 400:
                found.append(text)
    return tuple(dict.fromkeys(found))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A vector with up to four cuts, repetitions or pieces put into it; sometimes two vectors in one."""
    text = draw(st.sampled_from(vectors()))
    for _ in range(draw(st.integers(0, 4))):
        at, to = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        kind = draw(st.integers(0, 3))
        piece = (draw(st.sampled_from(PIECES)), "", text[at:to] * 2, draw(st.sampled_from(vectors())))[kind]
        text = text[:at] + piece + text[at if kind in (0, 3) else to :]
    return text[:2000]


@settings(max_examples=200 * SCALE, deadline=None)
@given(texts())
def test_a_changed_vector_is_read_as_json5_reads_it(text: str) -> None:
    # On purpose a comment goes on after a U+2028, as every editor shows it; for json5 it ends there.
    assume(not re.search("//[^\\n\\r]*[\u2028\u2029]", text))
    document = parse(text.encode("utf-8", "surrogatepass"))
    if document.problem is None:
        theirs = json5.loads(text.removeprefix("\ufeff"), allow_duplicate_keys=False)
        assert as_one(document.value) == as_one(theirs), text
        return
    assert document.problem.line >= 1 and document.problem.column >= 1
    if any(word in document.problem.message for word in KEPT):
        return
    with pytest.raises((ValueError, RecursionError)):
        json5.loads(text, allow_duplicate_keys=False)


def as_one(value: Any) -> str:
    """A value as text; json5 splits what escapes of a pair say, and its whole numbers may be doubles."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True)


def places(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [at]
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        found += places(inner, (*at, step))
    return found


def changed(value: Any, one: Edit) -> Any:
    """The edit on the value, with no regard to text."""
    if isinstance(one, Append):
        return _at(value, one.pointer, lambda inner: [*inner, *one.values])
    if isinstance(one, Set) and not one.pointer:
        return one.value

    def inside(holder: Any) -> Any:
        step: Any = one.pointer[-1]
        copied = dict(holder) if isinstance(holder, dict) else list(holder)
        if isinstance(one, Set):
            copied[step] = one.value
        else:
            del copied[step]
        return copied

    return _at(value, one.pointer[:-1], inside)


def _at(value: Any, pointer: tuple[Any, ...], change: Any) -> Any:
    if not pointer:
        return change(value)
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[pointer[0]] = _at(value[pointer[0]], pointer[1:], change)
    return copied


NEW = st.sampled_from([None, 7, "said", [1, {"a": "b"}], {"x": []}, "汉 // no comment", {}])


@settings(max_examples=150 * SCALE, deadline=None)
@given(texts(), st.data())
def test_an_edit_is_what_changing_the_value_is(text: str, data: st.DataObject) -> None:
    """Parse, change, write, parse: the value changed there, and every byte elsewhere stayed."""
    raw = text.encode("utf-8", "surrogatepass")
    document = parse(raw)
    if document.problem is not None:
        return
    assert edit(document, []) == raw
    pointer = data.draw(st.sampled_from(places(document.value)))
    one: Edit = Set(pointer, data.draw(NEW))
    inner: Any = document.value
    for step in pointer:
        inner = inner[step]
    if isinstance(inner, list) and data.draw(st.booleans()):
        one = Append(pointer, (data.draw(NEW),))
    elif pointer and data.draw(st.booleans()):
        one = Remove(pointer)
    result = edit(document, [one])
    after = parse(result)
    assert after.problem is None, (text, one, result, after.problem)
    assert json.dumps(after.value) == json.dumps(changed(document.value, one)), (text, one, result)
    if isinstance(one, Set):
        assert edit(after, [Set(pointer, inner)]) is not None
