"""The configuration of a home: what the person's machines share (``config.jsonc``) and what only this one decides.

Both are read into one value, cached in ``state/`` by the signatures of the two files. Only ``local.jsonc``, which is in
no history, says where data goes (DESIGN 6).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path

from alice_exp.home.store.list_files import LOCAL, Found, elsewhere, scan_config, signature_of
from alice_exp.kernel.errors import ProblemError, reason
from alice_exp.kernel.journal.atomic_files import RACY_NS, Signature, read_bytes, replace
from alice_exp.kernel.journal.derived_file import keep_derived, load_derived
from alice_exp.kernel.jsonc.problem import Json, Problem
from alice_exp.model.values.config import Config, joined

PATH = "config.jsonc"


def read_configuration(root: Path, found: Found) -> tuple[Config, tuple[Problem, ...]]:
    """The configuration of the home at ``root`` and its problems; a file that cannot be read decides nothing."""
    signatures = (found.files.get(PATH), signature_of(root))
    if signatures == (None, None):
        return Config(), ()
    cache = root / "state" / "config.json"
    told = [None if one is None else [one.mtime, one.ctime, one.size, one.inode] for one in signatures]
    known = load_derived(cache)
    with contextlib.suppress(ValueError, KeyError, TypeError):
        newest = max((max(one.mtime, one.ctime) for one in signatures if one is not None), default=0)
        if known["signatures"] == told and newest < known["at"] - RACY_NS:
            return Config(dict(known["values"]), dict(known["shared"])), ()
    began = time.time_ns()
    config, problems = _parsed(root, signatures)
    now = (scan_config(root / "experiences").files.get(PATH), signature_of(root))
    if not problems and now == signatures:
        body = {"values": dict(config.values), "shared": dict(config.shared)}
        keep_derived(cache, {"signatures": told, "at": began, **body})
    return config, problems


def _parsed(
    root: Path, signatures: tuple[Signature | None, Signature | None]
) -> tuple[Config, tuple[Problem, ...]]:
    from alice_exp.kernel.jsonc import parse
    from alice_exp.model.formats.config_file import read_config

    local, faults = read_local(root)
    try:
        data = read_bytes(root / "experiences" / PATH)[0] if signatures[0] is not None else b"{}"
    except OSError as error:
        return joined(Config(), local), (_unread(error, PATH), *faults)
    tracked, problems = read_config(parse(data, PATH))
    return joined(tracked, local), (*problems, *faults)


def read_local(root: Path) -> tuple[Config, tuple[Problem, ...]]:
    """The keys of ``local.jsonc`` and its problems; a file that cannot be read decides nothing."""
    try:
        data, _ = read_bytes(root / LOCAL)
    except FileNotFoundError:
        return Config(), elsewhere(f"{root}/{LOCAL}", LOCAL)
    except OSError as error:
        return Config(), (_unread(error, LOCAL),)
    from alice_exp.kernel.jsonc import parse
    from alice_exp.model.formats.config_file import read_config

    return read_config(parse(data, LOCAL))


def write_local(root: Path, values: Mapping[str, Json]) -> None:
    """Set keys; comments stay, a missing file is made. ``ProblemError`` if the file is broken or cannot be written."""
    from alice_exp.kernel.jsonc import Set, edit, parse
    from alice_exp.model.formats.config_file import default_text

    try:
        data = read_bytes(root / LOCAL)[0]
    except FileNotFoundError:
        data = default_text(local=True).encode()
    except OSError as error:
        raise _unwritten(error, root) from error
    document = parse(data, LOCAL)
    problem = document.problem
    if problem is not None:
        raise problem.as_error("{message}; the file is left as it is")
    new = edit(document, [Set(tuple(name.split(".")), value) for name, value in values.items()])
    try:
        replace(root / LOCAL, new, durable=True)
    except OSError as error:
        raise _unwritten(error, root) from error


def _unwritten(error: OSError, root: Path) -> ProblemError:
    return ProblemError("nothing was changed: {why}", why=reason(error), path=str(root / LOCAL))


def _unread(error: OSError, path: str) -> Problem:
    return Problem(path, 0, 0, "this file cannot be read: {why}", {"why": reason(error)})
