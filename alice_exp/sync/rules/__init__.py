"""Three-way merging of blocks, files and whole homes."""
