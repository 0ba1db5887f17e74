"""Coverage-guided fuzzing of what reads bytes that others wrote, where atheris installs (``make soak``)."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from alice_exp.kernel.errors import AliceError
from alice_exp.kernel.jsonc.edits import edit
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.review.rules.reply import read as reply
from alice_exp.sharing.usecases.bundles import received

SECONDS = int(os.environ.get("ALICE_ATHERIS_SECONDS", "60"))

HARNESS = """
import sys, atheris

with atheris.instrument_imports(include=["alice_exp"]):
    from tests.fuzz.test_atheris import one

atheris.Setup(sys.argv, one)
atheris.Fuzz()
"""


def one(data: bytes) -> None:
    document = parse(data)
    if document.problem is None:
        assert edit(document, []) == data
    for read in (lambda: received(data, "it"), lambda: reply(data.decode("utf-8", "replace"), ())):
        with suppress(AliceError):
            read()


@pytest.mark.slow
def test_no_bytes_break_what_reads_them(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris has no build for this Python: pip install atheris")
    harness = tmp_path / "harness.py"
    harness.write_text(HARNESS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(harness), f"-max_total_time={SECONDS}", "-max_len=600"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
