"""A msgpath of its own, between fake workers: what the tests of the command share.

They are called as TEST MSGPATH FAKE_WORKER [-k PATTERN]: a copy of MSGPATH is put beside two copies
of the fake worker, which it then takes for the built-in ones; the fake's variants are ways to behave.
"""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MSGPATH, FAKE = (os.path.abspath(p) for p in sys.argv[1:3])


class CliCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        bin_dir = pathlib.Path(cls.home.name, "bin")
        bin_dir.mkdir()
        cls.msgpath = shutil.copy(MSGPATH, bin_dir / "msgpath")
        shutil.copy(FAKE, bin_dir / "msgpath-worker")
        shutil.copy(FAKE, bin_dir / "msgpath-worker-probed")

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def setUp(self):
        self.cwd = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.cwd.name, "s")

    def tearDown(self):
        self.cwd.cleanup()

    def run_cli(self, *words, timeout=60, **kwargs):
        kwargs.setdefault("stdout", subprocess.PIPE)
        return subprocess.run(
            [self.msgpath, *words], cwd=self.cwd.name, stderr=subprocess.PIPE, text=True,
            timeout=timeout, stdin=subprocess.DEVNULL, **kwargs
        )

    def succeed(self, *words, **kwargs):
        result = self.run_cli(*words, **kwargs)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def refuse(self, status, text, *words, **kwargs):
        """One line on stderr that begins with the program and contains text; nothing on stdout."""
        result = self.run_cli(*words, **kwargs)
        self.assertEqual(result.returncode, status, f"{words}: {result.stderr}")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("msgpath: "), result.stderr)
        self.assertIn(text, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertFalse(self.dir.exists())

    def compare(self, *words):
        return ("compare", *words, "-o", str(self.dir))

    def rows(self, name):
        with open(self.dir / name, newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f))

    def ab(self, metric, run="mean"):
        found = [r for r in self.rows("ab.csv") if (r["metric"], r["run"]) == (metric, run)]
        self.assertEqual(len(found), 1, metric)
        return found[0]


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
