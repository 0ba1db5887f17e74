"""Words joined and apart, and how much of a question an answer must say (DESIGN 10)."""

from collections.abc import Sequence

import pytest

from alice_exp.finding.rules.parsed_query import LIGHT, word_weight
from alice_exp.finding.rules.ranking import GATE, rank
from alice_exp.finding.rules.scorer import Corpus, Texts
from alice_exp.model.values.block import Block, Payload, Placed
from tests.case_tables import cases, table

FACTS = cases(__file__, "FACTS")


def asked(query: str, facts: list[str] | None = None, gate: float = GATE) -> list[str]:
    """What is found, best first."""
    blocks = [
        Block(id=f"exp-{at:08d}", payload=Payload(content=text)) for at, text in enumerate(facts or FACTS)
    ]
    corpus = Corpus.of([Placed(block, "universal/facts.jsonc") for block in blocks])
    found = rank(corpus, query, {}, "2026-02-20T09:00:00Z", gate=gate)
    return [match.placed.block.payload.content for match in found]


@table("query", "at")
def test_a_joined_word_is_found_by_its_parts_and_they_by_it(query: str, at: int) -> None:
    assert asked(query)[:1] == [FACTS[at]]


@table("query")
def test_one_word_of_several_is_doubtful(query: str) -> None:
    assert max(probabilities(query)) < 0.9


@table("query", "stranger")
def test_a_name_that_no_text_has_is_a_strangers(query: str, stranger: bool) -> None:
    assert Texts.of(FACTS).find(query).stranger is stranger


def test_what_is_asked_of_a_stranger_is_hardly_answered_with_another() -> None:
    assert asked("what is the salary budget?") == [FACTS[7]]
    assert asked("what is Melanie's salary budget?") == []
    assert (
        max(probabilities("when is Melanie's birthday?"))
        < 0.6
        < max(probabilities("when is Ruth's birthday?"))
    )
    whole = "nightly backups start at two"
    assert asked(f"the {whole} for Melanie")[:1] == [whole], (
        "a match that leaves little doubt is told all the same"
    )


def test_the_words_of_a_past_day_say_nothing_of_what_is_known_and_those_of_a_coming_one_do() -> None:
    """A conversation's turns do not say their day: half of the questions wrongly met with silence named one."""
    plain, now = "who paid for the dentist?", "2026-02-20"
    past, coming = f"{plain[:-1]} on 23 May, 2023?", f"{plain[:-1]} in June 2027?"
    assert probabilities(past, now) == probabilities(plain, now)
    assert max(probabilities(coming, now)) < max(probabilities(plain, now))
    named = [max(probabilities(f"whose birthday is on {day}?", now)) for day in ("14 March", "15 June")]
    assert named[0] > named[1], "a day that a text names counts"


def probabilities(query: str, now: str = "") -> list[float]:
    found = Texts.of(FACTS).find(query, now=now)
    return [found.probability(index) for index in found.matches]


def test_the_same_questions_with_an_answer_are_answered() -> None:
    assert max(probabilities("when is Ruth's birthday?")) > 0.9
    assert asked("when is Ruth's birthday?")[:1] == [FACTS[3]]
    assert asked("what is the budget for the cloud?")[:1] == [FACTS[7]]
    assert asked("on which port does the production database listen?")[:1] == [FACTS[5]]


def certainty(query: str, texts: Sequence[str]) -> float:
    found = Texts.of(texts).find(query)
    return max((found.certainty(index) for index in found.matches), default=0.0)


@table("query", "answer")
def test_an_answer_is_surer_than_its_neighbours_are_where_it_was_taken_out(query: str, answer: int) -> None:
    left = [fact for fact in FACTS if fact != FACTS[answer]]
    assert certainty(query, FACTS) == 1.0 and certainty(query, left) < 0.5


def test_a_topic_that_a_text_names_whole_is_known_however_long_the_text_is() -> None:
    long = [*FACTS, "The parrot eats seeds. " + " ".join(FACTS[:6])]
    assert certainty("parrot", long) == certainty("parrot seeds", long) == 1.0
    assert certainty("parrot cage", long) < 1.0, "a word that no text has"
    assert certainty("where did the parrot learn to whistle so loud", long) < 0.5, "a question, not a topic"


def test_a_home_of_three_blocks_answers_and_is_silent() -> None:
    few = [FACTS[0], FACTS[6], FACTS[17]]
    assert asked("how should I search code?", few)[:1] == [few[0]]
    assert asked("what is Lena allergic to?", few)[:1] == [few[1]]
    assert asked("外婆的生日是哪天？", few)[:1] == [few[2]]
    for query in (
        "which hotel did we book in Lisbon?",
        "what is the wifi password?",
        "无线网的密码是什么？",
        "打印机怎么连接？",
    ):
        assert asked(query, few) == []


def test_what_another_language_says_must_say_half_of_what_is_asked() -> None:
    assert asked("grandmother birthday", FACTS[16:] * 4)[:1] == [FACTS[17]]
    assert asked("how many users like running?", FACTS[16:] * 4) == []


def test_whole_words_weigh_as_their_class() -> None:
    assert word_weight("user") == word_weight("用户") == word_weight("什么") == LIGHT
    assert word_weight("cello") == word_weight("大提琴") == 1.0


@table("text", "query")
@pytest.mark.parametrize(
    "others", [[], ["喜欢吃辣", "住在北京", "deploy on Fridays", "use rg to search code"]]
)
def test_a_class_finds_its_members_in_both_languages(text: str, query: str, others: list[str]) -> None:
    assert asked(query, [text, *others], gate=0.0)[:1] == [text]


@table("query", "text")
def test_a_question_of_daily_life_finds_what_it_is_about_or_nothing(query: str, text: str) -> None:
    home = [
        "我住在成都",
        "我对虾过敏",
        "我有高血压",
        "用户养了一只橘猫叫团子",
        "我习惯早上跑步",
        "用户的女儿六岁",
    ]
    work = ["部署之前先备份数据库", "接口超时设置为 30 秒", "代码提交前要跑格式检查", "周报每周四下午发"]
    assert "".join(asked(query, [*home, *work])[:1]) == text


def test_a_member_counts_less_than_the_class_itself_and_never_finds_it() -> None:
    found = Texts.of(["the job is done", "a programmer", "blue sky"]).find("job").matches
    assert found[0] > found[1] > 0 and 2 not in found
    assert list(Texts.of(["the job is done", "a programmer"]).find("programmer").matches) == [1]
