"""What knows no block: lossless JSONC, the journal, text, language models. Each could be a package of its own."""
