"""The faces: the command table, completion, ``import alice_exp``."""
