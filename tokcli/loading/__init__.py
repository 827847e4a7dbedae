"""From the keys of a file to a vocabulary, by llama.cpp's rules."""
