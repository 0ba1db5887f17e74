"""Where homes of the version before look for their merge driver: gone with the release after this one."""
