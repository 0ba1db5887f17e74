"""Issue 4.6: an embedder finds what means the same; whatever it does, words answer, with one warning and exit 0."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from alice_exp.app.opening import open_session

pytestmark = pytest.mark.needs("httpx2")

Call = Callable[..., Any]
Vectors = list[list[float]]

MEANINGS = (
    {"invoice", "pays", "bill", "charge", "customers"},
    {"search", "find", "ripgrep", "code"},
    {"backup", "copy", "nightly", "restore"},
    {"deploy", "release", "canary", "rollout"},
    {"password", "login", "token", "sign"},
)
BLOCKS = {
    "aaa": "bill customers through stripe on the first",
    "bbb": "use ripgrep for code",
    "ccc": "nightly copy goes to the vault",
    "ddd": "release with a canary",
    "eee": "sign in needs a token",
    "fff": "lunch is at noon",
    "ggg": "the printer is on floor three",
    "hhh": "meetings are short",
}
PARAPHRASE = "who pays the invoice"


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


def test_a_paraphrase_that_shares_no_word_is_found(known: Path, cli: Call, server: Server) -> None:
    found = cli("recall", PARAPHRASE, "--json", "--explain")
    assert ids(found) == ["exp-aaa22222"]
    explained = found.json["matches"][0]["explain"]
    assert explained["text_match"] == 0.0
    assert 0.9 < explained["cosine"] <= 1.0
    assert 0.0 < explained["cosine_weight"] <= 1.0
    assert found.stderr == ""
    table = cli("recall", PARAPHRASE, "--explain").stdout
    assert "cosine" in table and f"{explained['cosine']:.3f}" in table
    cli("config", "set", "provider.embedding_model", "")
    assert cli("recall", PARAPHRASE, check=False).code == 4


def test_what_has_no_answer_is_still_answered_with_nothing(cli: Call, server: Server) -> None:
    assert cli("recall", "quantum gardening tips", check=False).code == 4
    assert len(server.texts) == 1 + len(BLOCKS)


def test_only_what_changed_is_embedded(known: Path, cli: Call, server: Server) -> None:
    cli("recall", PARAPHRASE)
    assert sorted(server.texts[1:]) == sorted("\n" + text for text in BLOCKS.values())
    server.asked.clear()
    cli("recall", PARAPHRASE)
    assert server.asked == [[PARAPHRASE]]
    server.asked.clear()
    written(known, {**BLOCKS, "fff": "lunch is at one"})
    cli("recall", PARAPHRASE)
    assert server.asked == [[PARAPHRASE], ["\nlunch is at one"]]


def test_many_queries_are_one_request(known: Path, cli: Call, server: Server) -> None:
    asked = "".join(json.dumps({"qid": at, "query": PARAPHRASE}) + "\n" for at in range(3))
    rows = [json.loads(line) for line in cli("recall", "--queries", "-", stdin=asked).stdout.splitlines()]
    assert [row["ids"] for row in rows] == [["exp-aaa22222"]] * 3
    assert server.asked[0] == [PARAPHRASE] * 3


def test_the_same_with_the_index_and_without_it(
    known: Path, cli: Call, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_index = cli("recall", PARAPHRASE, "--json", "--explain").json
    monkeypatch.setattr("alice_exp.finding.store.search_index.HomeIndex.ask", lambda self, question: None)
    assert cli("recall", PARAPHRASE, "--json", "--explain").json == with_index


def test_the_key_comes_from_the_environment_alone(cli: Call, server: Server) -> None:
    cli("recall", PARAPHRASE)
    assert "authorization" not in server.headers[0]
    cli("recall", PARAPHRASE, env={"ALICE_API_KEY": "k-1"})
    assert server.headers[-1]["authorization"] == "Bearer k-1"


def test_without_a_model_nothing_of_it_is_loaded(known: Path, cli: Call) -> None:
    for name in ("alice_exp.finding.store.vectors", "alice_exp.kernel.providers.embedding"):
        sys.modules.pop(name, None)
    cli("recall", "ripgrep code")
    assert (
        not {"alice_exp.finding.store.vectors", "alice_exp.kernel.providers.embedding"} & sys.modules.keys()
    )
    assert not list((known / "state").glob("vectors-*"))


def down(state: Server) -> None:
    state.url = "http://127.0.0.1:9/v1"


def error(state: Server) -> None:
    state.status = lambda texts: 500


def later_error(state: Server) -> None:
    state.status = lambda texts: 500 if texts[0].startswith("\n") else 200


def slow(state: Server) -> None:
    state.wait = 30


def dripping(state: Server) -> None:
    state.drip = 0.5


def other_length_later(state: Server) -> None:
    state.body = lambda texts: answer([meant(text) + [0.0] * (len(texts) > 1) for text in texts])


def not_a_number(state: Server) -> None:
    state.body = lambda texts: answer([[float("nan"), *meant(text)] for text in texts])


def nonsense(body: bytes) -> Callable[[Server], None]:
    def set_body(state: Server) -> None:
        state.body = lambda texts: body

    return set_body


FAILURES = [
    down,
    error,
    later_error,
    slow,
    dripping,
    other_length_later,
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
    monkeypatch.setattr("alice_exp.finding.store.vectors.LIMIT", 0.4)
    fails(server)
    cli("config", "set", "provider.base_url", server.url)
    began = time.monotonic()
    found = cli("recall", "ripgrep code", "--json")
    assert time.monotonic() - began < 10
    assert ids(found) == ["exp-bbb22222"]
    assert len(found.stderr.splitlines()) == 1, found.stderr
    assert "embedder" in found.stderr


def test_another_length_than_before_is_said_once_and_made_anew(cli: Call, server: Server) -> None:
    cli("recall", PARAPHRASE)
    server.body = lambda texts: answer([[*meant(text), 0.0] for text in texts])
    found = cli("recall", "ripgrep code", "--json")
    assert ids(found) == ["exp-bbb22222"]
    assert len(found.stderr.splitlines()) == 1
    assert "11" in found.stderr and "10" in found.stderr
    again = cli("recall", PARAPHRASE, "--json")
    assert (ids(again), again.stderr) == (["exp-aaa22222"], "")


def test_a_failing_embedder_is_left_alone_for_a_while(known: Path) -> None:
    from alice_exp.finding.rules.corpus import Corpus
    from alice_exp.finding.store.vectors import KeptVectors
    from alice_exp.kernel.errors import AliceError, ProviderError

    asked, warned = [], list[AliceError]()

    class Broken:
        def embed(self, texts: list[str], within: float) -> Vectors:
            asked.append(texts)
            raise ProviderError("no")

    collection = Corpus.of(open_session(str(known)).home.read())
    kept = KeptVectors(known / "state", "m", Broken(), warned.append)
    assert [list(kept.near(["a"], collection)) for _ in range(3)] == [[None]] * 3
    assert (len(asked), len(warned)) == (1, 1)


def test_what_is_not_embedded_in_time_comes_the_next_time(
    cli: Call, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alice_exp.finding.store.vectors.LIMIT", 10.0)
    monkeypatch.setattr("alice_exp.finding.store.vectors._FIRST", 1)
    # A clock that moves by three seconds a request: how long one takes here says how busy the machine is.
    clock = SimpleNamespace(monotonic=lambda: 3.0 * len(server.asked))
    monkeypatch.setattr("alice_exp.finding.store.vectors.time", clock)
    seen = []
    for _ in range(8):
        found = cli("recall", "ripgrep code", "--json")
        assert (ids(found), found.stderr) == (["exp-bbb22222"], "")
        seen.append(len(set(server.texts)) - 1)
    assert 0 < seen[0] < seen[-1] == len(BLOCKS)
    assert len(server.texts) - 8 == len(BLOCKS)


def test_a_text_that_the_server_refuses_is_embedded_by_its_beginning(
    known: Path, cli: Call, server: Server
) -> None:
    written(known, {**BLOCKS, "aaa": BLOCKS["aaa"] + " and so on" * 60})
    server.status = lambda texts: 500 if any(len(text) > 512 for text in texts) else 200
    found = cli("recall", PARAPHRASE, "--json")
    assert (ids(found), found.stderr) == (["exp-aaa22222"], "")
    server.asked.clear()
    cli("recall", PARAPHRASE)
    assert server.asked == [[PARAPHRASE]]


@pytest.mark.parametrize("damage", [b"", b"nonsense" * 40, None], ids=["empty", "nonsense", "torn"])
def test_a_damaged_file_of_vectors_is_made_good(
    known: Path, cli: Call, server: Server, damage: bytes | None
) -> None:
    cli("recall", PARAPHRASE)
    (path,) = (known / "state").glob("vectors-*.bin")
    whole = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(whole[:-5] if damage is None else damage)
    server.asked.clear()
    assert ids(cli("recall", PARAPHRASE, "--json")) == ["exp-aaa22222"]
    assert len(server.texts) == 1 + (1 if damage is None else len(BLOCKS))
    assert path.read_bytes() == whole


def test_where_vectors_cannot_be_kept_the_answer_is_the_same_with_one_warning(
    known: Path, cli: Call, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: object, vectors: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("alice_exp.finding.store.vectors.VectorFile.add", full)
    found = cli("recall", "ripgrep code", "--json")
    assert ids(found) == ["exp-bbb22222"]
    assert len(found.stderr.splitlines()) == 1
    assert "No space left" in found.stderr


def test_a_key_that_is_none_is_never_shown(cli: Call, server: Server) -> None:
    found = cli("recall", "ripgrep code", "--json", env={"ALICE_API_KEY": "secret密\nkey"})
    assert ids(found) == ["exp-bbb22222"]
    assert len(found.stderr.splitlines()) == 1
    assert "secret" not in found.stderr and "key" not in found.stderr.split("(see")[0]


def test_vectors_of_texts_that_are_gone_do_not_pile_up(
    known: Path, cli: Call, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alice_exp.finding.store.vectors.SPARE", 0)
    cli("recall", PARAPHRASE)
    (path,) = (known / "state").glob("vectors-*.bin")
    record = (path.stat().st_size - 16) // len(BLOCKS)
    written(known, {"aaa": BLOCKS["aaa"], "bbb": BLOCKS["bbb"], "ccc": BLOCKS["ccc"]})
    cli("recall", PARAPHRASE)
    assert path.stat().st_size == 16 + 3 * record
    server.asked.clear()
    cli("recall", PARAPHRASE)
    assert server.asked == [[PARAPHRASE]]


def test_deciding_hears_the_embedder_too(cli: Call, server: Server) -> None:
    made = cli("decide", PARAPHRASE, "--json").json
    assert [one["id"] for one in [*made["applied"], *made["observing"]]] == ["exp-aaa22222"]
