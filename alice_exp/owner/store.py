"""The owner key on this machine: signing with ``ssh-keygen``, verifying in process (Ed25519) or with it (other kinds).

The valid key is the one that ``owner init`` pinned in ``identity/owner.pub``, else ``owner.key`` of ``local.jsonc``. No
verdict is ever kept in a file, where anybody could write it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import ProblemError, RefusedError, UsageError, refused_as
from alice_exp.kernel.journal import atomic_files
from alice_exp.kernel.jsonc import Problem
from alice_exp.model.formats.record_schema import CONFIG_PATH
from alice_exp.model.values.config import Config
from alice_exp.owner.rules import OwnerKey, can_verify, holds

NAMESPACE: Final = "alice-exp"
PRINCIPAL: Final = "alice-exp-owner"

_USUAL = ("id_ed25519_sk", "id_ecdsa_sk", "id_ed25519", "id_ecdsa", "id_rsa")
_KIND = re.compile(r"(sk-)?(ssh-ed25519|ecdsa-sha2-nistp(256|384|521)|ssh-rsa)(@openssh\.com)?")
_PROMPT = re.compile(r"Enter passphrase[^:\n]*: ")
_UNREADABLE = "unreadable"
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"


class SshOwner:
    """The owner key of the home at ``root``, whose configuration names the ``configured`` one (empty: none). Methods
    raise ``ProblemError`` without ``ssh-keygen``."""

    def __init__(self, root: Path, configured: Callable[[], str]) -> None:
        self._pin = root / "identity" / "owner.pub"
        self._place = root / "identity" / "owner.json"
        self._allowed = root / "identity" / "allowed_signers"
        self._configured = configured

    # -- which key ----------------------------------------------------------------------------------------------

    def key(self) -> OwnerKey | None:
        """The valid key: the one pinned on this machine, else the configured one; None if there is neither."""
        line = self._pinned() or self._configured().strip()
        return self._with_file(_key_of(line, CONFIG_PATH, "")) if line else None

    def examine(self, path: str) -> OwnerKey:
        """Read a key file (empty: the usual one) and how it is protected; ``ProblemError`` if invalid."""
        folder = Path.home() / ".ssh"
        usual = (folder / name for name in _USUAL if (folder / f"{name}.pub").exists())
        named = Path(path).expanduser() if path else next(usual, None)
        if named is None:
            raise UsageError(
                "there is no SSH key in {folder}",
                folder=folder,
                hint="make one with 'ssh-keygen -t ed25519', or name one with --key",
            )
        private = named.with_suffix("") if named.suffix == ".pub" else named
        public = private.with_name(f"{private.name}.pub")
        try:
            line = public.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ProblemError(
                "there is no public key {file}",
                file=public,
                hint="name a key with --key, or make one: ssh-keygen -t ed25519",
            ) from error
        key = _key_of(line, str(public), str(private.absolute()))
        return replace(key, protection=_protection(key, private))

    def keep(self, key: OwnerKey | None) -> None:
        """Pin a key on this machine; None removes the pin."""
        self._pin.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with refused_as("the owner key cannot be kept: {why}", self._pin):
            if key is None:
                for path in (self._pin, self._place, self._allowed):
                    atomic_files.remove(path)
                return
            for path, text in (
                # The pin first: from it on the key holds, and the same command again finishes the rest.
                (self._pin, f"{key.line} {key.comment}".rstrip() + "\n"),
                (self._place, json.dumps({"key": key.file, "fingerprint": key.fingerprint}) + "\n"),
                (self._allowed, _allowed_line(key.line)),
            ):
                atomic_files.replace(path, text.encode(), durable=True)

    def _pinned(self) -> str:
        try:
            return self._pin.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError):
            return _UNREADABLE

    def _with_file(self, key: OwnerKey) -> OwnerKey:
        """The key with its file; without, if the one noted is another key's: a crash came between pin and note."""
        try:
            noted = json.loads(self._place.read_bytes())
            file, fingerprint = str(noted["key"]), noted.get("fingerprint", key.fingerprint)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return key
        return replace(key, file=file) if fingerprint == key.fingerprint else key

    def line(self) -> str:
        """The line of the valid key; one that verifies nothing if it cannot be read."""
        try:
            key = self.key()
        except ProblemError:
            return _UNREADABLE
        return "" if key is None else key.line

    def problems(self, config: Config) -> tuple[Problem, ...]:
        """See ``home.ports.Signer``."""
        pinned, tracked = self._pinned(), str(config.shared.get("owner.key", "")).strip()
        try:
            line = _key_of(pinned or config.text("owner.key").strip(), CONFIG_PATH, "").line
            is_other = pinned and (not tracked or _key_of(tracked, CONFIG_PATH, "").line != line)
        except ProblemError as error:
            return (Problem.told(error, CONFIG_PATH),)
        if not is_other:
            return ()
        template = "the configuration names no owner key; that of this machine counts"
        if tracked:
            template = "the configuration names another owner key; that of this machine counts"
        hint = "see 'alice-exp owner show', and 'alice-exp log' for who changed it"
        return (Problem.fault(CONFIG_PATH, template, hint),)

    # -- signing and verifying ----------------------------------------------------------------------------------

    def sign(self, text: str, key: OwnerKey | None = None) -> str:
        """See ``home.ports.Signer``; by the valid key, or another, whose passphrase is asked for (``RefusedError``)."""
        key = key or self.key()
        assert key is not None
        if not key.file:
            raise RefusedError(
                "this machine does not hold the owner key {fingerprint}",
                fingerprint=key.fingerprint,
                hint="name its file: alice-exp owner init --key FILE",
            )
        held = key.file if Path(key.file).exists() else f"{key.file}.pub"
        # A hardware key's request for a touch appears on stderr and has to reach the person.
        touched = None if key.is_hardware else subprocess.PIPE
        done = _ran("-Y", "sign", "-q", "-n", NAMESPACE, "-f", held, text=text, stderr=touched)
        if done.returncode:
            said = _PROMPT.sub("", (done.stderr or "").strip()).splitlines()
            raise RefusedError(
                "not signed, so nothing was changed: {why}",
                why=said[-1] if said else "ssh-keygen ended without a signature",
                hint="the passphrase is asked for in a terminal; or load the key with ssh-add -c",
            )
        return "".join(line for line in done.stdout.splitlines() if not line.startswith("-----"))

    def holds(self, text: str, signature: str, key: OwnerKey | None = None) -> bool:
        """See ``home.ports.Signer``; of the valid key, or another."""
        if (key := key or self.key()) is None:
            return False
        if can_verify(key.line):
            return holds(key.line, text, signature, NAMESPACE)
        letters = re.sub(r"[^A-Za-z0-9+/=]", "", signature)
        rows = [letters[start : start + 70] for start in range(0, len(letters), 70)]
        armored = "\n".join([_BEGIN, *rows, _END, ""])
        with _pipe(_allowed_line(key.line)) as allowed, _pipe(armored) as made:
            files = ("-f", f"/dev/fd/{allowed}", "-s", f"/dev/fd/{made}")
            done = _ran(
                "-Y", "verify", *files, "-I", PRINCIPAL, "-n", NAMESPACE, text=text, fds=(allowed, made)
            )
        return done.returncode == 0


