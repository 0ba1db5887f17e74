"""A self-contained HTML page without external resources, and with no script but the one that its policy names."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path

from alice_exp.kernel.text.display import visible
from alice_exp.terminal.language import language


def document(title: str, lead: str, body: str, foot: str, script: str = "") -> str:
    """A complete page around a body of HTML; title, lead and foot are plain texts, which are escaped.

    The page's policy lets that one script run and nothing else: no text in the page can become a program.
    """
    style = Path(__file__).with_name("data").joinpath("page.css").read_text("utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    if script:
        proof = b64encode(sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{proof}'"
    return (
        f'<!DOCTYPE html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"<header>\n<h1>{_text(title)}</h1>\n<p>{_text(lead)}</p>\n</header>\n"
        f"{body}<footer>{_text(foot)}</footer>\n</main>\n"
        + (f"<script>{script}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )


def _text(text: str) -> str:
    return escape(visible(text))
