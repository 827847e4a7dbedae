"""Turns results into text, JSON, tables and pages; knows nothing of command lines."""
