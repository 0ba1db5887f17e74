"""The report as a Markdown document."""

from __future__ import annotations

from collections.abc import Sequence

from alice_exp.kernel.text.display import visible
from alice_exp.model.documents import payload_text, trigger_text
from alice_exp.review.cli.report_model import left, marks, neighbours, proposer, quoted, sections
from alice_exp.review.cli.report_text import columns
from alice_exp.review.cli.where_it_holds import scoped
from alice_exp.review.rules.arrangement import project_of
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.terminal.language import say


def markdown(report: Agenda, summary: str) -> str:
    """The report as Markdown: the summary, a table of candidates, a list for each section."""
    lines = [f"# {say('Heartbeat of {day}', day=report.at[:10])}", "", _escaped(summary), ""]
    if report.items:
        lines += [
            f"## {say('Waiting for your decision')}",
            "",
            _cells([*columns(), say("evidence"), say("proposed by"), "id"]),
        ]
        lines.append("|" + " --- |" * (len(columns()) + 3))
        marked = marks(report.items)
        lines += [_cells(_candidate(item, marked[item.placed.block.id])) for item in report.items]
        lines.append("")
        beside = [(item, row) for item in report.items for row in neighbours(item)]
        lines += [f"## {say('Beside them')}", ""] if beside else []
        for item, row in beside:
            name = str(item.number or item.placed.block.id)
            note = f" — *{_escaped(row.note)}*" if row.note else ""
            lines.append(f"- **{_escaped(name)}** {_escaped(f'{row.label} {row.text}')}{note}")
        lines += [""] if beside else []
    for section in sections(report):
        lines += [f"## {section.title}", ""]
        for row in section.rows:
            text = f"**{_escaped(row.label)}** {_escaped(row.text)}".rstrip()
            lines.append(f"- {text} — *{_escaped(row.note)}*" if row.note else f"- {text}")
        lines += [f"- {say('and {count} more', count=section.more)}"] if section.more else []
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _candidate(item: Item, marked: Sequence[str]) -> list[str]:
    return [
        str(item.number or "·"),
        trigger_text(item.placed) or say("always"),
        payload_text(item.placed),
        f"{say(item.placed.block.state)} {item.confidence:.1f}",
        scoped(item.destination, project_of(item)),
        " · ".join(filter(None, (left(item), *marked))),
        quoted(item.placed),
        proposer(item),
        item.placed.block.id,
    ]


def _cells(texts: Sequence[str]) -> str:
    return "| " + " | ".join(_escaped(text) for text in texts) + " |"


_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|!~$"})


def _escaped(text: str) -> str:
    """Untrusted text for Markdown: escaped, so that it formats, links and embeds nothing."""
    return " ".join(visible(text).split()).translate(_MARKS)
