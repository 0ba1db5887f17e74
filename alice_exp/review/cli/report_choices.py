"""The boxes of the report's page: what is ticked becomes the ``reply`` sentence to copy. No server, no network."""

from __future__ import annotations

from html import escape

from alice_exp.review.rules.daily_report import Item
from alice_exp.terminal.language import language, say


def choices(item: Item) -> str:
    """The boxes of one candidate: approve, reject; neither leaves it waiting."""
    name = str(item.number or item.placed.block.id)
    boxes = "".join(
        f'<label><input type="checkbox" data-verb="{verb}" data-name="{escape(name)}"> {escape(word)}</label>'
        for verb, word in (("approve", say("approve")), ("reject", say("reject")))
    )
    return f'<div class="choose">{boxes}</div>'


def composer() -> str:
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


SCRIPT = """
(() => {
  const foot = document.getElementById("reply"), line = foot.querySelector("code");
  const boxes = [...document.querySelectorAll("[data-verb]")];
  const told = verb => boxes.filter(box => box.checked && box.dataset.verb === verb).map(box => box.dataset.name);
  const show = () => {
    const parts = ["approve", "reject"].map(verb => [foot.dataset[verb], told(verb)])
      .filter(([, names]) => names.length).map(([word, names]) => `${word} ${names.join(" ")}`);
    line.textContent = parts.length ? `alice-exp reply ${parts.join(foot.dataset.comma)}` : foot.dataset.nothing;
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
