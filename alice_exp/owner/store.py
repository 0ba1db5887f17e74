"""The owner key on this machine: signing with ``ssh-keygen``, verifying in process (Ed25519) or with it (other kinds).

The valid key is the one that ``owner init`` pinned in ``identity/owner.pub``, else ``owner.key`` of ``local.jsonc``. No
verdict is ever kept in a file, where anybody could write it: a process remembers its own, and no more.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from alice_exp.kernel.errors import AliceError, ProblemError, RefusedError, UsageError
from alice_exp.kernel.journal import atomic_files
from alice_exp.kernel.jsonc.problem import Problem
from alice_exp.model.formats.config_file import PATH as CONFIG
from alice_exp.model.rules.approval import claim, judged, marked
from alice_exp.model.values.block import Block, Claim, Placed
from alice_exp.model.values.snapshot import NamespaceFile, Snapshot
from alice_exp.owner.ports import OwnerKey

NAMESPACE: Final = "alice-exp"
PRINCIPAL: Final = "alice-exp-owner"

_USUAL = ("id_ed25519_sk", "id_ecdsa_sk", "id_ed25519", "id_ecdsa", "id_rsa")
_KIND = re.compile(r"(sk-)?(ssh-ed25519|ecdsa-sha2-nistp(256|384|521)|ssh-rsa)(@openssh\.com)?")
_PROMPT = re.compile(r"Enter passphrase[^:\n]*: ")
_AT_ONCE = 8
_MANY = 200
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"


class SshOwner:
    """The owner key of the home at ``root``; implements ``owner.ports.Owner``."""

    def __init__(self, root: Path, warn: Callable[[AliceError], None]) -> None:
        self._pin = root / "identity" / "owner.pub"
        self._place = root / "identity" / "owner.json"
        self._allowed = root / "identity" / "allowed_signers"
        self._state = root / "state"
        self._warn = warn
        self._verdicts: dict[str, bool] = {}
        self._marked: dict[str, tuple[str, Sequence[Block], tuple[Block, ...]]] = {}

    # -- which key ----------------------------------------------------------------------------------------------

    def key(self, configured: str) -> OwnerKey | None:
        """The valid key; see ``owner.ports.Owner.key``."""
        line = self._pinned() or configured.strip()
        if not line:
            return None
        return self._with_file(_key_of(line, CONFIG, ""))

    def examine(self, path: str) -> OwnerKey:
        """Read a key file; see ``owner.ports.Owner.examine``."""
        named = Path(path).expanduser() if path else _usual_key()
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
        """Pin a key on this machine (None: remove the pin); see ``owner.ports.Owner.keep``."""
        self._pin.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
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
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise ProblemError("the owner key cannot be kept: {why}", why=why, path=str(self._pin)) from error

    def _pinned(self) -> str:
        try:
            return self._pin.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError):
            return "unreadable"

    def _with_file(self, key: OwnerKey) -> OwnerKey:
        """The key with its file; without, if the one noted is another key's: a crash came between pin and note."""
        try:
            noted = json.loads(self._place.read_bytes())
            file, fingerprint = str(noted["key"]), noted.get("fingerprint", key.fingerprint)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return key
        return replace(key, file=file) if fingerprint == key.fingerprint else key

    # -- reading ------------------------------------------------------------------------------------------------

    def judge(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with ``signed`` set on its blocks; unchanged if the home has no owner key.

        If a key is named but cannot be read, no block counts as signed.
        """
        configured = snapshot.config.text("owner.key").strip()
        pinned = self._pinned()
        if not configured and not pinned:
            return snapshot
        line, problems = "", snapshot.problems
        try:
            line = _key_of(pinned or configured, CONFIG, "").line
            tracked = str(snapshot.config.shared.get("owner.key", "")).strip()
            if pinned and (not tracked or _key_of(tracked, CONFIG, "").line != line):
                problems = (*problems, _differs(bool(tracked)))
        except ProblemError as error:
            problems = (*problems, Problem(CONFIG, 0, 0, error.template, error.values, hint=error.hint))
        seen = judged(snapshot, lambda file: self._judged(line, file))
        return replace(seen, problems=problems)

    def marking(self, configured: str) -> Callable[[Placed], Placed]:
        """The same for single blocks that are read without a snapshot, by the search index."""
        line = self._pinned() or configured.strip()
        if not line:
            return _as_it_is
        with contextlib.suppress(ProblemError):
            line = _key_of(line, CONFIG, "").line

        def mark(placed: Placed) -> Placed:
            if placed.place not in ("personal", "universal"):
                return placed
            said = claim(placed.block)
            return Placed(marked(placed.block, self._known(line, (said,) if said else ())), placed.path)

        return mark

    def _judged(self, line: str, file: NamespaceFile) -> NamespaceFile:
        known = self._marked.get(file.path)
        if known is None or known[0] != line or known[1] is not file.blocks:
            verdicts = self._known(line, [said for said in map(claim, file.blocks) if said is not None])
            known = (line, file.blocks, tuple(marked(block, verdicts) for block in file.blocks))
            self._marked[file.path] = known
        return replace(file, blocks=known[2])

    def _known(self, line: str, claims: Sequence[Claim]) -> dict[Claim, bool]:
        """The verdicts on claims; each is verified once in a process."""
        if not line or not claims:
            return {}
        verdicts = self._verdicts
        missing = [said for said in claims if _digest(line, said) not in verdicts]
        if len(missing) > _MANY and not _is_ours(line):
            self._warn(
                ProblemError("{count} signatures are verified; this takes a moment", count=len(missing))
            )
        if missing:
            try:
                self._learn(line, missing, self._verified(line, missing))
            except ProblemError as error:
                self._warn(error)
        return {said: verdicts.get(_digest(line, said), False) for said in claims}

    # -- signing and verifying ----------------------------------------------------------------------------------

    def sign(self, key: OwnerKey, texts: Sequence[str]) -> tuple[str, ...]:
        """Sign texts; see ``owner.ports.Owner.sign``."""
        if not key.file:
            raise RefusedError(
                "this machine does not hold the owner key {fingerprint}",
                fingerprint=key.fingerprint,
                hint="name its file: alice-exp owner init --key FILE",
            )
        with self._scratch() as scratch:
            names = [f"t{number}" for number in range(len(texts))]
            for name, text in zip(names, texts, strict=True):
                (scratch / name).write_text(text, encoding="utf-8")
            held = key.file if Path(key.file).exists() else f"{key.file}.pub"
            self._sign_files(key, [*_run("sign", "-q", "-n", NAMESPACE, "-f", held), *names], scratch)
            return tuple(_bare((scratch / f"{name}.sig").read_text(encoding="ascii")) for name in names)

    def _sign_files(self, key: OwnerKey, command: list[str], scratch: Path) -> None:
        # A hardware key's request for a touch appears on stderr and has to reach the person.
        touched = None if key.is_hardware else subprocess.PIPE
        try:
            done = subprocess.run(
                command, cwd=scratch, stdin=subprocess.DEVNULL, stderr=touched, text=True, check=False
            )
        except FileNotFoundError:
            raise _no_program() from None
        if done.returncode:
            said = _PROMPT.sub("", (done.stderr or "").strip()).splitlines()
            raise RefusedError(
                "not signed, so nothing was changed: {why}",
                why=said[-1] if said else "ssh-keygen ended without a signature",
                hint="the passphrase is asked for in a terminal; or load the key with ssh-add -c",
            )

    def verify(self, key: OwnerKey, claims: Sequence[Claim]) -> tuple[bool, ...]:
        """Verify every claim anew; see ``owner.ports.Owner.verify``."""
        verdicts = self._verified(key.line, claims)
        self._verdicts.clear()
        self._marked.clear()
        self._learn(key.line, claims, verdicts)
        return verdicts

    def _verified(self, line: str, claims: Sequence[Claim]) -> tuple[bool, ...]:
        if _is_ours(line):
            from alice_exp.owner.rules.ssh_signature import verdicts as verdicts_of

            return verdicts_of(line, claims, NAMESPACE)
        with self._scratch() as scratch:
            (scratch / "allowed").write_text(_allowed_line(line), encoding="utf-8")
            verdicts: list[bool] = []
            for start in range(0, len(claims), _AT_ONCE):
                running = [
                    _verifying(scratch, number, said)
                    for number, said in enumerate(claims[start : start + _AT_ONCE])
                ]
                verdicts += [process.wait() == 0 for process in running]
            return tuple(verdicts)

    @contextlib.contextmanager
    def _scratch(self) -> Iterator[Path]:
        import tempfile

        self._state.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Named as a temporary file is: recovery sweeps those of dead processes.
        mark = f".owner{atomic_files.MARK}{os.getpid()}-"
        with tempfile.TemporaryDirectory(prefix=mark, dir=self._state) as name:
            yield Path(name)

    def _learn(self, line: str, claims: Iterable[Claim], verdicts: Iterable[bool]) -> None:
        pairs = zip(claims, verdicts, strict=True)
        self._verdicts.update((_digest(line, said), verdict) for said, verdict in pairs)


def _as_it_is(placed: Placed) -> Placed:
    return placed


def _is_ours(line: str) -> bool:
    """Whether signatures of this key are verified in process; loaded, like the rest of it, where there is a key."""
    from alice_exp.owner.rules.ssh_signature import can_verify

    return can_verify(line)


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


def _usual_key() -> Path:
    folder = Path.home() / ".ssh"
    for name in _USUAL:
        if (folder / f"{name}.pub").exists():
            return folder / name
    raise UsageError(
        "there is no SSH key in {folder}",
        folder=folder,
        hint="make one with 'ssh-keygen -t ed25519', or name one with --key",
    )


def _protection(key: OwnerKey, private: Path) -> str:
    if key.is_hardware:
        return "hardware"
    if not private.exists():
        return "agent"
    command = ["ssh-keygen", "-y", "-P", "", "-f", str(private)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise _no_program() from None
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


def _differs(configured: bool) -> Problem:
    return Problem(
        CONFIG,
        0,
        0,
        "the configuration names another owner key; that of this machine counts"
        if configured
        else "the configuration names no owner key; that of this machine counts",
        hint="see 'alice-exp owner show', and 'alice-exp log' for who changed it",
    )


def _verifying(scratch: Path, number: int, said: Claim) -> subprocess.Popen[bytes]:
    text, signature = scratch / f"v{number}", scratch / f"v{number}.sig"
    text.write_text(said.text, encoding="utf-8")
    signature.write_text(_armored(said.signature), encoding="utf-8")
    command = _run("verify", "-f", "allowed", "-I", PRINCIPAL, "-n", NAMESPACE, "-s", signature.name)
    try:
        with text.open("rb") as stdin:
            return subprocess.Popen(
                command, cwd=scratch, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
    except FileNotFoundError:
        raise _no_program() from None


def _run(verb: str, *arguments: str) -> list[str]:
    return ["ssh-keygen", "-Y", verb, *arguments]


def _no_program() -> ProblemError:
    return ProblemError(
        "the program ssh-keygen was not found; signatures cannot be made or checked",
        hint="install OpenSSH 8.2 or later",
    )


def _allowed_line(line: str) -> str:
    return f'{PRINCIPAL} namespaces="{NAMESPACE}" {line}\n'


def _bare(armored: str) -> str:
    return "".join(line for line in armored.splitlines() if not line.startswith("-----"))


def _armored(bare: str) -> str:
    letters = re.sub(r"[^A-Za-z0-9+/=]", "", bare)
    rows = [letters[start : start + 70] for start in range(0, len(letters), 70)]
    return "\n".join([_BEGIN, *rows, _END, ""])


def _digest(line: str, said: Claim) -> str:
    return hashlib.sha256(
        f"{line}\n{said.text}\n{said.signature}".encode("utf-8", "surrogatepass")
    ).hexdigest()
