"""Export a sequential JAX model and its distributed program for `tvr check`, and compare the two numerically."""
from .capture import Program, export, export_family
from .compare import compare

__all__ = ["Program", "compare", "export", "export_family"]
