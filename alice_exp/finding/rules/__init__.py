"""How texts are matched, scored and kept silent about."""
