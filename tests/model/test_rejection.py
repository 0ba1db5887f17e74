"""A rejected inference is known again when reworded, a near miss is not (DESIGN 6, B2.10)."""

import pytest

from alice_exp.kernel.text.tokens import bag, fingerprint_text
from alice_exp.model.rules.similarity import same_inference

REWORDED = [
    # case, punctuation, spaces, width
    ("User likes spicy food", "user likes spicy food."),
    ("User likes spicy food", "USER LIKES SPICY FOOD!"),
    ("User likes spicy food", "  user   likes\tspicy\nfood  "),
    ("User likes spicy food", "Ｕｓｅｒ　ｌｉｋｅｓ　ｓｐｉｃｙ　ｆｏｏｄ"),
    ("User likes spicy food", "user likes \u200bspicy\u00ad food"),
    ("prefers TypeScript", "prefers Type-Script"),
    ("use `rg` for search", "use rg, for search"),
    ("The user's editor is Vim", "the user’s editor is vim"),
    ("don't deploy on Fridays", "Don’t deploy on Fridays!"),
    ("Use Python 3.11 for the build", "use python 3.11 for the build"),
    ("Straße und Café", "STRASSE und Cafe\u0301"),
    ("keep 50% free", "Keep 50 % free."),
    ("writes C++ at work", "Writes C++, at work"),
    # word order
    ("use ripgrep for code search", "for code search use ripgrep"),
    ("user likes spicy food", "spicy food, user likes"),
    ("always run the linter", "run the linter always"),
    ("when searching code use rg", "use rg when searching code"),
    ("in the morning the user reviews pull requests", "the user reviews pull requests in the morning"),
    ("likes tea and coffee", "likes coffee and tea"),
    ("hates long meetings, likes short notes", "likes short notes, hates long meetings"),
    ("writes C++ and Python", "writes Python and C++"),
    # Chinese
    ("用户喜欢吃辣", "用户喜欢吃辣。"),
    ("用户喜欢吃辣", "用户 喜欢 吃辣"),
    ("用户喜欢吃辣", "「用户」喜欢吃辣！"),
    ("用户喜欢吃辣～", "用户喜欢吃辣"),
    ("用户使用ＶＩＭ编辑器", "用户使用 vim 编辑器"),
    ("用户喜欢吃辣", "吃辣，用户喜欢～"),
    ("用户喜欢深色主题", "深色主题用户喜欢"),
    ("搜索代码用ripgrep", "用ripgrep搜索代码"),
    ("用户每天早上跑步", "每天早上用户跑步"),
    ("用户非常喜欢喝茶", "喝茶用户非常喜欢"),
    ("周五晚上用户写周报", "用户周五晚上写周报"),
    ("喜欢茶和咖啡", "喜欢咖啡和茶"),
    ("用户用吉他作曲", "用吉他作曲，用户"),
    ("先不要部署", "先，不要部署！"),
    ("ユーザーはコーヒーが好き", "コーヒーが好き、ユーザーは"),
    ("사용자는 커피를 좋아한다", "커피를 좋아한다 사용자는"),
]

NEAR_MISSES = [
    # negation and relation: the same words, another meaning
    ("not lazy, just tired", "not tired, just lazy"),
    ("tests pass, not builds", "builds pass, not tests"),
    ("prefers tea over coffee", "prefers coffee over tea"),
    ("use rg instead of grep", "use grep instead of rg"),
    ("tabs are better than spaces", "spaces are better than tabs"),
    ("lint before commit", "commit before lint"),
    ("never push, always review", "never review, always push"),
    ("deploy without tests", "tests without deploy"),
    ("migrate from mysql to postgres", "migrate from postgres to mysql"),
    ("prefers tea to coffee", "prefers coffee to tea"),
    ("doesn't like tea but coffee", "doesn't like coffee but tea"),
    ("user likes spicy food", "user dislikes spicy food"),
    ("user likes spicy food", "user likes no spicy food"),
    # numbers and signs
    ("wait 15 seconds", "wait 1.5 seconds"),
    ("timeout 10 retries 3", "timeout 3 retries 10"),
    ("use port 8080", "use port 8081"),
    ("threshold is -1", "threshold is 1"),
    ("keep 50% free", "keep 50 free"),
    ("a < b", "b < a"),
    ("costs $5", "costs €5"),
    ("writes C++", "writes C"),
    ("writes C#", "writes C"),
    ("range 1-5", "range 15"),
    ("x != y", "x = y"),
    # who does what
    ("dogs chase cats", "cats chase dogs"),
    ("staging uses mysql and production uses postgres", "staging uses postgres and production uses mysql"),
    ("likes tea, hates coffee", "likes coffee, hates tea"),
    ("I trust you", "you trust I"),
    ("two apples and five pears", "five apples and two pears"),
    # Chinese
    ("用户不喜欢吃辣", "用户喜欢吃辣"),
    ("不是懒，是累", "不是累，是懒"),
    ("用户喜欢茶而不是咖啡", "用户喜欢咖啡而不是茶"),
    ("茶比咖啡好", "咖啡比茶好"),
    ("提交前运行测试", "测试前运行提交"),
    ("别用空格用制表符", "别用制表符用空格"),
    ("没有测试就部署", "没有部署就测试"),
    ("从上海搬到北京", "从北京搬到上海"),
    ("我喜欢你", "你喜欢我"),
    ("猫喜欢狗", "狗喜欢猫"),
    ("客户信任公司", "公司信任客户"),
    ("用户喜欢蜂蜜", "用户喜欢蜜蜂"),
    ("用户喜欢喝茶，讨厌咖啡", "用户喜欢咖啡，讨厌喝茶"),
    ("超时3秒重试10次", "超时10秒重试3次"),
    ("买三个苹果五个梨", "买五个苹果三个梨"),
    ("测试优先于文档", "文档优先于测试"),
    ("回复👍", "回复👎"),
    ("紅茶よりコーヒーが好き", "コーヒーより紅茶が好き"),
    ("!!!", "???"),
    ("", "..."),
]


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
