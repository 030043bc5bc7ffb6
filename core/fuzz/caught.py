#!/usr/bin/env python3
"""Run a command that is expected to report a mismatch: `caught.py COMMAND [ARG...]`.

Meson takes any failure of a should_fail test for the expected one, a crash too. So: exit status 1
only if the command ended with 1 and printed a mismatch, 0 if it found nothing, 99 (an error, for
Meson) if it ended in any other way.
"""
import subprocess
import sys

run = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True)
print(run.stdout, end="")
if run.returncode == 0:
    print("not caught")
    sys.exit(0)
is_mismatch = any(line.startswith("mismatch: ") for line in run.stdout.splitlines())
sys.exit(1 if run.returncode == 1 and is_mismatch else 99)
