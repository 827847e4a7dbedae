"""The version of the package, kept here alone: the build and `tokcli --version` read it."""

__version__ = "0.1.0"
