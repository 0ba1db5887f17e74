"""Messages in the person's language: English as written in the code, Chinese through a gettext catalog.

``--lang`` wins over ``ALICE_LANG``, that over ``lang`` in the configuration, that over the locale. English loads
nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from alice_exp.core.errors import AliceError

DOMAIN = "alice_exp"
LOCALE = Path(__file__).parents[1] / "locale"

_chosen = ""
_configured: Callable[[], str] | None = None


def choose(language: str) -> None:
    """Set the language of this process: ``en``, ``zh``; empty: ``ALICE_LANG``, else configuration, else locale."""
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
        try:
            answer = _configured()
        except (AliceError, OSError):
            answer = ""
        _configured = lambda: answer  # noqa: E731
        return answer
    return ""


def say(template: str, **values: object) -> str:
    """A sentence in the person's language, its ``{name}`` places filled."""
    known = _catalog(language()).get(template, template)
    return known.format(**values) if values else known


def rendered(text: str) -> str:
    """A text that was filled in already, as a hint: its template is found again and said in the person's language.

    As it is where no template fits; errors and hints alone come here, so the search may take its time.
    """
    catalog = _catalog(language())
    if not text or not catalog or text in catalog:
        return catalog.get(text, text)
    for pattern, translated in _patterns(language()):
        found = pattern.fullmatch(text)
        if found:
            values = {name: catalog.get(value, value) for name, value in found.groupdict().items()}
            return _filled(translated, values)
    return text


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: values[f"v{place[1]}"], template).replace("{{", "{").replace("}}", "}")


_PLACE = re.compile(r"(?<!\{)\{([a-z_0-9]+)[^{}]*\}")


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
    """The catalog's templates that have places and words of their own, those with the most words first."""
    rows = [(key, value) for key, value in _catalog(language).items() if _PLACE.search(key)]
    rows = [row for row in rows if re.search("[a-z]{2}", _PLACE.sub("", row[0]))]
    return tuple(
        (_pattern(key), value)
        for key, value in sorted(rows, key=lambda row: len(_PLACE.sub("", row[0])), reverse=True)
    )


def _pattern(template: str) -> re.Pattern[str]:
    parts, at = "", 0
    seen: set[str] = set()
    for place in _PLACE.finditer(template):
        name = f"v{place[1]}"
        parts += re.escape(template[at : place.start()].replace("{{", "{").replace("}}", "}"))
        parts += f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
        seen.add(name)
        at = place.end()
    return re.compile(parts + re.escape(template[at:].replace("{{", "{").replace("}}", "}")), re.DOTALL)
