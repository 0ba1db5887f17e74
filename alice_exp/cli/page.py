"""The report as one page of HTML: self-contained, no script, no address outside it, light and dark."""

from __future__ import annotations

from html import escape

from alice_exp.cli.language import language, say
from alice_exp.cli.sections import Section, left, marks, sections
from alice_exp.documents import evidence_line, payload_text, trigger_text
from alice_exp.rules.agenda import Agenda, Item
from alice_exp.text.words import visible

_STYLE = """
:root{color-scheme:light dark;--paper:#fbfaf7;--card:#fff;--ink:#22201c;--soft:#6d675d;--line:#e6e1d6;--mark:#a8470f;
--possible:#8a6100;--past:#0b6478;--reliable:#23703a;--wash:#f4f0e6}
@media(prefers-color-scheme:dark){:root{--paper:#171614;--card:#201e1b;--ink:#ece7dd;--soft:#a39b8d;--line:#35312b;
--mark:#f0a06a;--possible:#e0b65a;--past:#6fc3d6;--reliable:#7fcb95;--wash:#262320}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.6 system-ui,"PingFang SC","Noto Sans CJK SC","Microsoft YaHei",sans-serif}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
header p{font-size:1.1rem;margin:.5rem 0 2rem}
h1{font-size:1.05rem;font-weight:600;color:var(--soft);margin:0;letter-spacing:.02em}
h2{font-size:1.05rem;margin:2.5rem 0 .75rem}
ol,ul{list-style:none;margin:0;padding:0}
li{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.9rem 1.1rem;margin:0 0 .7rem;
overflow-wrap:anywhere}
ol>li{display:grid;grid-template-columns:2.2rem 1fr;gap:.2rem .4rem}
.number{grid-row:1/9;font-size:1.25rem;font-weight:600;color:var(--mark);font-variant-numeric:tabular-nums}
ol>li>:not(.number){grid-column:2}
.when{color:var(--soft);font-size:.92rem}
.what{font-size:1.03rem}
blockquote{margin:.35rem 0;padding:.3rem .8rem;border-left:3px solid var(--line);background:var(--wash);
color:var(--soft);font-size:.92rem;border-radius:0 6px 6px 0}
.facts{display:flex;flex-wrap:wrap;gap:.3rem .5rem;font-size:.84rem;color:var(--soft);margin-top:.25rem}
.facts span{white-space:nowrap}
.state{font-weight:600}.possible{color:var(--possible)}.past{color:var(--past)}.reliable{color:var(--reliable)}
.new{color:var(--mark);font-weight:600}
code{font:.85em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--soft)}
.note{color:var(--soft);font-size:.92rem;margin:.15rem 0 0}
footer{margin-top:3rem;color:var(--soft);font-size:.88rem;border-top:1px solid var(--line);padding-top:1rem}
.bars{display:grid;grid-template-columns:max-content 1fr max-content;gap:.3rem .8rem;align-items:center;
font-size:.92rem}
.bars i{display:block;height:.8rem;background:var(--reliable);border-radius:3px;min-width:2px}
.bars b{font-weight:400;color:var(--soft);font-variant-numeric:tabular-nums;text-align:right}
svg{display:block;width:100%;height:auto}.area{fill:var(--wash)}.line{fill:none;stroke:var(--reliable);stroke-width:2}
.axis{stroke:var(--line)}svg text{fill:var(--soft);font-size:12px}
@media print{body{background:#fff}li{break-inside:avoid}}
"""


def page(report: Agenda, summary: str) -> str:
    """The whole document; every text of a block is escaped and made visible."""
    title = say("Heartbeat of {day}", day=report.at[:10])
    marked = marks(report.items)
    waiting = "".join(_item(item, marked[item.placed.block.id]) for item in report.items)
    body = (
        f"<h2>{_text(say('Waiting for your decision'))}</h2>\n<ol>\n{waiting}</ol>\n" if report.items else ""
    )
    rest = "".join(map(_section, sections(report)))
    return document(title, summary, f"{body}{rest}", _how())


def document(title: str, lead: str, body: str, foot: str) -> str:
    """A whole page around a body of HTML; title, lead and foot are texts."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!DOCTYPE html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<header>\n<h1>{_text(title)}</h1>\n<p>{_text(lead)}</p>\n</header>\n"
        f"{body}<footer>{_text(foot)}</footer>\n</main>\n</body>\n</html>\n"
    )


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


def _text(text: str) -> str:
    return escape(visible(text))
