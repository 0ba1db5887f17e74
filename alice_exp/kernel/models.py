"""Client for servers with OpenAI's chat completions API, through ``httpx2`` (extra ``llm``).

The base URL comes from configuration alone. Answers are limited in time and size and are treated as data.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shlex
import signal
import subprocess
import time
from functools import cached_property
from operator import mul
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

from alice_exp.kernel.errors import ProviderError, reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import httpx2


TIMEOUT = 30.0
"""Seconds that one answer may take, from the request to its last byte, retries included (R4.21)."""

ANSWER_LIMIT = 4 << 20
"""The most bytes of an answer that are read; a longer one is refused."""

_READ, _TRIED = 200_000, 1_000
_UNJSON = re.compile(r"```[a-zA-Z]*\n?|```|,(?=\s*[}\]])")

# Seconds before the second and the third attempt, where the server names no time.
_PAUSES = (0.2, 1.0)
# Status codes that are worth another attempt, besides 5xx.
_PASSING = (408, 409, 429)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _Refused(Exception):
    """A status code other than 200, and the seconds that the server asks to wait."""

    def __init__(self, code: int, wait: float) -> None:
        super().__init__(str(code))
        self.code = code
        self.wait = wait


class _Sentences(NamedTuple):
    """What errors say of one kind of model: the package is not there, no answer in time, another status code than 200,
    one that is too long, none at all, one that is malformed; and what helps, against the first and the others."""

    missing: str
    late: str
    refused: str
    long: str
    failed: str
    malformed: str
    install: str
    hint: str


_CHAT = _Sentences(
    "a model is configured, but the httpx2 package is not installed",
    "the model gave no answer within {seconds:g} s",
    "the model's server answered {code}",
    "the model's answer is over the limit of 4 MiB",
    "the model cannot be asked: {why}",
    "the model's server did not send a chat completion",
    "pip install 'alice-exp[llm]', or 'alice-exp config set provider.chat_model \"\"'",
    "see provider.base_url and provider.chat_model in 'alice-exp config list'",
)
_EMBEDDER = _Sentences(
    "an embedding model is configured, but the httpx2 package is not installed",
    "the embedder gave no answer within {seconds:.2g} s",
    "the embedder's server answered {code}",
    "the embedder's answer is over the limit of 32 MiB",
    "the embedder cannot be asked: {why}",
    "the embedder's server did not send a list of vectors",
    "pip install 'alice-exp[llm]', or 'alice-exp config set provider.embedding_model \"\"'",
    "see provider.base_url and provider.embedding_model in 'alice-exp config list'",
)


class _Server:
    """One model at one server, of which errors say ``said``. ``key`` may be empty (a local server)."""

    said: _Sentences

    def __init__(self, base_url: str, model: str, key: str = "", *, timeout: float = TIMEOUT) -> None:
        self._base_url = base_url
        self._model = model
        self._key = key.strip()
        self._timeout = timeout

    @cached_property
    def _client(self) -> httpx2.Client:
        """Each step has the timeout; a server on this machine is asked without the environment's proxies, and a
        redirect is never followed."""
        from urllib.parse import urlsplit

        import httpx2

        here = urlsplit(self._base_url).hostname in _LOOPBACK
        return httpx2.Client(timeout=self._timeout, trust_env=not here, follow_redirects=False)

    def _posted(self, path: str, asked: Mapping[str, object], limit: int, within: float) -> bytes:
        """The answer's body; ``_Refused``, ``TimeoutError``, or ``OverflowError`` above ``limit`` bytes."""
        deadline = time.monotonic() + within
        # ensure_ascii: a lone surrogate in one hand-edited text must not make the whole request fail.
        body = json.dumps({"model": self._model, **asked}, ensure_ascii=True).encode()
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        url = self._base_url.rstrip("/") + path
        with self._client.stream("POST", url, content=body, headers=headers, timeout=within) as answer:
            if answer.status_code != 200:
                raise _Refused(answer.status_code, _wait(answer.headers))
            read = bytearray()
            for chunk in answer.iter_bytes():
                read += chunk
                if len(read) > limit:
                    raise OverflowError
                # The client's timeout applies to each read, so a server that drips bytes has to be cut off here.
                if time.monotonic() > deadline:
                    raise TimeoutError
            return bytes(read)

    def _told(self, ask: Callable[[], bytes], within: float) -> bytes:
        """What ``ask`` answers; ``ProviderError`` where that is nothing within so many seconds."""
        said = self.said
        try:
            import httpx2
        except ImportError:
            raise ProviderError(said.missing, hint=said.install) from None
        try:
            return ask()
        except (httpx2.TimeoutException, TimeoutError):
            raise ProviderError(said.late, seconds=within, hint=said.hint) from None
        except _Refused as refused:
            raise ProviderError(said.refused, code=refused.code, hint=said.hint) from None
        except OverflowError:
            raise ProviderError(said.long, hint=said.hint) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            # An error may quote the header that it is about, and the key must never be shown.
            told = str(error).replace(self._key, "…") if self._key else str(error)
            why = " ".join(told.split()).rstrip(".").lower()[:200] or type(error).__name__
            raise ProviderError(said.failed, why=why, hint=said.hint) from None


