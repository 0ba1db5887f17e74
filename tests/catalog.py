"""The catalogs of messages: what the code says, what is translated, and the compiled files.

``python -m tests.catalog`` names what is missing and what nothing says any more (exit 1 where there is any);
``--write`` adds the missing messages to each language's catalog with empty translations, drops the others and compiles
it; a language that was added to ``LANGUAGES`` gets its catalog.
"""

import ast
import re
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from alice_exp import WINDOWS
from alice_exp.app.command_tree import COMMANDS, GROUPS, Table, command_of
from alice_exp.app.help_page import BEGIN, KINDS, LEAD, NAMED, REMOVED, SHARED
from alice_exp.app.main import command
from alice_exp.blocks.cli.lifetime_commands import COUNTS, DETAILS
from alice_exp.finding.rules.choice import IN_DOUBT_WARNING, RIVAL_WARNING
from alice_exp.kernel.journal.act import OPS
from alice_exp.learning.documents import ASSESSED, FAILED, UNTESTED
from alice_exp.learning.usecases.decision_outcome import UNKEPT_WARNING, UNREAD_WARNING
from alice_exp.learning.usecases.statistics import AGES, OLDER
from alice_exp.model.rules.lifecycle import LEVELS
from alice_exp.model.rules.private_facts import KINDS as PRIVATE
from alice_exp.model.values.block import BLOCK_TYPES
from alice_exp.model.values.config import OPTIONS, PAST
from alice_exp.review.rules.reply_clauses import ASKED
from alice_exp.team.rules.publication import IN_DOUBT, REPLACED
from alice_exp.team.rules.team_file import OBJECTIONS
from alice_exp.team.usecases import OPPOSES, REJECTED
from alice_exp.terminal.language import DOMAIN, LANGUAGES, LOCALE, paragraphs, parted

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "alice_exp"
CATALOGS: Mapping[str, Path] = {
    code: LOCALE / code / "LC_MESSAGES" / f"{DOMAIN}.po" for code in LANGUAGES if code != "en"
}
"""The source of each language's catalog; the compiled file lies beside it."""

_CALLS = """
say sentence AliceError UsageError ProblemError NotFoundError BusyError RefusedError ProviderError PeerError Problem Fault Note
unclear problem_at matching within listed typed fault warning _fault _counted _named NotAFile _unclear _missing _broken _problem _refused _Refused _Sentences as_error refused_as
"""
SAYING = frozenset(_CALLS.split())
"""Calls whose texts a person reads: every text with a space or a place among their arguments is a message."""

RETURNING = frozenset(("obstacle", "way_out", "damage", "fault"))
"""Functions that return what is in the way, as a sentence."""

_SAID = """
tests edits words told
error warning changed expired approve reject reply review later verified
promoted demoted debounced noted withheld retired revived new set namespace blocks id when state left evidence rejected universal
personal low_value trial agent peer system editor advice
"""
_DOCTORED = """
leftovers git files history remotes permissions clock disk schemas sharing owner index cloud reads
"""


def _rows(text: str) -> list[str]:
    return text.strip().replace("\n", "|").split("|")


_TERMS = """
result metadata coverage recency consolidation frequency longevity uniqueness popularity reward reasoning note episode decision session outcome event act shared ok fail still_true claim
import conflict retired revived revoked promoted debounced noted withheld reflection
"""
_REFUSALS = """
no such file or directory|permission denied|operation not permitted|no space left on device|read-only file system
is a directory|not a directory|file exists|file name too long|too many open files|input/output error|disk quota exceeded
directory not empty|too many levels of symbolic links|connection refused|exec format error|device or resource busy
"""
"""What systems say when they refuse, in small letters."""
_ELSEWHERE = """
{claimed} verified there, {state} in {place}|{claimed} verified there, {state} in {place}, approved {day} by {name}
the same failure again, counted once|only {free} MiB are free on this disk|the repository is damaged|{count} were here already
{count} of the archive stayed out|a row has its "set" and "namespace", as "alice-exp export" writes them
it is gone|not a plain file|no longer true|needs no passphrase|a field is cut off|no summary came back
is held by an agent alone, which may sign for anybody|it was offered twice|this is obsolete here, as {id}
{most} blocks of this peer wait for a decision already|{most} blocks are taken at once|this Alice cannot answer now
its id is not its certificate's|a message of {size} bytes is too long to send
"{trait}": succeeded {successes} of {total} = {rate} % [{from}, {to}], the others {other_successes} of {other_total} = {other_rate} %; difference {low} to {high} points (90 %)
"{trait}": the mean reward fell from {older} to {newer} over {total} episodes
one episode, succeeded {successes} of {total}
{claimed} verified there: a claim of {name}|{name} was forgotten with all that it shared|{name} stands behind this no more
written on another machine while {id} was changed here
written on one machine while {id} was changed on another|cited by
on the other side: alice-exp peer invite|on the other side: alice-exp peer serve
"""
"""Sentences that reach a person as the value of another, or from a table."""
_OPTIONS = tuple(option.doc for option in OPTIONS)


