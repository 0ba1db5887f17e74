"""The scenes of the crash matrix: what is there before, the command that is interrupted, what must be true after.

A scene's home is small and known, so that ``check_home.py`` can say exactly which two states are allowed: the one
before, and the one after.
"""

import json
import os
import re
import shlex
import shutil
import sys
from ast import literal_eval
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOW = "2026-02-20T09:00:00Z"
AGENT = "agent:claude"

HAND_EDIT = "typed by a person while nobody looked"
UNIVERSAL = Path(__file__).with_name("tool_usage.jsonc").read_text("utf-8")


@dataclass(frozen=True)
class Scene:
    """One command on one home: ``act`` is its op and actor, ``None`` where the command itself writes nothing new.

    ``first`` are acts that must stand before it in any case; ``always``: the act was decided before the command.
    ``script`` builds and checks a scene that is more than one home's blocks.
    """

    command: str
    op: str
    actor: str
    first: tuple[tuple[str, str], ...] = ()
    always: bool = False
    prepare: str = ""
    script: str = ""
    rehearsed: bool = False
    """What the act leaves is what it leaves in a copy of the home, uninterrupted."""
    files: tuple[str, ...] = ()
    """Files of the home beside its history that the command writes: each is as before or as after, and nothing else."""
    again: bool = False
    """The same command afterwards completes what was interrupted, or changes nothing."""
    program: str = ""
    """The script that plays the command line where the command needs somebody else who answers."""
    needs: tuple[str, ...] = ()
    """Packages without which the scene cannot be played."""

    def words(self, root: Path, python: str = sys.executable) -> list[str]:
        """The command as a process is given it."""
        here = [str(Path(__file__).with_name(self.program))] if self.program else ["-m", "alice_exp"]
        return [python, *here, *shlex.split(self.command.replace("$CM_DIR", str(root)))]

    def lacks(self) -> str:
        """The first package that is missing."""
        return next((name for name in self.needs if find_spec(name) is None), "")


SCENES = {
    name: Scene(*act, **more)
    for name, *act, more in map(
        literal_eval, Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()[1:]
    )
}
"""``make check`` samples them, ``make crash`` walks all of them whole."""


def environment(root: Path, actor: str = "user") -> dict[str, str]:
    """What every command of the matrix runs in."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "ALICE_", "XDG_"))
    }
    return kept | {
        "HOME": str(root),
        "ALICE_HOME": str(root / "alice"),
        "ALICE_NOW": NOW,
        "ALICE_ACTOR": actor,
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "EDITOR": "sed -i s/ripgrep/rg/;s/rg/ripgrep/",
    }


def enter(root: Path, actor: str = "user") -> None:
    """Make this process one that runs commands on the scene's home."""
    os.environ.clear()
    os.environ.update(environment(root, actor))
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))


def call(*arguments: str, actor: str = "user", now: str = NOW) -> tuple[int, Any]:
    """One command in this process: its exit code and its JSON answer."""
    from alice_exp.app.main import run

    os.environ |= {"ALICE_ACTOR": actor, "ALICE_NOW": now}
    out = StringIO()
    with redirect_stdout(out):
        code = run([*arguments, "--json"])
    return code, json.loads(out.getvalue()) if out.getvalue() else None


def state(experiences: Path) -> dict[str, list[Any]]:
    """Every block by what it says: a row of path, state, count and approval for each place where it stands.

    A doubt stands under ``in doubt: TEXT``, episodes under ``episode: TASK`` with success and reward; ``thoughts`` are
    how many were told and merged.
    """
    from alice_exp.kernel.jsonc.reader import parse
    from alice_exp.model.formats.block_schema import read_blocks
    from alice_exp.model.rules.doubt import is_in_doubt

    found: dict[str, list[Any]] = _records(experiences)
    for path in sorted(experiences.glob("*/*.jsonc")):
        name = str(path.relative_to(experiences))
        if name.startswith("records/"):
            continue
        blocks, problems = read_blocks(parse(path.read_bytes(), name))
        assert not [problem for problem in problems if problem.severity == "error"], problems
        for block in blocks:
            row = [name, block.state, block.verifications, block.approved is not None]
            found.setdefault(block.payload.content, []).append(row)
            if is_in_doubt(block):
                found.setdefault(f"in doubt: {block.payload.content}", []).append([block.doubt.since])
    return found


