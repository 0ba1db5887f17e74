"""Learning from outcomes: decide, outcome, impact, assess and distill."""
