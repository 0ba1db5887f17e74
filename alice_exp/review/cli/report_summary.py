"""The report's summary in sentences: a short paragraph to read each morning (R2.44)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from alice_exp.model.values.block import Placed
from alice_exp.review.rules.arrangement import page_of
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.terminal.language import language, listed, say


def summary(report: Agenda) -> str:
    """The summary: waiting candidates, conflicts, changes, failing blocks, broken files, and how to answer."""
    parts = (_waiting, _together, _changed, _trusted, _files, _how)
    # Chinese sentences follow one another without a space.
    return ("" if language() == "zh" else " ").join(
        filter(None, (said for part in parts for said in part(report)))
    )


def how(report: Agenda) -> str:
    """How to answer, alone: below a further screen of a report whose summary the first one had."""
    return "".join(_how(report))


def line(report: Agenda) -> str:
    """The report in one line, for scripts and agents: how many candidates wait, and the command that shows them."""
    count = len(report.items)
    gone = sum(movement.kind == "expired" for movement in report.changed)
    if not count and gone:
        return _counted(
            gone,
            say("one candidate expired unanswered: alice-exp heartbeat"),
            "{count} candidates expired unanswered: alice-exp heartbeat",
        )
    if not count and report.team:
        brought = sum(len(came.blocks) for came in report.team)
        return say("{count} things wait to be trusted: alice-exp review", count=brought)
    if not count:
        return say("nothing waits for your decision today")
    if count == 1:
        return say("one thing waits for your decision: alice-exp heartbeat")
    return say("{count} things wait for your decision: alice-exp heartbeat", count=count)


def _waiting(report: Agenda) -> Iterator[str]:
    count = len(report.items)
    if not count:
        yield say("Nothing waits for your decision.")
        return
    if count == 1:
        new = say("One thing waits for your decision, a new one.")
        yield new if report.new else say("One thing waits for your decision.")
    elif report.new == count:
        yield say("{count} things wait for your decision, all of them new.", count=count)
    elif report.new:
        yield say("{count} things wait for your decision, {new} of them new.", count=count, new=report.new)
    else:
        yield say("{count} things still wait for your decision, nothing new among them.", count=count)
    personal = sum(item.destination.startswith("personal/") for item in report.items)
    yield _counted(
        personal * (personal < count),
        say("One is about you (it stays private)."),
        "{count} are about you (they stay private).",
    )
    changed = [item for item in report.items if item.is_changed]
    if changed:
        yield say("Changed since they were shown: {numbers}.", numbers=_numbers(changed))
    soon = [item for item in report.items if 0 <= item.days_left <= 1]
    if soon:
        yield say("Last day for {numbers}.", numbers=_numbers(soon))
    if report.paused_until:
        yield say("Paused until {day}: nothing expires.", day=report.paused_until)


def _together(report: Agenda) -> Iterator[str]:
    conflicts = [item for item in report.items if item.conflict and item.conflict.kind == "opposes"]
    replacing = [item for item in report.items if item.conflict and item.conflict.kind == "replaces"]
    repeated = [item for item in report.items if item.repeated and not item.conflict]
    marked = [item for item in report.items if item.mark]
    secret = [item for item in report.items if item.delicate]
    if secret:
        kinds = listed(dict.fromkeys(say(one.kind) for item in secret for one in item.delicate))
        numbers = _numbers(secret)
        if not all(item.number for item in secret):
            yield say("Check what holds {kinds}.", kinds=kinds)
        elif len(secret) == 1:
            yield say("Check number {number}: it holds {kinds}.", number=numbers, kinds=kinds)
        else:
            yield say("Check numbers {numbers}: they hold {kinds}.", numbers=numbers, kinds=kinds)
    if conflicts:
        yield say("Opposite of what you trust: {numbers}.", numbers=_numbers(conflicts))
    if replacing:
        yield say("A different value from what you trust: {numbers}.", numbers=_numbers(replacing))
    if repeated:
        yield say("Probably known already: {numbers}.", numbers=_numbers(repeated))
    if marked:
        yield say("Like what you rejected: {numbers}.", numbers=_numbers(marked))


def _moved(kinds: Counter[str]) -> Iterator[str]:
    yield from (
        _counted(
            kinds["verified"],
            say("One block proved itself again."),
            "{count} blocks proved themselves again.",
        ),
        _counted(kinds["promoted"], say("One block was promoted."), "{count} blocks were promoted."),
        _counted(kinds["demoted"], say("One block was demoted."), "{count} blocks were demoted."),
        _counted(
            kinds["obsolete"],
            say("One block was disproved and archived."),
            "{count} blocks were disproved and archived.",
        ),
        _counted(kinds["retired"], say("You retired one block."), "You retired {count} blocks."),
        _counted(kinds["revived"], say("You revived one block."), "You revived {count} blocks."),
        _counted(
            kinds["expired"],
            say("One candidate expired unanswered."),
            "{count} candidates expired unanswered.",
        ),
        _counted(
            kinds["revoked"],
            say("A peer took back one trusted block."),
            "Peers took back {count} trusted blocks.",
        ),
    )


def _changed(report: Agenda) -> Iterator[str]:
    yield from _moved(Counter(movement.kind for movement in report.changed))
    if report.returned:
        ids = _few([one.block_id for one in report.returned])
        yield say("Typed by hand but rejected before, so it does not stay: {ids}.", ids=ids)
    if report.by_hand:
        yield say("Changed by hand: {names}.", names=listed(report.by_hand[:3]))
    if report.withdrawn:
        yield say(
            "A secret or a private fact was taken out, but history keeps it until 'alice-exp purge ID': {ids}.",
            ids=_few(report.withdrawn),
        )
    if report.authors:
        yield say("Committed by others than alice-exp: {names}.", names=listed(report.authors[:3]))
    if report.elsewhere.approved:
        yield say("{count} approved on another machine.", count=report.elsewhere.approved)
    if report.elsewhere.raised:
        yield say("{count} raised by hand on another machine.", count=report.elsewhere.raised)
    if report.elsewhere.asked:
        ids = _few(report.elsewhere.asked)
        yield say(
            "Decided otherwise on two machines; until you decide again the lower standing holds: {ids}.",
            ids=ids,
        )
    if report.elsewhere.configured:
        yield say("Another machine changed the shared configuration.")
    if report.proposed:
        yield say("Another machine's settings wait for your word: {names}.", names=listed(report.proposed))


def _trusted(report: Agenda) -> Iterator[str]:
    yield _counted(
        len(report.lost),
        say("The files lack one decision of yours: 'alice-exp restore --lost' puts it back."),
        "The files lack {count} decisions of yours: 'alice-exp restore --lost' puts them back.",
    )
    if report.settle:
        yield say(
            "Trusted, but opposed by another: {ids}.", ids=_ids([placed for placed, _ in report.settle])
        )
    if report.review:
        yield say("In doubt, which no longer holds: {ids}.", ids=_ids([one.placed for one in report.review]))
    if report.unapproved:
        yield say("Waiting in personal or universal for your approval: {ids}.", ids=_ids(report.unapproved))
    yield _counted(
        len(report.fading),
        say("One well-used block has not been used lately."),
        "{count} well-used blocks have not been used lately.",
    )


def _files(report: Agenda) -> Iterator[str]:
    broken = {problem.path for problem in report.problems if problem.severity == "error"}
    yield _counted(
        len(broken),
        say("One file has a problem: see 'alice-exp check'."),
        "{count} files have a problem: see 'alice-exp check'.",
    )


def _how(report: Agenda) -> Iterator[str]:
    # What is decided by itself is no example of what a sentence decides along with others, nor what is on no screen.
    first = {item.number for item in page_of(report.items)}
    kinds = (
        (item.number not in first, item.stands_apart, item.number) for item in report.items if item.number
    )
    numbers = sorted(number for *_, number in sorted(kinds)[:2])
    if report.items and not numbers:
        yield say("'alice-exp heartbeat' numbers them, and 'alice-exp review' goes through them one by one.")
    elif len(numbers) == 1:
        yield say(
            "Answer with 'alice-exp reply approve' or 'alice-exp reply reject', or see 'alice-exp review'."
        )
    elif numbers:
        yield say(
            "Answer with 'alice-exp reply approve {one}, reject {two}', or go through them with 'alice-exp review'.",
            one=numbers[0],
            two=numbers[1],
        )


def _counted(count: int, one: str, many: str) -> str:
    return "" if not count else one if count == 1 else say(many, count=count)


def _numbers(items: Sequence[Item]) -> str:
    """The numbers of candidates; how many they are where some have none, because an id says nothing to a reader."""
    if len(items) > 1 and not all(item.number for item in items):
        return say("{count} of them", count=len(items))
    return _few([str(item.number or item.placed.block.id) for item in items])


def _ids(placed: Sequence[Placed]) -> str:
    return _few([one.block.id for one in placed])


def _few(ids: Sequence[str]) -> str:
    few = listed(ids[:_NAMED])
    more = len(ids) - _NAMED
    return say("{few} and {count} more", few=few, count=more) if more > 0 else few


_NAMED = 5
"""How many numbers or ids a sentence names; the rest is counted."""
