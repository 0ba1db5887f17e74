"""Adding, finishing and expanding thoughts."""
