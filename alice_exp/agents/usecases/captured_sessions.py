"""Do what hooks left to be done: take in what was said, read it for candidates (R4.18-R4.22), keep what was done and
what worked, and what it shows of decisions, without an agent's goodwill (R0.18).

A signal of how a decision ended (tests, edits and words; DESIGN 12.9) is no report: it is stored and shown beside the
reports, and moves nothing.
Each step may be done again: messages that are there are not added, what was read is not read twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.agents.rules import Deed, deeds_of
from alice_exp.blocks.usecases.capture import Draft, memorize
from alice_exp.conversations import usecases as sessions
from alice_exp.conversations.rules.own_sentences import but_unrecorded
from alice_exp.conversations.rules.transcripts import read, records, spoken
from alice_exp.conversations.store import chats
from alice_exp.episodes.usecases import tell_actions
from alice_exp.kernel.errors import AliceError, BusyError, ProblemError
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import dataclass
from alice_exp.learning.store import decisions
from alice_exp.model.rules.identity import derived_id
from alice_exp.model.rules.private_facts import kinds_of, masked_line
from alice_exp.model.values.block import PLACES, Evidence, Payload, Trigger
from alice_exp.model.values.records import Episode, Message

if TYPE_CHECKING:
    from alice_exp.agents.store import Left, Spool
    from alice_exp.home.session import Session


AsHost = Callable[["Left"], "tuple[Session, str]"]
"""The session in which the host's agent acts on what was left, and all names of the project of the folder where the
host worked."""


def finish(spool: Spool, as_host: AsHost, idle: float) -> Iterator[AliceError]:
    """Do all that is left, but for what rests (``Spool.left``); what fails is yielded and stays.

    Several processes may do so at once: none waits for another, and what two take in is there once.
    """
    for left in spool.left(idle):
        spool.begin(left)
        try:
            failure = _one(spool, *as_host(left), left)
        except AliceError as error:
            failure = error
        except Exception as error:
            # One that cannot be read for a fault of ours does not stand in the way of the others.
            failure = ProblemError("{why}", why=f"{type(error).__name__}: {error}")
        if failure is None:
            spool.done(left)
        elif not isinstance(failure, BusyError):
            spool.failed(left, str(failure))
            yield failure


def _one(spool: Spool, opened: Session, project: str, left: Left) -> AliceError | None:
    if not opened.config.flag("short_term.enabled"):
        return None
    session = left.text("session")
    if left.text("event") == "start":
        # Hosts without an event for the end never say so: what an earlier conversation left unread is read now.
        names = [one.session for one in chats(opened).talks() if one.unread and one.session != session]
        earlier = (name for name in names if name.startswith(f"{left.text('host')}-"))
        return next(filter(None, (sessions.end(opened, name).failure for name in earlier)), None)
    messages = left.fields.get("messages")
    if not isinstance(messages, list):
        # Hosts write their transcript before they call; one that is gone cannot come back.
        messages = list(records(spool.transcript(left.text("transcript"))))
    entries = read(messages)
    rows = spoken(entries, session, project)
    said = but_unrecorded([row.message for row in rows])
    rows = [replace(row, message=message) for row, message in zip(rows, said, strict=True)]
    if not rows:
        return None
    sessions.take_in(opened, rows, session, by_name=True)
    if left.text("event") == "compact":
        sessions.hear(opened, session)
        return None
    waits = left.text("event") == "stop" and opened.provider is not None
    is_read = not waits or sessions.is_due(opened, session)
    failure = sessions.end(opened, session).failure if is_read else None
    deeds = deeds_of(entries)
    key = project.partition(" ")[0]
    keep_actions(opened, key, session, deeds, said)
    keep_commands(spool, opened, project, session, deeds)
    for task, cause, action, at in causes(deeds):
        name = derived_id(f"{session} {cause}").replace("exp-", "ep-")
        when = at or opened.caller.now
        tell_actions(opened, {}, Episode(name, task, {}, action, cause, True, 1.0, when, cause, project=key))
    return failure


_JOIN = "\n"
_DOES = {"format": "format the code", "test": "run the tests", "build": "build"}
_LINTS = "check the code"


def keep_actions(
    opened: Session, project: str, session: str, deeds: Sequence[Deed], said: Sequence[Message]
) -> None:
    """Note each decision's signals, and what was done: in the episodes of the decisions that were reported without an
    action; in one of the session where none was reported, as an episode that nobody said the end of.

    Doing it again changes nothing. ``said`` is the conversation, without what is off the record.
    """
    shown = [(one.decision, one.task) for one in decisions(opened).shown(session)]
    told: dict[str, str] = {}
    for trace in traces(deeds, shown):
        decision = decisions(opened).seem(trace.decision, trace.seemed)
        if decision is not None and decision.episode:
            told[decision.episode] = _JOIN.join(trace.actions)
    actions = actions_of(deeds)
    tasks = (masked_line(one.content) for one in said if one.role == "user")
    task = next(filter(None, tasks), "")
    whole = None
    if actions and task and not told:
        at = next((one.at for one in reversed(deeds) if one.at), "") or opened.caller.now
        name = derived_id(session).replace("exp-", "ep-")
        whole = Episode(
            name, task, {}, _JOIN.join(actions), at=at, reward=0.5, unreported=True, project=project
        )
    told = {episode: done for episode, done in told.items() if done}
    if told or whole:
        tell_actions(opened, told, whole)


def keep_commands(spool: Spool, opened: Session, project: str, session: str, deeds: Sequence[Deed]) -> None:
    """Count the commands that succeeded in this session, once; propose what did so in ``SESSIONS`` of its project."""
    kinds = working_commands(deeds)
    if not kinds or not project:
        return
    often = spool.ran(project.split(), session, list(kinds))
    drafts = []
    for command, kind in kinds.items():
        if often[command] >= SESSIONS:
            told = f"in {often[command]} sessions an agent ran it, and it succeeded"
            drafts.append(
                Draft(
                    Payload(f"To {_DOES.get(kind, _LINTS)}, run `{command}`."),
                    Trigger(f"{_DOES.get(kind, _LINTS)} in this project"),
                    key=derived_id(f"{project.partition(' ')[0]} {command}"),
                    type="fact",
                    evidence=(Evidence("note", quote=told),),
                    project=project,
                )
            )
    known = {placed.block.key for placed in opened.home.read(PLACES)} if drafts else ()
    if fresh := [draft for draft in drafts if draft.key not in known]:
        memorize(opened.home, opened.caller, fresh, bulk=True)


MOST_ACTIONS = 50
"""The most actions that are kept of a decision or a session, the newest."""

_DECISION = re.compile(r"\bdec-[a-z2-9]{8}\b")
_DECIDES = LazyPattern(r"\balice[-_]exp\b[^\n;|&]*\sdecide\b")
_TAKEN_BACK = LazyPattern(
    r"\bgit\s+(?:-\S+\s+\S+\s+)?(?:checkout\s+(?:[\w/~^@{}.-]+\s+)?(?:--\s|\.(?:\s|$)|\S*\w\.[A-Za-z]\w*(?:\s|$))"
    r"|restore\s(?!.*--staged(?!.*--worktree))|revert\s|reset\s+(?:\S+\s+)*--hard)"
)
_CORRECTS = LazyPattern(
    r"^\W*(?:(?:oh|hm+|well|sorry|wait|please)[,. ]+)*(?:no(?:pe)?(?=[,.!\s]|$)(?!\s+(?:problem|worries|need|rush))"
    r"|wrong\b|not (?:that|what|like that|there)\b|that(?:'s|’s| is| was) (?:still )?(?:not|wrong)\b"
    r"|you (?:broke|forgot|missed|ignored|didn['’]?t|shouldn['’]?t|were(?:n['’]t| not) (?:asked|supposed))\b"
    r"|(?:undo|revert|roll (?:it|that|this) back|put (?:it|that|this) back)\b|still (?:fail|broken|not|wrong|does)"
    r"|(?:it|this|that) (?:still )?(?:(?:does|did)(?:n['’]?t| not) work|fails|broke)"
    r"|i (?:said|told you|asked (?:you )?(?:for|to)|did(?:n['’]?t| not) ask)\b|why did you\b)"
    r"|^\W*(?:不对|不是|错了|不要这|别这|撤销|撤回|还原|回滚|改回|还是不|还是没|没用|你(?:忘|漏|弄错|搞错|改错|又)|我说的是|我没让)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Trace:
    """What followed a decision in its session: the actions, oldest first, and what they seem to say of its end, by kind
    (True: it seemed ok). A kind that shows nothing is missing."""

    decision: str
    actions: tuple[str, ...]
    seemed: Mapping[str, bool]


def actions_of(deeds: Sequence[Deed]) -> tuple[str, ...]:
    """The commands and edits, in words, the newest ``MOST_ACTIONS``."""
    return tuple([told for one in deeds if (told := one.told)][-MOST_ACTIONS:])


def traces(deeds: Sequence[Deed], shown: Sequence[tuple[str, str]]) -> list[Trace]:
    """What followed each decision of a session.

    ``shown`` are the hook's own, oldest first, each with the prompt to which it belongs, as ``masked_line`` tells it;
    those that the agent asked for are known by the answers. One lasts until the next topic: the next prompt to which
    something was shown, and of one that the agent asked for also the next that it asked for.
    """
    prompts = {at for at, one in enumerate(deeds) if one.prompt}
    topics: dict[int, str] = {}
    for decision, prompt in shown:
        at = next(
            (at for at in sorted(prompts - topics.keys()) if masked_line(deeds[at].prompt) == prompt), None
        )
        if at is not None and at > max(topics, default=-1):
            topics[at] = decision
    asked = {
        at: found[0]
        for at, one in enumerate(deeds)
        if (_DECIDES.search(one.command) if one.command else one.tool.endswith("decide"))
        and (found := _DECISION.findall(one.answer))
    }
    made = []
    for starts, ends in ((topics, topics), (asked, {**topics, **asked})):
        for at, decision in starts.items():
            end = min((one for one in ends if one > at), default=len(deeds))
            made.append(
                Trace(decision, actions_of(deeds[at:end]), _seemed(deeds[at + 1 : end], deeds[end : end + 1]))
            )
    return made


def _seemed(span: Sequence[Deed], after: Sequence[Deed]) -> dict[str, bool]:
    """What the deeds of a decision, and the prompt behind them, show."""
    found: dict[str, bool] = {}
    checks = [one for one in span if one.failed is not None and command_of(one.command)[1] in _CHECKS]
    if checks:
        found["tests"] = not checks[-1].failed
    done = [one for one in span if not one.failed]
    if any(one.is_edit for one in done):
        found["edits"] = not _is_taken_back(done)
    answers = [one.prompt for one in (*span, *after) if one.prompt]
    if answers:
        found["words"] = not _CORRECTS.search(answers[0])
    return found


def _is_taken_back(done: Sequence[Deed]) -> bool:
    edits = [one for one in done if one.is_edit]
    swapped = any(
        one.file == other.file and one.changed == other.changed[::-1] and all(one.changed)
        for at, one in enumerate(edits)
        for other in edits[:at]
    )
    first = next(at for at, one in enumerate(done) if one.is_edit)
    return swapped or any(_TAKEN_BACK.search(one.command) for one in done[first:])


SESSIONS = 4
"""Sessions of a project in which a command has to succeed before it is proposed."""

_MOST_CAUSES = 3
_RUNNER = (
    r"(?:(?:uv|poetry|pdm|pipenv|hatch|rye|coverage)\s+run|npx|bunx|bundle\s+exec|time|timeout\s+\S+|env|xvfb-run"
    r"|python[\d.]*\s+-m)\s+"
)
_RUN = (
    r"(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|swift|mix|rake|rails|bazel|mvnw?|gradlew?|sbt|just|task|make)"
    r"\s+(?:-\S+\s+)*(?:run\s+)?"
)
_KINDS = {
    "format": rf"ruff\s+format|black|prettier|gofmt|rustfmt|biome\s+format|{_RUN}(?:fmt|format)",
    "check": rf"tsc|{_RUN}(?:check|clippy|vet|typecheck)",
    "lint": rf"ruff|mypy|pyright|eslint|flake8|pylint|golangci-lint|shellcheck|biome|{_RUN}lint",
    "test": r"pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|"
    rf"{_RUN}(?:tests?|t|verify)",
    "build": rf"ninja|make(?:\s+-\S+)*$|cmake\s+--build|vite\s+build|webpack|{_RUN}(?:build|compile|package|all)",
}
_CHECKS = ("check", "test", "build")
"""Kinds whose end says whether what was done works."""

_SHAPES = {
    kind: LazyPattern(rf"^(?:{_RUNNER})*(?:\S*/)?(?:{shape})(?![\w.-])") for kind, shape in _KINDS.items()
}
_LAST = re.compile(r"^.*[;\n]", re.DOTALL)
_TAIL = re.compile(r"\s*(?:\d?>|\|).*$")
_SETTING = re.compile(r"^[\s(]*(?:\w+=\S*\s+)*")
_PATH = re.compile(r"\s+(?!-)\S*(?:/|\.\w{1,4}\b|::)\S*")
# The sentence around a cause is found from it outwards: a shape that begins before it takes seconds of a long talk.
_CAUSE = LazyPattern(
    r"\bthe (?:issue|problem|bug|culprit|root cause|cause) (?:was|is)\b|\bturns out\b|\broot cause:|"
    r"根本原因|问题(?:出)?在于|原因是|原来是",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[!?。！？]|\.(?!\w)|\n")


def command_of(line: str) -> tuple[str, str]:
    """Of a shell's line the command that builds, tests, lints or formats, without the files it names (empty where it
    is long, or holds a secret), and its kind; empty where there is none, or its exit code is not the line's."""
    if "||" in line or ("|" in line and "pipefail" not in line):
        return "", ""
    for part in _LAST.sub("", line.strip()).split("&&"):
        plain = _PATH.sub("", _TAIL.sub("", _SETTING.sub("", part))).strip()
        for kind, shape in _SHAPES.items():
            if shape.search(plain):
                return plain if len(plain) <= 80 and not kinds_of(part) else "", kind
    return "", ""


