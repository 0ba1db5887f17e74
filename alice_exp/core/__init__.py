"""Words: the values that every other floor speaks in, the errors, and the ports."""
