"""Editing: what changes looks right, what does not change stays byte for byte, and the value is as asked."""

import builtins
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alice_exp.kernel.jsonc import edits as kinds
from alice_exp.kernel.jsonc.edits import Append, Edit, Insert, Remove, Set, cut, edit
from alice_exp.kernel.jsonc.formatting import Raw, Style, dump, render
from alice_exp.kernel.jsonc.reader import parse
from tests.case_tables import cases, table
from tests.cost import ratio
from tests.fuzz import SCALE

FILE = Path(__file__).with_name("commented.jsonc").read_text("utf-8")


def change(text: str, *edits: Edit) -> str:
    document = parse(text.encode())
    assert document.problem is None
    result = edit(document, edits)
    assert parse(result).problem is None, result.decode()
    return result.decode()


def named(edits: list[tuple[Any, ...]]) -> list[Edit]:
    """The edits of a row: each begins with its name."""
    return [getattr(kinds, name)(*given) for name, *given in edits]


@table("text", "edits", "expected")
def test_change(text: str, edits: list[tuple[Any, ...]], expected: str) -> None:
    assert change(text, *named(edits)) == expected


def test_bom_stays() -> None:
    data = b'\xef\xbb\xbf{"a": 1}'
    assert edit(parse(data), [Set(("a",), 2)]) == b'\xef\xbb\xbf{"a": 2}'
    assert edit(parse(data), []) == data


def test_remove_takes_the_comments_that_belong() -> None:
    result = change(FILE, Remove(("blocks", 1)))
    assert result == FILE.replace(
        '    // about two\n    // in two lines\n    {\n      "id": "two"\n    },\n', ""
    )
    assert "// nobody's" in result


def test_remove_all_leaves_what_is_nobodys() -> None:
    result = change(FILE, *(Remove(("blocks", index)) for index in range(3)))
    assert result == (
        '// the head\n{\n  "$schema": "x",\n  "blocks": [\n    // nobody\'s\n\n    // the tail\n  ]\n}\n'
    )


def test_cut_is_what_remove_takes() -> None:
    document = parse(FILE.encode())
    assert cut(document, ("blocks", 0)).text == (
        '// about one\n{\n  "id": "one", // its id\n  "tags": ["a", "b"]\n} // behind one'
    )
    assert cut(document, ("blocks", 1)).text == '// about two\n// in two lines\n{\n  "id": "two"\n}'
    assert cut(document, ("blocks", 2)).text == '{"id": "three"} // behind three'
    assert cut(document, ("blocks", 0, "tags", 1)).text == '"b"'


def test_cut_leaves_the_next_one_its_comment() -> None:
    assert cut(parse(b"[1, /* two */ [\n 2\n]]"), (0,)).text == "1"
    assert cut(parse(b"[1, /* two */ [\n 2\n]]"), (1,)).text == "/* two */ [\n 2\n]"