def _documented(table: Table) -> Iterator[str]:
    """All that the pages of help say of commands, their arguments and options."""
    for name, target in table.items():
        if not isinstance(target, str):
            yield from _documented(target)
            continue
        one = command_of(name, target)
        yield from paragraphs(one.help or "")
        for parameter in one.params:
            if not getattr(parameter, "hidden", False):
                yield from paragraphs(getattr(parameter, "help", None) or "")


def _examples(table: Table) -> Iterator[str]:
    """The examples in which a person's text stands, a few words in quotes."""
    for name, target in table.items():
        if not isinstance(target, str):
            yield from _examples(target)
            continue
        told = parted(command_of(name, target).help or "")[1]
        yield from (one for one in told if re.search(r'"[A-Za-z][^"$(]* [^"]*"', one))


_HELP = (
    *_examples(COMMANDS),
    *(one for one in (*BEGIN, *parted(command().help or "")[1]) if '"' in one),
    *("Show this message and exit.", *_documented(COMMANDS)),
    *(LEAD, SHARED, *BEGIN, *GROUPS, *(what for group in GROUPS.values() for what in group.values())),
    *(str(option.help) for option in command().params if option.help),
    *(*FAILED, *(text for pair in ASSESSED.values() for text in pair)),
    *(*NAMED.values(), *REMOVED.values(), *KINDS.values(), *PAST.values(), *ASKED.values()),
)
WORDS = (
    *(
        *OPS,
        *DETAILS,
        *COUNTS.values(),
        *LEVELS,
        *_SAID.split(),
        *BLOCK_TYPES,
        *AGES,
        OLDER,
        "never",
        "needs review",
        "failed",
    ),
    *(*_OPTIONS, *_HELP, *_DOCTORED.split(), IN_DOUBT_WARNING, UNKEPT_WARNING, UNTESTED),
    *(UNREAD_WARNING, RIVAL_WARNING, *OBJECTIONS, IN_DOUBT, REPLACED, OPPOSES, REJECTED, "team"),
    *(*PRIVATE, WINDOWS, *_TERMS.split(), *_rows(_REFUSALS), *_rows(_ELSEWHERE)),
)
"""Single words that are said through a variable."""

_PLACE = re.compile(r"\{[a-z_0-9:.!]*\}")


