"""Pure rules of blocks: undo, the text of a single block, the formats of other memories."""
