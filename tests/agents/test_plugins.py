"""What hosts install by themselves is made from the table of hosts, and the hosts' own programs take it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from alice_exp.caller.hosts import HOSTS
from tests import plugins
from tests.agents.npm import fetched
from tests.case_tables import cases
from tests.conftest import ROOT

VALIDATING = dict(cases(__file__, "VALIDATING"))


def test_every_file_is_as_the_table_makes_it() -> None:
    for path, text in plugins.files().items():
        assert path.read_text("utf-8") == text, f"{path}: run python -m tests.manual --write"
    held = json.loads((ROOT / "docs/plugins/claude-code/hooks/hooks.json").read_text("utf-8"))["hooks"]
    assert set(held) == set(HOSTS["claude-code"].hooks.events.values())


def test_the_entry_of_registries_has_what_their_schema_asks() -> None:
    """The schema of 2025-12-11: name, description of at most 100 characters, version; of a package type, name, transport."""
    held = json.loads((ROOT / "docs/server.json").read_text("utf-8"))
    assert {"name", "description", "version"} <= set(held) and len(held["description"]) <= 100
    namespace, slash, name = held["name"].partition("/")
    assert namespace.count(".") >= 1 and slash and name == "alice-exp"
    (package,) = held["packages"]
    assert {"registryType", "identifier", "transport"} <= set(package)
    assert package["version"] == held["version"]
    assert f"mcp-name: {held['name']}" in (ROOT / "docs/package.md").read_text("utf-8"), "proof of ownership"
    assert all(one["type"] == "positional" and one["value"] for one in package["packageArguments"])


@pytest.mark.slow
@pytest.mark.parametrize("name", VALIDATING)
def test_the_hosts_own_program_takes_it(name: str, world: Path) -> None:
    package, program, words, said = VALIDATING[name]
    done = subprocess.run(
        [fetched(package, program, 300), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ},
    )
    assert done.returncode == 0 and said in done.stdout + done.stderr, done.stdout + done.stderr
