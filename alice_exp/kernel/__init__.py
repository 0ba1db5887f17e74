"""What knows no block: JSONC, the journal, text, models; and the version of the package, for every room to import."""

VERSION = "0.3.0"
