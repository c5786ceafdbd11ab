"""From PyTorch to `tvr check`: captures a sequential step and what every rank executes, and asks whether they agree."""
import torch

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 13):    # some collectives have no functional form there
    raise ImportError(f"tvr_torch needs torch 2.13 or later, this is {torch.__version__}")

from .capture import Captured, CaptureError, Program, capture, export
from .family import check_family, export_family
from .relation import Place
from .replay import compare
from .verdict import NotVerified, Refuted, Unproved, Verdict, ask, check

__all__ = ["Captured", "CaptureError", "NotVerified", "Place", "Program", "Refuted", "Unproved", "Verdict", "ask",
           "capture", "check", "check_family", "compare", "export", "export_family"]
