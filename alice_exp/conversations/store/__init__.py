"""Where conversations are kept: a file each, and an index of what was said in them."""
