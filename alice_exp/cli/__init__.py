"""The terminal's face: parse, call one use case, render."""
