"""What numpy does for long text. Nothing in here is imported before there is some: the import alone
takes as long as tokenizing some pages."""

__all__ = ["LONG_TEXT"]

# Characters from which on it pays.
LONG_TEXT = 1 << 18
