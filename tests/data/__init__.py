"""Where the data of tests and benches lies.

What may be copied lies beside this file (SOURCE.md says where each set is from, and under which licence). Sets that may
not be copied are looked for in the directory that ``ALICE_DATA`` names; no test needs one of them.
"""

import os
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
VECTORS = HERE / "json"
CROSSED: Mapping[str, tuple[str, str]] = {"mb_zh2en": ("mb_en", "mb_zh"), "mb_en2zh": ("mb_zh", "mb_en")}
"""A set whose documents are one set's and whose questions are another's, in another language."""


def docs(name: str) -> Path | None:
    """The documents of a set, one a line; ``None`` where they are not to be had."""
    return _file(CROSSED.get(name, (name, name))[0], "docs.jsonl")


def queries(name: str) -> Path | None:
    """The questions asked of a set."""
    return _file(CROSSED.get(name, (name, name))[1], "queries.jsonl")


def _file(name: str, kind: str) -> Path | None:
    outside = os.environ.get("ALICE_DATA", "")
    places = [HERE, Path(outside)] if outside else [HERE]
    return next((file for place in places if (file := place / name / kind).is_file()), None)