def _records(experiences: Path) -> dict[str, list[Any]]:
    from alice_exp.kernel.jsonc.reader import parse

    found: dict[str, list[Any]] = {}
    episodes, events = (experiences / "records" / f"{name}.jsonc" for name in ("episodes", "events"))
    if episodes.exists():
        book: Any = parse(episodes.read_bytes(), "records/episodes.jsonc").value
        for one in book["episodes"]:
            found.setdefault(f"episode: {one['task']}", []).append([one["success"], one["reward"]])
    if events.exists():
        told: Any = parse(events.read_bytes(), "records/events.jsonc").value
        held = sum(one.get("segment_length", 1) for one in told["segments"])
        assert held == told["total_events"], f"{held} thoughts in the segments, {told['total_events']} told"
        found["thoughts"] = [[held, told["total_compressions"]]]
    return found


def comments(experiences: Path) -> list[str]:
    """Every comment of every file."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(experiences.glob("[!.]*/*.jsonc"))]
    return sorted(found.strip() for text in texts for found in re.findall(r"//.*|/\*.*?\*/", text))


def build(root: Path, scene: Scene) -> None:
    """The home before the command, and ``expect.json`` beside it."""
    enter(root)
    alice = root / "alice"
    (alice / "experiences" / "universal").mkdir(parents=True)
    (alice / "experiences" / "universal" / "tool_usage.jsonc").write_text(UNIVERSAL, encoding="utf-8")
    pool = alice / "experiences" / "low_value_pool" / "pending_20260219.jsonc"
    pool.parent.mkdir()
    pool.write_text(
        '{"blocks": [\n  // a candidate\n  {"id": "exp-ccccccc2", "trigger": "committing", "payload": "small commits",'
        ' "created_at": "2026-02-19T08:00:00Z", "updated_at": "2026-02-19T08:00:00Z"}\n]}\n',
        encoding="utf-8",
    )
    if scene.prepare in ("proven", "shared"):
        allowed = {"shareable": True} if scene.prepare == "shared" else {}
        block = {"id": "exp-eeeeeee2", "payload": "run the tests first"} | PROVEN | allowed
        path = alice / "experiences" / "universal" / "proven.jsonc"
        path.write_text(json.dumps({"blocks": [block]}), encoding="utf-8")
    if scene.prepare == "files":
        _keep_expected(root, scene, {}, [], 0)
        return
    assert call("init")[0] == 0
    if scene.prepare != "tomorrow":
        assert call("memorize", "seen before", "--when", "anything", actor=AGENT)[0] == 0
    if scene.prepare == "heartbeat":
        assert call("heartbeat")[0] == 0
    if scene.prepare == "hand_edit":
        path = alice / "experiences" / "personal" / "user_preferences.jsonc"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("[]", f'[{{"payload": "{HAND_EDIT}"}} // 我\n]'), encoding="utf-8")
    if scene.prepare == "rejected_edit":
        assert call("reject", "exp-ccccccc2")[0] == 0
        pool.write_text(
            f'{{"blocks": [{{"payload": "Small  commits!"}}, {{"payload": "{HAND_EDIT}"}}]}}\n',
            encoding="utf-8",
        )
    if scene.prepare in _MORE:
        _MORE[scene.prepare]()
    before = state(alice / "experiences")
    before.pop("Small  commits!", None)
    kept = comments(alice / "experiences")
    commits = _commits(alice)
    if scene.prepare in _STOPS:
        _interrupted(root, scene.prepare)
    _keep_expected(root, scene, before, kept, commits)


def _keep_expected(root: Path, scene: Scene, before: dict[str, Any], kept: list[str], commits: int) -> None:
    body = {
        "before": before,
        "comments": kept,
        "commits": commits,
        "ledger": _ledger(root / "alice") if scene.prepare == "lost" else "",
        "files before": contents(root / "alice", scene),
    }
    if scene.rehearsed:
        body["after"], body["files after"] = _rehearsed(root, scene)
    (root / "expect.json").write_text(json.dumps(body), encoding="utf-8")


def contents(home: Path, scene: Scene) -> dict[str, str | None]:
    """What the files hold that the scene names; a log without a line is as good as none."""
    found = {name: home / name for name in scene.files}
    texts = {name: path.read_text(encoding="utf-8") for name, path in found.items() if path.exists()}
    return {name: texts.get(name) or (None if name.endswith(".jsonl") else texts.get(name)) for name in found}


def _rehearsed(root: Path, scene: Scene) -> tuple[dict[str, Any], dict[str, str | None]]:
    """What the command leaves where nothing interrupts it: blocks, and the files that the scene names."""
    copy = root / "rehearsal"
    outside = {
        name: there for name, there in contents(root / "alice", scene).items() if name.startswith("..")
    }
    shutil.copytree(root / "alice", copy, symlinks=True)
    words = shlex.split(scene.command.replace("$CM_DIR", str(root)))
    code, _ = call(*[word for word in words if word != "-q"], "--home", str(copy), actor=scene.actor)
    assert code == 0, f"{scene.command} ended with {code}"
    found = state(copy / "experiences"), contents(copy, scene)
    shutil.rmtree(copy)
    for name, there in outside.items():
        if there is None:
            (root / "alice" / name).unlink()
    os.environ["ALICE_ACTOR"] = "user"
    return found


def _deleted() -> None:
    """A candidate that a person deleted from its file."""
    for path in Path(os.environ["ALICE_HOME"]).glob("experiences/low_value_pool/pending_20260219.jsonc"):
        path.unlink()
    assert call("list")[0] == 0


def _git(*words: str) -> None:
    import subprocess

    place = Path(os.environ["ALICE_HOME"]) / "experiences"
    subprocess.run(["git", *words], cwd=place, check=True, capture_output=True)


def _lost() -> None:
    """An approval and a rejection that git took out of the files."""
    assert call("reject", "exp-ccccccc2")[0] == 0
    assert call("remember", "small steps", "--when", "refactoring code")[0] == 0
    _git("reset", "-q", "--hard", "HEAD~2")
    assert call("list")[0] == 0


def _copied() -> None:
    """The same, where git has no ledger any more, so that only its copy says what was decided."""
    _lost()
    _git("update-ref", "-d", "refs/alice/ledger")
    assert call("list")[0] == 0


def _episodes() -> None:
    """Enough that happened for a lesson and for the least of it to go."""
    for number in range(6):
        task = ["--task", "deploy the site", "--action", f"run the checks {number}", "--type", "deploy"]
        assert call("episode", "add", *task, "--success", "--reward", "0.9", actor=AGENT)[0] == 0


def _key() -> None:
    import subprocess

    place = Path(os.environ["ALICE_HOME"]).with_name("key")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(place)], check=True)


def _owned() -> None:
    """An owner key, and a block that was approved without it."""
    _key()
    key = Path(os.environ["ALICE_HOME"]).with_name("key")
    assert call("owner", "init", "--key", str(key), "--allow-unprotected")[0] == 0


def _remote() -> None:
    """A remote that is known; nobody asks whether it is there."""
    from alice_exp.sync.remotes import Remote, Remotes

    Remotes(Path(os.environ["ALICE_HOME"]) / "identity").keep(
        (Remote("mine", "ssh://there.invalid/mine.git", True, NOW),)
    )


def _shared() -> None:
    assert call("config", "set", "sharing.name", "alice_ann")[0] == 0
    assert call("config", "set", "sharing.enabled", "true")[0] == 0


def _decided() -> None:
    """A decision that waits for its outcome, under a name that the command knows."""
    from alice_exp.home import session

    assert call("remember", "small steps", "--when", "refactoring code")[0] == 0
    made, session.new_id = session.new_id, lambda kind: f"{kind}-aaaaaaa2"
    code, answer = call("decide", "refactoring code", actor=AGENT)
    session.new_id = made
    assert code == 0 and answer["decision"] == "dec-aaaaaaa2" and answer["tier"] == "personal", answer


def _doubted() -> None:
    """A person's word that failed on so many days that the person is asked whether it still holds."""
    from alice_exp.home import session

    made, session.new_id = session.new_id, lambda kind: f"{kind}-ddddddd2"
    code, _ = call("remember", "small steps", "--when", "refactoring code")
    session.new_id = made
    assert code == 0
    for day in range(1, 7):
        failed = call("outcome", "exp-ddddddd2", "fail", now=f"2026-02-{day:02}T09:00:00Z")
        assert failed[0] == 0, failed
    os.environ["ALICE_NOW"] = NOW


