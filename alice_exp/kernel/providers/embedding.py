"""Client for servers with OpenAI's ``/v1/embeddings`` (Ollama, vLLM, llama.cpp …), through ``httpx2`` (extra ``llm``).

Answers are limited in time and size and are treated as data.
"""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING, Any

from alice_exp.kernel.errors import ProviderError
from alice_exp.kernel.providers.chat import transport

if TYPE_CHECKING:
    from collections.abc import Sequence

    import httpx2

ANSWER_LIMIT = 32 << 20
"""The most bytes of an answer that are read; 64 vectors of 4,096 numbers are 6 MB."""

_HINT = "see provider.base_url and provider.embedding_model in 'alice-exp config list'"


class Embeddings:
    """An ``Embedder``: one embedding model at one server. ``key`` may be empty (a local server)."""

    def __init__(self, base_url: str, model: str, key: str = "") -> None:
        self._base_url = base_url
        self._model = model
        self._key = key.strip()
        self._client: httpx2.Client | None = None

    def embed(self, texts: Sequence[str], within: float) -> list[list[float]]:
        """One vector per text, in order, within ``within`` seconds; ``ProviderError`` otherwise."""
        try:
            import httpx2
        except ImportError:
            raise ProviderError(
                "an embedding model is configured, but the httpx2 package is not installed",
                hint="pip install 'alice-exp[llm]', or 'alice-exp config set provider.embedding_model \"\"'",
            ) from None
        try:
            return _vectors(self._asked(texts, within), len(texts))
        except (httpx2.TimeoutException, TimeoutError):
            raise ProviderError(
                "the embedder gave no answer within {seconds:.2g} s", seconds=within, hint=_HINT
            ) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            # An error may quote the header that it is about, and the key must never be shown.
            reason = str(error).replace(self._key, "…") if self._key else str(error)
            why = " ".join(reason.split()).rstrip(".").lower()[:200] or type(error).__name__
            raise ProviderError("the embedder cannot be asked: {why}", why=why, hint=_HINT) from None

    def _asked(self, texts: Sequence[str], within: float) -> bytes:
        if self._client is None:
            self._client = transport(self._base_url, within)
        deadline = time.monotonic() + within
        asked = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        # ensure_ascii: a lone surrogate in one hand-edited text must not make the whole request fail.
        body = json.dumps(asked, ensure_ascii=True).encode()
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        url = self._base_url.rstrip("/") + "/embeddings"
        with self._client.stream("POST", url, content=body, headers=headers, timeout=within) as answer:
            if answer.status_code != 200:
                raise ProviderError(
                    "the embedder's server answered {code}", code=answer.status_code, hint=_HINT
                )
            read = bytearray()
            for chunk in answer.iter_bytes():
                read += chunk
                if len(read) > ANSWER_LIMIT:
                    raise ProviderError("the embedder's answer is over the limit of 32 MiB", hint=_HINT)
                if time.monotonic() > deadline:
                    raise TimeoutError
            return bytes(read)


def _vectors(body: bytes, count: int) -> list[list[float]]:
    """The vectors of an answer, ordered by their ``index``; ``ProviderError`` if the body is not a list of vectors."""
    try:
        rows: Any = json.loads(body)["data"]
        by_index = {row["index"]: [float(value) for value in row["embedding"]] for row in rows}
        vectors = [by_index[index] for index in range(count)]
    except (ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError):
        raise ProviderError("the embedder's server did not send a list of vectors", hint=_HINT) from None
    lengths = {len(vector) for vector in vectors}
    finite = all(math.isfinite(value) for vector in vectors for value in vector)
    if len(lengths) != 1 or 0 in lengths or len(rows) != count or not finite:
        raise ProviderError("the embedder's server did not send a list of vectors", hint=_HINT)
    return vectors
