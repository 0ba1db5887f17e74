"""What every command shares of a terminal: options, language, tables, editor, exit codes."""
