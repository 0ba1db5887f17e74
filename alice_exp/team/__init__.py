"""What the people of one project approved, carried by its repository: published, trusted, told, merged."""
