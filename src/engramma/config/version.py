"""The version, said once."""

__version__ = "0.3.0"
