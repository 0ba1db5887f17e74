"""An act = files exchanged + one git commit, whole or not at all; recovery, the lock. See ``docs/journal.md``."""
