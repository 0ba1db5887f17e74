"""A program as a language model: prompt on stdin, answer on stdout (``claude -p``, ``llm``, ``ollama run M``)."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
from tempfile import TemporaryFile
from typing import IO

from alice_exp.kernel.errors import ProviderError, reason

TIMEOUT = 120.0
"""Seconds that a program may take; a local one loads its model first."""

ANSWER_LIMIT = 4 << 20
"""The most bytes of an answer that are taken."""

INSIDE = "ALICE_INSIDE"
"""Set for the program: where it is an agent's host itself, its hooks have nothing to do (else each answer's end would
be captured, and read by the same program, for ever)."""

_HINT = "see provider.command in 'alice-exp config list'"


class CommandLine:
    """A ``Provider``: one program, started for each prompt without a shell, ended with all that it started."""

    def __init__(self, command: str, *, timeout: float = TIMEOUT) -> None:
        self._command = command
        self._timeout = timeout

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
            raise ProviderError(
                "the model's program ended with exit code {code}: {why}",
                code=code,
                why=said or "the model's program printed nothing",
                hint=_HINT,
            )
        if len(answer) > ANSWER_LIMIT:
            raise ProviderError("the model's answer is over the limit of 4 MiB", hint=_HINT)
        text = answer.decode(errors="replace").strip()
        if not text:
            raise ProviderError("the model's program printed nothing", hint=_HINT)
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
            return process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            raise ProviderError(
                "the model gave no answer within {seconds:g} s", seconds=self._timeout, hint=_HINT
            ) from None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
