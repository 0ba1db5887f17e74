"""The words of every face: each field's sentence, said once, and messages in the reader's language; so are helps.

A command's option or argument without a help of its own takes its sentence from here, and so does an operation's
parameter without a description: by ``room.function`` of the command and the field, else by the field alone.

English is as written in the code, every other language goes through its gettext catalog. Precedence: ``--lang``,
``ALICE_LANG``, ``lang`` in the configuration, the locale.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from inspect import cleandoc
from pathlib import Path

from alice_exp.kernel.errors import AliceError, Hint, Names, UsageError

FIELDS: Mapping[str, str] = {
    "query": "What you want to know, in your own words.",
    "task": "What is to be done, in your own words.",
    "topic": "What you want to know about.",
    "payload": "What to do or to believe: one idea, self-contained, and why.",
    "trigger": "The situation in which it helps, as a later task would be worded.",
    "about": "work: how the work is done; user: who the person is and what they like; else its words tell.",
    "tags": "A word to filter by.",
    "context": "The environment: repository, language, tool.",
    "evidence": "Why it is believed: a quote, or an episode's id.",
    "quote": "A sentence of 'heard' on which it rests.",
    "replaces": "A block that can no longer hold where this one does: the person is asked which does.",
    "everywhere": "It holds in every project, not in this one alone.",
    "importance": "From 0 to 1.",
    "scenario": "Where it happened (repo x, release 4): failures there count once; else the day's context.",
    "note": "What went well or wrong, kept as evidence.",
    "action": "What was done.",
    "learning.outcome action": "What was done, where it was more than the blocks say.",
    "result": "What came of it: a text or JSON.",
    "success": "Whether it worked.",
    "reward": "How good it was, from 0 to 1 (else 1 for a success, 0 for a failure).",
    "used": "A block that was done: it counts for such alone, else for all that were told.",
    "skipped": "A block that was told and not done: it does not count for it.",
    "episodes.add task": "What was to be done.",
    "reflection": "What was learned.",
    "episodes.add type": "The kind of task (else the context's type, domain or topic).",
    "thought": "What you concluded or chose, in a sentence or two.",
    "timeline.add context": "The situation: what was asked, what was there.",
    "metadata": "Pairs of your own, as cycle_id=7.",
}

BOUNDS: Mapping[str, tuple[float, float]] = dict.fromkeys(
    ("importance", "reward", "min_importance", "min_consolidation", "min_reward"), (0, 1)
)
"""The least and the most of a number."""

_TYPED = {"when": "trigger", "tag": "tags", "came": "result", "meta": "metadata"}
"""Options whose name is another than the field's."""


def require_fitting(size: int) -> None:
    """Raise ``UsageError`` where an argument of a call, or a text given to a command, has more than 64 KiB."""
    if size > 64 * 1024:
        raise UsageError("an argument of {size} bytes is over the limit of 64 KiB", size=size)


def sentence_of(command: str, field: str) -> str:
    """What a field of a command (``room.function``) is, as a sentence; empty where it is not shared."""
    name = _TYPED.get(field, field)
    return FIELDS.get(f"{command} {name}", FIELDS.get(name, ""))


LANGUAGES = ("en", "zh")
"""The codes of the languages that there are: English, and those that have a catalog in ``locale``."""

DOMAIN = "alice_exp"
LOCALE = Path(__file__).parents[1] / "locale"

AS_TYPED = frozenset(("command", "name", "key", "option"))
"""Values that are written as they are typed, though "retire" or "type" has a translation where it is a word."""

_chosen = ""
_configured: Callable[[], str] | None = None


def choose(language: str) -> None:
    """Set the language of this process, as ``zh``; empty: ``ALICE_LANG``, configuration, or locale."""
    global _chosen, _configured
    _chosen, _configured = language, None


def ask(configured: Callable[[], str]) -> None:
    """Set the function that reads the language from the configuration; called at most once, and only if needed."""
    global _configured

    @cache
    def read() -> str:
        try:
            return configured()
        except (AliceError, OSError):
            return ""

    _configured = read


def begin(arguments: Sequence[str]) -> None:
    """Choose what a command line names by ``--lang``, before it is parsed: help and errors of usage come first."""
    if _code(named := value_of(arguments, "--lang")) in LANGUAGES:
        choose(named)


def value_of(arguments: Sequence[str], option: str) -> str:
    """What a command line that nobody parsed yet says behind an option; empty if it is not there."""
    for word, following in zip(arguments, [*arguments[1:], ""], strict=False):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return ""


def require(option: str, text: str) -> None:
    """Raise ``UsageError`` if what an option says is no language that there is; a locale, as zh_CN.UTF-8, names one."""
    if _code(text) not in LANGUAGES:
        raise UsageError(
            "{name} is one of {few}, not {text}", name=option, few=Names(LANGUAGES), text=repr(text)
        )


def _code(locale: str) -> str:
    """The language of a locale: ``zh`` of ``zh_CN.UTF-8``."""
    return re.split(r"[^a-z]", locale.lower(), maxsplit=1)[0]


def language() -> str:
    """The language in force, one of ``LANGUAGES``; English for all others."""
    named = _chosen or os.environ.get("ALICE_LANG", "") or (_configured() if _configured else "")
    if not named:
        named = next((os.environ[v] for v in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(v)), "")
    code = _code(named)
    return code if code in LANGUAGES else "en"


