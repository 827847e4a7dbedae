"""The command line: one file per command, each parsing, calling the engine and rendering."""
