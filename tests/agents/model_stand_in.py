"""A model's server on loopback: Anthropic's messages, Gemini's, OpenAI's chat and responses.

It gives one answer to everything; first, where it is told to, it has the host's own shell run some commands, each with
a sentence of its own in front, or calls tools of our server.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SHELLS = ("Bash", "bash", "run_shell_command", "shell_command", "exec_command", "shell")
"""What hosts call the tool that runs a command."""

Wish = tuple[str, dict[str, Any], str]
"""A tool that the model wants to be called, its arguments, and the id of the call."""


class StandIn(ThreadingHTTPServer):
    """The server; ``asked`` holds the body of every request, ``runs`` what the shell is still to run, ``says`` what
    stands in front of each."""

    daemon_threads = True

    def __init__(
        self, answer: str, runs: Sequence[str] = (), says: str = "", calls: Sequence[Called] = ()
    ) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.text = answer
        self.runs = list(runs)
        self.says = says
        self.calls = list(calls)
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def wish(self, asked: Any) -> Wish | None:
        """The next call of a tool, or the next command as a call of the shell; None where the request offers none."""
        offered = {one["name"]: one for one in _tools(asked.get("tools") or [])}
        if self.calls:
            return self._call(asked, list(offered))
        shell = next((offered[name] for name in SHELLS if name in offered), None)
        if shell is None or not self.runs:
            return None
        schema = next(shell[key] for key in _SCHEMAS if key in shell)
        return shell["name"], _arguments(schema, self.runs.pop(0)), f"call_{len(self.asked)}"

    def _call(self, asked: Any, offered: Sequence[str]) -> Wish | None:
        tool, arguments = self.calls[0]
        ours = next((one for one in offered if "alice" in one and one.endswith(tool)), "")
        number = f"call_{len(self.asked)}"
        if not ours and "tool_search" in offered:
            # Qwen Code shows a server's tools to a model that asks for them by name.
            named = ",".join(f"mcp__alice-exp__{one}" for one, _ in self.calls)
            return "tool_search", {"query": f"select:{named}"}, number
        if not ours:
            return None
        self.calls.pop(0)
        made = re.findall(r'decision\\+"\s*:\s*\\+"(dec-\w+)', json.dumps(asked)) or [""]
        return ours, {key: made[-1] if value == MADE else value for key, value in arguments.items()}, number


MADE = "the decision"
"""Stands in a call's arguments for the id that ``decide`` answered last."""

Called = tuple[str, dict[str, Any]]
"""A call of a tool of ours: its name and arguments."""

_SCHEMAS = ("input_schema", "parameters", "parametersJsonSchema")


def _tools(listed: list[Any]) -> Iterator[Any]:
    for one in listed:
        if one.get("type") == "namespace":
            yield from ({**inner, "name": f"{one['name']} {inner['name']}"} for inner in one["tools"])
            continue
        yield from one.get("functionDeclarations", [one.get("function", one)] if _is_named(one) else [])


def _is_named(one: Any) -> bool:
    return "name" in one.get("function", one)


def _arguments(schema: Any, command: str) -> dict[str, Any]:
    kinds = schema["properties"]
    lists = {"array": ["sh", "-c", command]}
    values = {"command": command, "cmd": command, "description": "runs it", "is_background": False}
    wanted = {*schema.get("required", ()), *({"command", "cmd"} & set(kinds))}
    return {name: lists.get(kinds[name].get("type"), values.get(name)) for name in wanted}


class Answering(BaseHTTPRequestHandler):
    """One request: the answer in the form of the API that was asked, streamed where that was asked for."""

    server: StandIn

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace")
        self.server.asked.append(body)
        asked: Any = json.loads(body or "{}")
        text = self.server.text
        if "count_tokens" in self.path:
            self._json({"input_tokens": 10})
            return
        wish = self.server.wish(asked)
        text = self.server.says if wish else text
        if "/messages" in self.path:
            message = _message(text, wish)
            self._stream(_anthropic(message)) if asked.get("stream") else self._json(message)
        elif "eamGenerateContent" in self.path:
            self._stream([("", _gemini(text, wish))])
        elif "generateContent" in self.path:
            self._json(_gemini(text, wish))
        elif self.path.endswith("/responses"):
            self._stream(_responses(text, wish))
        else:
            self._stream(_openai(text, wish))

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


def _message(text: str, wish: Wish | None) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    if wish:
        content.append({"type": "tool_use", "id": wish[2], "name": wish[0], "input": wish[1]})
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "stand-in", "stop_sequence": None,
        "content": content, "stop_reason": "tool_use" if wish else "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }  # fmt: skip


def _anthropic(message: dict[str, Any]) -> list[tuple[str, Any]]:
    steps: list[Any] = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    for at, content in enumerate(message["content"]):
        if content["type"] == "text":
            empty, delta = {**content, "text": ""}, {"type": "text_delta", "text": content["text"]}
        else:
            empty = {**content, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(content["input"])}
        steps += [
            {"type": "content_block_start", "index": at, "content_block": empty},
            {"type": "content_block_delta", "index": at, "delta": delta},
            {"type": "content_block_stop", "index": at},
        ]
    steps += [
        {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
         "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return [(step["type"], step) for step in steps]


def _gemini(text: str, wish: Wish | None) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    if wish:
        parts.append({"functionCall": {"name": wish[0], "args": wish[1]}})
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "stand-in",
    }


def _openai(text: str, wish: Wish | None) -> list[tuple[str, Any]]:
    row = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stand-in"}
    said: dict[str, Any] = {"role": "assistant", "content": text}
    if wish:
        called = {"name": wish[0], "arguments": json.dumps(wish[1])}
        said["tool_calls"] = [{"index": 0, "id": wish[2], "type": "function", "function": called}]
    part = {"index": 0, "delta": said, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if wish else "stop"}
    return [("", {**row, "choices": [part]}), ("", {**row, "choices": [last]})]


def _responses(text: str, wish: Wish | None) -> list[tuple[str, Any]]:
    said = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [said]}
    steps: list[Any] = [
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.output_text.delta", "item_id": "m1", "delta": text},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ]
    items, steps = ([item], steps) if text else ([], [])
    if wish:
        within, _, name = wish[0].rpartition(" ")
        called = {"name": name, "arguments": json.dumps(wish[1]), **({"namespace": within} if within else {})}
        item = {"type": "function_call", "id": "f1", "call_id": wish[2], **called}
        items.append(item)
        steps.append({"type": "response.output_item.done", "output_index": len(items) - 1, "item": item})
    usage = {
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15,
    }  # fmt: skip
    steps = [
        {"type": "response.created", "response": {"id": "r1"}},
        *steps,
        {"type": "response.completed", "response": {"id": "r1", "output": items, "usage": usage}},
    ]
    return [(step["type"], step) for step in steps]


@contextmanager
def standing_in(
    answer: str, runs: Sequence[str] = (), says: str = "", calls: Sequence[Called] = ()
) -> Iterator[StandIn]:
    """The server on a thread of its own, stopped at the end."""
    server = StandIn(answer, runs, says, calls)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
