"""The owner key: an SSH key whose signature makes approvals valid."""
