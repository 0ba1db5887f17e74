"""What one statement is to another: identical, the same, its opposite, its replacement, or near (DESIGN 13)."""