def working_commands(deeds: Sequence[Deed]) -> dict[str, str]:
    """The commands that ran successfully, each with its kind."""
    found = dict(command_of(one.command) for one in deeds if one.failed is False)
    return {command: kind for command, kind in found.items() if command}


def causes(deeds: Sequence[Deed]) -> list[tuple[str, str, str, str]]:
    """A task, what the agent named as the cause of its trouble, what it did then and when, where a check succeeded
    later in the session: at most the last three."""
    passed = [at for at, one in enumerate(deeds) if working_commands([one])]
    named = []
    task = ""
    for at, one in enumerate(deeds[: passed[-1]] if passed else ()):
        task = one.prompt or task
        if task and one.said and (cause := _cause_in(one.said)):
            named.append((at, task, cause))
    found = []
    for at, trouble, cause in named[-_MOST_CAUSES:]:
        end = next(one for one in passed if one > at)
        done = [told for one in deeds[at : end + 1] if (told := one.told)]
        found.append((masked_line(trouble), cause, _JOIN.join(done), deeds[at].at))
    return found


def _cause_in(said: str) -> str:
    """The first sentence that names a cause, without its secrets; empty where none does."""
    found = _CAUSE.search(said)
    if not found:
        return ""
    start = max(said.rfind(sign, 0, found.start()) for sign in ".!?。！？\n") + 1
    end = _ENDS.search(said, found.end())
    return masked_line(said[start : end.end() if end else None].strip())
