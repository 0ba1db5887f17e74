"""The SSH key whose signature approves."""
