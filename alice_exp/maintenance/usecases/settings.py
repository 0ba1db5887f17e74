"""Use cases of ``config`` and of namespaces, and the files of a new home with the JSON Schemas by which editors check
them; changes are persons' acts (DESIGN 6, 7)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from alice_exp.caller.acting import Caller, require_person
from alice_exp.home.file_home import Home
from alice_exp.kernel.errors import BusyError, Hint, NotFoundError, RefusedError, UsageError
from alice_exp.kernel.journal.act import Act, Commit
from alice_exp.kernel.jsonc import Json, Problem, first_error, only_errors
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import NEW_FILE
from alice_exp.model.formats.block_schema import SHAPES
from alice_exp.model.formats.field_readers import (
    TEXT,
    Fault,
    Shape,
    field,
    own_object,
    problem_at,
    said,
    whole,
)
from alice_exp.model.formats.record_schema import (
    CONFIG_PATH,
    EMPTY,
    EPISODE_SHAPE,
    EPISODES_PATH,
    EVENTS_PATH,
    KINDS,
    SEGMENT_SHAPE,
    default_text,
    read_config,
    with_value,
)
from alice_exp.model.rules.lifecycle import paused
from alice_exp.model.values.block import PLACES, Placed, place_of
from alice_exp.model.values.config import BY_NAME, NAMESPACES, OPTIONS, PAST, TAKEN, Option, is_local
from alice_exp.model.values.snapshot import ChangeSet, NamespaceFile, Snapshot, namespace_name, namespace_path
from alice_exp.sharing.rules.bundle import PEER_NAME
from alice_exp.terminal import language


@dataclass(frozen=True, slots=True)
class Value:
    """One key with its present value."""

    option: Option
    value: Json
    proposed: Json = None
    """What the tracked file would have a local key be; None: the same, or nothing."""


def option_named(name: str) -> Option:
    """The option with this name; ``NotFoundError`` with the most similar name if there is none."""
    if (option := BY_NAME.get(name)) is None:
        from difflib import get_close_matches

        close = [TAKEN[name]] if name in TAKEN else get_close_matches(name, BY_NAME, 1, 0.5)
        hint = Hint("did you mean {value}?", value=close[0]) if close else "see 'alice-exp config list'"
        hint = PAST.get(name, hint)
        raise NotFoundError("there is no key {name}", name=repr(name), hint=hint)
    return option


def get(home: Home, name: str) -> Value:
    """The present value of one key."""
    option = option_named(name)
    return next(one for one in listing(home) if one.option is option)


def listing(home: Home) -> Sequence[Value]:
    """Every key, in the table's order."""
    config = home.read(()).config
    return [Value(one, config.value(one.name), config.proposed.get(one.name)) for one in OPTIONS]


def misset(home: Home) -> tuple[Problem, ...]:
    """Values in the tracked file that ``put`` would refuse, typed by hand: each a warning at its place."""
    config, problems = read_config(document := parse((home.text(CONFIG_PATH) or "{}").encode(), CONFIG_PATH))
    found = []
    for option in OPTIONS if not problems else ():
        value = config.value(option.name)
        try:
            if option.kind == "text" and value:
                parsed(option, str(value))
        except UsageError as wrong:
            pointer = tuple(option.name.split("."))
            found.append(problem_at(document, pointer, wrong.template, wrong.values, "warning"))
    return tuple(found)


def parsed(option: Option, text: str) -> Json:
    """Parse what a person typed as a value of the option's kind; ``UsageError`` if it is not one."""
    value: Json = text
    if option.kind != "text":
        # parse_constant: NaN and Infinity become texts, which no numeric kind accepts.
        try:
            value = json.loads(text, parse_constant=str)
        except (ValueError, RecursionError):
            value = {"on": True, "yes": True, "off": False, "no": False}.get(text.lower(), text)
    try:
        KINDS[option.kind].read(value)
    except Fault as fault:
        why = fault.template.format(name=option.name, **fault.values)
        raise UsageError("{why}, not {text}", why=why, text=repr(text)) from None
    if option.name == "lang" and text:
        language.require("lang", text)
    if option.name == "sharing.name" and text and not PEER_NAME.fullmatch(text):
        raise UsageError(
            "{name} cannot be a name on the network",
            name=repr(text),
            hint="names are lower-case letters, digits, - and _",
        )
    return value


