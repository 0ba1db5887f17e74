"""Text in, values through: JSONC and its surgical edits, the file schemas, words."""
