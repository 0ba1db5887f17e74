"""The report's page: one file without network, whose boxes name what a reply needs; no text in it becomes a program."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from tests.conftest import Call

HOSTILE = '</li><script>alert(1)</script><img src=x onerror=alert(1)> "quoted" &amp;'


def test_its_one_script_is_the_one_that_its_policy_names(home: Path, cli: Call) -> None:
    cli("memorize", HOSTILE, "--when", HOSTILE, "--evidence", HOSTILE)
    page = cli("heartbeat", "--format", "html").stdout
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    proof = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{proof}'" in page and "default-src 'none'" in page
    assert "1 3" not in page.partition("<footer>")[2].partition("</footer>")[0], (
        "no number that the report has not"
    )
    assert "evidence · " in page and "blockquote>" not in page, "what nobody said is no quotation"
    assert "<img" not in page and "http" not in page.replace("http-equiv", "")
    for banned in ("fetch", "XMLHttpRequest", "innerHTML", "eval", "import("):
        assert banned not in script


@pytest.mark.parametrize(("lang", "word", "comma"), [("en", "approve", ", "), ("zh", "同意", "，")])
def test_the_boxes_name_ids_that_hold_whatever_a_later_report_numbers(
    home: Path, cli: Call, lang: str, word: str, comma: str
) -> None:
    cli("memorize", "one")
    cli("memorize", "two")
    page = cli("heartbeat", "--format", "html", "--lang", lang).stdout
    first, second = re.findall(r'<li id="([\w-]+)"', page)
    boxes = [("approve", first), ("reject", first), ("approve", second), ("reject", second)]
    assert re.findall(r'data-verb="(\w+)" data-name="([\w-]+)"', page) == boxes
    assert f'data-approve="{word}"' in page and f'data-comma="{comma}"' in page
    reject = re.findall(r'data-reject="(\w+)"', page)[0]
    composed = f"{word} {first}{comma}{reject} {second}"
    cli("reply", *composed.split(), "--yes")
    assert cli("heartbeat", "--peek", "--json").json["items"] == []


def test_a_candidate_of_a_project_has_a_box_more_and_every_format_names_the_project(
    home: Path, cli: Call
) -> None:
    cli("memorize", "one", "--project", "a.org/x")
    cli("memorize", "two")
    page = cli("heartbeat", "--format", "html").stdout
    names = re.findall(r'<li id="([\w-]+)"', page)
    boxes = [re.findall(rf'data-verb="(\w+)" data-name="{name}"', page) for name in names]
    assert sorted(boxes) == [["approve", "everywhere", "reject"], ["approve", "reject"]]
    for format in ("html", "markdown", "table"):
        assert "project a.org/x" in cli("heartbeat", "--format", format).stdout.replace("\\", "")
    assert "everywhere" in page and "--everywhere" in page
    last = cli("memorize", "three", "--project", "a.org/x", "--json").json["id"]
    shown = cli("approve", last, "--yes").stderr
    assert "three · project a.org/x" in shown, "what no report has shown is shown with its project"


def test_of_two_opposites_one_card_asks(home: Path, cli: Call) -> None:
    cli("memorize", "run the tests before a push", "--when", "pushing")
    cli("memorize", "never run the tests before a push", "--when", "pushing")
    page = cli("heartbeat", "--format", "html").stdout
    cards = dict(re.findall(r'<li id="([\w-]+)">(.*?)</li>', page, re.DOTALL))
    assert [card.count("checkbox") for card in cards.values()] == [0, 4]


def test_a_page_without_candidates_has_no_script(home: Path, cli: Call) -> None:
    page = cli("heartbeat", "--format", "html").stdout
    assert "<script" not in page and "script-src" not in page


def test_open_shows_the_page_in_the_browser(home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: bool(shown.append(address)) or True)
    cli("memorize", "use rg")
    path = Path(cli("heartbeat", "--open").stdout.strip())
    assert shown == [path.as_uri()] and "use rg" in path.read_text("utf-8")
    assert cli("approve", "1", "--yes").code == 0, "it was shown, so its report is open"
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    assert "open the file yourself" in cli("heartbeat", "--open").stderr
