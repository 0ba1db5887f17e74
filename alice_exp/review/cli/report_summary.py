"""The report's summary in sentences: a short paragraph to read each morning (R2.44)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from alice_exp.model.values.block import Placed
from alice_exp.review.cli.candidate_card import kinds_held
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.review.rules.report_order import page_of
from alice_exp.terminal.language import language, listed, say


def summary(report: Agenda) -> str:
    """The summary: waiting candidates, conflicts, changes, failing blocks, broken files, and how to answer."""
    said = (*_waiting(report), *_marked(report), *_changed(report), *_elsewhere(report), *_trusted(report))
    # Chinese sentences follow one another without a space.
    return ("" if language() == "zh" else " ").join(filter(None, (*said, how(report))))


def line(report: Agenda) -> str:
    """The report in one line, for scripts and agents: how many candidates wait, and the command that shows them."""
    count = len(report.items)
    gone = sum(movement.kind == "expired" for movement in report.changed)
    if count:
        one = say("one thing waits for your decision: alice-exp heartbeat")
        return _counted(count, one, "{count} things wait for your decision: alice-exp heartbeat")
    if gone:
        one = say("one candidate expired unanswered: alice-exp heartbeat")
        return _counted(gone, one, "{count} candidates expired unanswered: alice-exp heartbeat")
    if report.team:
        brought = sum(len(came.blocks) for came in report.team)
        return say("{count} things wait to be trusted: alice-exp review", count=brought)
    return say("nothing waits for your decision today")


def _waiting(report: Agenda) -> Iterator[str]:
    count, new = len(report.items), report.new
    if not count:
        yield say("Nothing waits for your decision.")
        return
    if count == 1:
        fresh = say("One thing waits for your decision, a new one.")
        yield fresh if new else say("One thing waits for your decision.")
    elif new == count:
        yield say("{count} things wait for your decision, all of them new.", count=count)
    elif new:
        yield say("{count} things wait for your decision, {new} of them new.", count=count, new=new)
    else:
        yield say("{count} things still wait for your decision, nothing new among them.", count=count)
    personal = sum(item.destination.startswith("personal/") for item in report.items)
    one = say("One is about you (it stays private).")
    yield _counted(personal * (personal < count), one, "{count} are about you (they stay private).")


def _marked(report: Agenda) -> Iterator[str]:
    """What has to be looked at of the candidates, each kind with its numbers."""
    items = report.items
    yield _named(
        "Changed since they were shown: {numbers}.", _numbers([one for one in items if one.is_changed])
    )
    yield _named("Last day for {numbers}.", _numbers([one for one in items if 0 <= one.days_left <= 1]))
    if items and report.paused_until:
        yield say("Paused until {day}: nothing expires.", day=report.paused_until)
    if secret := [item for item in items if item.delicate]:
        kinds, numbers = kinds_held([one for item in secret for one in item.delicate]), _numbers(secret)
        if not all(item.number for item in secret):
            yield say("Check what holds {kinds}.", kinds=kinds)
        elif len(secret) == 1:
            yield say("Check number {number}: it holds {kinds}.", number=numbers, kinds=kinds)
        else:
            yield say("Check numbers {numbers}: they hold {kinds}.", numbers=numbers, kinds=kinds)
    against = {
        kind: [one for one in items if one.conflict and one.conflict.kind == kind]
        for kind in ("opposes", "replaces")
    }
    yield _named("Opposite of what you trust: {numbers}.", _numbers(against["opposes"]))
    yield _named("A different value from what you trust: {numbers}.", _numbers(against["replaces"]))
    known = [one for one in items if one.repeated and not one.conflict]
    yield _named("Probably known already: {numbers}.", _numbers(known))
    yield _named("Like what you rejected: {numbers}.", _numbers([one for one in items if one.mark]))


def _changed(report: Agenda) -> Iterator[str]:
    kinds = Counter(movement.kind for movement in report.changed)
    yield _counted(
        kinds["verified"],
        say("One block proved itself again."),
        "{count} blocks proved themselves again.",
    )
    yield _counted(kinds["promoted"], say("One block was promoted."), "{count} blocks were promoted.")
    yield _counted(kinds["demoted"], say("One block was demoted."), "{count} blocks were demoted.")
    yield _counted(kinds["retired"], say("You retired one block."), "You retired {count} blocks.")
    yield _counted(kinds["revived"], say("You revived one block."), "You revived {count} blocks.")
    gone, back = say("One candidate expired unanswered."), say("A peer took back one trusted block.")
    yield _counted(kinds["expired"], gone, "{count} candidates expired unanswered.")
    yield _counted(kinds["revoked"], back, "Peers took back {count} trusted blocks.")


def _elsewhere(report: Agenda) -> Iterator[str]:
    """What came otherwise than by an act here: typed, edited, committed by others, brought by a sync."""
    there = report.elsewhere
    yield _named(
        "Typed by hand but rejected before, so it does not stay: {ids}.",
        _few([one.block_id for one in report.returned]),
    )
    if report.by_hand:
        yield say("Changed by hand: {names}.", names=listed(report.by_hand[:3]))
    yield _named(
        "A secret or a private fact was taken out, but history keeps it until 'alice-exp purge ID': {ids}.",
        _few(report.withdrawn),
    )
    if report.authors:
        yield say("Committed by others than alice-exp: {names}.", names=listed(report.authors[:3]))
    if there.approved:
        yield say("{count} approved on another machine.", count=there.approved)
    if there.raised:
        yield say("{count} raised by hand on another machine.", count=there.raised)
    yield _named(
        "Decided otherwise on two machines; until you decide again the lower standing holds: {ids}.",
        _few(there.asked),
    )
    if there.configured:
        yield say("Another machine changed the shared configuration.")
    if report.proposed:
        yield say("Another machine's settings wait for your word: {names}.", names=listed(report.proposed))


def _trusted(report: Agenda) -> Iterator[str]:
    """What is wrong with what is trusted, and with its files."""
    yield _counted(
        len(report.lost),
        say("The files lack one decision of yours: 'alice-exp restore --lost' puts it back."),
        "The files lack {count} decisions of yours: 'alice-exp restore --lost' puts them back.",
    )
    settle, doubts = [one for one, _ in report.settle], [one.placed for one in report.review]
    yield _named("Trusted, but opposed by another: {ids}.", _ids(settle))
    yield _named("In doubt, which no longer holds: {ids}.", _ids(doubts))
    yield _named("Waiting in personal or universal for your approval: {ids}.", _ids(report.unapproved))
    yield _counted(
        len(report.fading),
        say("One well-used block has not been used lately."),
        "{count} well-used blocks have not been used lately.",
    )
    yield _counted(
        len({problem.path for problem in report.problems if problem.severity == "error"}),
        say("One file has a problem: see 'alice-exp check'."),
        "{count} files have a problem: see 'alice-exp check'.",
    )


def how(report: Agenda) -> str:
    """How to answer; alone it stands below a further screen of a report whose summary the first one had."""
    # What is decided by itself is no example of what a sentence decides along with others, nor what is on no screen.
    first = {item.number for item in page_of(report.items)}
    kinds = sorted(
        (item.number not in first, item.stands_apart, item.number) for item in report.items if item.number
    )
    numbers = [number for *_, number in kinds[:2]]
    if report.items and not numbers:
        return say("'alice-exp heartbeat' numbers them, and 'alice-exp review' goes through them one by one.")
    if len(numbers) == 1:
        return say(
            "Answer with 'alice-exp reply approve' or 'alice-exp reply reject', or see 'alice-exp review'."
        )
    if not numbers:
        return ""
    if kinds[0][1]:
        return say("Answer each as it says beside it, or go through them with 'alice-exp review'.")
    return say(
        "Answer with 'alice-exp reply approve {one}, reject {two}', or go through them with 'alice-exp review'.",
        one=numbers[0],
        two=numbers[1],
    )


def _counted(count: int, one: str, many: str) -> str:
    return "" if not count else one if count == 1 else say(many, count=count)


def _named(template: str, named: str) -> str:
    return say(template, ids=named, numbers=named) if named else ""


def _numbers(items: Sequence[Item]) -> str:
    """The numbers of candidates; how many they are where some have none, because an id says nothing to a reader."""
    if len(items) > 1 and not all(item.number for item in items):
        return say("{count} of them", count=len(items))
    return _few([str(item.number or item.placed.block.id) for item in items])


def _ids(placed: Sequence[Placed]) -> str:
    return _few([one.block.id for one in placed])


def _few(ids: Sequence[str]) -> str:
    few, more = listed(ids[:_NAMED]), len(ids) - _NAMED
    return say("{few} and {count} more", few=few, count=more) if more > 0 else few


_NAMED = 5
"""How many numbers or ids a sentence names; the rest is counted."""
