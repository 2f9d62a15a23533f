# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the unittest cases of the main module and tells them as TAP."""

import sys
import traceback
import unittest


def _cases_in(suite):
    for item in suite:
        yield from _cases_in(item) if isinstance(item, unittest.TestSuite) else (item,)


class _TapResult(unittest.TestResult):
    def __init__(self, suite):
        super().__init__()
        # A suite forgets what it has run.
        self.cases = list(_cases_in(suite))
        self.number = 0
        self.part_reports = []

    def tell(self, test, verdict, directive="", report=""):
        self.number += 1
        print(f"{verdict} {self.number} - {test.id().removeprefix('__main__.')}{directive}")
        sys.stdout.flush()
        if report:
            print(report, file=sys.stderr, flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.tell(test, "ok")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.tell(test, "not ok", report="".join(traceback.format_exception(*error)))

    def addError(self, test, error):
        super().addError(test, error)
        self.tell(test, "not ok", report="".join(traceback.format_exception(*error)))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        for case in self.skipped_with(test):
            self.tell(case, "ok", directive=f" # SKIP {reason}")

    def skipped_with(self, test):
        """A class that is skipped as a whole comes as one."""
        if isinstance(test, unittest.TestCase):
            return [test]
        return [case for case in self.cases if test.id() == f"setUpClass ({unittest.util.strclass(type(case))})"]

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.part_reports.append(f"{subtest}\n{''.join(traceback.format_exception(*error))}")

    def stopTest(self, test):
        """Of a test whose parts failed nothing else is told."""
        super().stopTest(test)
        if self.part_reports:
            self.tell(test, "not ok", report="\n".join(self.part_reports))
        self.part_reports = []


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = _TapResult(suite)
    print(f"1..{len(result.cases)}", flush=True)
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() and result.number == len(result.cases) else 1)