@contextlib.contextmanager
def _pipe(text: str) -> Iterator[int]:
    """A descriptor from which some hundred characters are read."""
    reading, writing = os.pipe()
    try:
        os.write(writing, text.encode())
        os.close(writing)
        yield reading
    finally:
        os.close(reading)


def _key_of(line: str, path: str, file: str) -> OwnerKey:
    """Parse a public key line; raises ``ProblemError`` unless it is an SSH key that can sign."""
    import base64

    kind, _, rest = line.strip().partition(" ")
    body, _, comment = rest.strip().partition(" ")
    try:
        blob = base64.b64decode(body, validate=True)
    except ValueError:
        blob = b""
    named = blob[4 : 4 + int.from_bytes(blob[:4], "big")]
    if not _KIND.fullmatch(kind) or named != kind.encode() or "\n" in line.strip():
        raise ProblemError("this is not an SSH public key that can sign", path=path)
    print_ = base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
    return OwnerKey(f"{kind} {body}", f"SHA256:{print_}", comment.strip(), file)


def _protection(key: OwnerKey, private: Path) -> str:
    if key.is_hardware:
        return "hardware"
    if not private.exists():
        return "agent"
    done = _ran("-y", "-P", "", "-f", str(private))
    if done.returncode == 0:
        if done.stdout.split()[:2] != key.line.split():
            raise ProblemError("the public key beside it is not its own", path=str(private))
        return "none"
    said = done.stderr.strip().splitlines()
    if said and "passphrase" in said[-1]:
        return "passphrase"
    raise ProblemError(
        "this key cannot be used: {why}", why=said[-1] if said else "ssh-keygen says no", path=str(private)
    )


def _ran(
    *arguments: str, text: str = "", stderr: int | None = subprocess.PIPE, fds: tuple[int, ...] = ()
) -> subprocess.CompletedProcess[str]:
    command = ["ssh-keygen", *arguments]
    try:
        return subprocess.run(
            command, input=text, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False, pass_fds=fds
        )
    except FileNotFoundError:
        raise ProblemError(
            "the program ssh-keygen was not found; signatures cannot be made or checked",
            hint="install OpenSSH 8.2 or later",
        ) from None


def _allowed_line(line: str) -> str:
    return f'{PRINCIPAL} namespaces="{NAMESPACE}" {line}\n'


@once
def owner(session: Session) -> SshOwner:
    """The owner key store of the session's home."""
    return SshOwner(session.root, lambda: session.home.config().text("owner.key"))
