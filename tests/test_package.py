"""What is built holds what it needs, and runs from elsewhere."""

import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import alice_exp
from tests.case_tables import cases
from tests.transcript import parse

ROOT = Path(__file__).parents[1]
NEEDED = tuple(cases(__file__, "NEEDED"))


def test_what_is_to_be_shared_is_there() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert all((ROOT / source).exists() for source in built["wheel"]["shared-data"])
    assert (ROOT / "alice_exp" / "py.typed").is_file()


def test_the_top_holds_what_belongs_there_and_nothing_else() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("no clone: nothing says which files belong to it")
    top = {line.partition("/")[0] for line in listed.stdout.splitlines()}
    assert {name for name in top if not name.startswith(".")} == {
        *("pyproject.toml", "alice_exp", "tests", "sample_home", "README.md", "Makefile"),
        *("docs", "LICENSE", "CHANGELOG.md"),
    }


def test_the_changes_name_this_version_and_the_licence_is_one() -> None:
    assert f"## [{alice_exp.__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert told["license"] == "MIT"
    assert all((ROOT / file).read_text("utf-8").startswith("MIT License") for file in told["license-files"])


def test_the_long_description_is_one_that_a_package_page_can_show() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    text = (ROOT / told["readme"]).read_text("utf-8")
    assert "](" not in text and "http" not in text, "no pictures, no links to files, no invented addresses"
    assert len((ROOT / "README.md").read_bytes()) <= 8192
    systems = [one for one in told["classifiers"] if one.startswith("Operating System")]
    assert any("Linux" in one for one in systems) and any("MacOS" in one for one in systems)
    assert "gitpython>=3.2" in told["dependencies"]


def test_on_windows_it_says_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from alice_exp import __main__

    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert "WSL" in str(ended.value)
    # What Windows lacks is not there, as it is for whoever imports the package.
    lacking = "import sys; sys.platform = 'win32'; sys.modules['fcntl'] = None; import alice_exp; "
    for line, status in (("alice_exp.__version__", 0), ("from alice_exp import Alice", 1)):
        done = subprocess.run([sys.executable, "-c", lacking + line], capture_output=True, text=True)
        assert done.returncode == status
        assert not status or done.stderr.splitlines()[-1].startswith("OSError: Windows is not supported")


def test_make_says_which_python_it_needs_before_it_makes_anything(tmp_path: Path) -> None:
    old = tmp_path / "python3.10"
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && echo Python 3.10.12\n[ "$1" = -V ]\n')
    old.chmod(0o755)
    words = ["make", "demo", f"PYTHON={old}", f"VENV={tmp_path / 'venv'}"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    said = f"alice-exp needs Python 3.11 or later; {old} is Python 3.10.12"
    assert done.returncode and done.stderr.startswith(said) and not (tmp_path / "venv").exists()


@pytest.mark.slow
@pytest.mark.needs("build")
def test_sdist_and_wheel_hold_what_they_need_and_run_alone(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", tmp_path, ROOT], check=True, capture_output=True
    )
    (wheel,), (sdist,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    names = zipfile.ZipFile(wheel).namelist()
    assert [need for need in NEEDED if not any(name.endswith(need) for name in names)] == []
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "alice_exp").rglob("*.py")}
    data = {path.relative_to(ROOT).as_posix() for path in (ROOT / "alice_exp").rglob("data/*")}
    assert sources | data <= set(names)
    with tarfile.open(sdist) as packed:
        held = {name.partition("/")[2] for name in packed.getnames()}
    others = {
        "Makefile",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "docs/commands.md",
        "tests/demo.sh",
        ".ci/run",
    }
    assert sources | data | others | {"tests/data/SOURCE.md"} <= held
    venv.create(tmp_path / "apart", with_pip=True)
    program = tmp_path / "apart" / "bin"
    subprocess.run([program / "python", "-m", "pip", "install", "-q", wheel], check=True, capture_output=True)
    # The tables of words are there, and believed: none is made and written.
    believed = (
        "from alice_exp.kernel.text import data_files, bilingual_lexicon as words; "
        "data_files.keep_package_file = None; assert words.same_concept('hike') and words.members('job')"
    )
    subprocess.run([program / "python", "-c", believed], cwd=tmp_path, check=True)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "ALICE_LANG": "zh", "LC_ALL": "C.UTF-8"}
    for words in (["init", "-q"], ["memorize", "use rg", "--when", "searching code", "-q"]):
        subprocess.run([program / "alice-exp", *words], env=environment, cwd=tmp_path, check=True)
    told = subprocess.run(
        [program / "alice-exp", "heartbeat"],
        env=environment,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert "等你决定" in told.stdout


def test_every_costly_test_is_there() -> None:
    for line in (ROOT / "tests/costly.txt").read_text("utf-8").split():
        path, _, name = line.partition("::")
        here = (ROOT / "tests" / path).read_text("utf-8")
        assert not name or f"def {name}" in here or name in [case.name for case in parse(here)], line
