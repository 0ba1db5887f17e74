"""What every test stands on: a home under tmp, a frozen clock, the command called in this process or as another.

No test can touch a real home: HOME, ALICE_HOME and XDG point under tmp before each test, every GIT_*, ALICE_* and
agent variable is gone, and a home opened anywhere else fails the test that opens it.
"""

import compileall
import gc
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from alice_exp.caller.hosts import KNOWN
from alice_exp.home.store.list_files import FOLDERS, kind_of, write_local
from alice_exp.model.values.config import HAND_EDITS_TRUSTED
from tests.in_memory import in_memory
from tests.transcript import Transcript

ROOT = Path(__file__).parents[1]
NOW = "2026-02-20T09:00:00Z"
SAMPLE = ROOT / "sample_home"

_ENDED = count(1)
_DROPPED = ("GIT_", "ALICE_", "XDG_", "CM_", "LC_", "PYTHONUNBUFFERED")
_FOREIGN = ("LANG", "LANGUAGE", "FORCE_COLOR", *(name for host in KNOWN for name in host.variables))


class _Absent(ModuleType):
    """A package of the tests that is not installed: a module that wants something of it is skipped, with the reason."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        pytest.skip(
            f"{self.__name__} is not installed: pip install 'alice-exp[dev]'", allow_module_level=True
        )


if find_spec("hypothesis") is None:
    sys.modules["hypothesis"] = _Absent("hypothesis")
else:
    from hypothesis import HealthCheck, settings

    # How long an example takes says how busy the machine is, and nothing about the code.
    settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any")

_REAL_HOME = Path(os.path.expanduser("~")).resolve()  # noqa: PTH111
if _place := in_memory():
    os.environ["TMPDIR"] = tempfile.tempdir = str(_place)
_TMP = Path(tempfile.gettempdir()).resolve()


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-golden`` rewrites the transcripts in ``tests/golden``; read the difference before it is committed."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the transcripts in tests/golden")


def pytest_configure(config: pytest.Config) -> None:
    """What each of some thousand commands would do again is done once: compile the package, read signatures."""
    if not hasattr(config, "workerinput"):
        compileall.compile_dir(ROOT / "alice_exp", quiet=2)
    typer.main.get_params_from_function = cache(typer.main.get_params_from_function)  # type: ignore[attr-defined]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Transcripts are tests."""
    return Transcript.from_parent(parent, path=file_path) if file_path.suffix == ".transcript" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What ``costly.txt`` lists, files or single tests, is marked so: ``make test`` leaves it to ``make check``."""
    costly = set((ROOT / "tests/costly.txt").read_text("utf-8").split())
    for item in items:
        name = item.nodeid.removeprefix("tests/").partition("[")[0]
        if {name, name.partition("::")[0]} & costly:
            item.add_marker("costly")


def pytest_collection_finish() -> None:
    """Six thousand tests stay until the end: the cycle collector need not look through them time and again."""
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown() -> None:
    """What commands in this process left open is let go of, as their ends would: select() takes 1,024 descriptors."""
    if next(_ENDED) % 32 == 0:
        # What survives stays: it is modules and tables, and is not looked through again.
        gc.collect()
        gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """``@pytest.mark.needs("httpx2")``: what stands on an extra is passed over where that is not installed."""
    for mark in item.iter_markers("needs"):
        for package in mark.args:
            if find_spec(package) is None:
                pytest.skip(f"{package} is not installed: pip install 'alice-exp[dev]'")


@dataclass(frozen=True)
class Result:
    """What one command said and how it ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.stdout)

    @property
    def error(self) -> Any:
        """The JSON error on stderr's last line."""
        return json.loads(self.stderr.strip().splitlines()[-1])["error"]


Call = Callable[..., Result]
Git = Callable[..., str]


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where this run's files live."""
    return tmp_path_factory.getbasetemp().resolve()