@pytest.mark.parametrize(
    ("pointer", "error"),
    [(("blocks", 9), LookupError), (("blocks",), ValueError), ((), ValueError), (("none", 0), LookupError)],
)
def test_cut_nothing(pointer: tuple[str | int, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        cut(parse(FILE.encode()), pointer)


def test_a_block_moves_with_its_comments() -> None:
    raw = cut(parse(FILE.encode()), ("blocks", 0))
    target = '{\r\n\t"blocks": [\r\n\t\t{"id": "x"}\r\n\t]\r\n}\r\n'
    assert change(target, Append(("blocks",), (raw, {"id": "y"}))) == (
        '{\r\n\t"blocks": [\r\n\t\t{"id": "x"},\r\n\t\t// about one\r\n\t\t{\r\n\t\t  "id": "one", // its id\r\n'
        '\t\t  "tags": ["a", "b"]\r\n\t\t}, // behind one\r\n\t\t{\r\n\t\t\t"id": "y"\r\n\t\t}\r\n\t]\r\n}\r\n'
    )


def test_a_block_moves_into_an_empty_file() -> None:
    raw = cut(parse(FILE.encode()), ("blocks", 2))
    assert change('{\n  "blocks": []\n}\n', Append(("blocks",), (raw, raw))) == (
        '{\n  "blocks": [\n    {"id": "three"}, // behind three\n    {"id": "three"} // behind three\n  ]\n}\n'
    )
    assert (
        change("{}", Append(("blocks",), (raw,)))
        == '{\n  "blocks": [\n    {"id": "three"} // behind three\n  ]\n}'
    )


def test_a_raw_value_between_two_on_a_line() -> None:
    assert change("[0, 1]", Insert((), 1, Raw("7 // seven"))) == "[0,\n  7, // seven\n  1]"


def test_moving_never_reaches_inside_strings_and_only_indents_block_comments() -> None:
    raw = Raw("/* one\n     two\n*/\n{\n  a: 'x\\\n    y', // 'z\n  /* \"\n  */ b: 1\n}")
    result = change('{\n    "blocks": [\n        1\n    ]\n}', Append(("blocks",), (raw,)))
    assert result == (
        '{\n    "blocks": [\n        1,\n        /* one\n             two\n        */\n        {\n'
        "          a: 'x\\\n    y', // 'z\n          /* \"\n          */ b: 1\n        }\n    ]\n}"
    )
    assert parse(result.encode()).value == {"blocks": [1, {"a": "x    y", "b": 1}]}


def test_raw_text_that_is_indented_already() -> None:
    raw = Raw('    // c\n    {\n      "a": 1\n    }, // d, e')
    assert change("[\n  0\n]", Append((), (raw,))) == ('[\n  0,\n  // c\n  {\n    "a": 1\n  } // d, e\n]')


REFUSED: list[tuple[list[Edit], type[Exception]]] = [
    *((named(edits), getattr(builtins, error)) for edits, error in cases(__file__, "REFUSED")),
    ([Set(("n",), float("nan"))], ValueError),
    ([Append(("l",), (float("inf"),))], ValueError),
    ([Append(("l",), (Raw("1 2"),))], ValueError),
    ([Append(("l",), (Raw("{"),))], ValueError),
    ([Append(("l",), (Raw("// nothing"),))], ValueError),
    ([Append(("l",), (Raw("1 /* open"),))], ValueError),
    ([Append(("l",), (Raw("1], [2"),))], ValueError),
    ([Set(("n",), json.loads("[" * 64 + "]" * 64))], ValueError),
]


@pytest.mark.parametrize(("edits", "error"), REFUSED)
def test_refused(edits: list[Edit], error: type[Exception]) -> None:
    document = parse(b'{"a": {"b": 1}, "l": [1, 2], "n": null}')
    with pytest.raises(error):
        edit(document, edits)


def test_as_deep_as_may_be() -> None:
    deepest = json.loads("[" * 63 + "]" * 63)
    assert json.loads(change('{"n": null}', Set(("n",), deepest))) == {"n": deepest}


def test_a_document_with_a_problem_is_not_edited() -> None:
    for text in (b"", b"{", b'{"a": NaN}'):
        with pytest.raises(ValueError, match="problem"):
            edit(parse(text), [])


def test_dump_is_as_in_the_design() -> None:
    block = {
        "id": "exp-7k2m9q4x",
        "trigger": {"text": "searching", "keywords": ["code", "repo"]},
        "payload": "use ripgrep (rg)…",
        "evidence": [{"kind": "episode", "ref": "ep-3f8a", "quote": "x" * 90}],
        "open_failures": {"a scenario": "2026-02-20T09:00:00Z"},
        "tags": [],
    }
    assert dump({"blocks": [block]}) == (
        '{\n  "blocks": [\n    {\n      "id": "exp-7k2m9q4x",\n      "trigger": {\n        "text": "searching",\n'
        '        "keywords": ["code", "repo"]\n      },\n      "payload": "use ripgrep (rg)…",\n'
        '      "evidence": [{"kind": "episode", "ref": "ep-3f8a", "quote": "' + "x" * 90 + '"}],\n'
        '      "open_failures": {"a scenario": "2026-02-20T09:00:00Z"},\n      "tags": []\n    }\n  ]\n}'
    )
    long = {"evidence": [{"kind": "act", "quote": "x" * 60}, {"kind": "act", "quote": "y" * 60}]}
    assert dump(long, depth=2) == (
        '{\n      "evidence": [\n        {"kind": "act", "quote": "' + "x" * 60 + '"},\n'
        '        {"kind": "act", "quote": "' + "y" * 60 + '"}\n      ]\n    }'
    )
    assert dump({}) == "{}"


@pytest.mark.parametrize("value", ["\udc00", {"\ud800": 1}, float("nan"), [float("inf")]])
def test_dump_refuses(value: Any) -> None:
    with pytest.raises(ValueError):
        dump(value)


def test_a_long_append_is_linear() -> None:
    document = parse(FILE.encode())
    raw = cut(document, ("blocks", 0))

    def appended(count: int) -> bytes:
        return edit(
            document, [Append(("blocks",), (*({"id": str(n)} for n in range(count * 10)), *[raw] * count))]
        )

    value: Any = parse(appended(400)).value
    assert len(value["blocks"]) == 4_403
    assert ratio(lambda: appended(400), lambda: appended(50), enough=24, runs=2) <= 24, (
        "not the square of eight"
    )


# ---- properties -----------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "b", "blocks", "x y", "é", "//", "'", '"', "漢"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.sampled_from(["", "//", "/*", "'\"\\", "😀", ",]", "x\n"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=4) | st.lists(VALUES, max_size=4)


class Author:
    """Writes a value as a person might: comments, last commas, JSON5, any layout."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.comments = 0
        self.taste = chance.choice(["lines", "inline", "wild"])

    def trivia(self, indent: str = "") -> str:
        pieces = {"lines": [""] * 6, "inline": [""] * 6, "wild": ["", " ", "\n", "\n\n", "\t"]}[self.taste]
        pieces = [*pieces, self.comment()] if self.chance.random() < 0.3 else pieces
        return "".join(self.chance.choice(pieces) for _ in range(2))

    def comment(self) -> str:
        self.comments += 1
        name = f"c{self.comments} \"'[{{"
        return self.chance.choice(
            [f"// {name}\n", f"/* {name} */", f"/* {name}\n * */", f"\n  // {name}\n", f"\n\n// {name}\n\n"]
        )

    def text(self, value: Any, indent: str = "") -> str:
        if isinstance(value, dict):
            items = [
                self.key(key) + self.trivia() + ":" + self.gap() + self.text(item, indent + "  ")
                for key, item in value.items()
            ]
            return self.container("{", items, "}", indent)
        if isinstance(value, list):
            return self.container("[", [self.text(item, indent + "  ") for item in value], "]", indent)
        if isinstance(value, str) and self.chance.random() < 0.3:
            inner = json.dumps(value)[1:-1].replace('\\"', '"').replace("'", "\\'")
            return f"'{inner}\\\n'" if self.chance.random() < 0.2 else f"'{inner}'"
        if type(value) is int and self.chance.random() < 0.2:
            return f"{'-' if value < 0 else '+'}0x{abs(value):X}"
        return json.dumps(value, ensure_ascii=False)

    def key(self, key: str) -> str:
        if key.isidentifier() and self.chance.random() < 0.3:
            return key
        if self.chance.random() < 0.2:
            return "'" + json.dumps(key)[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"
        return json.dumps(key)

    def gap(self) -> str:
        return self.chance.choice(["", " "]) + self.trivia()

    def container(self, opening: str, items: list[str], closing: str, indent: str) -> str:
        between = f"\n{indent}  " if self.taste == "lines" or self.chance.random() < 0.2 else " "
        parts = [opening]
        for number, item in enumerate(items, 1):
            comma = "," if number < len(items) or self.chance.random() < 0.3 else ""
            parts += [self.trivia(), between, item, self.trivia(), comma]
        end = f"\n{indent}" if between != " " else ""
        return "".join([*parts, self.trivia(), end, closing])


def written(value: Any, chance: random.Random) -> str:
    author = Author(chance)
    text = author.trivia() + author.text(value) + author.trivia()
    return text.replace("\n", "\r\n") if chance.random() < 0.3 else text


def containers(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    found = [(at, value)] if isinstance(value, dict | list) else []
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        found += containers(inner, (*at, step))
    return found


def some_edits(value: Any, new: list[Any], chance: random.Random, kinds: str) -> list[Edit]:
    """Edits that do not contradict each other."""
    closed: set[tuple[str | int, ...]] = set()
    touched: set[tuple[str | int, ...]] = set()
    edits: list[Edit] = []

    def is_free(pointer: tuple[str | int, ...]) -> bool:
        return not any(pointer[:n] in closed for n in range(len(pointer) + 1))

    for one in new:
        at, container = chance.choice(containers(value))
        kind = chance.choice(kinds)
        steps = list(container) if isinstance(container, dict) else list(range(len(container)))
        if kind in "sr" and steps:
            pointer = (*at, chance.choice(steps))
            if is_free(pointer) and not any(other[: len(pointer)] == pointer for other in touched):
                closed.add(pointer)
                touched.add(pointer)
                edits.append(Set(pointer, one) if kind == "s" else Remove(pointer))
        elif is_free(at) and isinstance(container, list):
            touched.add((*at, 0))
            if kind == "a":
                edits.append(Append(at, (one, one)))
            elif kind == "i":
                edits.append(Insert(at, chance.randint(0, len(container)), one))
        elif is_free(at) and kind in "ai":
            key = f"new{len(edits)}"
            touched.add((*at, key))
            edits.append(Set((*at, key) if kind == "a" else (*at, key, "in", "it"), one))
    return edits


def applied(value: Any, edits: list[Edit], at: tuple[str | int, ...] = ()) -> Any:
    """The edits on the value, written with no regard to text."""
    sets = {one.pointer: one.value for one in edits if isinstance(one, Set)}
    removed = {one.pointer for one in edits if isinstance(one, Remove)}
    if at in sets:
        return sets[at]
    if isinstance(value, dict):
        result = {k: applied(v, edits, (*at, k)) for k, v in value.items() if (*at, k) not in removed}
        for pointer, item in sets.items():
            if pointer[: len(at)] == at and len(pointer) > len(at) and pointer[len(at)] not in value:
                result[str(pointer[len(at)])] = item if len(pointer) == len(at) + 1 else {"in": {"it": item}}
        return result
    if not isinstance(value, list):
        return value
    items: list[Any] = []
    for index in range(len(value) + 1):
        for one in edits:
            if isinstance(one, Insert) and one.pointer == at and one.index == index:
                items.append(one.value)
            elif isinstance(one, Append) and one.pointer == at and index == len(value):
                items += one.values
        if index < len(value) and (*at, index) not in removed:
            items.append(applied(value[index], edits, (*at, index)))
    return items


def comments_of(text: str) -> Counter[str]:
    return Counter(re.findall(r"// c\d+|/\* c\d+", text))


RANDOMS = st.randoms(use_true_random=False)


@settings(max_examples=100 * SCALE, deadline=None)
@given(DOCUMENTS, st.lists(VALUES, min_size=1, max_size=5), RANDOMS)
def test_the_value_is_as_asked(value: Any, new: list[Any], chance: random.Random) -> None:
    text = written(value, chance)
    document = parse(text.encode())
    assert document.problem is None, (text, document.problem)
    assert json.dumps(document.value) == json.dumps(value)
    assert edit(document, []) == text.encode()
    edits = some_edits(value, new, chance, "srai")
    result = edit(document, edits)
    after = parse(result)
    assert after.problem is None, (text, edits, result.decode())
    assert json.dumps(after.value) == json.dumps(applied(value, edits)), (text, edits, result.decode())
    assert ("\r\n" in text) or ("\r" not in result.decode())


@settings(max_examples=75 * SCALE, deadline=None)
@given(DOCUMENTS, st.lists(SCALARS, min_size=1, max_size=4), RANDOMS)
def test_adding_keeps_every_character(value: Any, new: list[Any], chance: random.Random) -> None:
    text = written(value, chance)
    document = parse(text.encode())
    result = edit(document, some_edits(value, new, chance, "ai")).decode()
    characters = iter(result)
    assert all(character in characters for character in text if not character.isspace()), (text, result)


@settings(max_examples=60 * SCALE, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=4), RANDOMS, st.booleans())
def test_a_move_loses_no_comment(values: list[Any], chance: random.Random, in_blocks: bool) -> None:
    text = written({"blocks": values} if in_blocks else values, chance)
    document = parse(text.encode())
    pointer = ("blocks",) if in_blocks else ()
    index = chance.randrange(len(values))
    raw = cut(document, (*pointer, index))
    left = edit(document, [Remove((*pointer, index))])
    assert comments_of(left.decode()) + comments_of(raw.text) == comments_of(text), (text, raw, left)
    target = written({"blocks": values}, chance)
    moved = edit(parse(target.encode()), [Append(("blocks",), (raw, 1)), Insert(("blocks",), 0, raw)])
    expected = {"blocks": [values[index], *values, values[index], 1]}
    assert json.dumps(parse(moved).value) == json.dumps(expected), (target, raw, moved.decode())
    assert comments_of(moved.decode()) == comments_of(target) + comments_of(raw.text) + comments_of(raw.text)


@settings(max_examples=50 * SCALE, deadline=None)
@given(
    VALUES,
    st.integers(0, 4),
    st.sampled_from(["  ", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(0, 120),
)
def test_what_is_written_is_read_back(value: Any, depth: int, unit: str, newline: str, width: int) -> None:
    text = render(value, unit * depth, depth, Style(unit, newline, width))
    assert json.dumps(json.loads(text)) == json.dumps(value)