def _read() -> None:
    """A block that was read once: the report folds the read into it."""
    assert call("show", "exp-aaaaaaa2")[0] == 0


def _thoughts() -> None:
    """As many thoughts as make the next one merge two neighbours."""
    for number in range(10):
        assert call("event", "add", f"thought {number}", actor=AGENT)[0] == 0


def _talk() -> None:
    """A conversation that says something about the user and was not read yet."""
    assert call("session", "start", "talk", actor=AGENT)[0] == 0
    for said in TALK:
        assert call("session", "say", "talk", "user", said, actor=AGENT)[0] == 0


def _bundle() -> None:
    """What another Alice shares, in a file beside the home."""
    from alice_exp.model.values.block import Block, Payload, content_hash

    block = Block("exp-zzzzzzz2", Payload(SHARED))
    item = {"id": block.id, "payload": SHARED, "verifications": 72, "hash": content_hash(block)}
    whole = {"format": "alice-exp bundle", "version": 1, "from": "alice_bob", "blocks": [item]}
    Path(os.environ["ALICE_HOME"]).with_name("bundle.json").write_text(json.dumps(whole), encoding="utf-8")


def _lessons() -> None:
    """What another memory holds, in a file beside the home."""
    rows = [{"payload": f"lesson {number}", "trigger": "importing"} for number in range(3)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    Path(os.environ["ALICE_HOME"]).with_name("lessons.jsonl").write_text(text, encoding="utf-8")


PROVEN = {"state": "reliable", "verifications": 72, "verifications_local": 72}
SHARED = "use ripgrep, it knows .gitignore"
TALK = ("I prefer tea over coffee.", "What is the time?")
_MORE: dict[str, Callable[[], None]] = {
    "decided": _decided,
    "thoughts": _thoughts,
    "talk": _talk,
    "read": _read,
    "doubted": _doubted,
    "bundle": _bundle,
    "lessons": _lessons,
    "deleted": _deleted,
    "lost": _lost,
    "copied": _copied,
    "episodes": _episodes,
    "key": _key,
    "owned": _owned,
    "remote": _remote,
    "shared": _shared,
}


def _commits(alice: Path) -> int:
    import subprocess

    counted = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"], cwd=alice / "experiences", capture_output=True, check=True
    )
    return int(counted.stdout)


