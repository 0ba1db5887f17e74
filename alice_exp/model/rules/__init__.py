"""The rules of one block: lifecycle, approval, identity, consolidation, rejection."""
