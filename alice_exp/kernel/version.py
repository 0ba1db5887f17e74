"""The version of the package, where every floor may read it."""

VERSION = "0.1.0"
