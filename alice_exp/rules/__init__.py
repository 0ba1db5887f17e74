"""Pure rules: functions of a snapshot, arguments and ``now``; no clock, no files, no randomness of their own."""