class ChatCompletions(_Server):
    """A ``Provider``.

    A refused connection and the status codes 408, 409, 429 and 5xx are retried, twice at most, all within ``timeout``
    seconds; the time that ``Retry-After`` names is waited for if it fits.
    """

    said = _CHAT

    def chat(self, prompt: str) -> str:
        """The model's answer to one prompt; ``ProviderError`` if there is none in time, or it is none."""
        body = self._told(lambda: self._asked(prompt), self._timeout)
        try:
            content: Any = json.loads(body)["choices"][0]["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            content = None
        if not isinstance(content, str):
            raise ProviderError(_CHAT.malformed, hint=_CHAT.hint)
        return content

    def _asked(self, prompt: str) -> bytes:
        """The answer's body, with retries within one deadline."""
        import httpx2

        asked = {"messages": [{"role": "user", "content": prompt}], "temperature": 0}
        pauses, deadline = iter(_PAUSES), time.monotonic() + self._timeout
        while (left := deadline - time.monotonic()) > 0:
            try:
                return self._posted("/chat/completions", asked, ANSWER_LIMIT, left)
            # Not a timeout: that has used up the time.
            except (_Refused, httpx2.ConnectError, httpx2.RemoteProtocolError) as error:
                wait = next(pauses, math.inf)
                if isinstance(error, _Refused):
                    wait = max(wait, error.wait) if error.code in _PASSING or error.code >= 500 else math.inf
                if time.monotonic() + wait >= deadline:
                    raise
            time.sleep(wait)
        raise TimeoutError


def _wait(headers: Mapping[str, str]) -> float:
    """The seconds that ``Retry-After`` asks for, as a number or as a date (RFC 9110); 0 where it says nothing."""
    from email.utils import parsedate_to_datetime

    named = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(named))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(named).timestamp() - time.time())
    except (ValueError, TypeError):
        return 0.0


VECTORS_LIMIT = 32 << 20
"""The most bytes of an answer that are read; 64 vectors of 4,096 numbers are 6 MB."""


QUESTION, REST = 2.0, 30.0
"""Seconds that a question may wait for an embedder, and for which none is asked again after a failure."""

TEXT_LIMIT = 400
"""The characters of a text that are embedded: some servers refuse a whole request for one text of 512 tokens."""


class Embeddings(_Server):
    """A model that turns texts into vectors: one request a question, nothing is kept."""

    said = _EMBEDDER
    _rests_until = 0.0

    def cosines(
        self, query: str, texts: Sequence[str], warn: Callable[[ProviderError], None]
    ) -> list[float] | None:
        """The cosine in [-1, 1] of a query with each text, within ``QUESTION`` seconds; ``None``: words alone.

        Never raises: a failure warns once, and then it rests for ``REST`` seconds.
        """
        if time.monotonic() < self._rests_until:
            return None
        try:
            asked, *vectors = self.embed([text[:TEXT_LIMIT] for text in (query, *texts)], QUESTION)
        except ProviderError as error:
            self._rests_until = time.monotonic() + REST
            warn(error)
            return None
        # 0 where one has no length.
        sized = ((one, math.hypot(*asked) * math.hypot(*one)) for one in vectors)
        return [round(sum(map(mul, asked, one)) / long, 6) if long else 0.0 for one, long in sized]

    def embed(self, texts: Sequence[str], within: float) -> list[list[float]]:
        """One vector per text, in order, all of the same length and of finite numbers, within ``within`` seconds;
        ``ProviderError`` if it fails, is too slow, or answers malformed data."""
        asked = {"input": list(texts), "encoding_format": "float"}
        body = self._told(lambda: self._posted("/embeddings", asked, VECTORS_LIMIT, within), within)
        try:
            rows: Any = json.loads(body)["data"]
            by_index = {row["index"]: [float(value) for value in row["embedding"]] for row in rows}
            vectors = [by_index[index] for index in range(len(texts))] if len(rows) == len(texts) else []
        except (ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError):
            vectors = []
        lengths = {len(vector) for vector in vectors}
        finite = all(math.isfinite(value) for vector in vectors for value in vector)
        if len(lengths) != 1 or 0 in lengths or not finite:
            raise ProviderError(_EMBEDDER.malformed, hint=_EMBEDDER.hint)
        return vectors


