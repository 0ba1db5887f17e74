"""Random acts, hand edits, days, two processes, a peer and crashes, against what must always hold (DESIGN 1, 5, 6)."""

import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from alice_exp.agents import host_config
from alice_exp.agents.cli import connect_commands, hook_command
from alice_exp.agents.store import spool
from alice_exp.agents.usecases.captured_sessions import finish
from alice_exp.agents.usecases.hook_answers import Told
from alice_exp.app.opening import open_session
from alice_exp.blocks.usecases import capture, lifetime, provenance
from alice_exp.blocks.usecases.capture import Draft
from alice_exp.blocks.usecases.lifetime import keep
from alice_exp.caller.hosts import HOSTS
from alice_exp.conversations import usecases as sessions
from alice_exp.conversations.store import chats
from alice_exp.episodes import usecases as episode_book
from alice_exp.finding import usecases as recall
from alice_exp.kernel.errors import BusyError, RefusedError
from alice_exp.kernel.journal import transaction
from alice_exp.kernel.jsonc.edits import Remove, edit
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.learning.usecases import decision_outcome as decided
from alice_exp.learning.usecases.decision_outcome import report_outcome
from alice_exp.maintenance.usecases.settings import pause
from alice_exp.model.values.block import Payload, Placed, Trigger
from alice_exp.model.values.records import Episode, Event, Message
from alice_exp.review.rules.reply import read
from alice_exp.review.store import reports
from alice_exp.review.usecases import decisions, rival_answers, todays_report
from alice_exp.sharing.rules.bundle import read_bundle
from alice_exp.sharing.usecases import bundles
from alice_exp.timeline import usecases as events
from tests.machine.alice_world import World, furnish

STEPS, EXAMPLES = 50, 12
SOAKED = int(os.environ.get("ALICE_SOAK_EXAMPLES", "400"))
TEMPLATE = Path()
COUNTED = [0]

TOOLS = st.sampled_from(["rg", "fd", "jq", "uv", "make"])
ANY = st.integers(0, 10**6)
ACTORS = st.sampled_from(["agent:claude", "agent:codex", "user"])
PLACES = st.sampled_from(
    ["personal/user_preferences", "personal/notes", "universal/tool_usage", "universal/api_patterns"]
)
PROJECTS = st.sampled_from(["", "", "web", "api"])
TEXTS = ("personal/user_preferences.jsonc", "universal/tool_usage.jsonc", "personal/notes.jsonc")


