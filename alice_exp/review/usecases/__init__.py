"""Use cases of the review: the heartbeat, and the person's decisions."""
