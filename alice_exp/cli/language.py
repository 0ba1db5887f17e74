"""Messages in the person's language: English as written in the code, Chinese through a gettext catalog.

``--lang`` wins over ``ALICE_LANG``, that over ``lang`` in the configuration, that over the locale. English loads nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

DOMAIN = "alice_exp"
LOCALE = Path(__file__).parents[1] / "locale"

_chosen = ""
_configured: Callable[[], str] | None = None


def choose(language: str) -> None:
    """Set the language of this process: ``en``, ``zh``, or empty for ``ALICE_LANG``, else configuration, else locale."""
    global _chosen, _configured
    _chosen, _configured = language, None


def ask(configured: Callable[[], str]) -> None:
    """Where the configuration says which language; asked at most once, and only where nothing wins over it."""
    global _configured
    _configured = configured


def language() -> str:
    """``zh`` or ``en``."""
    named = _chosen or os.environ.get("ALICE_LANG", "") or _from_configuration()
    if not named:
        named = next((os.environ[v] for v in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(v)), "")
    return "zh" if named.lower().startswith("zh") else "en"


def _from_configuration() -> str:
    global _configured
    if _configured is not None:
        answer = _configured()
        _configured = lambda: answer  # noqa: E731
        return answer
    return ""


def say(template: str, **values: object) -> str:
    """A sentence in the person's language, its ``{name}`` places filled."""
    known = _catalog(language()).get(template, template)
    return known.format(**values) if values else known


def hint(text: str) -> str:
    """A hint in the person's language: as it is in the catalog, or with its own words in the places of a known one."""
    catalog = _catalog(language())
    if not text or not catalog or text in catalog:
        return catalog.get(text, text)
    for pattern, translated in _patterns(language()):
        found = pattern.fullmatch(text)
        if found:
            return translated.format(*found.groups())
    return text


@cache
def _catalog(language: str) -> Mapping[str, str]:
    if language == "en":
        return {}
    import gettext

    path = LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
    try:
        with path.open("rb") as file:
            return gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined,no-any-return]
    except OSError:
        return {}


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The hints of the catalog that have numbered places, the longest first."""
    rows = [(key, value) for key, value in _catalog(language).items() if "{0}" in key]
    return tuple(
        (re.compile(re.sub(r"\\\{\d\\\}", "(.+?)", re.escape(key))), value)
        for key, value in sorted(rows, key=lambda row: len(row[0]), reverse=True)
    )
