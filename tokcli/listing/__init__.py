"""Vocabularies and merges as rows, for dump-vocab and show-merges."""
