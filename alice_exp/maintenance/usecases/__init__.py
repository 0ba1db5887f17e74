"""Use cases of maintenance: doctor, settings, namespaces, watching."""