def put(home: Home, caller: Caller, name: str, text: str) -> tuple[Value, Commit | None]:
    """Set one key; the file's comments stay, and a missing key is added.

    The commit is None if nothing changed, or if the key is one that only this machine decides (DESIGN 6).
    """
    require_person(caller, "configure", f"alice-exp config set {name} {text}")
    option = option_named(name)
    value = parsed(option, text)
    if is_local(name):
        before = get(home, name)
        if before.value != value or before.proposed is not None:
            home.decide_here({name: value})
        return Value(option, value), None

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Value]:
        if (fault := first_error(snapshot.problems, CONFIG_PATH)) is not None:
            hint = "mend it with 'alice-exp config edit'"
            raise fault.as_error("{message}; the file is left as it is", hint=hint)
        present, answer = home.text(CONFIG_PATH), Value(option, value)
        if present is not None and snapshot.config.value(name) == value:
            return None, answer
        act = Act("config", caller.actor, caller.now, (), name)
        return ChangeSet(
            act, texts={CONFIG_PATH: with_value(present, name, value)}, seen={CONFIG_PATH: present}
        ), answer

    commit, answer = home.apply(plan, ())
    return answer, commit


def pause(home: Home, caller: Caller, until: datetime | None) -> Commit | None:
    """Stop the days of all that waits until a time (aware); None, or a time that is over, lets them run again."""
    require_person(caller, "pause", "alice-exp pause " + (f"{until:%Y-%m-%d}" if until else "off"))
    now = datetime.fromisoformat(caller.now)
    pauses = home.read(()).config.wait.pauses
    return put(home, caller, "heartbeat.paused", paused(pauses, now, until or now))[1]


def accept(home: Home, caller: Caller, name: str) -> Value:
    """Let what the tracked file proposes for a local key count here; ``NotFoundError`` if it proposes nothing."""
    require_person(caller, "configure", f"alice-exp config accept {name}")
    if (found := get(home, name)).proposed is None:
        raise NotFoundError("nothing is proposed for {name}", name=name, hint="see 'alice-exp config list'")
    home.decide_here({name: found.proposed})
    return Value(found.option, found.proposed)


def opened(home: Home, caller: Caller) -> str:
    """The file's text for a person's editor; the default text if there is no file."""
    require_person(caller, "configure", "alice-exp config edit")
    home.read(())
    return home.text(CONFIG_PATH) or default_text()


def faults(text: str) -> tuple[Problem, ...]:
    """The errors of an edited configuration."""
    _, problems = read_config(parse(text.encode("utf-8", "surrogatepass"), CONFIG_PATH))
    return tuple(only_errors(problems))


def replaced(home: Home, caller: Caller, before: str, after: str) -> Commit | None:
    """Replace the file that was opened by the edited one; ``BusyError`` if it was changed meanwhile."""
    require_person(caller, "configure", "alice-exp config edit")

    def plan(_: Snapshot) -> tuple[ChangeSet | None, None]:
        present = home.text(CONFIG_PATH)
        if (present or default_text()) != before:
            raise BusyError("the configuration was changed while the editor was open", hint="edit it again")
        act = Act("config", caller.actor, caller.now, (), "edited")
        return ChangeSet(act, texts={CONFIG_PATH: after}, seen={CONFIG_PATH: present}), None

    return home.apply(plan, ())[0]


_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, str]:
    """The text of each schema, by its path under ``experiences/``."""
    block = own_object({**SHAPES}, ("payload",))
    named: dict[str, Shape] = {
        "namespace": {"blocks": _many(block, "What is known, block by block.")},
        "config": _config(),
        "episodes": {
            "capacity": field(whole(1), "How many are kept here; git keeps the rest.").shape,
            "episodes": _many(EPISODE_SHAPE, "What happened, task by task."),
        },
        "events": {
            "next_id": field(whole(1), "The id of the next segment.").shape,
            "total_events": field(whole(0), "All thoughts ever.").shape,
            "total_compressions": field(whole(0), "All merges ever.").shape,
            "segments": _many(SEGMENT_SHAPE, "The diary, oldest first."),
        },
    }
    schema = said(TEXT, "Where editors find this description.")
    bodies = ((name, own_object({"$schema": schema, **keys})) for name, keys in named.items())
    return {
        f".schema/{name}.json": json.dumps({"$schema": _DRAFT, **body}, ensure_ascii=False, indent=2) + "\n"
        for name, body in bodies
    }


