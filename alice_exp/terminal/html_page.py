"""A self-contained HTML page without external resources, and with no script but the one that its policy names."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path

from alice_exp.kernel.text.display import Markup, filling, visible
from alice_exp.terminal.language import language

html = filling(lambda text: escape(visible(text)))
"""Fills a template of HTML."""


def document(title: str, lead: str, body: str, foot: str, script: str = "") -> str:
    """A complete page around a body of HTML; title, lead and foot are plain texts, which are escaped.

    The page's policy lets that one script run and nothing else: no text in the page can become a program.
    """
    style = Path(__file__).with_name("data").joinpath("page.css").read_text("utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    if script:
        policy += f"; script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
    return html(
        '<!DOCTYPE html>\n<html lang="{0}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="{1}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<title>{2}</title>\n<style>\n{3}</style>\n</head>\n<body>\n<main>\n"
        "<header>\n<h1>{2}</h1>\n<p>{4}</p>\n</header>\n{5}<footer>{6}</footer>\n</main>\n{7}</body>\n</html>\n",
        language(),
        Markup(policy),
        title,
        Markup(style),
        lead,
        Markup(body),
        foot,
        Markup(f"<script>{script}</script>\n" if script else ""),
    )
