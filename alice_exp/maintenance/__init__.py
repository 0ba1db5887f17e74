"""Keeping a home: init, check, doctor, config, namespaces, watch."""
