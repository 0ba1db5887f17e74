"""The scene ``exchange`` of the crash matrix.

Any other command line is run in a process where the paired Alice answers without a network, so that what both write is
interrupted. Afterwards both homes are whole, nothing left that no log names, and another exchange ends with each
other's block once on both sides.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from check_home import acts_of, check_repository
from scenes import AGENT, NOW, PROVEN, ROOT, call, enter, state

FOLLOWING = "what comes after the crash"
COMMON = "what both know"
OTHER = {"alice": "bob", "bob": "alice"}
HEARD = [["low_value_pool/pending_20260220.jsonc", "possible", 0, False]]


def build(root: Path) -> None:
    """Two homes that trust each other: each may share a block of its own, and Bob knows a common one better."""
    enter(root)
    counts: dict[str, dict[str, Any]] = {"alice": {"state": "past", "verifications": 4}, "bob": PROVEN}
    for name, common in counts.items():
        path = root / name / "experiences" / "universal" / "proven.jsonc"
        path.parent.mkdir(parents=True)
        blocks = [
            {"payload": f"what {name} knows", "shareable": True} | PROVEN,
            {"payload": COMMON, "shareable": True} | common,
        ]
        path.write_text(json.dumps({"blocks": blocks}), encoding="utf-8")
        at = ("--home", str(root / name))
        assert call("init", *at)[0] == 0
        for key, value in (("name", f"alice_{name}"), ("enabled", "true")):
            assert call("config", "set", f"sharing.{key}", value, *at)[0] == 0
    for name, other in OTHER.items():
        _peers(root / name).keep(replace(_peers(root / other).own(), paired_at=NOW))
    expect = {name: len(acts_of(root / name / "experiences")) for name in OTHER}
    (root / "expect.json").write_text(json.dumps(expect), encoding="utf-8")


def check(root: Path) -> None:
    """An ``AssertionError`` says what was lost."""
    code, step, acked = int(os.environ["CM_RC"]), int(os.environ["CM_N"]), os.environ["CM_ACKED"] == "1"
    expect = json.loads((root / "expect.json").read_text(encoding="utf-8"))
    enter(root)
    # 8: the other one, who is the same process here, could not answer.
    assert code in (0, 3, 8, 137), f"the command ended with {code}"
    for name, other in OTHER.items():
        at = ("--home", str(root / name))
        if step % 2:
            assert call("list", *at)[0] == 0, f"the next reading command of {name} failed"
        assert call("memorize", FOLLOWING, *at, actor=AGENT)[0] == 0, f"the next act of {name} failed"
        heard = state(root / name / "experiences").get(f"what {other} knows", [])
        assert heard == HEARD or (not heard and not acked), f"{name} heard {heard}"
        log = root / other / "identity" / "shared.jsonl"
        assert not heard or f'"alice_{name} ' in log.read_text(encoding="utf-8"), f"{other} logged nothing"
    os.environ["ALICE_ACTOR"] = "user"
    assert _play(["peer", "exchange", "alice_bob", "--json"]) == 0, "the next exchange failed"
    for name, other in OTHER.items():
        experiences = root / name / "experiences"
        acts = acts_of(experiences)[expect[name] :]
        shared = [act for act in acts if act[0] == "share"]
        assert shared == [("share", f"peer:alice_{other}")], f"{name} took in: {acts}"
        found = state(experiences)
        assert found[f"what {other} knows"] == HEARD, f"{name} holds {found}"
        assert found[COMMON][0][2] == PROVEN["verifications"], f"{name} counts {found[COMMON]}"
        assert len(found[FOLLOWING]) == 1, "the following act stands twice"
        check_repository(experiences)


def _peers(home: Path) -> Any:
    from alice_exp.app.opening import open_session
    from alice_exp.sharing.store.peer_identity import peers

    return peers(open_session(str(home), "user", lambda _: None))


def _play(words: list[str]) -> int:
    """Run a command line whose network leads to the other Alice in this very process; its exit code."""
    sys.path.insert(0, str(ROOT))
    from dataclasses import replace

    from alice_exp.app.main import run
    from alice_exp.app.opening import open_session
    from alice_exp.kernel.errors import PeerError
    from alice_exp.sharing.store import network
    from alice_exp.sharing.store.peer_identity import peers
    from alice_exp.sharing.usecases.peers import Host

    @contextlib.contextmanager
    def connected(asked: Any, session: Any) -> Iterator[Any]:
        there = open_session(
            str(Path(os.environ["HOME"]) / asked.name.removeprefix("alice_")), "user", session.warn
        )
        host = Host(there, session.warn)
        (asking,) = peers(there).all()
        peers(session).update(replace(asked, address="192.0.2.1:4711"))

        def ask(message: Any) -> Any:
            answer: Any = host.answer(asking, json.loads(json.dumps(message)))
            if "error" in answer:
                raise PeerError("the peer refused: {why}", why=str(answer["error"]))
            return answer

        yield SimpleNamespace(ask=ask)

    network.connect = lambda session, asked, _: connected(asked, session)
    return run(words)


def main() -> None:
    """The command line of this process, played."""
    sys.exit(_play(sys.argv[1:]))


if __name__ == "__main__":
    main()
