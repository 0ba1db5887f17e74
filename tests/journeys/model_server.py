"""A chat completions server on loopback whose answers a test scripts: text, a status, silence, a cut-off, nonsense."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Step = Callable[["Asked"], None]


@dataclass
class Model:
    """The server: where it is, what it was asked, what it answers next (the last step again and again)."""

    url: str
    steps: list[Step]
    prompts: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


class Asked(BaseHTTPRequestHandler):
    """One request."""

    model: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.model.prompts.append(body["messages"][0]["content"])
        self.model.headers.append({name.lower(): value for name, value in self.headers.items()})
        step = self.model.steps.pop(0) if len(self.model.steps) > 1 else self.model.steps[0]
        try:
            step(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send(self, body: bytes, status: int = 200, length: int | None = None, retry_after: str = "") -> None:
        """One answer; ``length`` may promise more than there is."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if length is None else length))
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *arguments: Any) -> None:
        del format, arguments


def completion(content: Any) -> bytes:
    """A chat completion that says this."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return json.dumps(
        {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    ).encode()


def says(content: Any) -> Step:
    return lambda asked: asked.send(completion(content))


def status(code: int, retry_after: str = "") -> Step:
    return lambda asked: asked.send(b'{"error": {"message": "no"}}', code, retry_after=retry_after)


def raw(body: bytes) -> Step:
    return lambda asked: asked.send(body)


def cut_off(asked: Asked) -> None:
    """Half of what was promised, then nothing."""
    asked.send(completion("[]")[:20], length=4000)
    asked.close_connection = True


def silent(asked: Asked) -> None:
    """An answer, but later than anybody waits: who has waited all the same has one."""
    time.sleep(40)
    says("[]")(asked)


def dripping(asked: Asked) -> None:
    """The same, begun at once and a byte at a time, never late enough for a read to time out."""
    body = completion("[]")
    asked.send(b" ", length=401 + len(body))
    for _ in range(400):
        time.sleep(0.1)
        asked.wfile.write(b" ")
        asked.wfile.flush()
    asked.wfile.write(body)


@contextmanager
def serving(*steps: Step) -> Iterator[Model]:
    """A server on a free port of 127.0.0.1 until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    server.daemon_threads = True
    server.block_on_close = False
    model = Model(f"http://127.0.0.1:{server.server_address[1]}/v1", list(steps))
    server.RequestHandlerClass = type("Request", (Asked,), {"model": model})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
