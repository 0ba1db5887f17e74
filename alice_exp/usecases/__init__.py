"""Use cases: a rule joined to the two doors. They meet the edges in ``core.ports`` alone."""
