"""A linter for the tokenizer in a GGUF file.

Rules are grouped by what they look at, a file of Python for each group: TOK1 keys and settings,
TOK2 tokens and types, TOK3 merges and scores, TOK4 special tokens, TOK5 chat templates. They work
on the raw key-values, so that files which llama.cpp refuses have findings too. docs/ has a page
for each rule.
"""
