"""The report as a single HTML page: self-contained, without scripts or external links, light and dark."""

from __future__ import annotations

from html import escape

from alice_exp.model.documents import evidence_line, payload_text, trigger_text
from alice_exp.review.cli.report_model import Section, left, marks, sections
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.terminal.html_page import _text, document
from alice_exp.terminal.language import say


def page(report: Agenda, summary: str) -> str:
    """The whole document; the texts of blocks are escaped, and their control characters made visible."""
    title = say("Heartbeat of {day}", day=report.at[:10])
    marked = marks(report.items)
    waiting = "".join(_item(item, marked[item.placed.block.id]) for item in report.items)
    body = (
        f"<h2>{_text(say('Waiting for your decision'))}</h2>\n<ol>\n{waiting}</ol>\n" if report.items else ""
    )
    rest = "".join(map(_section, sections(report)))
    return document(title, summary, f"{body}{rest}", _how())


def _how() -> str:
    return say("Decide with: alice-exp reply 同意 1 3，拒绝 2 · or one at a time: alice-exp review")


def _item(item: Item, marked: tuple[str, ...]) -> str:
    block = item.placed.block
    quote = evidence_line(item.placed)
    facts = [
        f'<span class="state {escape(block.state)}">{_text(say(block.state))} {item.confidence:.1f}</span>',
        f"<span>→ {_text(item.destination)}</span>",
        f"<span>{_text(left(item))}</span>" if left(item) else "",
        f"<code>{_text(block.id)}</code>",
    ]
    facts[:0] = [f'<span class="new">{_text(mark)}</span>' for mark in marked]
    return (
        f'<li id="{_text(block.id)}"><span class="number">{item.number or "·"}</span>'
        f'<div class="when">{_text(trigger_text(item.placed) or say("always"))}</div>'
        f'<div class="what">{_text(payload_text(item.placed))}</div>'
        + (f"<blockquote>{_text(quote)}</blockquote>" if quote else "")
        + f'<div class="facts">{"".join(facts)}</div></li>\n'
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
