"""The tests and what they share. Whatever runs from here acts as a person on homes of its own."""

from tests.outside import leave

leave()
