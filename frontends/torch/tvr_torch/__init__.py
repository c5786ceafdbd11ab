"""From PyTorch to `tvr check`: captures a sequential step and what every rank executes, and asks whether they agree."""
from .capture import Captured, CaptureError, Program, capture, export
from .family import check_family, export_family
from .relation import Place
from .replay import compare
from .verdict import NotVerified, Refuted, Unproved, Verdict, ask, check

__all__ = ["Captured", "CaptureError", "NotVerified", "Place", "Program", "Refuted", "Unproved", "Verdict", "ask",
           "capture", "check", "check_family", "compare", "export", "export_family"]
