"""The version of the package, in the lowest room so that every room can import it."""

VERSION = "0.3.0"
