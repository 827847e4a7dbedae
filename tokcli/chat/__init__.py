"""Chat templates: rendering them as the transformers library does, and judging what comes out.

messages.py reads a conversation, template.py finds the template of a file, render.py renders it
inside sandbox.py, and verdict.py says how many BOS the prompt begins with and whose they are.
"""