@pytest.fixture(autouse=True)
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scratch: Path) -> Iterator[Path]:
    """An environment of its own for each test; ``ALICE_HOME`` names a home that does not exist yet. Whatever the test
    left below its ``state/`` has to be in the inventory by which a purge goes."""
    person = tmp_path / "person"
    person.mkdir()
    for name in list(os.environ):
        if name.startswith(_DROPPED) or name in _FOREIGN:
            monkeypatch.delenv(name)
    settings = {
        "HOME": str(person),
        "ALICE_HOME": str(tmp_path / "alice"),
        "ALICE_NOW": NOW,
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "120",
        # The folder of a checkout with a remote would be a project.
        "ALICE_PROJECT": "none",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(person / name.lower()))
    for name, value in (("_chosen", ""), ("_configured", None)):
        monkeypatch.setattr(f"alice_exp.terminal.language.{name}", value)
    time.tzset()
    _forbid_other_homes(monkeypatch, scratch)
    yield tmp_path
    state = tmp_path / "alice" / "state"
    files = (path for path in state.rglob("*") if path.is_symlink() or not path.is_dir())
    # Some tests put a file in the place of a folder.
    found = (path for path in files if ".alice-tmp-" not in str(path) and path.name not in FOLDERS)
    left = [path for path in found if kind_of(path.relative_to(state).as_posix()) is None]
    assert not left, "not in home/store/list_files.py"


def _forbid_other_homes(monkeypatch: pytest.MonkeyPatch, scratch: Path) -> None:
    from alice_exp.home.file_home import Home

    made = Home.__init__

    def watched(self: Any, root: Path, *rest: Any, **named: Any) -> None:
        _require_scratch(root, scratch)
        made(self, root, *rest, **named)

    monkeypatch.setattr(Home, "__init__", watched)


def _require_scratch(root: Path, scratch: Path) -> None:
    resolved = root.resolve()
    if not (resolved.is_relative_to(scratch) or resolved.is_relative_to(_TMP)):
        pytest.fail(f"a test reached for a home outside of its scratch: {root}")
    if resolved.is_relative_to(_REAL_HOME / ".alice"):
        pytest.fail(f"a test reached for the person's own home: {root}")


@pytest.fixture(scope="session")
def _fresh_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made(tmp_path_factory.mktemp("fresh") / "alice")


@pytest.fixture(scope="session")
def _sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sample") / "alice"
    shutil.copytree(SAMPLE, root)
    return _made(root)


def _made(root: Path) -> Path:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_DROPPED)}
    for name in _FOREIGN:
        environment.pop(name, None)
    environment |= {
        "HOME": str(root.parent),
        "ALICE_HOME": str(root),
        "ALICE_NOW": NOW,
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        [sys.executable, "-m", "alice_exp", "init"],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"init failed: {done.stderr}"
    # Most tests type the blocks that they want to have into a file; what is so by default, ``test_ledger`` shows.
    write_local(root, {HAND_EDITS_TRUSTED: True})
    return root


@pytest.fixture
def home(world: Path, _fresh_home: Path) -> Path:
    """A new home, as ``init`` makes it; ``ALICE_HOME`` names it."""
    return Path(shutil.copytree(_fresh_home, world / "alice", symlinks=True))


@pytest.fixture
def sample(world: Path, _sample_home: Path) -> Path:
    """A copy of ``sample_home`` that was taken in with ``init``; ``ALICE_HOME`` names it."""
    return Path(shutil.copytree(_sample_home, world / "alice", symlinks=True))


@pytest.fixture
def run(world: Path, scratch: Path) -> Call:
    """``run(*arguments, stdin=None, env=None, check=True)``: the real command as a process of its own.

    ``env`` adds to the environment (None removes a name); ``check`` fails the test where the exit code is not 0.
    """

    def call(
        *arguments: str,
        stdin: str | bytes | None = None,
        env: Mapping[str, str | None] | None = None,
        check: bool = True,
        cwd: Path | None = None,
        timeout: float = 60,
    ) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "alice_exp", *arguments],
            input=_bytes(stdin),
            env=_environment(env, scratch),
            cwd=cwd or world,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return _checked(
            Result(done.returncode, done.stdout.decode(), done.stderr.decode()), arguments, check=check
        )

    return call


