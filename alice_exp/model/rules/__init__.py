"""Rules about single blocks: lifecycle, approval, identity, consolidation, rejection."""
