"""The report as a single HTML page: without external links, light and dark. What is ticked becomes the commands to
copy: no server, no network."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path

from alice_exp.kernel.errors import ProblemError, reason
from alice_exp.kernel.journal.atomic_files import replace
from alice_exp.review.cli.candidate_card import Card, Shared, neighbours
from alice_exp.review.cli.report_model import Section, parts, sections
from alice_exp.review.rules.arrangement import project_of
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.terminal.html_page import _text, document
from alice_exp.terminal.language import language, say


def page(report: Agenda, summary: str) -> str:
    """The whole document; the texts of blocks are escaped, and their control characters made visible."""
    title = say("Heartbeat of {day}", day=report.at[:10])
    each = Shared.of(report.items).line
    body = f'<p class="note">{_text(each)}</p>\n' if each else ""
    for _, heading, cards in parts(report.items):
        body += f"<h2>{_text(heading)}</h2>\n<ol>\n{''.join(map(_item, cards))}</ol>\n"
    rest = "".join(map(_section, sections(report)))
    foot = _composer() if report.items else ""
    return document(title, summary, f"{body}{rest}{foot}", _how(), _SCRIPT if report.items else "")


def _with_command(note: str) -> str:
    """A note, the command at its end as code: one click selects it."""
    words, command, rest = note.partition("alice-exp ")
    return _text(words) + (f"<code>{_text(command + rest)}</code>" if command else "")


def _how() -> str:
    return say("Decide with: alice-exp reply approve 1 3, reject 2 · or one at a time: alice-exp review")


def _item(card: Card) -> str:
    quote = f"<blockquote>{_text(card.quote)}</blockquote>" if card.quote else ""
    above, below = (quote, "") if card.is_said else ("", quote)
    beside = "".join(
        f'<p class="note{" warn" if row.note else ""}">{_text(f"{row.label} {row.text}")}</p>'
        + (f'<p class="note">{_with_command(row.note)}</p>' if row.note else "")
        for row in neighbours(card.item)
    )
    facts = [f'<span class="new">{_text(mark)}</span>' for mark in card.marks]
    facts += [f"<span>{_text(card.facts)}</span>"] if card.facts else []
    return (
        f'<li id="{_text(card.id)}"><span class="number">{card.number}</span>'
        f'<div class="when">{_text(card.when)}</div>{above}<div class="what">{_text(card.what)}</div>{below}'
        f'<div class="facts">{"".join(facts)}<code>{_text(card.id)}</code></div>{beside}{_choices(card.item)}</li>\n'
    )


def _section(section: Section) -> str:
    rows = "".join(
        f"<li><code>{_text(row.label)}</code> {_text(row.text).replace(chr(10), '<br>')}"
        + (f'<p class="note">{_text(row.note)}</p>' if row.note else "")
        + "</li>\n"
        for row in section.rows
    )
    more = (
        f'<p class="note">{_text(say("and {count} more", count=section.more))}</p>\n' if section.more else ""
    )
    return f'<h2 id="{section.key}">{_text(section.title)}</h2>\n<ul>\n{rows}</ul>\n{more}'


def _choices(item: Item) -> str:
    """The boxes of one candidate: approve (in its project, everywhere), reject, or which holds of it and what it
    contradicts; none leaves it waiting."""
    # By its id: a page may lie open while a later report gives the number to another one.
    name = item.placed.block.id
    if item.asks_of:
        old = item.asks_of.placed.block.id
        holds = 'data-verb="reject"' if item.conflict else f'data-command="approve {old} --replaces {name}"'
        rows = [
            (say("new"), f'data-command="approve {name} --replaces {old}"'),
            (say("old"), holds),
            (say("both"), f'data-command="approve {name} --both {old}"'),
            (say("neither"), f'data-command="reject {name} --neither {old}"'),
        ]
        return _boxes(name, rows)
    words = {"approve": say("approve"), "everywhere": say("approve everywhere"), "reject": say("reject")}
    if project_of(item):
        words["approve"] = say("approve here")
    else:
        del words["everywhere"]
    return _boxes(name, [(word, f'data-verb="{verb}"') for verb, word in words.items()])


def _boxes(name: str, rows: Sequence[tuple[str, str]]) -> str:
    boxes = "".join(
        f'<label><input type="checkbox" {does} data-name="{escape(name)}"> {escape(word)}</label>'
        for word, does in rows
    )
    return f'<div class="choose">{boxes}</div>'


def _composer() -> str:
    """The line at the foot of the page that shows the sentence, and the button that copies it."""
    words = (
        {"approve": "同意", "reject": "拒绝"}
        if language() == "zh"
        else {"approve": "approve", "reject": "reject"}
    )
    comma = "，" if language() == "zh" else ", "
    nothing = say("Tick what you decide; the rest goes on waiting.")
    named = " ".join(f'data-{verb}="{word}"' for verb, word in words.items())
    return (
        f'<div id="reply" {named} data-comma="{comma}" data-nothing="{escape(nothing)}">'
        f'<code>{escape(nothing)}</code><button type="button">{escape(say("copy"))}</button></div>\n'
    )


_SCRIPT = """
(() => {
  const foot = document.getElementById("reply"), line = foot.querySelector("code");
  const boxes = [...document.querySelectorAll("[data-name]")];
  const told = verb => boxes.filter(box => box.checked && box.dataset.verb === verb).map(box => box.dataset.name);
  const show = () => {
    const parts = ["approve", "reject"].map(verb => [foot.dataset[verb], told(verb)])
      .filter(([, names]) => names.length).map(([word, names]) => `${word} ${names.join(" ")}`);
    const wide = told("everywhere");
    const commands = parts.length ? [`alice-exp reply ${parts.join(foot.dataset.comma)}`] : [];
    if (wide.length) commands.push(`alice-exp approve ${wide.join(" ")} --everywhere`);
    boxes.filter(box => box.checked && box.dataset.command)
      .forEach(box => commands.push(`alice-exp ${box.dataset.command}`));
    line.textContent = commands.join(" && ") || foot.dataset.nothing;
  };
  boxes.forEach(box => box.addEventListener("change", () => {
    if (box.checked) boxes.forEach(other => {
      if (other !== box && other.dataset.name === box.dataset.name) other.checked = false;
    });
    show();
  }));
  foot.querySelector("button").addEventListener("click", () => {
    const range = document.createRange();
    range.selectNodeContents(line);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
  });
})();
"""
"""Composes the sentence from the ticked boxes; it reads nothing of the page but their numbers, and sends nothing."""


def written(root: Path, page: str) -> Path:
    """Write the page to ``state/report.html``, for its owner alone; its path. ``ProblemError`` where it cannot be."""
    path = root / "state" / "report.html"
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        replace(path, page.encode(errors="replace"), durable=False)
    except OSError as error:
        raise ProblemError("this file cannot be written: {why}", why=reason(error), path=str(path)) from error
    return path


def opened(path: Path) -> bool:
    """Show a file in the person's browser; false where there is none that could."""
    import webbrowser

    try:
        return webbrowser.open(path.as_uri())
    except webbrowser.Error:
        return False


def told(title: str, text: str) -> bool:
    """Tell the desktop; false where there is none, or where it does not take it."""
    if sys.platform == "darwin":
        # As arguments, not in the script: a text can then never be part of a program.
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        words = ["osascript", "-e", script, title, text]
    else:
        words = ["notify-send", "--app-name=alice-exp", "--", title, text]
    if shutil.which(words[0]) is None:
        return False
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
