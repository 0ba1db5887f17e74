"""Rules of agents' hosts: what their hooks say, how they are answered, what their transcripts hold."""