def _many(shape: Shape, meaning: str) -> Shape:
    return said({"type": "array", "items": shape}, meaning)


def _config() -> Shape:
    root: Shape = {}
    groups: dict[str, Shape] = {}
    for option in OPTIONS:
        head, _, key = option.name.rpartition(".")
        shape = {**KINDS[option.kind].shape, "default": option.default}
        (groups.setdefault(head, {}) if head else root)[key] = said(shape, f"{option.doc}.")
    return root | {head: own_object(keys) for head, keys in groups.items()}


_EDIT = 'Edit freely: comments, order and formatting are kept; a block needs a "payload" alone.'


def default_files() -> dict[str, str]:
    """The files of a new home, path to text."""
    files = {one.path: f"// {one.comment}\n// {_EDIT}\n{NEW_FILE}" for one in NAMESPACES}
    return {**files, **EMPTY, CONFIG_PATH: default_text(), **schemas()}


SKEW = 120.0
"""Seconds by which a time may lie in the future before the clock is doubted."""


def ahead(snapshot: Snapshot, now: str, blocks: Iterable[Placed] = ()) -> tuple[Problem, ...]:
    """Warnings about records, and ``blocks``, from the future, which formulas treat as of now (B0.12)."""
    latest = seconds(now) + SKEW
    last = ((one.path, one.block.id, max(one.block.created_at, one.block.updated_at)) for one in blocks)
    found = [row for row in last if row[2] and seconds(row[2]) > latest]
    episodes = snapshot.episodes.episodes if snapshot.episodes else ()
    segments = snapshot.timeline.segments if snapshot.timeline else ()
    found += [(EPISODES_PATH, one.id, one.at) for one in episodes if one.at and seconds(one.at) > latest]
    late = (one for one in segments if max(one.start_timestamp, one.end_timestamp) > latest)
    found += [(EVENTS_PATH, f"#{one.id}", one.end) for one in late]
    template = "{what} is of {at}, which is still to come: the clock is wrong, or was"
    return tuple(Problem.warning(path, template, what=what, at=at) for path, what, at in found)


def check(home: Home, now: str) -> tuple[Problem, ...]:
    """All errors and warnings of the home's files, and warnings about records that are later than ``now``."""
    snapshot = home.read(PLACES, records=True)
    return (*snapshot.problems, *misset(home), *ahead(snapshot, now))


def namespace(home: Home, name: str) -> NamespaceFile:
    """The namespace ``SET/NAME``; ``NotFoundError`` if there is no such file."""
    path = namespace_path(name)
    for one in home.read().files:
        if one.path == path:
            return one
    raise NotFoundError("there is no namespace {name}", name=name, hint="see 'alice-exp namespace list'")


def create_namespace(home: Home, caller: Caller, name: str, comment: str = "") -> tuple[str, Commit | None]:
    """Create an empty namespace file; ``RefusedError`` if it exists, ``UsageError`` for the pool."""
    require_person(caller, "create a namespace", f"alice-exp namespace create {name}")
    path = namespace_path(name)
    if place_of(path) == "low_value":
        raise UsageError(
            "the pool's files are made by day", hint="create namespaces in universal or personal"
        )

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, str]:
        if any(file.path == path for file in snapshot.files):
            raise RefusedError("{name} already exists", name=namespace_name(path))
        head = "".join(f"// {line}\n" for line in comment.splitlines() if line.strip())
        act = Act("namespace", caller.actor, caller.now, (), f"create {namespace_name(path)}")
        return ChangeSet(act, texts={path: f"{head}// {_EDIT}\n{NEW_FILE}"}), path

    commit, _ = home.apply(plan)
    return path, commit
