"""What editors are told of the files of a home."""
