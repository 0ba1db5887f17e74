"""Use cases of sharing: allow and deny, export and import bundles, exchange with peers."""
