"""Git remotes, and what a plain ``git pull`` runs."""
