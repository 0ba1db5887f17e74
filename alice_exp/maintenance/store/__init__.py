"""Examines a home from outside its doors, and puts right what git cannot."""
