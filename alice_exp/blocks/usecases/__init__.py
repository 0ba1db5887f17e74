"""What becomes of single blocks."""
