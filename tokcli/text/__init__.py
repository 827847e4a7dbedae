"""Characters and bytes: UTF-8 as llama.cpp reads it, Unicode tables, escapes, lists of numbers."""