def listed(names: Iterable[str]) -> str:
    """Names one after the other, as the person's language parts them."""
    return ("、" if language() == "zh" else ", ").join(names)


def days_told(days: Sequence[str]) -> str:
    """Days (YYYY-MM-DD, ascending) in one phrase: "3, 9 and 11 November", 11月3日、9日、11日; a repeated day once."""
    months: dict[str, list[str]] = {}
    for day in dict.fromkeys(days):
        months.setdefault(day[:7], []).append(str(int(day[8:10])))
    if language() == "zh":
        return "、".join(f"{int(month[5:])}月{'日、'.join(each)}日" for month, each in months.items())
    return " and ".join(f"{_and(each)} {_MONTHS[int(month[5:]) - 1]}" for month, each in months.items())


def _and(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def aside(text: str) -> str:
    """A text in brackets behind a sentence, with what parts the two; empty stays empty."""
    return ("（{}）" if language() == "zh" else " ({})").format(text.translate(_WITHIN)) if text else ""


_WITHIN = {ord("（"): "〔", ord("）"): "〕"}
"""Chinese brackets within brackets."""


def say(template: str, **values: object) -> str:
    """A template in the person's language, with its ``{name}`` placeholders filled."""
    known = _catalog(language()).get(template, template)
    if 1 in values.values() and language() == "en":
        known = _of_one(known, values)
    if not values:
        return known
    return known.format(**{n: listed(v.names) if isinstance(v, Names) else v for n, v in values.items()})


def _of_one(template: str, values: Mapping[str, object]) -> str:
    """An English template with counts of one in the singular: ``{count} blocks were`` becomes ``{count} block was``.

    The template is changed before it is filled, so that a person's text in a placeholder never is. Chinese has no
    plural; a sentence that needs other words for one has a template of its own.
    """

    def singular(found: re.Match[str]) -> str:
        value, noun, verb = values.get(found["name"]), found["noun"] or "", found["verb"] or ""
        if value != 1 or isinstance(value, bool):
            return found[0]
        few = f"{found['which'] or ''}{noun.removesuffix('s')}{found['of']}"
        return f"{{{found['name']}}}{few}{_ONE.get(verb, verb)}"

    return _COUNTED.sub(singular, template)


_ONE = {
    " are": " is",
    " were": " was",
    " wait": " waits",
    " stand": " stands",
    " fade": " fades",
    " have": " has",
}
"""The singular of verbs after a count; a past tense does not change."""

_NOUNS = """
acts blocks bytes candidates characters commits counts days decisions digits episodes events files levels lines merges
messages numbers places reads results segments sentences signatures things thoughts times tokens versions
"""

_COUNTED = re.compile(
    r"\{(?P<name>[a-z_]+)\}(?P<which>(?: (?:more|other|new|old|long|similar|low-value|well-used|of them"
    r"|of the thoughts))*)"
    rf"(?P<noun> (?:{'|'.join(_NOUNS.split())})\b)?(?P<of>(?: of earlier sessions)?)(?P<verb>(?:{'|'.join(_ONE)})\b)?"
)
"""A count with its noun and verb."""


def rendered(text: str) -> str:
    """Translate a text that has been filled in already: a hint by its own template, another by finding it again.

    Unchanged if no template matches. Only errors and hints come here, so the search need not be fast.
    """
    if isinstance(text, Hint):
        return say(text.template, **text.values) if text.values else say(text.template)
    catalog = _catalog(language())
    if not text or not catalog or text in catalog:
        return catalog.get(text, text)
    for pattern, translated in _patterns(language()):
        if found := pattern.fullmatch(text):
            values = {
                name: value if name[1:] in AS_TYPED else catalog.get(value, value)
                for name, value in found.groupdict().items()
            }
            return _filled(translated, values)
    return text


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: values[f"v{place[1]}"], template).replace("{{", "{").replace("}}", "}")


_PLACE = re.compile(r"(?<!\{)\{([a-z_0-9]+)[^{}]*\}")


@cache
def _catalog(language: str) -> Mapping[str, str]:
    """Every template with its translation; gettext looks up one at a time, but ``rendered`` needs them all."""
    if language == "en":
        return {}
    import gettext

    path = LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
    with path.open("rb") as file:
        # Private, but there is no public way to list a catalog.
        known = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    # What stands under the empty text is the head of the catalog, which nobody says.
    return {key: text for key, text in known.items() if key}


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The catalog's templates with placeholders and words, longest first, so that the most specific one matches."""
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


_EXAMPLES = re.compile(r"\s*\bExamples?: (alice-exp .*|\w+[=( ].*alice-exp .*)\Z", re.DOTALL)


def parted(documented: str) -> tuple[str, tuple[str, ...]]:
    """The description in a docstring, and its examples."""
    text = cleandoc(documented)
    if (found := _EXAMPLES.search(text)) is None:
        return text, ()
    return text[: found.start()], tuple(" ".join(one.split()) for one in re.split(r" ·\s+", found[1]))


def paragraphs(documented: str) -> Iterator[str]:
    """The paragraphs of a docstring's description, or of an option's help, each one on one line."""
    for paragraph in parted(documented)[0].split("\n\n"):
        if joined := " ".join(paragraph.split()):
            yield joined


def in_language(documented: str) -> str:
    """A description in the person's language, with its paragraphs apart."""
    return "\n\n".join(say(paragraph) for paragraph in paragraphs(documented))
