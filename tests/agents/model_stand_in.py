"""A model's server on loopback that gives one answer to everything: Anthropic's messages, Gemini's, OpenAI's chat and responses."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class StandIn(ThreadingHTTPServer):
    """The server; ``asked`` holds the body of every request."""

    daemon_threads = True

    def __init__(self, answer: str) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.text = answer
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answering(BaseHTTPRequestHandler):
    """One request: the answer in the form of the API that was asked, streamed where that was asked for."""

    server: StandIn

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace")
        self.server.asked.append(body)
        asked: Any = json.loads(body or "{}")
        if "count_tokens" in self.path:
            self._json({"input_tokens": 10})
        elif "/messages" in self.path:
            self._stream(_anthropic(self.server.text)) if asked.get("stream") else self._json(
                _message(self.server.text)
            )
        elif "eamGenerateContent" in self.path:
            self._stream([("", _gemini(self.server.text))])
        elif "generateContent" in self.path:
            self._json(_gemini(self.server.text))
        elif self.path.endswith("/responses"):
            self._stream(_responses(self.server.text))
        else:
            self._stream(_openai(self.server.text))

    def do_GET(self) -> None:
        self._json({"data": []})

    do_HEAD = do_GET

    def _json(self, document: Any) -> None:
        self._send("application/json", json.dumps(document).encode())

    def _stream(self, events: Any) -> None:
        rows = [
            (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n" for name, data in events
        ]
        self._send("text/event-stream", "".join(rows).encode())

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        return


def _message(text: str) -> dict[str, Any]:
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "stand-in", "stop_sequence": None,
        "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }  # fmt: skip


def _anthropic(text: str) -> list[tuple[str, Any]]:
    start = {**_message(text), "content": [], "stop_reason": None}
    steps: list[Any] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
         "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return [(step["type"], step) for step in steps]


def _gemini(text: str) -> dict[str, Any]:
    return {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "stand-in",
    }


def _openai(text: str) -> list[tuple[str, Any]]:
    row = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stand-in"}
    part = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    return [("", {**row, "choices": [part]}), ("", {**row, "choices": [last]})]


def _responses(text: str) -> list[tuple[str, Any]]:
    said = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [said]}
    usage = {
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15,
    }  # fmt: skip
    steps: list[Any] = [
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.output_text.delta", "item_id": "m1", "delta": text},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r1", "output": [item], "usage": usage}},
    ]
    return [(step["type"], step) for step in steps]


@contextmanager
def standing_in(answer: str) -> Iterator[StandIn]:
    """The server on a thread of its own, stopped at the end."""
    server = StandIn(answer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
