"""A second person and two other agents, three weeks: none of its texts was read while a rule was tuned.

The form is that of ``two_agents``. The kinds tell what a candidate is to what is trusted by then: ``repeats`` it word for
word or nearly, ``rewords`` it, ``opposes`` it, ``replaces`` its value; ``refused`` says in other words what was turned
down; ``elsewhere`` is like something trusted, of another project, person or machine, and contradicts nothing.
"""

from tests.case_tables import cases
from tests.data.two_agents import Candidate

AGENTS = ("cursor", "gemini")

WORD: tuple[tuple[str, str], ...] = tuple(cases(__file__, "WORD"))

REFUSED: tuple[tuple[str, str], ...] = tuple(cases(__file__, "REFUSED"))

STORY: tuple[Candidate, ...] = tuple(Candidate(*one) for one in cases(__file__, "STORY"))
