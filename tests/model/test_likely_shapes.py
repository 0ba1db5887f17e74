"""Whatever a shape of a secret or private fact matches has its signs, so that no text is passed over."""

import re

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from alice_exp.model.rules import private_facts
from alice_exp.model.rules.secrets import SHAPES, Shape, findings, likely
from tests.case_tables import table

EVERY = (*SHAPES, *private_facts.SHAPES)


def holds(shape: Shape, text: str) -> bool:
    return any(map(shape.fits, shape.pattern.finditer(text)))


@pytest.mark.slow
@pytest.mark.parametrize("shape", EVERY, ids=[f"{at}-{shape.what}" for at, shape in enumerate(EVERY)])
def test_texts_made_from_a_pattern_have_its_signs(shape: Shape) -> None:
    @settings(
        max_examples=50,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(
        st.from_regex(re.compile(shape.pattern.pattern, shape.pattern.flags)),
        st.sampled_from([str, str.upper, str.lower, str.title]),
    )
    def made(text: str, cased: object) -> None:
        for one in (text, cased(text)):  # type: ignore[operator]
            assert not holds(shape, one) or shape in likely([shape], one)

    made()


@table("text")
def test_odd_letters_hide_nothing(text: str) -> None:
    assert (
        {one.what for one in findings(text)}
        == {shape.what for shape in SHAPES if holds(shape, text)}
        != set()
    )


def test_signs_are_in_lower_case() -> None:
    assert [sign for shape in EVERY for sign in shape.signs if sign != sign.lower()] == []


def test_a_plain_text_is_searched_for_few_shapes() -> None:
    assert [shape.what for shape in likely(EVERY, "deploy with make release, 3 times")] == [
        "what looks like a key"
    ]
