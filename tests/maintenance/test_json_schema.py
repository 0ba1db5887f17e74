"""The JSON Schemas know what ``check`` knows, and tell a person who hovers what each field is."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.jsonc.reader import parse
from alice_exp.maintenance.usecases.settings import schemas
from alice_exp.model.values.config import OPTIONS
from tests.case_tables import cases
from tests.conftest import SAMPLE, Call

jsonschema = pytest.importorskip("jsonschema")
NAMED: dict[str, Any] = {Path(path).stem: json.loads(text) for path, text in schemas().items()}
AT = "2026-02-20T09:00:00Z"

FILES: tuple[tuple[str, object, bool], ...] = tuple(cases(__file__, "FILES"))
"""A kind of file, what stands in it, and whether that is in order."""

PLACES = dict(cases(__file__, "PLACES"))


@pytest.mark.parametrize(("kind", "value", "fits"), FILES)
def test_an_editor_and_check_say_the_same(
    home: Path, cli: Call, kind: str, value: object, fits: bool
) -> None:
    said = [error.message for error in jsonschema.Draft202012Validator(NAMED[kind]).iter_errors(value)]
    assert (said == []) == fits, said
    (home / "experiences" / PLACES[kind]).write_text(json.dumps(value), "utf-8")
    problems = cli("check", "--json", check=False).json["problems"]
    assert (problems == []) == fits, problems


def _fields(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, one in schema.get("properties", {}).items():
        yield f"{path}{name}", one
        yield from _fields(one, f"{path}{name}.")
        yield from _fields(one.get("items", {}), f"{path}{name}[].")


@pytest.mark.parametrize("kind", NAMED)
def test_every_field_says_what_it_is(kind: str) -> None:
    groups = {option.name.partition(".")[0] for option in OPTIONS if "." in option.name}
    silent = [
        path
        for path, one in _fields(NAMED[kind])
        if not one.get("description") and not (kind == "config" and path in groups)
        if path.partition("[].")[2].partition(".")[0] not in ("reported", "approved", "archived", "record")
    ]
    assert silent == []


def test_the_sample_home_is_in_order_but_for_its_one_deliberate_json5() -> None:
    odd = []
    for path in sorted((SAMPLE / "experiences").rglob("*.jsonc")):
        document = parse(path.read_bytes(), path.name)
        assert document.problem is None
        name = str((document.value or {}).get("$schema", "")) if isinstance(document.value, dict) else ""
        found = list(jsonschema.Draft202012Validator(NAMED[Path(name).stem]).iter_errors(document.value))
        assert found == [], (path, found[0].message)
        if _is_json5(path.read_text("utf-8")):
            odd.append(path.name)
            assert "JSON5" in path.read_text("utf-8")
    assert odd == ["workflow_habits.jsonc"]


def _is_json5(text: str) -> bool:
    """Whether it is more than JSON with comments and trailing commas, which is what an editor expects."""
    import re

    plain = re.sub(
        r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or "", text, flags=re.DOTALL
    )
    try:
        json.loads(re.sub(r",(\s*[}\]])", r"\1", plain))
    except ValueError:
        return True
    return False
