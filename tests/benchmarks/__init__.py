"""How fast tokcli is beside llama.cpp: `python -m tests.benchmarks --help`."""