def _ledger(alice: Path) -> str:
    return (alice / "experiences/.git/refs/alice/ledger").read_text(encoding="ascii").strip()


def _die(*_: object, **__: object) -> None:
    os._exit(137)


def _stop_prepared(landing: Any) -> None:
    landing._swap_all = _die


def _stop_half(landing: Any) -> None:
    swap, done = landing.swap_in, []

    def once(*arguments: Any) -> None:
        if done:
            _die()
        done.append(1)
        swap(*arguments)

    landing.swap_in = once
    landing.take_out = _die


def _stop_swapped(landing: Any) -> None:
    landing._land = _die


_STOPS: dict[str, Callable[[Any], None]] = {
    "prepared": _stop_prepared,
    "half": _stop_half,
    "swapped": _stop_swapped,
}


def _interrupted(root: Path, stop: str) -> None:
    """Run the act that archives a block in a child that dies at a known step: decided, not yet landed."""
    child = os.fork()
    if child == 0:
        from alice_exp.kernel.journal import transaction as landing

        _STOPS[stop](landing)
        call("retire", "exp-bbbbbbb2", "--reason", "over", "--yes")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 137, "the act was meant to be interrupted"
    assert (root / "alice" / "experiences" / ".git" / "refs" / "alice" / "pending").exists()
