#!/usr/bin/env python3
"""Sessions that are interrupted or killed: what they leave, and that a report is made of it."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

import cli_case


class Interrupted(cli_case.CliCase):
    def start(self, *words):
        process = subprocess.Popen(
            [self.msgpath, *words], cwd=self.cwd.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, stdin=subprocess.DEVNULL,
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def wait_for_passes(self, n):
        path, last = self.dir / "passes.csv", self.dir / "latency.csv"
        for _ in range(3000):
            if last.exists() and path.read_text(encoding="utf-8").count("\n") > n:
                return
            time.sleep(0.005)
        self.fail(f"never saw {n} passes")

    def test_signals_keep_what_was_measured(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                process = self.start(*self.compare("good", "twice", "--passes", "2000"))
                self.wait_for_passes(40)
                process.send_signal(number)
                out, err = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 4)
                self.assertIn(f"msgpath: interrupted; what was measured is in {self.dir}", err)
                self.assertIn("msg_per_s", out)
                self.assertEqual(self.ab("msg_per_s")["verdict"], "improved")
                shutil.rmtree(self.dir)

    def test_interrupt_reaches_a_hanging_worker(self):
        process = self.start(*self.compare("good", "hang", "--timeout", "60s"))
        self.wait_for_passes(1)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 4)
        self.assertEqual(self.rows("passes.csv")[-1]["reason"], "interrupted")

    def test_interrupt_ends_a_worker_that_never_describes_itself(self):
        script = pathlib.Path(self.cwd.name) / "mute"
        script.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
        script.chmod(0o755)
        process = self.start("compare", f"a=exec:{script}", f"b=exec:{script}", "-o", str(self.dir))
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=5)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertFalse(self.dir.exists())

    def test_sigkill_at_any_moment(self):
        """Killed at moments spread over a session: what is left always reads, and agrees."""
        for i in range(12):
            process = self.start(*self.compare("good", "twice", "--passes", "400"))
            self.wait_for_passes(7 * i)
            time.sleep(0.0013 * i)
            process.kill()
            process.communicate(timeout=10)
            report = self.run_cli("report", str(self.dir))
            self.assertEqual(report.returncode, 0, report.stderr)
            committed = {(p["arm"], p["pass"]) for p in self.rows("passes.csv") if p["accepted"] == "1"}
            if len(committed) >= 6:
                self.assertEqual(self.ab("copies", "1")["verdict"], "improved")
            self.assertTrue((self.dir / "report.md").read_text(encoding="utf-8").startswith("# "))
            shutil.rmtree(self.dir)

    # Reports

    def test_report_is_the_same_again(self):
        self.succeed(*self.compare("good", "noisy", "--passes", "12"))
        before = {n: (self.dir / n).read_bytes() for n in ("report.md", "ab.csv")}
        (self.dir / "report.md").unlink()
        out = self.succeed("report", str(self.dir))
        self.assertEqual(set(out.splitlines()), {f"{self.dir}/report.md", f"{self.dir}/ab.csv"})
        for name, content in before.items():
            self.assertEqual((self.dir / name).read_bytes(), content)
        for form, name in (("md", "report.md"), ("csv", "ab.csv")):
            self.assertEqual(self.succeed("report", str(self.dir), "-f", form).encode(), before[name])
            self.succeed("report", str(self.dir), "-f", form, "-o", "out")
            self.assertEqual(pathlib.Path(self.cwd.name, "out").read_bytes(), before[name])
        self.assertIn("msg_per_s", self.succeed("report", str(self.dir), "-f", "console"))

    def test_report_leaves_devices_alone(self):
        self.succeed(*self.compare("good", "twice", "--passes", "2"))
        fifo = pathlib.Path(self.cwd.name, "fifo")
        os.mkfifo(fifo)
        reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE)
        self.addCleanup(reader.kill)
        self.succeed("report", str(self.dir), "-f", "csv", "-o", str(fifo))
        self.assertTrue(reader.communicate(timeout=10)[0].startswith(b"scenario,run,metric"))
        self.assertTrue(fifo.is_fifo())

    def test_report_of_nothing(self):
        self.refuse(2, "nowhere", "report", "nowhere")
        empty = pathlib.Path(self.cwd.name, "empty")
        empty.mkdir()
        self.refuse(2, "session.json", "report", str(empty))
        self.refuse(2, "takes one folder", "report", "one", "another")

    def test_report_of_damaged_files(self):
        self.succeed(*self.compare("good", "twice", "--passes", "12"))
        rows, passes = self.dir / "rows.csv", self.dir / "passes.csv"
        good_rows = rows.read_text(encoding="utf-8")
        good_passes = passes.read_text(encoding="utf-8")
        for cut in (1, 20, 3000):  # torn ends are what a kill leaves
            rows.write_text(good_rows, encoding="utf-8")
            passes.write_text(good_passes[:-cut], encoding="utf-8")
            self.succeed("report", str(self.dir))
        passes.write_text(good_passes, encoding="utf-8")
        lines = good_rows.splitlines()
        lines[4] = lines[4].rsplit(",", 1)[0] + ",1;5"
        rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
        result = self.run_cli("report", str(self.dir))
        self.assertEqual(result.returncode, 2)
        self.assertIn("rows.csv:5", result.stderr)
        self.assertIn("1;5", result.stderr)


if __name__ == "__main__":
    cli_case.main()
