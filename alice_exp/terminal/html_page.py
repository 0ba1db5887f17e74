"""A self-contained HTML page without external resources, and with no script but the one that its policy names."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape

from alice_exp.kernel.text.display import Markup, filling, visible
from alice_exp.terminal.language import language

_STYLE = """
:root{color-scheme:light dark;--paper:#fbfaf7;--card:#fff;--ink:#22201c;--soft:#6d675d;--line:#e6e1d6;--mark:#a8470f;
--possible:#8a6100;--past:#0b6478;--reliable:#23703a;--wash:#f4f0e6}
@media(prefers-color-scheme:dark){:root{--paper:#171614;--card:#201e1b;--ink:#ece7dd;--soft:#a39b8d;--line:#35312b;
--mark:#f0a06a;--possible:#e0b65a;--past:#6fc3d6;--reliable:#7fcb95;--wash:#262320}}
*{box-sizing:border-box}html{scroll-padding-bottom:6rem}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.6 system-ui,"PingFang SC","Noto Sans CJK SC","Microsoft YaHei",sans-serif}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
header p{font-size:1.1rem;margin:.5rem 0 2rem}
h1{font-size:1.05rem;font-weight:600;color:var(--soft);margin:0;letter-spacing:.02em}
h2{font-size:1.05rem;margin:2.5rem 0 .75rem}
ol,ul{list-style:none;margin:0;padding:0}
li{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.9rem 1.1rem;margin:0 0 .7rem;
overflow-wrap:anywhere}
ol>li{display:grid;grid-template-columns:2.2rem 1fr;column-gap:.4rem}
.number{grid-row:1/9;font-size:1.25rem;font-weight:600;color:var(--mark);font-variant-numeric:tabular-nums}
ol>li>:not(.number){grid-column:2}ol>li>*+*+*{margin-top:.2rem}
.when{color:var(--soft);font-size:.92rem}
.what{font-size:1.03rem}
blockquote{margin:.35rem 0;padding:.3rem .8rem;border-left:3px solid var(--line);background:var(--wash);
color:var(--soft);font-size:.92rem;border-radius:0 6px 6px 0}
.facts{display:flex;flex-wrap:wrap;align-items:baseline;gap:.3rem .5rem;font-size:.84rem;color:var(--soft)}
.state{font-weight:600}.possible{color:var(--possible)}.past{color:var(--past)}.reliable{color:var(--reliable)}
.new{color:var(--mark);font-weight:600}
code{font:.85em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--soft)}
.note{color:var(--soft);font-size:.92rem;margin:.15rem 0 0}.warn{color:var(--mark)}.note code{user-select:all}
footer{margin-top:3rem;color:var(--soft);font-size:.88rem;border-top:1px solid var(--line);padding-top:1rem}
.bars{display:grid;grid-template-columns:max-content 1fr max-content;gap:.3rem .8rem;align-items:center;
font-size:.92rem}
.bars i{display:block;height:.8rem;background:var(--reliable);border-radius:3px;min-width:2px}
.bars b{font-weight:400;color:var(--soft);font-variant-numeric:tabular-nums;text-align:right}
svg{display:block;width:100%;height:auto}.area{fill:var(--wash)}.line{fill:none;stroke:var(--reliable);stroke-width:2}
.axis{stroke:var(--line)}svg text{fill:var(--soft);font-size:12px}
.choose{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin-top:.35rem;font-size:.95rem}
.choose label{cursor:pointer;white-space:nowrap}
#reply{position:sticky;bottom:0;display:flex;gap:1rem;align-items:center;justify-content:space-between;
background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.7rem 1.1rem;margin:1rem 0}
#reply code{user-select:all;overflow-wrap:anywhere}
#reply button{font:inherit;padding:.2rem .9rem;border:1px solid var(--line);border-radius:6px;background:var(--wash);
color:var(--ink);cursor:pointer}
@media print{#reply,.choose{display:none}body{background:#fff}li{break-inside:avoid}}
"""


html = filling(lambda text: escape(visible(text)))
"""Fills a template of HTML."""


def document(title: str, lead: str, body: str, foot: str, script: str = "") -> str:
    """A complete page around a body of HTML; title, lead and foot are plain texts, which are escaped.

    The page's policy lets that one script run and nothing else: no text in the page can become a program.
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    if script:
        proof = b64encode(sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{proof}'"
    return html(
        '<!DOCTYPE html>\n<html lang="{0}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="{1}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<title>{2}</title>\n<style>{3}</style>\n</head>\n<body>\n<main>\n"
        "<header>\n<h1>{2}</h1>\n<p>{4}</p>\n</header>\n{5}<footer>{6}</footer>\n</main>\n{7}</body>\n</html>\n",
        language(),
        Markup(policy),
        title,
        Markup(_STYLE),
        lead,
        Markup(body),
        foot,
        Markup(f"<script>{script}</script>\n" if script else ""),
    )
