"""A table of words is believed only where it is of these words, these modules and this stemmer."""

import inspect
import os
from pathlib import Path

import pytest

from alice_exp.finding.rules import statement
from alice_exp.kernel.text import bilingual_lexicon, data_files
from alice_exp.kernel.text.data_files import stored

TABLES = (bilingual_lexicon._concepts, bilingual_lexicon._members, statement._tables)


class Words:
    """A file of the package that a test writes, and how often it was read."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file, self.reads = place / "words.txt", 0
        self.file.write_text("one two")
        loader = data_files._package()[0]
        monkeypatch.setattr(data_files, "_package", lambda: (loader, str(place)))

    def asked(self, stemmed: bool = False) -> tuple[list[str], dict[str, frozenset[int]]]:
        """What a new process is told."""

        def known() -> tuple[list[str], dict[str, frozenset[int]]]:
            self.reads += 1
            return self.file.read_text().split(), {"三": frozenset({3})}

        return stored("words.txt", stemmed=stemmed)(known)()

    @property
    def table(self) -> Path:
        (found,) = (self.file.parent / "tables").iterdir()
        return found


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Words:
    return Words(tmp_path, monkeypatch)


def test_the_second_process_reads_no_words(words: Words) -> None:
    assert words.asked() == words.asked() == (["one", "two"], {"三": frozenset({3})})
    assert words.reads == 1


def test_a_table_of_other_words_is_never_believed(words: Words) -> None:
    words.asked()
    before = words.file.stat()
    words.file.write_text("one six")  # as long, and as old
    os.utime(words.file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert words.asked()[0] == ["one", "six"]
    assert words.asked()[0] == ["one", "six"] and words.reads == 2, "it was written anew"


def test_a_table_of_another_stemmer_is_never_believed(words: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    import Stemmer

    words.asked(stemmed=True)
    monkeypatch.setattr(Stemmer, "version", lambda: "0.0")
    words.asked(stemmed=True)
    assert words.reads == 2


@pytest.mark.parametrize("cut", [0, 3, 20, -1])
def test_a_torn_table_is_made_anew(words: Words, cut: int) -> None:
    words.asked()
    words.table.write_bytes(words.table.read_bytes()[:cut])
    assert words.asked()[0] == ["one", "two"] and words.reads == 2


def test_where_nothing_can_be_written_the_words_are_read_each_time(words: Words) -> None:
    (words.file.parent / "tables").write_text("a file where the folder would be")
    assert words.asked() == words.asked()
    assert words.reads == 2


def test_every_table_of_the_program_holds_what_its_lists_say() -> None:
    for table in TABLES:
        made = inspect.getclosurevars(inspect.unwrap(table)).nonlocals["made"]
        assert table() == made()