@pytest.fixture
def start(world: Path, scratch: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """``start(*arguments)``: the real command as a process that runs beside the test; ended with it."""
    running: list[subprocess.Popen[str]] = []

    def call(
        *arguments: str, env: Mapping[str, str | None] | None = None, stdout: Any = subprocess.PIPE
    ) -> subprocess.Popen[str]:
        running.append(
            subprocess.Popen(
                [sys.executable, "-m", "alice_exp", *arguments],
                env=_environment(env, scratch),
                cwd=world,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return running[-1]

    yield call
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def _environment(changes: Mapping[str, str | None] | None, scratch: Path) -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name, value in (changes or {}).items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    _require_scratch(Path(environment["HOME"]), scratch)
    _require_scratch(Path(environment.get("ALICE_HOME", environment["HOME"])), scratch)
    return environment


@pytest.fixture
def cli(world: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """``cli(*arguments, stdin=None, env=None, check=True)``: the same in this process; stdin is no terminal."""
    from alice_exp.app import main
    from alice_exp.terminal import language

    def call(
        *arguments: str,
        stdin: str | bytes | None = None,
        env: Mapping[str, str | None] | None = None,
        check: bool = True,
    ) -> Result:
        out, err = _stream(), _stream()
        with monkeypatch.context() as patch:
            for name, value in (env or {}).items():
                if value is None:
                    patch.delenv(name, raising=False)
                else:
                    patch.setenv(name, value)
            patch.setattr(sys, "stdin", _stream(_bytes(stdin) or b""))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            language.choose("en")
            code = main.run(arguments)
        return _checked(Result(code, _said(out), _said(err)), arguments, check=check)

    return call


def _stream(data: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n")


def _said(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def _bytes(text: str | bytes | None) -> bytes | None:
    return text.encode() if isinstance(text, str) else text


def _checked(result: Result, arguments: tuple[str, ...], *, check: bool) -> Result:
    if check and result.code:
        pytest.fail(
            f"alice-exp {' '.join(arguments)} ended with {result.code}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
        )
    if "this is a bug of alice-exp" in result.stderr:
        pytest.fail(f"alice-exp {' '.join(arguments)} met a bug\n{result.stderr[-2000:]}")
    return result


@pytest.fixture
def seeded_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids in this process come from a fixed seed: the same commands give the same ids."""
    import random

    from alice_exp.home import session

    source = random.Random(2026)
    monkeypatch.setattr(
        session, "new_id", lambda kind: f"{kind}-" + "".join(source.choices(session.ALPHABET, k=8))
    )


@pytest.fixture
def git() -> Git:
    """``git(home, *arguments)``: git on the home's own repository, as a person would run it there."""

    def call(home: Path, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=home / "experiences", capture_output=True, text=True, check=False
        )
        if check and done.returncode:
            pytest.fail(f"git {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
        return done.stdout.strip()

    return call


@pytest.fixture
def sound(git: Git) -> Callable[[Path], None]:
    """``sound(home)``: history passes ``git fsck --strict``, the tree is clean, nothing momentary is left behind."""

    def call(home: Path) -> None:
        assert git(home, "status", "--porcelain", "--untracked-files=all") == ""
        assert git(home, "fsck", "--strict", "--no-dangling") == ""
        refs = git(home, "for-each-ref", "--format=%(refname)", "refs/alice").split()
        assert refs == ["refs/alice/ledger", "refs/alice/seen"]
        left = [
            str(path) for path in home.rglob("*") if ".alice-tmp-" in path.name or path.name.endswith(".lock")
        ]
        assert left == []

    return call


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model has two seconds, and no long pauses."""
    from alice_exp.kernel.models import ChatCompletions

    made = ChatCompletions.__init__
    monkeypatch.setattr(
        ChatCompletions,
        "__init__",
        lambda self, *given, **named: made(self, *given, **{"timeout": 2.0, **named}),
    )
    monkeypatch.setattr("alice_exp.kernel.models._PAUSES", (0.01, 0.02))
