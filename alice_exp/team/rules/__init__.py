"""The rules of the team's file: what may stand in it, how two versions become one, what is made of it."""
