"""Five long conversations written after the summary's rule: eight facts each that later turns need, among noisy talk."""

from tests.case_tables import cases

NOISE_EN = cases(__file__, "NOISE_EN")
NOISE_ZH = cases(__file__, "NOISE_ZH")
MOVE = cases(__file__, "MOVE")
GAME = cases(__file__, "GAME")
CLINIC = cases(__file__, "CLINIC")
FARM = cases(__file__, "FARM")
CLASS = cases(__file__, "CLASS")
LATER_TALKS = {"move": MOVE, "game": GAME, "clinic": CLINIC, "farm": FARM, "class": CLASS}
