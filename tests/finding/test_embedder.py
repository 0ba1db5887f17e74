"""An embedder puts the best answers in order; whatever it does, words answer, with one warning and exit 0."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from alice_exp.finding.rules.ranking import by_meaning, rank
from alice_exp.kernel.models import Embeddings
from tests.case_tables import cases
from tests.finding.test_ranking import NOW, placed

pytestmark = pytest.mark.needs("httpx2")

Call = Callable[..., Any]
Vectors = list[list[float]]

MEANINGS = tuple(cases(__file__, "MEANINGS"))
BLOCKS = dict(cases(__file__, "BLOCKS"))
ASKED = "the invoice of ripgrep"
"""By its word the shorter text is first, by its meaning the other."""


def meant(text: str) -> list[float]:
    """A vector that knows five meanings; what it does not know lies in a direction of its own."""
    words = set(text.lower().split())
    vector = [float(len(words & meaning)) for meaning in MEANINGS] + [0.3, 0.0, 0.0, 0.0, 0.0]
    if not any(vector[:5]):
        digest = sha256(text.encode()).digest()
        vector[6 + digest[0] % 4] = 1.0
    return vector


def answer(vectors: Vectors) -> bytes:
    # Not in order: a server may answer as it likes, the index tells.
    rows = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return json.dumps({"object": "list", "model": "m", "data": rows[::-1]}).encode()


@dataclass
class Server:
    """What the server was asked, and how it answers: a body, a status, after so many seconds."""

    url: str = ""
    asked: list[list[str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    body: Callable[[list[str]], bytes] = lambda texts: answer([meant(text) for text in texts])
    status: Callable[[list[str]], int] = lambda texts: 200
    wait: float = 0.0
    drip: float = 0.0

    @property
    def texts(self) -> list[str]:
        return [text for texts in self.asked for text in texts]


class Request(BaseHTTPRequestHandler):
    server_state: Server

    def do_POST(self) -> None:
        state = self.server_state
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked["input"]
        assert (self.path, asked["model"]) == ("/v1/embeddings", "m")
        state.asked.append(texts)
        state.headers.append({name.lower(): value for name, value in self.headers.items()})
        time.sleep(state.wait)
        body = state.body(texts)
        try:
            self.send_response(state.status(texts))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            for at in range(0, len(body), 2) if state.drip else ():
                self.wfile.write(body[at : at + 2])
                time.sleep(state.drip)
            if not state.drip:
                self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *arguments: Any) -> None:
        del format, arguments


@contextmanager
def serving() -> Iterator[Server]:
    state = Server()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Request,), {"server_state": state}))
    server.daemon_threads = True
    server.block_on_close = False
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def written(home: Path, blocks: dict[str, str]) -> None:
    rows = [{"id": f"exp-{name:2<8}", "trigger": "", "payload": text} for name, text in blocks.items()]
    path = home / "experiences" / "personal" / "workflow_habits.jsonc"
    path.write_text(json.dumps({"blocks": rows}), encoding="utf-8")


@pytest.fixture
def known(home: Path, cli: Call) -> Path:
    written(home, BLOCKS)
    return home


@pytest.fixture
def server(known: Path, cli: Call) -> Iterator[Server]:
    with serving() as state:
        cli("config", "set", "provider.base_url", state.url)
        cli("config", "set", "provider.embedding_model", "m")
        yield state


def ids(result: Any) -> list[str]:
    return [one["id"] for one in result.json["matches"]]


def test_what_means_the_same_comes_first(known: Path, cli: Call, server: Server) -> None:
    found = cli("recall", ASKED, "--json", "--explain")
    assert ids(found) == ["exp-bbb22222", "exp-aaa22222"]
    nearest, other = (one["explain"]["cosine"] for one in found.json["matches"])
    assert 0.9 < nearest <= 1.0 and other < nearest
    assert found.stderr == ""
    table = cli("recall", ASKED, "--explain").stdout
    assert "cosine" in table and f"{nearest:.3f}" in table
    assert ids(cli("recall", ASKED, "--top", "1", "--json")) == ["exp-bbb22222"]
    cli("config", "set", "provider.embedding_model", "")
    plain = cli("recall", ASKED, "--json", "--explain")
    assert ids(plain) == ["exp-aaa22222", "exp-bbb22222"]
    assert "cosine" not in plain.json["matches"][0]["explain"]


def test_it_is_asked_for_what_words_found_and_nothing_else(cli: Call, server: Server) -> None:
    assert cli("recall", "who pays the invoice", check=False).code == 4
    assert cli("recall", "canary", "--json").code == 0
    assert server.asked == []
    cli("recall", ASKED)
    assert server.asked == [[ASKED, BLOCKS["aaa"], BLOCKS["bbb"]]]


def test_the_key_comes_from_the_environment_alone(cli: Call, server: Server) -> None:
    cli("recall", ASKED)
    assert "authorization" not in server.headers[0]
    cli("recall", ASKED, env={"ALICE_API_KEY": "k-1"})
    assert server.headers[-1]["authorization"] == "Bearer k-1"


def test_without_a_model_nothing_of_it_is_loaded(known: Path, cli: Call) -> None:
    sys.modules.pop("alice_exp.kernel.models", None)
    cli("recall", "ripgrep code")
    assert "alice_exp.kernel.models" not in sys.modules


def down(state: Server) -> None:
    state.url = "http://127.0.0.1:9/v1"


def error(state: Server) -> None:
    state.status = lambda texts: 500


def slow(state: Server) -> None:
    state.wait = 30


def dripping(state: Server) -> None:
    state.drip = 0.5


def other_lengths(state: Server) -> None:
    state.body = lambda texts: answer([meant(text) + [0.0] * (text == ASKED) for text in texts])


def not_a_number(state: Server) -> None:
    state.body = lambda texts: answer([[float("nan"), *meant(text)] for text in texts])


def nonsense(body: bytes) -> Callable[[Server], None]:
    def set_body(state: Server) -> None:
        state.body = lambda texts: body

    return set_body


FAILURES = [
    down,
    error,
    slow,
    dripping,
    other_lengths,
    not_a_number,
    nonsense(b"<html>"),
    nonsense(b"[]"),
    nonsense(b'{"data": []}'),
    nonsense(b'{"data": [{"index": 0, "embedding": []}]}'),
    nonsense(b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}'),
    nonsense(b'{"data": [{"index": 0, "embedding": "AAAA"}]}'),
    nonsense(b'{"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]}'),
    nonsense(b'{"data": [{"index": [0], "embedding": [1.0]}]}'),
]


@pytest.mark.parametrize("fails", FAILURES, ids=lambda fails: fails.__name__)
def test_whatever_it_does_words_answer_with_one_warning(
    cli: Call, server: Server, fails: Callable[[Server], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alice_exp.kernel.models.QUESTION", 0.4)
    fails(server)
    cli("config", "set", "provider.base_url", server.url)
    found = cli("recall", ASKED, "--json")
    assert ids(found) == ["exp-aaa22222", "exp-bbb22222"]
    assert len(found.stderr.splitlines()) == 1, found.stderr
    assert "embedder" in found.stderr


def test_a_failing_embedder_is_left_alone_for_a_while() -> None:
    from alice_exp.kernel.errors import AliceError, ProviderError

    asked, warned = [], list[AliceError]()

    class Broken(Embeddings):
        def embed(self, texts: Sequence[str], within: float) -> Vectors:
            asked.append(texts)
            raise ProviderError("no")

    near = Broken("", "")
    assert [near.cosines("search", ["search code"], warned.append) for _ in range(3)] == [None] * 3
    assert (len(asked), len(warned)) == (1, 1)


@pytest.mark.parametrize("vector", [[0.0, 0.0], [1.0, 1.0]])
def test_an_embedder_that_tells_nothing_apart_changes_no_order(vector: list[float]) -> None:
    class Dull(Embeddings):
        def embed(self, texts: Sequence[str], within: float) -> Vectors:
            return [vector for _ in texts]

    found = rank([placed("a", "search code"), placed("b", "search mail again")], "search", {}, NOW)
    moved = by_meaning(found, "search", partial(Dull("", "").cosines, warn=lambda _: None))
    assert [one.placed for one in moved] == [one.placed for one in found]


def test_a_key_that_is_none_is_never_shown(cli: Call, server: Server) -> None:
    found = cli("recall", ASKED, "--json", env={"ALICE_API_KEY": "secret密\nkey"})
    assert ids(found) == ["exp-aaa22222", "exp-bbb22222"]
    assert len(found.stderr.splitlines()) == 1
    assert "secret" not in found.stderr and "key" not in found.stderr.split("(see")[0]


def test_deciding_hears_the_embedder_too(cli: Call, server: Server) -> None:
    cli("decide", ASKED)
    assert server.asked == [[ASKED, BLOCKS["aaa"], BLOCKS["bbb"]]]
