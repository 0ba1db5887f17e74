"""Between one person's machines: three-way merge, merge driver, git remotes."""
