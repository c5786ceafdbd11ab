"""Tests of the exporters in Python.  They need torch (and a built tvr); `make test` goes on without."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "frontends", "torch"))
