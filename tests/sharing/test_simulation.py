"""The simulation says the same each time, and what its rules are there for."""

from xml.etree import ElementTree

from docs.bench.simulation import run, svg, table


def test_blind_trust_spreads_a_lie_and_these_rules_do_not() -> None:
    blind, ours = (run(way, 0.1, 60, 40, 3) for way in ("blind", "ours"))
    assert blind.false[-1] > 0.9
    assert max(ours.false) < 0.05
    assert blind.true[-1] > 0.9
    assert ours.true[0] < ours.true[-1]
    assert run("ours", 0.1, 60, 40, 3) == ours
    assert run("ours", 0.1, 60, 40, 4) != ours
    ElementTree.fromstring(svg([blind, ours], "a picture"))
    assert table([blind, ours]).count("\n") == 3