@cache
def messages() -> dict[str, list[str]]:
    """Every message with the places where it is said, as ``file:line``."""
    found: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node, text in _said(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(text, []).append(f"{path.relative_to(ROOT).as_posix()}:{node.lineno}")
    for word in WORDS:
        found.setdefault(word, ["tests/catalog.py"])
    return dict(sorted(found.items(), key=lambda row: row[1][0]))


def _said(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    constants = {
        target.id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if isinstance(target, ast.Name)
    }
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        if name == "require_person" and len(call.args) > 1:
            yield from _texts(call.args[1], said=True)
        if name == "Hint":
            yield from _texts(call.args[0], said=True)
        if name not in SAYING:
            continue
        for position, argument in enumerate(call.args):
            yield from _of_constant(argument, constants)
            yield from _texts(argument, said=name in ("say", "sentence") and not position)
        for keyword in call.keywords:
            yield from _of_constant(keyword.value, constants)
            if keyword.arg == "hint":
                yield from _hint(keyword.value)
            elif keyword.arg not in ("path", "default", "said"):
                yield from _texts(keyword.value)
    yield from _said_by_name(tree)
    yield from _returned(tree)


def _returned(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    """The sentences that a function of ``RETURNING`` returns or chooses among."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name in RETURNING:
            inner = [node for statement in function.body[1:] for node in ast.walk(statement)]
            parts = {id(part) for node in inner if isinstance(node, ast.JoinedStr) for part in node.values}
            for node in inner:
                if isinstance(node, ast.JoinedStr):
                    yield from _hint(node)
                elif isinstance(node, ast.Constant) and id(node) not in parts:
                    yield from _texts(node)


def _of_constant(argument: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[tuple[ast.expr, str]]:
    """The texts of a constant of the module that is said by its name, or by its name and a key."""
    name = argument.value if isinstance(argument, ast.Subscript) else argument
    known = constants.get(name.id) if isinstance(name, ast.Name) else None
    for one in known.values if isinstance(known, ast.Dict) else [known] if known is not None else []:
        yield from _texts(one)


def _said_by_name(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Texts that have a name first, as ``template = "…"``, and are said under it in the same function."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        nodes = list(ast.walk(function))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        said = {
            argument.id
            for call in calls
            if (call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")) in SAYING
            for argument in (*call.args, *(k.value for k in call.keywords if k.arg == "hint"))
            if isinstance(argument, ast.Name)
        }
        for node in nodes:
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Name)
                and node.targets[0].id in said
            ):
                yield from _texts(node.value)


def _texts(node: ast.expr, said: bool = False) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if said or " " in node.value.strip() or _PLACE.search(node.value):
            yield node, node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body, said)
        yield from _texts(node.orelse, said)
    elif isinstance(node, ast.JoinedStr):
        yield from _hint(node)


def _hint(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """A hint; one with values in it becomes a pattern with numbered places."""
    if isinstance(node, ast.JoinedStr):
        parts, count = [], 0
        for value in node.values:
            if isinstance(value, ast.Constant):
                parts.append(str(value.value))
            else:
                parts.append(f"{{{count}}}")
                count += 1
        text = "".join(parts)
        if re.sub(r"\{\d\}|alice-exp|\W", "", text):
            yield node, text
    else:
        yield from _texts(node, said=True)


def read_po(code: str) -> dict[str, str]:
    """The translations into a language, message by message; none where it has no catalog yet."""
    path = CATALOGS[code]
    entries: dict[str, str] = {}
    if not path.exists():
        return entries
    key, value, into = "", "", ""
    for line in [*path.read_text(encoding="utf-8").splitlines(), 'msgid ""']:
        word, _, rest = line.partition(" ")
        if word == "msgid":
            if key:
                entries[key] = value
            key, value, into = ast.literal_eval(rest), "", "key"
        elif word == "msgstr":
            value, into = ast.literal_eval(rest), "value"
        elif line.startswith('"'):
            text = ast.literal_eval(line)
            key, value = (key + text, value) if into == "key" else (key, value + text)
    return entries


def header(code: str) -> str:
    """What ``gettext`` reads first of a catalog."""
    return f"Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\nLanguage: {code}\n"


def po_text(code: str, entries: Iterable[tuple[str, str, list[str]]]) -> str:
    """A catalog file: message, translation, and the files that say it."""
    rows = [f'# Updated by python -m tests.catalog --write.\nmsgid ""\nmsgstr {_quoted(header(code))}\n']
    for key, value, places in entries:
        files = " ".join(dict.fromkeys(place.partition(":")[0] for place in places))
        rows.append(f"#: {files}\nmsgid {_quoted(key)}\nmsgstr {_quoted(value)}\n")
    return "\n".join(rows)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def compiled(code: str) -> bytes:
    """A language's catalog in the binary form that ``gettext`` reads (GNU .mo, little endian)."""
    entries = {"": header(code), **{key: value for key, value in read_po(code).items() if value}}
    rows = sorted(entries.items(), key=lambda row: row[0].encode())
    keys, values = [k.encode() for k, _ in rows], [v.encode() for _, v in rows]
    count = len(rows)
    start = 28 + 16 * count
    tables, blob = [b"", b""], b""
    for index, texts in enumerate((keys, values)):
        for text in texts:
            tables[index] += struct.pack("<II", len(text), start + len(blob))
            blob += text + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, start)
    return head + tables[0] + tables[1] + blob


def missing(code: str) -> list[str]:
    """Messages without a translation."""
    known = read_po(code)
    return [text for text in messages() if not known.get(text)]


def stale(code: str) -> list[str]:
    """Translations of what nothing says any more."""
    said = messages()
    return [text for text in read_po(code) if text not in said]


def main() -> int:
    """Name what is missing or stale in each language; with ``--write`` update the catalogs first."""
    wrong = False
    for code, path in CATALOGS.items():
        if "--write" in sys.argv:
            known = read_po(code)
            entries = [(text, known.get(text, ""), places) for text, places in messages().items()]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(po_text(code, entries), encoding="utf-8")
            path.with_suffix(".mo").write_bytes(compiled(code))
        for kind, texts in (("missing", missing(code)), ("stale", stale(code))):
            for text in texts:
                print(f"{code} {kind}: {text!r}")
                wrong = True
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
