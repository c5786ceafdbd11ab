"""Export a sequential JAX model and its distributed program for `tvr check`, ask it, and compare the two numerically."""
from .capture import Program, export, export_family
from .compare import compare
from .verdict import NotVerified, Refuted, Unproved, check

__all__ = ["NotVerified", "Program", "Refuted", "Unproved", "check", "compare", "export", "export_family"]
