"""Messages in the person's language: English as written in the code, Chinese through the catalog."""

from __future__ import annotations

import os

_chosen = ""


def choose(language: str) -> None:
    """Set the language of this process: ``en``, ``zh``, or empty for ``ALICE_LANG``, else the locale."""
    global _chosen
    _chosen = language


def language() -> str:
    """``zh`` or ``en``."""
    named = _chosen or os.environ.get("ALICE_LANG", "")
    if not named:
        named = next((os.environ[v] for v in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(v)), "")
    return "zh" if named.lower().startswith("zh") else "en"


def say(template: str, **values: object) -> str:
    """A sentence in the person's language, its ``{name}`` places filled."""
    return template.format(**values) if values else template
