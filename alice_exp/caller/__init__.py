"""Who calls and from where: the agents' hosts, who acts, the project of the working folder, what was said there."""