class Acts(RuleBasedStateMachine):
    """Each rule is one act or one hand edit; ``alice_world.World.check`` runs after each."""

    @initialize()
    def begin(self) -> None:
        self.world = World(TEMPLATE)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            try:
                self.world.finish()
            finally:
                self.world.close()

    @invariant()
    def holds(self) -> None:
        if hasattr(self, "world"):
            COUNTED[0] += 1
            self.world.check()

    def some(self, number: int, *places: str) -> Placed | None:
        found = [
            p for p in self.world.before.values() if p.place in places and p.path not in self.world.broken
        ]
        return found[number % len(found)] if found else None

    # -- what is learned ----------------------------------------------------------------------------------------

    @rule(
        actor=ACTORS,
        tool=TOOLS,
        number=st.integers(1, 6),
        user=st.booleans(),
        lived=st.booleans(),
        project=PROJECTS,
    )
    def memorize(self, actor: str, tool: str, number: int, user: bool, lived: bool, project: str) -> None:
        draft = Draft(
            Payload(f"use {tool} number {number}"),
            Trigger(f"doing {tool}"),
            about="user" if user else "work",
            lived=lived,
            project=project,
        )
        with self.world.acting("memorize"):
            w = self.world.by(actor)
            self.world.did(capture.memorize(w.home, w.caller, [draft]))

    @rule()
    def remember(self) -> None:
        with self.world.acting("remember", person=True):
            w = self.world.by("user")
            self.world.did(capture.remember(w.home, w.caller, Draft(Payload(f"I like {self.world.word()}"))))

    @rule(number=ANY)
    def agent_oversteps(self, number: int) -> None:
        placed = self.some(number, "low_value", "universal", "personal")
        block_id = placed.block.id if placed else "exp-aaaaaaaa"
        with self.world.acting("overstep"):
            w = self.world.by("agent")
            tries: list[Callable[[], object]] = [
                lambda: capture.remember(w.home, w.caller, Draft(Payload("I am the user"))),
                lambda: decisions.approve(w.home, w.caller, [block_id]),
                lambda: decisions.reject(w.home, w.caller, [block_id]),
                lambda: lifetime.move(w.home, w.caller, block_id, "personal/notes"),
                lambda: lifetime.retire(w.home, w.caller, block_id, "so"),
                lambda: lifetime.revive(w.home, w.caller, block_id, from_rejected=True),
                lambda: provenance.undo(w.home, w.history, w.caller),
                lambda: provenance.restore(w, block_id),
                lambda: bundles.allow(w.home, w.caller, [block_id]),
            ]
            self.world.refused(tries[number % len(tries)])

    @rule(
        text=st.sampled_from(["I prefer tea over coffee.", "My name is Ann.", "I live in Berlin.", "hello"])
    )
    def talk(self, text: str) -> None:
        with self.world.acting("session say"):
            w = self.world.by("agent")
            chats(w).start("talk", w.caller.now)
            done = sessions.say(w, "talk", [Message("user", text)])
            if done.extracted is not None:
                self.world.did(done.extracted)

    @rule(
        text=st.sampled_from(["I prefer tea over coffee.", "Never push to main."]),
        dies=st.booleans(),
        number=ANY,
    )
    def hook(self, text: str, dies: bool, number: int) -> None:
        """A host leaves a conversation; where the process that should read it dies, another one reads it later.

        In a project where learning is off nothing is left.
        """
        with self.world.acting("session extract"):
            w = self.world.by("agent:claude-code")
            off = w.home.config().text("projects.off").split()
            projects = ["web", *off]
            project = projects[number % len(projects)]
            waiting = spool(w).left()
            told = Told(f"s{self.world.turns}", messages=({"role": "user", "content": text},))
            named = patch.dict(os.environ, {"ALICE_PROJECT": project})
            with named, patch.object(hook_command, "detach", lambda session: None):
                hook_command._leave(w, HOSTS["claude-code"], "end", told)
            assert len(spool(w).left()) - len(waiting) == (project not in off)
            if dies:
                return
        with self.world.acting("session extract"):
            w = self.world.by("agent:claude-code")
            before = self.world.watch.head()
            problems = [*finish(spool(w), lambda left: (w, left.text("project")), 0.0)]
            # What says again what stands in a broken file waits.
            assert self.world.broken or (problems, spool(w).left()) == ([], ())
            self.world.step.commits = sum(one.op != "adopt" for one in self.world.watch.since(before))

    @rule(project=st.sampled_from(["web", "api"]), off=st.booleans())
    def switch_project(self, project: str, off: bool) -> None:
        """Learning in a project is switched off and on: for this machine, no act of the history."""
        with self.world.acting("project"):
            w = self.world.by("user")
            others = set(w.home.config().text("projects.off").split()) - {project}
            wanted = " ".join(sorted(others | {project} if off else others))
            w.home.decide_here({"projects.off": wanted})
            assert [one.home.config().text("projects.off") for one in self.world.machines] == [wanted] * 2

    @rule(host=st.sampled_from(sorted(HOSTS)), out=st.booleans())
    def connect(self, host: str, out: bool) -> None:
        """A host's files take our part in or let it go; what else they hold stays, and a second time changes nothing."""
        with self.world.acting("connect"), patch.dict(os.environ, {"HOME": str(self.world.place)}):
            known, home = HOSTS[host], open_session(str(self.world.root))
            place = host_config.place(known)
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text('mine = "kept"\n' if place.suffix == ".toml" else '{"mine": "kept"} // so\n')
            connect_commands._write(connect_commands._planned(known, home, out=out))
            assert connect_commands._write(connect_commands._planned(known, home, out=out)) == ()
            text = place.read_text()
            assert "kept" in text and ("alice" in text) is not out

    @rule()
    def extract(self) -> None:
        with self.world.acting("session extract"):
            w = self.world.by("agent")
            self.world.did(sessions.extract_session(w, "talk"))
            assert not chats(w).read("talk").unread

    @rule(ok=st.booleans(), tool=TOOLS)
    def add_episode(self, ok: bool, tool: str) -> None:
        with self.world.acting("episode"):
            w = self.world.by("agent")
            told = Episode("", f"task with {tool}", {}, "ran it", None, ok, 1.0 if ok else 0.0, w.caller.now)
            self.world.did(episode_book.add_episodes(w, [told]))

    @rule(number=ANY)
    def add_event(self, number: int) -> None:
        with self.world.acting("event"):
            w = self.world.by("agent")
            self.world.did(events.add_thought(w, Event("", f"thought {number}")))

    @rule(tool=TOOLS, number=st.integers(1, 9), as_peer=st.booleans(), claimed=st.integers(60, 90))
    def hear_from_a_peer(self, tool: str, number: int, as_peer: bool, claimed: int) -> None:
        said = {
            "id": "exp-bbbbbbb2",
            "type": "rule",
            "trigger": f"doing {tool}",
            "payload": f"use {tool} number {number}",
        }
        page = {
            "format": "alice-exp bundle",
            "version": 1,
            "from": "bob",
            "blocks": [said | {"verifications": claimed}],
        }
        with self.world.acting("share import", person=False):
            w = self.world.by("peer:bob" if as_peer else "user")
            self.world.did(bundles.take_in(w.home, w.caller, read_bundle(page)))

    # -- the person decides -------------------------------------------------------------------------------------

    @rule(actor=ACTORS, peek=st.booleans())
    def heartbeat(self, actor: str, peek: bool) -> None:
        with self.world.acting("heartbeat"):
            w = self.world.by(actor)
            done = todays_report.heartbeat(w, peek=peek)
            self.world.did(done)

    @rule(number=ANY, to=st.one_of(st.just(""), PLACES))
    def approve(self, number: int, to: str) -> None:
        placed = self.some(number, "low_value", "universal")
        with self.world.acting("approve", person=True):
            w = self.world.by("user")
            self.world.did(decisions.approve(w.home, w.caller, [placed.block.id] if placed else [], to))

    @rule(number=ANY, other=ANY, merges=st.booleans())
    def replace(self, number: int, other: int, merges: bool) -> None:
        """One key of the review: a candidate takes a trusted block's place, or counts as an observation of it."""
        new, old = self.some(number, "low_value"), self.some(other, "universal", "personal")
        if new is None or old is None:
            return
        with self.world.acting("approve", person=True, removes=merges):
            w = self.world.by("user")
            ids = new.block.id, old.block.id
            if merges:
                self.world.did(rival_answers.merge(w.home, w.caller, *ids))
            else:
                self.world.did(decisions.approve(w.home, w.caller, ids[:1], replacing=ids[1:2]))

    @rule(number=ANY)
    def keep(self, number: int) -> None:
        placed = self.some(number, "universal", "personal", "low_value")
        if placed is None:
            return
        with self.world.acting("keep", person=True):
            w = self.world.by("user")
            self.world.did(keep(w.home, w.caller, placed.block.id, "still so"))

    @rule(days=st.integers(-3, 20))
    def pause(self, days: int) -> None:
        with self.world.acting("config", person=True):
            w = self.world.by("user")
            until = self.world.now + timedelta(days=days)
            self.world.step.commits += pause(w.home, w.caller, until) is not None

    @rule(number=ANY)
    def reject(self, number: int) -> None:
        placed = self.some(number, "low_value")
        with self.world.acting("reject", person=True):
            w = self.world.by("user")
            self.world.did(decisions.reject(w.home, w.caller, [placed.block.id] if placed else [], "not so"))

    @rule(said=st.sampled_from(["同意", "同意 1", "拒绝 2", "approve 1-2", "no to all"]))
    def reply(self, said: str) -> None:
        with self.world.acting("reply", person=True):
            w = self.world.by("user")
            (decision,) = read(said, reports(w).open.ids)
            ids = decision.ids
            if decision.is_wide:
                ids = decisions.shown_only(w.home, reports(w).open.ids)[0]
            decide = decisions.approve if decision.verb == "approve" else decisions.reject
            self.world.did(decide(w.home, w.caller, ids, bulk=decision.is_wide))

    @rule(number=ANY)
    def allow(self, number: int) -> None:
        placed = self.some(number, "universal", "personal")
        with self.world.acting("share allow", person=True):
            w = self.world.by("user")
            self.world.did(bundles.allow(w.home, w.caller, [placed.block.id] if placed else []))

    # -- what came of it ----------------------------------------------------------------------------------------

    @rule(number=ANY, ok=st.booleans(), actor=ACTORS, where=st.sampled_from(["", "here", "there"]))
    def outcome(self, number: int, ok: bool, actor: str, where: str) -> None:
        placed = self.some(number, "low_value", "universal", "personal")
        if placed is None:
            return
        with self.world.acting("outcome"):
            w = self.world.by(actor)
            self.world.did(report_outcome(w, placed.block.id, ok, where))

    @rule(query=st.sampled_from(["doing things with rg", "use jq", "word1 word2 tea", "a person's name"]))
    def recall(self, query: str) -> None:
        with self.world.acting("recall"):
            w = self.world.by("agent:claude")
            found = recall.recall(w, query, {}, 5, recall.Filters())
            assert all(match.placed.place != "archive" for match in found)
            self.world.check_index(w, query)

    @rule(number=ANY)
    def show(self, number: int) -> None:
        placed = self.some(number, "universal", "personal", "low_value", "archive")
        if placed is None:
            return
        with self.world.acting("show"):
            w = self.world.by("agent:claude")
            assert recall.show(w, placed.block.id).placed.path == placed.path

    @rule(tool=TOOLS, ok=st.booleans(), project=PROJECTS)
    def decide(self, tool: str, ok: bool, project: str) -> None:
        with self.world.acting("decide"):
            w = self.world.by("agent:claude")
            made = decided.decide(w, f"doing {tool}", {}, project)
            for match in made.applied:
                block = match.placed.block
                assert block.id in self.world.trusted or made.disclaim, "applied without trust"
                assert not (project and block.project) or block.project == project, "of another project"
            other = self.world.by("agent:claude")
            self.world.did(decided.report_decision(other, made.decision, ok))

    # -- one block's life ---------------------------------------------------------------------------------------

    @rule(number=ANY, races=st.booleans())
    def change(self, number: int, races: bool) -> None:
        """``edit``: with ``races`` the other process acts on the block while the editor is open."""
        placed = self.some(number, "universal", "personal", "low_value")
        if placed is None:
            return
        with self.world.acting("edit", person=True, removes=True):
            w = self.world.by("user")
            opened = lifetime.open_block(w.home, w.caller, placed.block.id)
            text = opened.text.replace('"payload": "', f'"payload": "{self.world.word()} ', 1)
            if races:
                other = self.world.by("user")
                raced = report_outcome(other, placed.block.id, True)
                self.world.did(raced)
                with pytest.raises(BusyError):
                    lifetime.edit(w.home, w.caller, opened, text)
            else:
                self.world.did(lifetime.edit(w.home, w.caller, opened, text))

    @rule(number=ANY, to=PLACES)
    def move(self, number: int, to: str) -> None:
        placed = self.some(number, "universal", "personal")
        if placed is None:
            return
        with self.world.acting("move", person=True):
            w = self.world.by("user")
            self.world.did(lifetime.move(w.home, w.caller, placed.block.id, to))

    @rule(number=ANY, kind=st.sampled_from(["obsolete", "past"]))
    def retire(self, number: int, kind: Any) -> None:
        placed = self.some(number, "universal", "personal", "low_value")
        if placed is None:
            return
        with self.world.acting("retire", person=True):
            w = self.world.by("user")
            self.world.did(lifetime.retire(w.home, w.caller, placed.block.id, "the world changed", kind))

    @rule(number=ANY, lifts=st.booleans())
    def revive(self, number: int, lifts: bool) -> None:
        placed = self.some(number, "archive")
        if placed is None:
            return
        with self.world.acting("revive", person=True):
            w = self.world.by("user")
            self.world.did(lifetime.revive(w.home, w.caller, placed.block.id, from_rejected=lifts))

    @rule(number=ANY)
    def restore(self, number: int) -> None:
        with self.world.acting("restore", person=True):
            w = self.world.by("user")
            known = [i for commit in w.history.log() for i in commit.blocks if i not in self.world.before]
            if known:
                self.world.did(provenance.restore(w, known[number % len(known)]))

    @rule(number=st.integers(0, 4))
    def undo(self, number: int) -> None:
        with self.world.acting("undo", person=True, removes=True):
            w = self.world.by("user")
            acts = [commit for commit in w.history.log(limit=6) if commit.op != "init"]
            if len(acts) > number:
                self.world.did(provenance.undo(w.home, w.history, w.caller, acts[number].commit))

    # -- a person at the files ----------------------------------------------------------------------------------

    @rule(path=st.sampled_from(TEXTS), raises=st.booleans())
    def type_a_block(self, path: str, raises: bool) -> None:
        if path in self.world.broken:
            return
        said = {"payload": f"typed {self.world.word()}"}
        more = {
            "state": "reliable",
            "verifications": 90,
            "approved": {"at": "2026-01-01T00:00:00Z", "by": "me", "hash": "0"},
        }
        block = json.dumps(said | (more if raises else {}))
        with self.world.acting("hand edit", person=True):
            text = (
                self.world.text(path)
                if (self.world.root / "experiences" / path).exists()
                else '{"blocks": [\n]}\n'
            )
            head, found, tail = text.partition('"blocks": [')
            self.world.save(path, f"{head}{found}\n    {block},{tail}" if found else text)

    @rule(path=st.sampled_from(["universal/tool_usage.jsonc", "universal/system_info.jsonc"]))
    def commit_by_git(self, path: str) -> None:
        """An agent's shell writes a block with an approval and commits it: trusted by nobody who decides."""
        if path in self.world.broken:
            return
        said = {"payload": f"slipped in {self.world.turns}", "state": "reliable", "verifications": 90}
        block = json.dumps(said | {"approved": {"at": "2026-01-01T00:00:00Z", "by": "user", "hash": "0"}})
        with self.world.acting("git commit"):
            whole = (self.world.root / "experiences" / path).exists()
            text = self.world.text(path) if whole else '{"blocks": [\n]}\n'
            head, found, tail = text.partition('"blocks": [')
            listed: Any = parse(text.encode(), path).value
            comma = "," if listed["blocks"] else ""
            self.world.save(path, f"{head}{found}\n    {block}{comma}{tail}" if found else text)
            self.world.commit_as_a_stranger()

    @rule(number=ANY)
    def comment(self, number: int) -> None:
        placed = self.some(number, "universal", "personal")
        if placed is None:
            return
        with self.world.acting("hand edit", person=True):
            where = f'"id": "{placed.block.id}"'
            said = f"/* {self.world.word()} */ {where}"
            self.world.save(placed.path, self.world.text(placed.path).replace(where, said, 1))

    @rule(number=ANY)
    def delete_by_hand(self, number: int) -> None:
        placed = self.some(number, "universal", "personal", "low_value", "archive")
        if placed is None:
            return
        with self.world.acting("hand edit", person=True, removes=True):
            document = parse(self.world.text(placed.path).encode(), placed.path)
            listed: Any = document.value
            at = next(n for n, one in enumerate(listed["blocks"]) if one.get("id") == placed.block.id)
            self.world.save(placed.path, edit(document, [Remove(("blocks", at))]).decode())

    @rule(path=st.sampled_from(TEXTS))
    def break_a_file(self, path: str) -> None:
        if path in self.world.broken or not (self.world.root / "experiences" / path).exists():
            return
        with self.world.acting("hand edit"):
            text = self.world.text(path) + "{ unfinished"
            self.world.save(path, text)
            self.world.broken[path] = text.encode()

    @precondition(lambda self: hasattr(self, "world") and self.world.broken)
    @rule()
    def mend(self) -> None:
        with self.world.acting("hand edit", person=True):
            path, data = self.world.broken.popitem()
            self.world.save(path, data.decode().removesuffix("{ unfinished"))

    @rule(number=ANY, tool=TOOLS)
    def save_while_an_act_is_planned(self, number: int, tool: str) -> None:
        """The person saves the very file that an act is about to write: it is decided, and the files come next."""
        placed = self.some(number, "universal", "personal", "low_value")
        if placed is None:
            return
        said = f"// {self.world.word()}\n"
        with self.world.acting("outcome", person=True):
            w = self.world.by("agent")
            prepare = transaction._prepare

            def later(*arguments: Any) -> str:
                pending = prepare(*arguments)
                text = self.world.text(placed.path)
                if said not in text:
                    self.world.save(placed.path, said + text)
                return pending

            with patch.object(transaction, "_prepare", later):
                self.world.did(report_outcome(w, placed.block.id, True))

    # -- time and power -----------------------------------------------------------------------------------------

    @rule(hours=st.sampled_from([1, 12, 24, 72, 24 * 8, 24 * 40]))
    def days_pass(self, hours: int) -> None:
        self.world.pass_time(timedelta(hours=hours))

    @rule(
        number=ANY, at=st.integers(1, 40), kind=st.sampled_from(["memorize", "outcome", "approve", "event"])
    )
    def crash(self, number: int, at: int, kind: str) -> None:
        """A process dies at its ``at``-th step on the file system; whoever comes next finishes or drops its act."""
        from tests.machine.crashing import dies

        placed = self.some(number, "low_value")
        w = self.world.by("user")

        def act() -> None:
            if kind == "memorize" or placed is None:
                capture.memorize(w.home, w.caller, [Draft(Payload(f"crashed {number}"))])
            elif kind == "event":
                events.add_thought(w, Event("", "a thought"))
            elif kind == "approve":
                decided = decisions.approve(w.home, w.caller, [placed.block.id])
                if decided.commit is None:
                    raise RefusedError("it changed since it was shown, or expired: nothing was decided")
            else:
                report_outcome(w, placed.block.id, True)

        with self.world.acting("crash", person=True):
            before = self.world.watch.head()
            done = dies(act, at, self.world)
            other = self.world.by("user")
            other.home.read(())
            stands = [entry for entry in self.world.watch.since(before) if entry.op != "adopt"]
            assert len(stands) <= 1 and (stands or not done), "an act that was done is lost"
            self.world.step.commits = len(stands)
            # A reader lands what was decided; the next writer also sweeps what the dead one left lying about.
            after = Draft(Payload(f"after crash {self.world.turns}"))
            self.world.did(capture.memorize(other.home, other.caller, [after]))


def run(examples: int, steps: int, *, derandomize: bool, shrinks: bool = "ALICE_SHRINK" in os.environ) -> int:
    """Run the machine; how many steps were checked."""
    COUNTED[0] = 0
    run_machine(
        Acts,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=derandomize,
            database=None,
            phases=[Phase.generate, Phase.shrink] if shrinks else [Phase.generate],
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )
    return COUNTED[0]


@pytest.fixture
def template(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    furnish(home)
    monkeypatch.setattr("tests.machine.test_machine.TEMPLATE", home)
    return home


def test_hundreds_of_steps_break_no_promise(template: Path) -> None:
    assert run(EXAMPLES, STEPS, derandomize=True) >= 500


@pytest.mark.slow
def test_many_more_steps_break_no_promise(template: Path) -> None:
    assert run(SOAKED, 100, derandomize=False) >= SOAKED * 50
