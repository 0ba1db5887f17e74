"""A rejected inference is known again when reworded, a near miss is not (DESIGN 6, B2.10)."""

import pytest

from alice_exp.kernel.text.tokens import bag, fingerprint_text, same_inference
from tests.case_tables import cases

REWORDED = cases(__file__, "REWORDED")

NEAR_MISSES = cases(__file__, "NEAR_MISSES")


@pytest.mark.parametrize(("known", "again"), REWORDED)
def test_a_reworded_inference_is_known_again(known: str, again: str) -> None:
    assert same_inference(known, again)
    assert same_inference(again, known)


@pytest.mark.parametrize(("known", "other"), NEAR_MISSES)
def test_a_near_miss_is_another_inference(known: str, other: str) -> None:
    assert not same_inference(known, other)
    assert not same_inference(other, known)


@pytest.mark.parametrize(("known", "again"), REWORDED)
def test_the_index_finds_every_reworded_inference(known: str, again: str) -> None:
    assert fingerprint_text(known) == fingerprint_text(again) or bag(known) == bag(again) is not None


def test_a_very_long_text_is_known_by_its_fingerprint_alone() -> None:
    words = [chr(97 + i % 26) + chr(97 + i // 26 % 26) + "x" for i in range(500)]
    text, turned = " ".join(words), " ".join(words[250:] + words[:250])
    assert bag(text) == bag(turned) is not None
    assert not same_inference(text, turned)
    assert same_inference(text, text.upper() + "!")
