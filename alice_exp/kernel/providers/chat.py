"""Client for servers with OpenAI's chat completions API, through the ``openai`` package (extra ``llm``).

The base URL comes from configuration alone. Answers are limited in time and size and are treated as data.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from alice_exp.kernel.errors import ProviderError

if TYPE_CHECKING:
    import httpx2
    from openai import OpenAI

TIMEOUT = 30.0
"""Seconds that one answer may take, from the request to its last byte, retries included (R4.21)."""

ANSWER_LIMIT = 4 << 20
"""The most bytes of an answer that are read; a longer one is refused."""

# Seconds before the second and the third attempt.
_PAUSES = (0.2, 1.0)
# Status codes that are worth another attempt, besides 5xx.
_PASSING = (408, 409, 429)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class ChatCompletions:
    """A ``Provider``: one model at one server. ``key`` may be empty (a local server).

    A refused connection and the status codes 408, 409, 429 and 5xx are retried, twice at most, all within ``timeout``
    seconds.
    """

    def __init__(self, base_url: str, model: str, key: str = "", *, timeout: float = TIMEOUT) -> None:
        self._base_url = base_url
        self._model = model
        self._key = key
        self._timeout = timeout
        self._client: OpenAI | None = None

    def chat(self, prompt: str) -> str:
        """The model's answer to one prompt; ``ProviderError`` if there is none in time."""
        try:
            import httpx2
            import openai
        except ImportError:
            raise ProviderError(
                "a model is configured, but the openai package is not installed",
                hint="pip install 'alice-exp[llm]', or 'alice-exp config set provider.chat_model \"\"'",
            ) from None
        try:
            return _content(self._asked(prompt))
        except (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError):
            raise ProviderError(
                "the model gave no answer within {seconds:g} s", seconds=self._timeout, hint=_HINT
            ) from None
        except openai.APIStatusError as error:
            raise ProviderError(
                "the model's server answered {code}", code=error.status_code, hint=_HINT
            ) from None
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            why = str(error).strip().rstrip(".").lower()[:200] or type(error).__name__
            raise ProviderError("the model cannot be asked: {why}", why=why, hint=_HINT) from None

    def _asked(self, prompt: str) -> bytes:
        """The answer's body, with retries within one deadline."""
        import openai

        deadline = time.monotonic() + self._timeout
        for pause in _PAUSES:
            try:
                return self._once(prompt, deadline)
            # A subclass of APIConnectionError: a timeout has used up the time, so it is not retried.
            except openai.APITimeoutError:
                raise
            except openai.APIStatusError as error:
                if error.status_code not in _PASSING and error.status_code < 500:
                    raise
            except openai.APIConnectionError:
                pass
            if time.monotonic() + pause >= deadline:
                break
            time.sleep(pause)
        return self._once(prompt, deadline)

    def _once(self, prompt: str, deadline: float) -> bytes:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        streaming = self._opened().chat.completions.with_streaming_response
        with streaming.create(
            model=self._model, messages=[{"role": "user", "content": prompt}], temperature=0, timeout=left
        ) as answer:
            read = bytearray()
            for chunk in answer.iter_bytes():
                read += chunk
                if len(read) > ANSWER_LIMIT:
                    raise ProviderError("the model's answer is over the limit of 4 MiB", hint=_HINT)
                # The client's timeout applies to each read, so a server that drips bytes has to be cut off here.
                if time.monotonic() > deadline:
                    raise TimeoutError
            return bytes(read)

    def _opened(self) -> OpenAI:
        if self._client is None:
            from openai import OpenAI

            self._client = OpenAI(
                base_url=self._base_url,
                api_key=self._key or "none",
                organization="",
                project="",
                timeout=self._timeout,
                # Retries are ours: the package's own would each get the full timeout.
                max_retries=0,
                http_client=transport(self._base_url, self._timeout),
            )
        return self._client


_HINT = "see provider.base_url and provider.chat_model in 'alice-exp config list'"


def transport(base_url: str, timeout: float) -> httpx2.Client:
    """An HTTP client with a timeout of ``timeout`` seconds per step.

    Proxy settings of the environment are ignored for a server on this machine; redirects are never followed.
    """
    import httpx2

    here = urlsplit(base_url).hostname in _LOOPBACK
    return httpx2.Client(timeout=timeout, trust_env=not here, follow_redirects=False)


def _content(body: bytes) -> str:
    """The text of a chat completion; ``ProviderError`` if the body is not one."""
    try:
        answer: Any = json.loads(body)
        content = answer["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise ProviderError("what the model's server sent is no chat completion", hint=_HINT) from None
    if not isinstance(content, str):
        raise ProviderError("what the model's server sent is no chat completion", hint=_HINT)
    return content
