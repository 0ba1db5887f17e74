"""What is kept, as frozen values."""
