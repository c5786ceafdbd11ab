"""pytest_plugin: a test that fails because tvr does not verify it, or a program cannot be captured, shows what was said
about it, not a traceback through this package."""
import sys

import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    tvr_torch = sys.modules.get("tvr_torch")             # torch is not imported for tests that do without
    if tvr_torch and call.excinfo and isinstance(call.excinfo.value, (tvr_torch.NotVerified, tvr_torch.CaptureError)):
        report = outcome.get_result()
        report.longrepr = str(call.excinfo.value)
        report.sections = [s for s in report.sections if not s[0].startswith("Captured log")]   # PyTorch's, of tracing
