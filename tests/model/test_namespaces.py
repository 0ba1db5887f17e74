"""The table of namespaces: whole, and the one that a new home and every approval follow."""

from collections import Counter

import pytest

from alice_exp.maintenance.usecases.settings import default_files
from alice_exp.model.rules.private_facts import destination
from alice_exp.model.values.block import BLOCK_TYPES, Block, BlockType, Payload, Place
from alice_exp.model.values.config import NAMESPACES, namespace_for
from tests.case_tables import table


@pytest.mark.parametrize("place", ["personal", "universal"])
def test_every_type_belongs_to_one_namespace_of_a_set(place: Place) -> None:
    counted = Counter(one for namespace in NAMESPACES if namespace.place == place for one in namespace.types)
    assert counted == dict.fromkeys(BLOCK_TYPES, 1)


def test_a_new_home_has_them_all_and_each_says_what_it_is_for() -> None:
    files = default_files()
    assert {path for path in files if path.startswith(("personal/", "universal/"))} == {
        one.path for one in NAMESPACES
    }
    assert all(files[one.path].startswith(f"// {one.comment}\n") for one in NAMESPACES)


@table("type_", "personal", "universal")
@pytest.mark.covers("B2.18")
def test_an_approval_goes_where_the_type_belongs(type_: BlockType, personal: str, universal: str) -> None:
    assert (namespace_for("personal", type_), namespace_for("universal", type_)) == (personal, universal)
    block = Block("exp-aaaa2222", Payload("x"), type=type_)
    assert destination(block) == f"universal/{universal}.jsonc"
