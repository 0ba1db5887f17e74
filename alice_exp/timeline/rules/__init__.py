"""How thoughts become segments."""
