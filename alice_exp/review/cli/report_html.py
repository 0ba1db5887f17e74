"""The report as a single HTML page: without external links, light and dark. What is ticked becomes the commands to
copy: no server, no network."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from alice_exp.kernel.errors import refused_as
from alice_exp.kernel.journal.atomic_files import replace
from alice_exp.kernel.text.display import Markup
from alice_exp.review.cli.candidate_card import Card, Row, answers, neighbours, parts, shared, shared_line
from alice_exp.review.cli.report_parts import Section, sections
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.terminal.language import language, say
from alice_exp.terminal.streams import document, html


def page(report: Agenda, summary: str) -> str:
    """The whole document; the texts of blocks are escaped, and their control characters made visible."""
    body: list[str] = [_note(shared_line(shared(report.items)))]
    # Of two that cannot both hold one card asks.
    asked = {item.asks_of.placed.block.id for item in report.items if item.asks_of}
    body += [
        html("<h2>{0}</h2>\n<ol>\n{1}</ol>\n", heading, [_item(card, card.id not in asked) for card in cards])
        for _, heading, cards in parts(report.items)
    ]
    body += [*map(_section, sections(report)), _composer() if report.items else ""]
    # The summary says how to answer this report.
    how = say("One at a time: alice-exp review") if report.items else ""
    title = say("Heartbeat of {day}", day=report.at[:10])
    return document(title, summary, "".join(body), how, _SCRIPT if report.items else "")


def _note(text: str, kind: str = "") -> Markup:
    """A remark, the command at its end as code: one click selects it; nothing for no text."""
    words, command, rest = text.partition("alice-exp ")
    code = html("<code>{0}</code>", command + rest) if command else ""
    return html('<p class="note{0}">{1}{2}</p>\n', kind, words, code) if text else Markup()


def _item(card: Card, is_asked: bool) -> Markup:
    above = html("<blockquote>{0}</blockquote>", card.quote) if card.is_said else ""
    noted = html('<div class="facts">{0} · {1}</div>', say("evidence"), card.quote)
    below = noted if card.quote and not above else ""
    facts = [html('<span class="new">{0}</span>', mark) for mark in card.marks]
    facts += [html("<span>{0}</span>", card.facts)] if card.facts else []
    return html(
        '<li id="{0}"><span class="number">{1}</span><div class="when">{2}</div>{3}<div class="what">{4}</div>{5}'
        '<div class="facts">{6}<code>{0}</code></div>{7}<div class="choose">{8}</div></li>\n',
        card.id,
        card.number,
        card.when,
        above,
        card.what,
        below,
        facts,
        [
            html("{0}{1}", _note(f"{r.label} {r.text}", " warn" if r.note else ""), _note(r.note))
            for r in neighbours(card.item)
        ],
        _choices(card.item) if is_asked else [],
    )


def _section(section: Section) -> Markup:
    rows, more = section.told(0)
    listed = [*map(_row, rows)]
    return html('<h2 id="{0}">{1}</h2>\n<ul>\n{2}</ul>\n{3}', section.key, section.title, listed, _note(more))


def _row(row: Row) -> Markup:
    text = [html("{0}", line) for line in row.text.split("\n")]
    return html(
        "<li><code>{0}</code> {1}{2}</li>\n", row.label, html("{0}", text, between="<br>"), _note(row.note)
    )


def _choices(item: Item) -> list[Markup]:
    """The boxes of one candidate: approve, here or everywhere, and reject, or which of two rivals holds."""
    # By its id: a page may lie open while a later report gives the number to another one.
    name = item.placed.block.id
    if item.asks_of:
        told = answers(name, item.asks_of.placed.block.id, alike=not item.conflict)
        rows = [(say(word), "command", does) for word, does in told.items()]
        if item.conflict:  # A plain rejection, which goes into the sentence.
            rows[1] = (say("old"), "verb", "reject")
    else:
        is_narrow = bool(item.placed.block.project)
        rows = [(say("approve here") if is_narrow else say("approve"), "verb", "approve")]
        rows += [(say("approve everywhere"), "verb", "everywhere")] if is_narrow else []
        rows += [(say("reject"), "verb", "reject")]
    box = '<label><input type="checkbox" data-{0}="{1}" data-name="{2}"> {3}</label>'
    return [html(box, kind, does, name, word) for word, kind, does in rows]


def _composer() -> Markup:
    """The line at the foot of the page that shows the sentence, and the button that copies it."""
    words = ("同意", "拒绝", "，") if language() == "zh" else ("approve", "reject", ", ")
    return html(
        '<div id="reply" data-approve="{0}" data-reject="{1}" data-comma="{2}" data-nothing="{3}">'
        '<code>{3}</code><button type="button">{4}</button></div>\n',
        *words,
        say("Tick what you decide; the rest goes on waiting."),
        say("copy"),
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
    with refused_as("this file cannot be written: {why}", path):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        replace(path, page.encode(errors="replace"), durable=False)
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