class Provider(Protocol):
    """A language model; ``ProviderError`` if it fails, is too slow, or answers malformed data."""

    def chat(self, prompt: str) -> str:
        """The model's answer to one prompt."""


PROGRAM_TIMEOUT = 120.0
"""Seconds that a program may take; a local one loads its model first."""

INSIDE = "ALICE_INSIDE"
"""Set for the program: where it is an agent's host itself, its hooks have nothing to do (else each answer's end would
be captured, and read by the same program, for ever)."""

_SILENT = "the model's program printed nothing"
_HINT = "see provider.command in 'alice-exp config list'"


class CommandLine:
    """A ``Provider``: one program, started for each prompt without a shell, ended with all that it started."""

    def __init__(self, command: str) -> None:
        self._command = command

    def chat(self, prompt: str) -> str:
        """The program's answer to one prompt; ``ProviderError`` if there is none in time, or it fails."""
        # Files, not pipes: what a program leaves running in the background would hold a pipe open.
        with TemporaryFile() as asked, TemporaryFile() as out, TemporaryFile() as err:
            asked.write(prompt.encode("utf-8", "replace"))
            asked.seek(0)
            code = self._run(asked, out, err)
            err.seek(0)
            said = " ".join(err.read(4096).decode(errors="replace").split())[-200:]
            out.seek(0)
            answer = out.read(ANSWER_LIMIT + 1)
        if code:
            ended = "the model's program ended with exit code {code}: {why}"
            raise ProviderError(ended, code=code, why=said or _SILENT, hint=_HINT)
        if len(answer) > ANSWER_LIMIT:
            raise ProviderError(_CHAT.long, hint=_HINT)
        text = answer.decode(errors="replace").strip()
        if not text:
            raise ProviderError(_SILENT, hint=_HINT)
        return text

    def _run(self, asked: IO[bytes], out: IO[bytes], err: IO[bytes]) -> int:
        """The program's exit code; it and all that it started are ended."""
        try:
            process = subprocess.Popen(
                shlex.split(self._command),
                stdin=asked,
                stdout=out,
                stderr=err,
                start_new_session=True,
                env={**os.environ, INSIDE: "1"},
            )
        except (OSError, ValueError, IndexError) as error:
            raise ProviderError(
                "the model's program cannot be started: {why}", why=reason(error), hint=_HINT
            ) from None
        try:
            return process.wait(PROGRAM_TIMEOUT)
        except subprocess.TimeoutExpired:
            raise ProviderError(_CHAT.late, seconds=PROGRAM_TIMEOUT, hint=_HINT) from None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def objects_in(answer: str, *keys: str) -> Iterator[Mapping[str, Any]]:
    """The outermost JSON objects of a model's answer that have one of these keys, whatever stands around them.

    Models do send code fences, prose, trailing commas and truncated ends. Of a long answer its beginning is read.
    """
    text, end = _UNJSON.sub("", answer[:_READ]), 0
    # Each attempt may scan the rest, so there is a bound to them.
    for brace in [*re.finditer(r"\{", text)][:_TRIED]:
        with contextlib.suppress(ValueError, RecursionError):
            if brace.start() >= end:
                value, behind = json.JSONDecoder().raw_decode(text, brace.start())
                if not value.keys().isdisjoint(keys):
                    end = behind
                    yield value
