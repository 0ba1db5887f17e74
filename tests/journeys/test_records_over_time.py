"""What happens to records later: results that come late, reads over days, a model that sums up, ranks without context."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import alice_exp
from tests.journeys import model_server as server

Call = Callable[..., Any]
SUMMED = 'Here:\n```json\n{"summary": "两件事合成一件", "key_events": ["pytest → 3 red"]}\n```'


def modelled(cli: Call, url: str) -> None:
    cli("config", "set", "provider.base_url", url)
    cli("config", "set", "provider.chat_model", "m")


@pytest.mark.needs("httpx2")
@pytest.mark.covers("R1.46")
def test_a_configured_model_sums_up_and_a_failing_one_leaves_it_to_the_rule(home: Path, cli: Call) -> None:
    with server.serving(server.says(SUMMED)) as model:
        modelled(cli, model.url)
        for number in range(1, 4):
            cli("event", "add", f"thought {number}", "--action", "pytest", "--json")
        assert len(model.prompts) == 1 and "thought 1" in model.prompts[0] and "thought 2" in model.prompts[0]
        merged = cli("event", "segments", "--json").json["segments"][0]
        assert (merged["summary"], merged["key_events"]) == ("两件事合成一件", ["pytest → 3 red"])
        decision = cli("decide", "deploy", "--json", check=False).json["decision"]
        cli("outcome", decision, "ok")
        assert len(model.prompts) == 2, "an outcome's thought merges through the model too"
        model.steps[:] = [server.says("I cannot help with that.")]
        cli("event", "add", "thought 5")
        assert len(model.prompts) == 3
        assert "cannot help" not in cli("event", "segments", "--json").stdout
        model.steps[:] = [server.status(403)]
        failed = cli("event", "add", "thought 6", "--json")
        assert (failed.code, failed.json["total_events"]) == (0, 6)
        assert "403" in failed.stderr and "the rule did" in failed.stderr
        asked = len(model.prompts)
        cli("config", "set", "events.model", "false")
        for number in range(7, 9):
            cli("event", "add", f"thought {number}")
        assert len(model.prompts) == asked, "switched off, it is never asked"


@pytest.mark.covers("B0.3")
def test_without_a_context_the_formula_comes_first_and_words_find_the_rest(home: Path, cli: Call) -> None:
    chance = random.Random(1)
    filler = [f"filler{number}" for number in range(200)]
    long = "rotate the signing certificate of the gateway " + " ".join(chance.choices(filler, k=50))
    wanted = cli("episode", "add", "--task", long, "--success", "--json").json["id"]
    near = cli("episode", "add", "--task", "rotate the certificate", "--success", "--json").json["id"]
    for _ in range(20):
        cli("episode", "add", "--task", " ".join(chance.choices(filler, k=9)), "--failed")
    found = cli("episode", "similar", "rotate the signing certificate", "--json").json["matches"]
    assert [one["id"] for one in found[:2]] == [near, wanted]
    assert found[0]["score"] == 0.75, "task similarity alone (B0.4)"
    assert 0 < found[1]["score"] <= 0.3
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)


def test_a_process_that_searches_and_adds_sees_what_it_added(home: Path) -> None:
    alice = alice_exp.Alice(home, "agent:test")
    assert alice.similar("water the orchid") == ()
    kept = alice.add_episode("water the orchid", success=True)
    assert [one.episode.id for one in alice.similar("water the orchid")] == list(kept.ids)
    assert [one.score for one in alice.similar("water the orchid")] == [1.0]


def test_each_late_result_comes_back_whatever_version_holds_its_thought(home: Path) -> None:
    alice = alice_exp.Alice(home, "agent:test")
    for number in range(1, 25):
        alice.add_event(f"thought {number}")
        if number > 1:
            alice.finish_event(number - 1, f"came {number - 1}")
    found = alice.expand(alice.segments()[0].id)
    assert {number: event.result for number, event in found.thoughts.items()} == {
        number: f"came {number}" for number in found.numbers
    }
