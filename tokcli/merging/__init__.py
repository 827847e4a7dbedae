"""Merging symbols, and the caches and cuts that save most of it."""
