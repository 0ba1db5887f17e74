"""The published vectors of other projects against parse and edit; every deliberate difference is a row here."""

import base64
import json
from collections import Counter
from typing import Any

import json5
import pytest

from alice_exp.kernel.jsonc.edits import Append, Edit, Remove, Set, edit
from alice_exp.kernel.jsonc.reader import parse
from tests.case_tables import cases
from tests.data import VECTORS

DIFFERENCES = dict(cases(__file__, "DIFFERENCES"))
"""Class of difference to its reason."""

SUITE: dict[str, str] = dict(cases(__file__, "SUITE"))
"""Vector of JSONTestSuite to the class of its difference."""

JSON5: dict[str, str] = dict(cases(__file__, "JSON5"))

"""Vector of json5-tests to the class of its difference."""
HUJSON = {4: "last line", 7: "JSON5", 9: "overflow", 10: "JSON5"}
"""Row of hujson-parse to the class of its difference."""

PARSE = dict(cases(__file__, "PARSE"))
"""Row of jsonc-parse to the class of its difference."""

EDIT = dict(cases(__file__, "EDIT"))
"""Row of jsonc-edit to the class of its difference: the text differs, the value does not."""

FAULTY_FORMAT = {4, 13, 17}
"""Rows of jsonc-format whose input is faulty on purpose."""


def rows(name: str) -> list[dict[str, Any]]:
    """The vectors of one file."""
    text = (VECTORS / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def numbered(name: str) -> list[Any]:
    return [pytest.param(number, row, id=f"{number}") for number, row in enumerate(rows(name))]


def as_in_javascript(value: Any) -> Any:
    """The oracle's whole numbers went through doubles."""
    return json.loads(json.dumps(value), parse_int=float)


def check_value(data: bytes, oracle: dict[str, Any], value: Any) -> None:
    if oracle["jsonc_trailing_comma"]:
        assert as_in_javascript(value) == as_in_javascript(oracle["value"])
    else:
        assert value == json5.loads(data.decode("utf-8-sig"))


SUITE_ROWS = [row for row in rows("JSONTestSuite") if "b64" in row]


@pytest.mark.parametrize("row", SUITE_ROWS, ids=lambda row: row["name"])
def test_json_test_suite(row: dict[str, Any]) -> None:
    data = base64.b64decode(row["b64"])
    document = parse(data)
    oracle = row["oracle"]
    # no oracle: not UTF-8
    accepted = oracle is not None and (oracle["json5"] or oracle["jsonc_trailing_comma"])
    if row["name"] in SUITE:
        assert SUITE[row["name"]] in DIFFERENCES
        assert accepted, "this difference no longer differs"
        assert document.problem is not None
    elif accepted:
        assert document.problem is None
        check_value(data, oracle, document.value)
        assert edit(document, []) == data
    else:
        assert document.problem is not None
        assert document.problem.line >= 1
        assert document.problem.column >= 1


@pytest.mark.parametrize("unit", [b"[", b'{"":'], ids=["arrays", "objects"])
def test_json_test_suite_depth(unit: bytes) -> None:
    row = next(row for row in rows("JSONTestSuite") if "generate" in row)
    problem = parse(unit * row["bytes"]).problem
    assert problem is not None
    assert (problem.line, problem.column) == (1, 64 * len(unit) + 1)


@pytest.mark.parametrize("row", rows("json5-tests"), ids=lambda row: row["name"])
def test_json5_tests(row: dict[str, Any]) -> None:
    data = row["input"].encode()
    document = parse(data)
    accepted = row["oracle"]["json5"] or row["oracle"]["jsonc_trailing_comma"]
    assert accepted == (row["json5"] == "accept")
    if row["name"] in JSON5:
        assert JSON5[row["name"]] in DIFFERENCES
        assert accepted, "this difference no longer differs"
        assert document.problem is not None
    elif accepted:
        assert document.problem is None
        check_value(data, row["oracle"], document.value)
        assert edit(document, []) == data
    else:
        assert document.problem is not None


@pytest.mark.parametrize(("number", "row"), numbered("hujson-parse"))
def test_hujson_parse(number: int, row: dict[str, Any]) -> None:
    document = parse(row["input"].encode())
    if number in HUJSON:
        assert HUJSON[number] in DIFFERENCES
        assert (document.problem is None) == row["error"], "this difference no longer differs"
        return
    assert (document.problem is not None) == row["error"]
    if not row["error"]:
        assert document.value == json.loads(row["minimized"])


@pytest.mark.parametrize(("number", "row"), numbered("jsonc-parse"))
def test_jsonc_parse(number: int, row: dict[str, Any]) -> None:
    document = parse(row["input"].encode())
    if number in PARSE:
        assert PARSE[number] in DIFFERENCES
        assert document.problem is None, "this difference no longer differs"
        assert not row["valid"]
        assert document.value == row["expected"]
        return
    assert (document.problem is None) == row["valid"]
    if row["valid"]:
        assert document.value == row["expected"]


def edit_of(row: dict[str, Any], length: int) -> Edit:
    pointer = tuple(row["path"])
    if row["value"] == {"$remove": True}:
        return Remove(pointer)
    step = pointer[-1]
    if isinstance(step, int) and not 0 <= step < length:
        return Append(pointer[:-1], (row["value"],))
    return Set(pointer, row["value"])


@pytest.mark.parametrize(("number", "row"), numbered("jsonc-edit"))
def test_jsonc_edit(number: int, row: dict[str, Any]) -> None:
    document = parse(row["input"].encode())
    if EDIT.get(number) == "no file":
        assert document.problem is not None
        with pytest.raises(ValueError, match="problem"):
            edit(document, [Set(tuple(row["path"]), row["value"])])
        return
    inner: Any = document.value
    for step in row["path"][:-1]:
        inner = inner.get(step) if isinstance(inner, dict) else inner[step]
    result = edit(document, [edit_of(row, len(inner or ()))])
    if number in EDIT:
        assert EDIT[number] in DIFFERENCES
        assert result.decode() != row["expected"], "this difference no longer differs"
        assert parse(result).value == parse(row["expected"].encode()).value
    else:
        assert result.decode() == row["expected"]


@pytest.mark.parametrize(("number", "row"), numbered("jsonc-format"))
def test_jsonc_format_inputs(number: int, row: dict[str, Any]) -> None:
    data = row["input"].replace("|", "").encode()
    document = parse(data)
    if number in FAULTY_FORMAT:
        assert document.problem is not None
        return
    assert document.problem is None
    assert document.value == parse(row["expected"].encode()).value
    assert edit(document, []) == data
    if isinstance(document.value, dict):
        values = [Set((key,), value) for key, value in document.value.items()]
        assert edit(document, values) == data


def test_each_class_of_difference_occurs() -> None:
    listed = Counter([*SUITE.values(), *JSON5.values(), *HUJSON.values(), *PARSE.values(), *EDIT.values()])
    assert set(listed) == set(DIFFERENCES)


def test_each_listed_vector_exists() -> None:
    assert set(SUITE) <= {row["name"] for row in SUITE_ROWS}
    assert set(JSON5) <= {row["name"] for row in rows("json5-tests")}
    assert max(HUJSON) < len(rows("hujson-parse"))
    assert max(PARSE) < len(rows("jsonc-parse"))
    assert max(EDIT) < len(rows("jsonc-edit"))
