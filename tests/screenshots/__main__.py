"""``python -m tests.screenshots --write`` makes the pictures anew; ``--check`` fails where one is old."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests import seeded
from tests.screenshots.screen import Screen, Session, svg

HERE = Path(__file__).parent
SAMPLE = HERE.parents[1] / "sample_home"
LANGUAGES = ("en", "zh")

Environment = Mapping[str, str]

_THOUGHTS = (
    ("the canary is healthy", "watch the error rate", "0.02 %"),
    ("灰度观察了半小时，可以继续", "放开到 50%", "没有告警"),
    ("the disk of the runner is nearly full", "clean the cache", "31 GB free"),
    ("先看退出码再看日志", "docker compose ps -a", "Exit 137"),
    ("memory was the cause", "raise the limit to 2 GB", "stays up"),
)
_WORDS = {
    "en": {"hand": "the release train leaves on Tuesday", "why": "we still do not deploy then"},
    "zh": {"hand": "发布列车每周二发车", "why": "周五下午仍然不发布"},
}


def ask(environment: Environment, *arguments: str, stdin: str = "") -> str:
    """Run the command beside the picture; its answer."""
    done = subprocess.run(
        ["alice-exp", *arguments], env=environment, input=stdin, capture_output=True, text=True, check=True
    )
    return done.stdout


def shown(environment: Environment, *arguments: str) -> str:
    """The prompt, and what the command shows on a terminal."""
    said = Session(("alice-exp", *arguments), environment, Path(environment["HOME"])).end()
    return _prompt(*arguments) + _screen(said)


def _prompt(*arguments: str) -> str:
    return f"\x1b[32m$\x1b[0m alice-exp {' '.join(arguments)}\n"


def _screen(said: str) -> str:
    screen = Screen()
    screen.write(said)
    return screen.text


def heartbeat(environment: Environment) -> str:
    """The daily report with few candidates, a contradiction, and what failed."""
    ask(environment, "heartbeat")
    ask(environment, "approve", "2", "5", "7", "11", "--yes")
    ask(environment, "reject", "1", "6", "9", "10")
    return shown(environment, "heartbeat")


def review(environment: Environment) -> str:
    """The same, one at a time: one is approved, one rejected with a reason, then the person stops."""
    ask(environment, "heartbeat")
    ask(environment, "reject", "1", "2", "5", "6", "7", "9", "10", "11")
    session = Session(("alice-exp", "review"), environment, Path(environment["HOME"]))
    session.press("R")
    session.wait_for(") " if environment["ALICE_LANG"] == "en" else "）")
    session.type(_WORDS[environment["ALICE_LANG"]]["why"] + "\n")
    session.press("a")
    session.press("q")
    return _prompt("review") + _screen(session.end())


def watch(environment: Environment) -> str:
    """A person types a block, then leaves a bracket open and closes it again."""
    file = Path(environment["ALICE_HOME"]) / "experiences" / "personal" / "workflow_habits.jsonc"
    whole = file.read_text("utf-8")
    typed = json.dumps({"payload": _WORDS[environment["ALICE_LANG"]]["hand"]}, ensure_ascii=False)
    more = whole.replace('"blocks": [', f'"blocks": [\n    {typed},', 1)
    session = Session(("alice-exp", "watch"), environment, Path(environment["HOME"]))
    session.wait_for("Ctrl-C")
    _saved(file, more)
    session.wait_for("editor")
    session.wait_for("\n")
    adopted = file.read_text("utf-8")
    _saved(file, adopted.replace('"blocks": [', '"blocks": [[', 1))
    session.wait_for("✗")
    ask(environment, "outcome", "exp-oefaex9j", "ok", "--scenario", "repo alice")
    session.wait_for("exp-oefaex9j")
    session.type("\x03")
    return _prompt("watch") + _screen(session.end())


def _saved(file: Path, text: str) -> None:
    """Write it at once, as editors do: between a truncation and what is written a watch sees an empty file."""
    beside = file.parents[2] / f"{file.name}.new"
    beside.write_text(text, "utf-8")
    beside.replace(file)


def segments(environment: Environment) -> str:
    """The diary after some more thoughts: long ago is short, lately is whole."""
    for thought, action, result in _THOUGHTS:
        ask(environment, "event", "add", thought, "--action", action, "--result", result)
    return shown(environment, "event", "segments")


PICTURES: Mapping[str, Callable[[Environment], str]] = {
    "heartbeat": heartbeat,
    "review": review,
    "watch": watch,
    "segments": segments,
}


def pictures() -> dict[str, str]:
    """Every picture by its file name."""
    return {f"{name}.{language}.svg": picture(name, language) for name in PICTURES for language in LANGUAGES}


def picture(name: str, language: str) -> str:
    """One picture, from a fresh copy of ``sample_home``."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        environment = {**seeded.world(place), "ALICE_LANG": language}
        shutil.copytree(SAMPLE, environment["ALICE_HOME"])
        ask(environment, "init", "-q")
        ask(environment, "config", "set", "heartbeat.auto", "false")
        title = "alice-exp" if language == "en" else "alice-exp · 中文"
        return svg(title, PICTURES[name](environment).replace(str(place), "~"))


def main(arguments: list[str]) -> int:
    """Write the pictures or check them."""
    drawn = pictures()
    if "--write" in arguments:
        for name, text in drawn.items():
            (HERE / name).write_text(text, "utf-8")
        return 0
    old = [
        name
        for name, text in drawn.items()
        if not (HERE / name).exists() or (HERE / name).read_text("utf-8") != text
    ]
    for name in old:
        print(f"tests/screenshots/{name} is old: run python -m tests.screenshots --write")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
