"""Language models as edges. Each is optional: rules do its work where there is none."""
