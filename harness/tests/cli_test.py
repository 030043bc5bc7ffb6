#!/usr/bin/env python3
"""The msgpath command as its users meet it: exit statuses, one-line errors, what a session leaves."""
import csv
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import time

import cli_case
from cli_case import FAKE, MSGPATH


class Cli(cli_case.CliCase):
    # Pages

    def test_pages(self):
        self.assertRegex(self.succeed("--version"), r"^msgpath \d+\.\d+\.\d+\n$")
        self.assertIn("msgpath compare", self.succeed("--help"))
        for command in ("compare", "run", "report", "list"):
            page = self.succeed(command, "--help")
            self.assertTrue(page.startswith(f"usage: msgpath {command} "))
            self.assertLessEqual(max(map(len, page.splitlines())), 100)
            self.assertIn(f"msgpath {command}", self.succeed("--help"))

    def test_help_shows_what_the_worker_describes(self):
        page = self.succeed("compare", "--help")
        self.assertRegex(page, r"--messages N +messages a run \[1000\]")
        self.assertRegex(page, r"--deep +a flag")

    def test_man_page(self):
        man = self.succeed("--help=man")
        self.assertTrue(man.startswith(".TH MSGPATH 1"))
        for word in ("\\-\\-plan\\-seed", "\\-\\-messages", "EXIT STATUS", "msgpath compare"):
            self.assertIn(word, man)
        if shutil.which("man"):
            path = pathlib.Path(self.cwd.name, "msgpath.1")
            path.write_text(man, encoding="utf-8")
            page = subprocess.run(
                ["man", "--warnings", "-l", path], capture_output=True, text=True,
                env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C"}, check=True,
            )
            self.assertEqual(page.stderr, "")
            self.assertLessEqual(max(map(len, page.stdout.splitlines())), 80)

    def test_completion(self):
        script = self.succeed("--help=bash")
        probe = script + """
            complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _msgpath; echo "${COMPREPLY[@]}"; }
            complete_words msgpath comp
            complete_words msgpath compare --pl
            complete_words msgpath compare before --mess
            complete_words msgpath list v
            complete_words msgpath report --mess
            complete_words msgpath report ''
            complete_words msgpath compare before -o ''
            complete_words msgpath list ''
            complete_words msgpath --v
        """
        result = subprocess.run(["bash", "-c", probe], capture_output=True, text=True, check=True)
        self.assertEqual(
            result.stdout.splitlines(),
            ["compare", "--plan-seed", "--messages", "variants", ""]
            # nothing of its own: file names
            + ["", "", "scenarios variants metrics mixes writers sites", "--version"],
        )

    def test_list(self):
        self.assertIn("micro", self.succeed("list", "scenarios"))
        self.assertIn("crash", self.succeed("list", "variants"))
        self.assertRegex(self.succeed("list", "metrics"), r"msg_per_s +1/s +higher +timed")
        self.assertIn("the mix", self.succeed("list", "mixes") + self.succeed("list", "sites"))
        self.assertRegex(self.succeed("list", "writers"), r"md +report\.md")
        self.refuse(2, "unknown topic 'rules'", "list", "rules")
        self.refuse(2, "needs a topic", "list")

    # Mistakes

    def test_usage(self):
        for text, words in (
            ("a command is needed", ()),
            ("did you mean 'compare'", ("compar", "x")),
            ("unknown command 'gate'", ("gate", "DIR")),
            ("at least two arms, 1 given", self.compare("good")),
            ("at least two arms, 0 given", self.compare()),
            ("exactly one arm, 2 given", ("run", "good", "good")),
            ("did you mean 'twice'", self.compare("good", "twic")),
            ("unknown spec 'git:HEAD'", self.compare("good", "git:HEAD")),
            ("unknown spec 'bench:time:ls'", self.compare("good", "bench:time:ls")),
            ("/nonexistent: No such file", self.compare("good", "exec:/nonexistent")),
            ("unknown scenario 'mikro' (did you mean 'micro'", self.compare("good", "good", "-s", "mikro")),
            ("--passes: '7' is odd", self.compare("good", "good", "--passes", "7")),
            ("--passes: '0'", self.compare("good", "good", "--passes", "0")),
            ("--passes: 'x'", self.compare("good", "good", "--passes=x")),
            ("--passes: needs a value", self.compare("good", "good") + ("--passes",)),
            ("--equal: '2'", self.compare("good", "good", "--equal", "2")),
            ("--equal: '0.02'", self.compare("good", "good", "--equal", "0.02")),
            ("--timeout: '60'", self.compare("good", "good", "--timeout", "60")),
            ("--plan-seed: '-1'", self.compare("good", "good", "--plan-seed", "-1")),
            ("did you mean --messages", self.compare("good", "good", "--mesages", "5")),
            ("did you mean --passes", self.compare("good", "good", "--pases", "6")),
            ("--messages: 'many' is not a number", self.compare("good", "good", "--messages", "many")),
            ("--messages: needs a value", self.compare("good", "good") + ("--messages",)),
            ("--deep: takes no value", self.compare("good", "good", "--deep=1")),
            ("--filter: 'typo' matches no metric", self.compare("good", "good", "--filter", "typo")),
            ("--filter: '('", self.compare("good", "good", "--filter", "(")),
            ("--counting: must follow", self.compare("good", "good", "--counting", "./x")),
            ("unknown option --equal", ("run", "good", "--equal", "2%")),
            ("unknown option -x", self.compare("good", "good", "-x")),
            ("--format", ("report", ".", "-f", "xml")),
            ("needs the folder", ("report",)),
            ("--output: needs --format", ("report", ".", "-o", "x")),
        ):
            with self.subTest(text):
                self.refuse(2, text, *words)

    def test_worker_that_does_not_describe_itself(self):
        self.refuse(4, "--describe failed", *self.compare("good", "exec:/bin/false"))
        self.refuse(2, "--describe printed nothing", *self.compare("good", "exec:/bin/true"))

    def test_missing_builtin_worker(self):
        lonely = shutil.copy(MSGPATH, pathlib.Path(self.cwd.name, "msgpath"))
        words = [lonely, "compare", "good", "good"]
        result = subprocess.run(words, cwd=self.cwd.name, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 4)
        self.assertIn("msgpath-worker: is not in", result.stderr)

    def test_output_folder(self):
        taken = pathlib.Path(self.cwd.name, "taken")
        self.succeed("compare", "good", "twice", "--passes", "2", "-o", str(taken))
        self.refuse(2, "taken: exists", "compare", "good", "good", "-o", str(taken))
        self.refuse(2, "no/such/s", "compare", "good", "good", "-o", "no/such/s")
        self.refuse(2, "--output: needs a folder", "compare", "good", "good", "-o", "")

    def test_full_stdout(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = self.run_cli("list", "variants", stdout=full)
        self.assertEqual(result.returncode, 2)
        self.assertIn("msgpath: stdout: cannot be written", result.stderr)

    # Sessions

    def test_session(self):
        out = self.succeed(*self.compare("good", "twice", "--passes", "12", "--plan-seed", "42"))
        self.assertTrue(out.endswith(f"session: {self.dir}/   report: {self.dir}/report.md\n"))
        for name in ("session.json", "passes.csv", "rows.csv", "ab.csv", "report.md"):
            self.assertTrue((self.dir / name).stat().st_size > 0)
        session = json.loads((self.dir / "session.json").read_text(encoding="utf-8"))
        self.assertIn("--plan-seed 42", session["command"])
        passes = self.rows("passes.csv")
        kinds = [p["kind"] for p in passes]
        self.assertEqual(kinds, ["counting"] * 6 + ["timed"] * 24)
        order = "".join("AB"[p["arm"] == "twice"] for p in passes[6:])
        self.assertEqual(re.findall("....", order)[:4], ["BAAB", "ABBA", "BAAB", "BAAB"])
        self.assertEqual({p["accepted"] for p in passes}, {"1"})
        speed = self.ab("msg_per_s")
        self.assertEqual(float(speed["ratio"]), 2)
        self.assertEqual((speed["verdict"], speed["blocks"]), ("improved", "6"))
        copies = self.ab("copies", "1")
        self.assertEqual((copies["a"], copies["b"], copies["verdict"]), ("2000", "0", "improved"))
        self.assertEqual(copies["reason"], "exact")
        self.assertEqual(self.ab("decodes", "2")["verdict"], "equal")
        self.assertEqual(self.ab("copies/app", "1")["b"], "0")
        # timed figures come from timed passes, counts from counting ones
        kind_of = {(p["arm"], p["pass"]): p["kind"] for p in passes}
        for row in self.rows("rows.csv"):
            want = "timed" if row["metric"] in ("wall", "msg_per_s") else "counting"
            self.assertEqual(kind_of[row["arm"], row["pass"]], want, row)

    def test_same_seed_same_order(self):
        orders = []
        for i in range(2):
            self.succeed("compare", "good", "twice", "--passes", "8", "--plan-seed", "7", "-o", f"s{i}")
            with open(pathlib.Path(self.cwd.name, f"s{i}", "passes.csv"), encoding="utf-8") as f:
                orders.append([r["arm"] for r in csv.DictReader(f)])
        self.assertEqual(*orders)

    def test_few_blocks_claim_nothing(self):
        self.succeed(*self.compare("good", "twice", "--passes", "10"))
        self.assertEqual(self.ab("msg_per_s")["verdict"], "inconclusive")
        self.assertIn("needs at least 6 blocks", self.ab("msg_per_s")["reason"])
        self.assertEqual(self.ab("copies", "1")["verdict"], "improved")

    def test_same_program_twice(self):
        out = self.succeed(*self.compare("good", "good", "--passes", "12"))
        self.assertIn("good~2", out)
        self.assertIn("same program", out)
        self.assertEqual(self.ab("msg_per_s")["verdict"], "unchanged")

    def test_default_folder_and_quiet(self):
        result = self.run_cli("compare", "good", "twice", "--passes", "2", "--quiet")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        (made,) = pathlib.Path(self.cwd.name).iterdir()
        self.assertRegex(made.name, r"^msgpath-\d{8}T\d{6}Z$")

    def test_exec_arm_with_counting_build(self):
        spec = f"mine=exec:{FAKE} --variant twice"
        counting = f"{FAKE} --variant good"
        self.succeed(*self.compare("good", spec, "--counting", counting, "--passes", "12",
                                   "--messages", "50"))
        self.assertEqual(self.ab("copies", "1")["b"], "100")
        self.assertEqual(float(self.ab("msg_per_s")["ratio"]), 2)
        self.assertEqual(self.ab("messages", "1")["b_arm"], "mine")

    def test_run(self):
        out = self.succeed("run", "good", "--passes", "4", "-o", str(self.dir))
        self.assertIn("msg_per_s", out)
        self.assertEqual([p["kind"] for p in self.rows("passes.csv")], ["counting"] * 3 + ["timed"] * 4)

    def test_three_arms(self):
        self.succeed(*self.compare("good", "twice", "good", "--passes", "2"))
        pairs = {(r["a_arm"], r["b_arm"]) for r in self.rows("ab.csv")}
        self.assertEqual(pairs, {("good", "twice"), ("twice", "good~2"), ("good", "good~2")})

    def test_filter(self):
        pattern = "^it's|^msg_per_s$"
        out = self.succeed(*self.compare("good", "twice", "--passes", "12", "--filter", pattern))
        command = json.loads((self.dir / "session.json").read_text(encoding="utf-8"))["command"]
        self.assertEqual(shlex.split(command)[-3], pattern)
        self.assertIn("msg_per_s", out)
        self.assertNotIn("copies", out)

    def test_verdict_words(self):
        for variant, metric, run, verdict in (
            ("other", "copies", "1", "not comparable"),
            ("varying", "copies", "1", "inconclusive"),
            ("foreign", "glow", "mean", "missing"),
            ("zero", "wall", "mean", "inconclusive"),
        ):
            with self.subTest(variant):
                self.succeed(*self.compare("good", variant, "--passes", "12"))
                self.assertEqual(self.ab(metric, run)["verdict"], verdict)
                self.assertNotEqual(self.ab(metric, run)["reason"], "")
                shutil.rmtree(self.dir)

    def test_locale_does_not_matter(self):
        env = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
        self.succeed(*self.compare("good", "twice", "--passes", "12"), env=env)
        self.assertEqual(self.ab("msg_per_s")["a"], "1000000")

    # Workers that fail

    def test_bad_workers(self):
        for variant, reason in (
            ("crash", "killed by signal 11"),
            ("exit3", "exit 3: no luck today"),
            ("empty", "stdout: nothing was printed"),
            ("header", "stdout: no row of a counting pass"),
            ("garbage", "stdout:1: "),
            ("torn", "stdout: the last line is torn"),
            ("ragged", "stdout:"),
            ("unit", "unit of cpu is 'us', not ns"),
            ("scenario", "scenario is 'elsewhere', not micro"),
            ("fraction", "hashes: '1.5' is not a whole number"),
            ("infinite", "cpu: 'inf' is not a finite"),
            ("negative", "cpu: '-1.5' is negative"),
            ("comma", "cpu: '1,5' is not a finite"),
            ("sum", "decodes is 2000, but its parts sum to 1999"),
            ("flood", "printed more than 64 MiB"),
        ):
            with self.subTest(variant):
                result = self.run_cli(*self.compare("good", variant, "--passes", "12"))
                self.assertEqual(result.returncode, 4, result.stderr)
                last = result.stderr.splitlines()[-1]
                self.assertIn("msgpath: micro: ended after 3 failures in a row", last)
                self.assertIn(reason, last)
                bad = [p for p in self.rows("passes.csv") if p["accepted"] == "0"]
                self.assertIn(reason, bad[2]["reason"])
                self.assertEqual({r["arm"] for r in self.rows("rows.csv")}, {"good"})
                self.assertTrue((self.dir / "report.md").exists())
                shutil.rmtree(self.dir)

    def test_duplicate_row(self):
        # wall is the timed pass's: counting passes are good, timed ones are not
        result = self.run_cli(*self.compare("good", "dup", "--passes", "12"))
        self.assertEqual(result.returncode, 4)
        self.assertIn("run 1: wall is there twice", result.stderr)
        self.assertEqual(self.ab("copies", "1")["verdict"], "equal")

    def test_hang(self):
        begin = time.monotonic()
        result = self.run_cli(*self.compare("good", "hang", "--timeout", "300ms"))
        self.assertEqual(result.returncode, 4)
        self.assertIn("still running after 0.3 s", result.stderr)
        self.assertLess(time.monotonic() - begin, 20)

    def test_child_that_holds_the_pipe(self):
        self.succeed(*self.compare("good", "spawnhang", "--passes", "2"))

    def test_now_and_then_a_crash(self):
        counter = pathlib.Path(self.cwd.name, "counter")
        env = {**os.environ, "FAKE_COUNTER": str(counter)}
        result = self.run_cli(*self.compare("good", "third", "--passes", "12"), env=env)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("killed by signal 11", result.stderr)
        self.assertEqual(self.ab("msg_per_s")["blocks"], "6")
        blocks = {}
        for p in self.rows("passes.csv"):
            if p["kind"] == "timed":
                blocks.setdefault(p["block"], []).append(p["accepted"])
        whole = [b for b, accepted in blocks.items() if accepted == ["1"] * 4]
        self.assertEqual(len(whole), 6)
        self.assertGreater(len(blocks), 6)

    def test_last_run_there_can_be(self):
        self.succeed(*self.compare("good", "farrun", "--passes", "2"))
        rows = re.findall(r"^\| farrun .*\|$", (self.dir / "report.md").read_text(), re.MULTILINE)
        runs = [row.split("|")[5].strip() for row in rows if row.endswith("| accepted |")]
        self.assertEqual(runs, ["1", "2", "65535"] * 2)

    def test_skip(self):
        result = self.run_cli(*self.compare("good", "skip", "--passes", "2"))
        self.assertEqual(result.returncode, 4)
        self.assertIn("nothing was compared", result.stderr)
        self.assertIn("skipped: no such device", self.rows("passes.csv")[-1]["reason"])

    def test_full_disk(self):
        if os.geteuid() != 0:
            self.skipTest("mounting a small file system needs root")
        mount = pathlib.Path(self.cwd.name, "small")
        mount.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", mount], capture_output=True, check=False
        )
        if done.returncode != 0:
            self.skipTest("tmpfs cannot be mounted here")
        try:
            self.dir = mount / "s"
            result = self.run_cli(*self.compare("good", "twice", "--passes", "2000"))
            self.assertEqual(result.returncode, 2)
            self.assertIn("No space left", result.stderr.splitlines()[-1])
            self.assertIn("msg_per_s", result.stdout)
            report = self.run_cli("report", str(self.dir), "-f", "csv")
            self.assertEqual(report.returncode, 0, report.stderr)
            self.assertIn("copies", report.stdout)
        finally:
            subprocess.run(["umount", mount], check=True)

    def test_limit_of_file_sizes(self):
        limit = ["prlimit", "--fsize=16384", self.msgpath]
        words = self.compare("good", "twice", "--passes", "200")
        result = subprocess.run(
            limit + list(words), cwd=self.cwd.name, capture_output=True, text=True, check=False
        )
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("File too large", result.stderr.splitlines()[-1])
        self.assertIn("copies", self.succeed("report", str(self.dir), "-f", "csv"))

    def test_slash_behind_the_folder(self):
        out = self.succeed("compare", "good", "twice", "--passes", "2", "-o", f"{self.dir}//")
        self.assertTrue(out.endswith(f"session: {self.dir}/   report: {self.dir}/report.md\n"))


if __name__ == "__main__":
    cli_case.main()
